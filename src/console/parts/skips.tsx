/** A check that a write can do without: folded, for whoever knows better, with what it risks. */
import type { Skippable } from '../write.ts';
import { timed } from '../moment.ts';
import { visible } from './text.tsx';

interface SkipProps {
  readonly skippable: Skippable;
  readonly skip: () => void;
}

export function Skip({ skippable: { danger }, skip }: SkipProps) {
  return (
    <details class="skips">
      <summary>I know better</summary>
      <p>{visible(timed(danger))}</p>
      <button type="button" onClick={skip}>
        Skip this check
      </button>
    </details>
  );
}

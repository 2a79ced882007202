/** Checks that a write can do without: folded, for whoever knows better, each with what it risks. */
import type { Skip } from '../write.ts';
import { visible } from './text.tsx';

export function Skips({ skips = [] }: { readonly skips: readonly Skip[] | undefined }) {
  if (skips.length === 0) return null;
  return (
    <details class="skips">
      <summary>I know better</summary>
      <ul>
        {skips.map(({ name, label, danger }) => (
          <li key={name}>
            <label>
              <input
                type="checkbox"
                name="skipped"
                value={name}
                aria-describedby={`danger-${name}`}
              />{' '}
              {label}
            </label>
            <p id={`danger-${name}`}>{visible(danger)}</p>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** What is wrong, each with what to do about it. */
import type { ZoneTrouble } from '../health.ts';
import { hrefOf } from '../router.ts';
import { visible } from './text.tsx';

interface TroublesProps {
  readonly label: string;
  readonly troubles: readonly ZoneTrouble[];
  /** What is said when there are none. */
  readonly none: string;
}

export function Troubles({ label, troubles, none }: TroublesProps) {
  if (troubles.length === 0) return <p>{none}</p>;
  return (
    <ul class="troubles" aria-label={label}>
      {troubles.map(({ text, what_to_do: help, zone, tab }) => (
        <li key={`${zone} ${text}`} class="judged">
          <p>
            {zone !== undefined && (
              <>
                <a href={hrefOf(['zones', zone, tab ?? 'records'], { at: undefined })}>
                  {visible(zone)}
                </a>
                {': '}
              </>
            )}
            {visible(text)}
          </p>
          <p class="muted">{visible(help)}</p>
        </li>
      ))}
    </ul>
  );
}

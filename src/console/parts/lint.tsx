/** What is probably a mistake in a zone, as the service finds it, page by page. */
import { useState } from 'preact/hooks';
import { get, type Warning, type Zone, zonePath } from '../api.ts';
import { counted } from '../counted.ts';
import { useLoaded } from '../loading.ts';
import { hrefOf } from '../router.ts';
import { relativeName } from '../owner-name.ts';
import { visible } from './text.tsx';

const shownAtOnce = 100;

interface Page {
  readonly items: readonly Warning[];
  readonly next_cursor: string | null;
}

/** Its place is kept while the answer is awaited: what stands below does not move under the pointer. */
export function Lint({ zone }: { readonly zone: Zone }) {
  const [cursor, setCursor] = useState<string>();
  const { value, isWaiting } = useLoaded(
    (signal) => get<Page>(zonePath(zone.name, '/lint'), { cursor, limit: shownAtOnce }, signal),
    [zone.name, zone.serial, cursor],
  );
  return (
    <div class="lint" aria-busy={isWaiting}>
      {value !== undefined && <Found zone={zone} page={value} look={setCursor} />}
    </div>
  );
}

interface FoundProps {
  readonly zone: Zone;
  readonly page: Page;
  readonly look: (cursor: string) => void;
}

function Found({ zone, page: { items, next_cursor: next }, look }: FoundProps) {
  const further = next !== null && (
    <button type="button" onClick={() => look(next)}>
      Look further
    </button>
  );
  if (items.length === 0) {
    return (
      <p class="muted">
        Nothing looks wrong{next === null ? '.' : ' so far. '}
        {further}
      </p>
    );
  }
  return (
    <details class="warnings">
      <summary>{counted(items.length, 'thing')} may be wrong in this zone</summary>
      <ul>
        {items.map((warning) => (
          <li key={JSON.stringify(warning)}>
            <Where zone={zone} warning={warning} /> {visible(warning.message)}
          </li>
        ))}
      </ul>
      {further}
    </details>
  );
}

/** Leads to the records that it is about. */
function Where({ zone, warning }: { readonly zone: Zone; readonly warning: Warning }) {
  const { name, type } = warning;
  if (name === null) return null;
  const filter = { name: relativeName(name, zone.name), type: type ?? undefined };
  return (
    <a href={hrefOf(['zones', zone.name, 'records'], filter)}>
      {visible([name, type].filter(Boolean).join(' '))}
    </a>
  );
}

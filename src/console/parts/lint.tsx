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

export function Lint({ zone }: { readonly zone: Zone }) {
  const [cursor, setCursor] = useState<string>();
  const { value } = useLoaded(
    (signal) => get<Page>(zonePath(zone.name, '/lint'), { cursor, limit: shownAtOnce }, signal),
    [zone.name, zone.serial, cursor],
  );
  if (value === undefined) return null;
  const { items, next_cursor: next } = value;
  const further = next !== null && (
    <button type="button" onClick={() => setCursor(next)}>
      Look further
    </button>
  );
  if (items.length === 0) {
    return next === null ? null : <p class="muted">Nothing looks wrong so far. {further}</p>;
  }
  return (
    <details class="warnings lint">
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

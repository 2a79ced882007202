/** The filter of the records of a zone: one field, whose words are in the address. */
import type { Zone } from '../api.ts';
import { filterText, readFilter, type RecordFilter } from '../record-filter.ts';
import { go, hrefOf, hrefWith, parameter } from '../router.ts';
import { useTyped } from './filter.tsx';
import { visible } from './text.tsx';

/** What the address asks for: `search` as it was typed, beside what links ask for. */
export function askedFilter(): string {
  const words = { name: parameter('name'), type: parameter('type') };
  return filterText(words, parameter('search'));
}

/** What the records of a zone are asked for by, beside the zone and the moment. */
export function recordQuery(): Readonly<Record<string, string>> {
  const { query } = readFilter(askedFilter());
  return findsGenerated(query) ? { ...query, signed: parameter('signed') } : query;
}

/** DNSSEC records can not be looked for by a value or by who changed them. */
export function findsGenerated({ value, changed_by, changed_since }: RecordFilter['query']) {
  return (value ?? changed_by ?? changed_since) === undefined;
}

interface FilterProps {
  readonly zone: Zone;
  readonly text: string;
  readonly filter: RecordFilter;
}

export function RecordFilterField({ zone, text, filter: { changes, wrong } }: FilterProps) {
  const { field } = useTyped(text, (typed) =>
    go(hrefWith({ ...nothing, search: typed }), 'replace'),
  );
  const isOfChanges = Object.keys(changes).length > 0;
  return (
    <div class="words">
      <label class="filter">
        <span>Part of name or value</span>
        <input
          type="search"
          aria-describedby="filter-help"
          aria-invalid={wrong.length > 0}
          {...field}
        />
      </label>
      <small class="muted" id="filter-help">
        Also type:MX, name:www, name:*.dyn, value:192.0.2.0/24, and by:ci or since:7d for what ci
        changed last, or what changed in 7 days.
      </small>
      <div role="status">
        {wrong.map((sentence) => (
          <p class="field-error" key={sentence}>
            {visible(sentence)}
          </p>
        ))}
        {isOfChanges && (
          <p>
            by: and since: go by the last change of each name and type.{' '}
            <a href={hrefOf(['zones', zone.name, 'timeline'], changes)}>
              Look for all changes in the timeline
            </a>
          </p>
        )}
      </div>
      {text !== '' && <a href={hrefWith(nothing)}>All records of the zone</a>}
    </div>
  );
}

const nothing = { name: undefined, type: undefined, search: undefined, offset: undefined };

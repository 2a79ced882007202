/** Which changes a list has: filters that are in the address. */
import { instantOf, localText } from '../moment.ts';
import { go, hrefWith, parameter } from '../router.ts';
import { FilterField } from './filter.tsx';

const sources = ['api', 'cli', 'nsupdate', 'external-dns', 'system'] as const;

/** What the address says; with a moment nothing that came later. */
export function eventQuery() {
  const isMine = parameter('mine') === 'true';
  return {
    kind: parameter('kind'),
    source: parameter('source'),
    reason: parameter('reason'),
    since: parameter('since'),
    until: earliest(parameter('at'), parameter('until')),
    ...(isMine ? { mine: 'true' } : { actor: parameter('actor') }),
  };
}

const filterNames = ['name', 'type', 'kind', 'source', 'reason', 'actor', 'mine', 'since', 'until'];

/** Whether the list leaves anything out but what came after the moment. */
export function isFiltered(): boolean {
  return filterNames.some((name) => parameter(name) !== '');
}

/** Of two times, each of which may be ''. */
function earliest(one: string, other: string): string {
  if (one === '' || other === '') return one || other;
  return Date.parse(one) < Date.parse(other) ? one : other;
}

export function EventFilters() {
  const isMine = parameter('mine') === 'true';
  return (
    <>
      {!isMine && <FilterField name="actor" label="By" />}
      <FilterField name="kind" label="Kind" />
      <label class="filter">
        <span>Through</span>
        <select
          value={parameter('source')}
          onChange={({ currentTarget: { value } }) => go(hrefWith({ source: value }))}
        >
          <option value="">anything</option>
          {sources.map((source) => (
            <option key={source}>{source}</option>
          ))}
        </select>
      </label>
      <FilterField name="reason" label="Reason has" />
      <TimeField name="since" label="From" />
      <TimeField name="until" label="Up to" />
      <a
        class="button"
        href={hrefWith({ mine: isMine ? undefined : 'true', actor: undefined })}
        aria-current={isMine ? 'true' : undefined}
      >
        Only mine
      </a>
    </>
  );
}

function TimeField({ name, label }: { readonly name: string; readonly label: string }) {
  return (
    <label class="filter">
      <span>{label}</span>
      <input
        type="datetime-local"
        step="1"
        value={localText(parameter(name))}
        onChange={({ currentTarget: { value } }) => go(hrefWith({ [name]: instantOf(value) }))}
      />
    </label>
  );
}

/** Which changes a list has: filters that are in the address. */
import { fieldText, instantOf, zoneNote } from '../moment.ts';
import { go, hrefWith, parameter } from '../router.ts';
import { kinds } from '../words.ts';
import { FilterField } from './filter.tsx';

const sources = ['api', 'cli', 'nsupdate', 'external-dns', 'system'] as const;

/** What the address says; with a moment nothing that came later. */
export function eventQuery() {
  const isMine = parameter('mine') === 'true';
  return {
    kind: parameter('kind'),
    signing: parameter('signing'),
    source: parameter('source'),
    reason: parameter('reason'),
    since: parameter('since'),
    until: earliest(parameter('at'), parameter('until')),
    ...(isMine ? { mine: 'true' } : { actor: parameter('actor') }),
  };
}

const filterNames = [
  'name',
  'type',
  'kind',
  'signing',
  'source',
  'reason',
  'actor',
  'mine',
  'since',
  'until',
];

/** Whether the list leaves anything out but what came after the moment. */
export function isFiltered(): boolean {
  return filterNames.some((name) => parameter(name) !== '');
}

/** Of two times, each of which may be ''. */
function earliest(one: string, other: string): string {
  if (one === '' || other === '') return one || other;
  return Date.parse(one) < Date.parse(other) ? one : other;
}

/** Whether it is of a zone; a list of one zone has no other. */
const isOfZone = (kind: string) => /^(zone|records)\./.test(kind);

interface EventFiltersProps {
  readonly hasAdministration?: boolean;
}

export function EventFilters({ hasAdministration = false }: EventFiltersProps) {
  const isMine = parameter('mine') === 'true';
  const isUnsigned = parameter('signing') === 'false';
  const listed = Object.entries(kinds).filter(([kind]) => hasAdministration || isOfZone(kind));
  return (
    <>
      {!isMine && <FilterField name="actor" label="By" />}
      <label class="filter">
        <span>Kind</span>
        <select
          value={parameter('kind')}
          onChange={({ currentTarget: { value } }) => go(hrefWith({ kind: value }))}
        >
          <option value="">any</option>
          {listed.map(([kind, label]) => (
            <option key={kind} value={kind}>
              {label}
            </option>
          ))}
        </select>
      </label>
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
      <a
        class="button"
        href={hrefWith({ signing: isUnsigned ? undefined : 'false' })}
        aria-current={isUnsigned ? 'true' : undefined}
      >
        Without signing
      </a>
    </>
  );
}

function TimeField({ name, label }: { readonly name: string; readonly label: string }) {
  return (
    <label class="filter">
      <span>
        {label}
        {zoneNote}
      </span>
      <input
        type="datetime-local"
        step="1"
        value={fieldText(parameter(name))}
        onChange={({ currentTarget: { value } }) => go(hrefWith({ [name]: instantOf(value) }))}
      />
    </label>
  );
}

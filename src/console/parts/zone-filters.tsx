/** Which zones a list has, and in which order: as far as the service finds them without looking at all. */
import { dayMs } from '../duration.ts';
import { type Action, may, mayWhole } from '../permissions.ts';
import { go, hrefWith, parameter } from '../router.ts';
import { FilterField } from './filter.tsx';

const chips = [
  ['Signed', 'signed', 'true'],
  ['Unsigned', 'signed', 'false'],
  ['Disabled', 'enabled', 'false'],
  ['Changed in 24 h', 'changed', 'day'],
  ['Lagging', 'lagging', 'true'],
  ['Rolling', 'signing', 'rolling'],
  ['Signing trouble', 'signing', 'troubled'],
] as const;

/** In all zones, for what tells of all of them. */
const needed: Readonly<Record<string, Action>> = { lagging: 'zone:read', signing: 'dnssec:read' };

const minuteMs = 60_000;

const orders = {
  name: { label: 'Name', sort: 'name', order: 'asc' },
  made: { label: 'Made last', sort: 'created_at', order: 'desc' },
  changed: { label: 'Changed last', sort: 'changed_at', order: 'desc' },
  records: { label: 'Most records', sort: 'records', order: 'desc' },
  serial: { label: 'Highest serial', sort: 'serial', order: 'desc' },
} as const;

/** What the list of zones is asked for, as the address says it. */
export function zoneQuery() {
  const order = orders[parameter('sort') as keyof typeof orders] ?? orders.name;
  return {
    search: parameter('search'),
    signed: parameter('signed'),
    enabled: parameter('enabled'),
    lagging: parameter('lagging'),
    signing: parameter('signing'),
    changed_by: parameter('by'),
    changed_after: parameter('changed') === 'day' ? dayAgo() : '',
    sort: order.sort,
    order: order.order,
  };
}

/** To the minute: the list is asked for again when what it is asked for differs. */
function dayAgo(): string {
  const minutes = Math.floor((Date.now() - dayMs) / minuteMs);
  return new Date(minutes * minuteMs).toISOString();
}

export function isFiltered(): boolean {
  const { sort, order, ...filters } = zoneQuery();
  return Object.values(filters).some((value) => value !== '');
}

/** Who may not read all records does not learn which zone has the most. */
function ordersOf() {
  const { records, ...others } = orders;
  return Object.entries(mayWhole(undefined, 'record:read') ? orders : others);
}

export function ZoneFilters() {
  return (
    <>
      <nav class="chips" aria-label="Only zones that are">
        {chips.map(([label, name, value]) => {
          const action = needed[name];
          if (action !== undefined && !may(undefined, action)) return null;
          const isOn = parameter(name) === value;
          const href = hrefWith({ [name]: isOn ? undefined : value, offset: undefined });
          return (
            <a key={label} class="button" href={href} aria-current={isOn ? 'true' : undefined}>
              {label}
            </a>
          );
        })}
      </nav>
      {may(undefined, 'zone:read') && <FilterField name="by" label="Changed last by" />}
      <label class="filter">
        <span>Sort by</span>
        <select
          value={parameter('sort') || 'name'}
          onChange={({ currentTarget: { value } }) => {
            const sort = value === 'name' ? undefined : value;
            go(hrefWith({ sort, offset: undefined }));
          }}
        >
          {ordersOf().map(([id, { label }]) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </select>
      </label>
    </>
  );
}

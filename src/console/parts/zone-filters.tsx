/** Which zones a list has, and in which order: as far as the service finds them without looking at all. */
import { go, hrefWith, parameter } from '../router.ts';

const chips = [
  ['Signed', 'signed', 'true'],
  ['Unsigned', 'signed', 'false'],
  ['Disabled', 'enabled', 'false'],
] as const;

const orders = {
  name: { label: 'Name', sort: 'name', order: 'asc' },
  made: { label: 'Made last', sort: 'created_at', order: 'desc' },
  serial: { label: 'Highest serial', sort: 'serial', order: 'desc' },
} as const;

/** What the list of zones is asked for, as the address says it. */
export function zoneQuery() {
  const order = orders[parameter('sort') as keyof typeof orders] ?? orders.name;
  return {
    search: parameter('search'),
    signed: parameter('signed'),
    enabled: parameter('enabled'),
    sort: order.sort,
    order: order.order,
  };
}

export function isFiltered(): boolean {
  const { search, signed, enabled } = zoneQuery();
  return search !== '' || signed !== '' || enabled !== '';
}

export function ZoneFilters() {
  return (
    <>
      <nav class="chips" aria-label="Only zones that are">
        {chips.map(([label, name, value]) => {
          const isOn = parameter(name) === value;
          const href = hrefWith({ [name]: isOn ? undefined : value, offset: undefined });
          return (
            <a key={label} class="button" href={href} aria-current={isOn ? 'true' : undefined}>
              {label}
            </a>
          );
        })}
      </nav>
      <label class="filter">
        <span>Sort by</span>
        <select
          value={parameter('sort') || 'name'}
          onChange={({ currentTarget: { value } }) => {
            const sort = value === 'name' ? undefined : value;
            go(hrefWith({ sort, offset: undefined }));
          }}
        >
          {Object.entries(orders).map(([id, { label }]) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </select>
      </label>
    </>
  );
}

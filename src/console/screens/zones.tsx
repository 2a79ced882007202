/** All zones, by pages; the filter and the page are in the address. */
import { useState } from 'preact/hooks';
import { get, type Listed, type Zone } from '../api.ts';
import { counted } from '../counted.ts';
import { useLoaded } from '../loading.ts';
import { isEarlier } from '../moment.ts';
import { holds, may, mayWhole } from '../permissions.ts';
import { FilterField } from '../parts/filter.tsx';
import { NeedsYou } from '../parts/needs-you.tsx';
import { Pages, pageSize } from '../parts/pages.tsx';
import { Answered, Empty } from '../parts/states.tsx';
import { Table } from '../parts/table.tsx';
import { visible } from '../parts/text.tsx';
import { ColumnChoice, zoneColumns } from '../parts/zone-columns.tsx';
import { ZoneForm } from '../parts/zone-form.tsx';
import { isFiltered, ZoneFilters, zoneQuery } from '../parts/zone-filters.tsx';
import { go, hrefOf, hrefWith, parameter } from '../router.ts';
import { self } from '../session.ts';

export function Zones() {
  const [isNew, setNew] = useState(parameter('new') === 'zone');
  const closeForm = () => {
    setNew(false);
    if (parameter('new') !== '') go(hrefWith({ new: undefined }), 'replace');
  };
  const query = zoneQuery();
  const offset = Number(parameter('offset')) || 0;
  const loaded = useLoaded(
    (signal) => get<Listed<Zone>>('/zones', { ...query, offset, limit: pageSize }, signal),
    [JSON.stringify(query), offset],
  );
  return (
    <>
      <header class="head">
        <h1>Zones</h1>
        <div class="filters">
          <FilterField name="search" label="Part of the name" />
          <ZoneFilters />
          {!isEarlier.value && may(undefined, 'zone:create') && (
            <>
              <button type="button" data-new onClick={() => setNew(true)}>
                New zone
              </button>
              {mayWhole(undefined, 'record:create') && (
                <a class="button" href={hrefOf(['import'])}>
                  Import a zone
                </a>
              )}
            </>
          )}
        </div>
      </header>
      {!isEarlier.value && <NeedsYou />}
      {!isEarlier.value && <ColumnChoice />}
      {isNew && !isEarlier.value && <ZoneForm onClose={closeForm} />}
      <Answered loaded={loaded}>
        {({ items, pagination: { total } }) =>
          total === 0 && !isFiltered() ? (
            <NoZones />
          ) : (
            <>
              {isEarlier.value && (
                <p class="muted">
                  Of the zones that are there now. Those that were deleted since stand in the bin.
                </p>
              )}
              <Table
                caption={counted(total, 'zone')}
                page={{ offset, total }}
                columns={zoneColumns()}
                items={items}
                keyOf={({ id }) => id}
              />
              <Pages offset={offset} total={total} noun="zones" />
            </>
          )
        }
      </Answered>
    </>
  );
}

function NoZones() {
  const role = self.value?.token?.role_name;
  if (!holds(undefined, 'zone:create')) {
    return (
      <Empty>
        <h2>No zones for you yet</h2>
        <p>
          None that role {visible(role ?? '')} may see. Who manages access can grant more to it;
          Access explains what it lacks.
        </p>
      </Empty>
    );
  }
  return (
    <Empty>
      <h2>{isEarlier.value ? 'No zones at this moment' : 'No zones yet'}</h2>
      <p>
        The first one is made by <b>New zone</b>, or from a zone file or another server by{' '}
        <b>Import a zone</b>. On the host of the service:
      </p>
      <pre>
        {
          'zonebook zone create example.com --mname ns1.example.com --rname hostmaster@example.com\n'
        }
        {'zonebook zone import example.com FILE --create\n'}
        {'zonebook zone import example.com --from-server 192.0.2.1 --create\n'}
      </pre>
    </Empty>
  );
}

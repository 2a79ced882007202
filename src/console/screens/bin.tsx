/** Zones that were deleted, and the way back. */
import { type DeletedZone, get, type Listed, zonePath } from '../api.ts';
import { useLoaded } from '../loading.ts';
import { isEarlier } from '../moment.ts';
import { Pages, pageSize } from '../parts/pages.tsx';
import { Answered, Empty } from '../parts/states.tsx';
import { Ago, visible } from '../parts/text.tsx';
import { hrefOf, parameter } from '../router.ts';
import { pending } from '../write.ts';

export function Bin() {
  const offset = Number(parameter('offset')) || 0;
  const query = { deleted: 'true', offset, limit: pageSize };
  const loaded = useLoaded((signal) => get<Listed<DeletedZone>>('/zones', query, signal), [offset]);
  return (
    <>
      <header class="head">
        <h1>Bin</h1>
      </header>
      <Answered loaded={loaded}>
        {({ items, pagination: { total } }) =>
          total === 0 ? (
            <Empty>
              <p>No zone was deleted.</p>
            </Empty>
          ) : (
            <>
              <table class="rows">
                <caption class="unseen">Deleted zones</caption>
                <thead>
                  <tr>
                    <th scope="col">Name</th>
                    <th scope="col" class="number">
                      Last serial
                    </th>
                    <th scope="col">Deleted</th>
                    <th scope="col">
                      <span class="unseen">Actions</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {items.map((zone) => (
                    <tr key={zone.id} data-row>
                      <th scope="row">{visible(zone.name)}</th>
                      <td class="number">{zone.serial}</td>
                      <td>
                        <Ago time={zone.deleted_at} />
                      </td>
                      <td class="action">{!isEarlier.value && <Restore zone={zone} />}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
              <Pages offset={offset} total={total} noun="deleted zones" />
            </>
          )
        }
      </Answered>
    </>
  );
}

/** The interface has no dry run for it: the name is free, or it is refused. */
function Restore({ zone }: { readonly zone: DeletedZone }) {
  const start = () => {
    pending.value = {
      title: `Restore zone ${zone.name}`,
      button: 'Restore zone',
      method: 'POST',
      path: zonePath(zone.name, '/restore'),
      query: { id: zone.id },
      hasDryRun: false,
      leadsTo: hrefOf(['zones', zone.name, 'records']),
    };
  };
  return (
    <button type="button" aria-label={`Restore ${visible(zone.name)}`} onClick={start}>
      Restore
    </button>
  );
}

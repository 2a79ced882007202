/** Zones that were deleted, and the way back. */
import { type DeletedZone, get, type Listed } from '../api.ts';
import { deletedPath, purgeText } from '../deleted.ts';
import { useLoaded } from '../loading.ts';
import { at, isEarlier } from '../moment.ts';
import { Pages, pageSize } from '../parts/pages.tsx';
import { mayPurge } from '../parts/purge.tsx';
import { Answered, Empty } from '../parts/states.tsx';
import { Table, type TableColumn } from '../parts/table.tsx';
import { Ago, Unicode, visible } from '../parts/text.tsx';
import { restoreOf } from '../restore.ts';
import { hrefOf, parameter } from '../router.ts';
import { may } from '../permissions.ts';
import { pending } from '../write.ts';

function readDeleted(offset: number, limit: number, signal: AbortSignal) {
  return get<Listed<DeletedZone>>('/zones', { deleted: 'true', offset, limit }, signal);
}

/**
 * A page of what was in the bin at a moment, '' for now, as far as it is there still. The service lists what was
 * deleted last first, so that the first one of the moment is found by halves.
 */
async function readBin(
  offset: number,
  moment: string,
  signal: AbortSignal,
): Promise<Listed<DeletedZone>> {
  if (moment === '') return readDeleted(offset, pageSize, signal);
  const { pagination: all } = await readDeleted(0, 1, signal);
  let [later, end] = [0, all.total];
  while (later < end) {
    const middle = Math.floor((later + end) / 2);
    const [zone] = (await readDeleted(middle, 1, signal)).items;
    if (zone !== undefined && Date.parse(zone.deleted_at) > Date.parse(moment)) later = middle + 1;
    else end = middle;
  }
  const { items, pagination } = await readDeleted(later + offset, pageSize, signal);
  const total = Math.max(0, pagination.total - later);
  return { items, pagination: { ...pagination, offset, total } };
}

const columns: readonly TableColumn<DeletedZone>[] = [
  {
    label: 'Name',
    cell: ({ name, id }) => (
      <>
        <a href={hrefOf(deletedPath(name, id))}>{visible(name)}</a>
        <Unicode text={name} />
      </>
    ),
  },
  { label: 'Last serial', kind: 'number', cell: ({ serial }) => serial },
  {
    label: 'Deleted',
    cell: ({ deleted_at: time, deleted_by: by }) => (
      <>
        <Ago time={time} />
        {by !== null && ` by ${visible(by.name)}`}
      </>
    ),
  },
  { label: 'Reason', cell: ({ deleted_reason: reason }) => visible(reason ?? '') },
  { label: 'Records', kind: 'number', cell: ({ records }) => records },
  { label: 'Versions', kind: 'number', cell: ({ versions }) => versions },
  {
    label: 'Kept until',
    cell: ({ purge_at: purge }) => (purge === null ? 'for ever' : purgeText(purge)),
  },
  {
    label: 'Actions',
    kind: 'action',
    cell: (zone) => !isEarlier.value && <Actions zone={zone} />,
  },
];

export function Bin() {
  const offset = Number(parameter('offset')) || 0;
  const loaded = useLoaded((signal) => readBin(offset, at.value, signal), [offset, at.value]);
  return (
    <>
      <header class="head">
        <h1>Bin</h1>
      </header>
      {isEarlier.value && (
        <p class="muted">
          Of the zones that are in the bin now, those that were there then. What was restored or
          purged since is not among them.
        </p>
      )}
      <Answered loaded={loaded}>
        {({ items, pagination: { total } }) =>
          total === 0 ? (
            <Empty>
              <p>
                {isEarlier.value
                  ? 'None.'
                  : 'No zone was deleted. One that is can be brought back from here.'}
              </p>
            </Empty>
          ) : (
            <>
              <Table
                caption="Deleted zones"
                columns={columns}
                items={items}
                keyOf={({ id }) => id}
              />
              <Pages offset={offset} total={total} noun="deleted zones" />
            </>
          )
        }
      </Answered>
    </>
  );
}

function Actions({ zone }: { readonly zone: DeletedZone }) {
  if (!may(undefined, 'zone:create', 'zone:delete')) return null;
  const { id, name } = zone;
  const restore = () => {
    pending.value = restoreOf(zone);
  };
  return (
    <>
      {may(undefined, 'zone:create') && (
        <button type="button" aria-label={`Restore ${visible(name)}`} onClick={restore}>
          Restore
        </button>
      )}{' '}
      {mayPurge() && (
        <a href={hrefOf(deletedPath(name, id, 'purge'))} aria-label={`Purge ${visible(name)}`}>
          Purge…
        </a>
      )}
    </>
  );
}

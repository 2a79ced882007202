/** The versions that are kept of a deleted zone, the last one first. */
import { type DeletedZone, get, type Listed, type VersionFacts, zonePath } from '../api.ts';
import { deletedId, scopeOf, tabHref } from '../deleted.ts';
import { useLoaded } from '../loading.ts';
import { mayWhole } from '../permissions.ts';
import { parameter } from '../router.ts';
import { actorText } from '../words.ts';
import { Pages, pageSize } from './pages.tsx';
import { Answered } from './states.tsx';
import { Table, type TableColumn } from './table.tsx';
import { Ago, visible } from './text.tsx';

export function Versions({ zone }: { readonly zone: DeletedZone }) {
  const offset = Number(parameter('offset')) || 0;
  const query = { offset, limit: pageSize, deleted_id: deletedId.value };
  const loaded = useLoaded(
    (signal) => get<Listed<VersionFacts>>(zonePath(zone.name, '/versions'), query, signal),
    [zone.id, offset],
  );
  return (
    <section aria-label="Versions">
      <Answered loaded={loaded}>
        {({ items, pagination: { total } }) => (
          <>
            <Table
              caption="Versions"
              page={{ offset, total }}
              columns={columnsOf(zone)}
              items={items}
              keyOf={({ serial }) => serial}
            />
            <Pages offset={offset} total={total} noun="versions" />
          </>
        )}
      </Answered>
    </section>
  );
}

function columnsOf({ name }: DeletedZone): readonly TableColumn<VersionFacts>[] {
  return [
    { label: 'Serial', cell: ({ serial }) => serial },
    { label: 'Made', cell: ({ created_at: at }) => <Ago time={at} /> },
    {
      label: 'By',
      cell: ({ changed_by: actor, change_source: source }) => visible(actorText({ actor, source })),
    },
    { label: 'Reason', cell: ({ change_reason: reason }) => visible(reason ?? '') },
    {
      label: 'Actions',
      kind: 'action',
      cell: ({ created_at: at, serial }) => {
        const from = { from: String(serial), to: undefined, at: undefined };
        return (
          mayWhole(scopeOf(name), 'record:read') && (
            <>
              <a href={tabHref(name, 'records', { at, offset: undefined })}>View zone then</a>{' '}
              <a href={tabHref(name, 'compare', from)}>Compare with the end</a>
            </>
          )
        );
      },
    },
  ];
}

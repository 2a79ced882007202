/** The versions that are kept of a deleted zone, the last one first. */
import { type DeletedZone, get, type Listed, type VersionFacts, zonePath } from '../api.ts';
import { deletedId, scopeOf, tabHref } from '../deleted.ts';
import { useLoaded } from '../loading.ts';
import { mayWhole } from '../permissions.ts';
import { parameter } from '../router.ts';
import { actorText } from '../words.ts';
import { Pages, pageSize } from './pages.tsx';
import { Answered } from './states.tsx';
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
            <table class="rows">
              <caption class="unseen">Versions</caption>
              <thead>
                <tr>
                  <th scope="col">Serial</th>
                  <th scope="col">Made</th>
                  <th scope="col">By</th>
                  <th scope="col">Reason</th>
                  <th scope="col">
                    <span class="unseen">Actions</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {items.map((version) => (
                  <Version key={version.serial} zone={zone} version={version} />
                ))}
              </tbody>
            </table>
            <Pages offset={offset} total={total} noun="versions" />
          </>
        )}
      </Answered>
    </section>
  );
}

interface VersionProps {
  readonly zone: DeletedZone;
  readonly version: VersionFacts;
}

function Version({ zone: { name }, version }: VersionProps) {
  const { serial, created_at: at, changed_by: actor, change_source: source } = version;
  const from = { from: String(serial), to: undefined, at: undefined };
  return (
    <tr data-row>
      <th scope="row">{serial}</th>
      <td data-label="Made">
        <Ago time={at} />
      </td>
      <td data-label="By">{visible(actorText({ actor, source }))}</td>
      <td data-label="Reason">{visible(version.change_reason ?? '')}</td>
      <td class="action">
        {mayWhole(scopeOf(name), 'record:read') && (
          <>
            <a href={tabHref(name, 'records', { at, offset: undefined })}>View zone then</a>{' '}
            <a href={tabHref(name, 'compare', from)}>Compare with the end</a>
          </>
        )}
      </td>
    </tr>
  );
}

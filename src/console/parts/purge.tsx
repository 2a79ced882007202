/** The page that purges a zone of the bin: what is lost, what still holds it, and the form that does it. */
import { useState } from 'preact/hooks';
import { type DeletedZone, zonePath } from '../api.ts';
import { isEarlier } from '../moment.ts';
import { may } from '../permissions.ts';
import { hrefOf } from '../router.ts';
import type { Write } from '../write.ts';
import { PreviewOnPage } from './preview.tsx';
import { Ago, visible } from './text.tsx';

function purgeOf({ id, name, serial }: DeletedZone): Write {
  return {
    title: `Purge zone ${name}`,
    button: 'Purge for good',
    method: 'POST',
    path: zonePath(name, '/purge'),
    query: { id, serial: serial ?? undefined },
    confirm: name,
    leadsTo: hrefOf(['bin']),
  };
}

export function mayPurge(): boolean {
  return !isEarlier.value && may(undefined, 'zone:delete');
}

export function Purge({ zone }: { readonly zone: DeletedZone }) {
  const [write] = useState(() => purgeOf(zone));
  return (
    <section aria-label="Purge">
      <h2>What is lost</h2>
      <p>
        Its records, all of its versions with what each change made of it, its tags, and the keys
        that signed it, if it was signed. It can not be restored any more. The journal still says
        that it existed, and who changed it and when.
      </p>
      <h2>What still holds it</h2>
      <p>
        Backups and replicas that were made before the purge: the files of{' '}
        <code>zonebook backup</code>, and what Litestream or another program has copied. The purge
        does not reach them; delete those that must not have the zone.{' '}
        <code>zonebook restore FILE --dry-run</code> lists the zones of a backup and changes
        nothing. One that was made after the zone was deleted (
        <Ago time={zone.deleted_at} />) has it among its deleted zones.
      </p>
      {mayPurge() ? (
        <PreviewOnPage write={write} />
      ) : (
        <p class="muted">
          {isEarlier.value
            ? 'Nothing can be purged at an earlier moment.'
            : `Your role may not purge ${visible(zone.name)}.`}
        </p>
      )}
    </section>
  );
}

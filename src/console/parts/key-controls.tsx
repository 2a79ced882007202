/** What may be done to the keys of a zone: roll, promote, abort; and, folded, the end of signing. */
import type { ComponentChildren } from 'preact';
import type { DnssecStatus, Zone } from '../api.ts';
import { bearsAnyDs, keysText, rollableRoles, successorsOf } from '../key-groups.ts';
import {
  abortOf,
  disableOf,
  keepDsOf,
  promoteOf,
  rollOf,
  signAgainOf,
  withdrawOf,
} from '../key-writes.ts';
import { pending, type Write } from '../write.ts';

interface KeyControlsProps {
  readonly zone: Zone;
  readonly status: DnssecStatus;
}

/** For who may manage the signing, now. */
export function KeyControls({ zone, status }: KeyControlsProps) {
  const successors = successorsOf(status);
  return (
    <section class="key-controls" aria-label="Change the keys">
      <ul class="controls">
        {rollableRoles(status).map((role) => (
          <Control key={role} write={() => rollOf(zone, role)}>
            Roll the {role.toUpperCase()}…
          </Control>
        ))}
        {successors.map((group) => {
          const what = keysText(group.keys);
          return (
            <>
              {bearsAnyDs(group.keys) && (
                <Control key={`promote ${what}`} write={() => promoteOf(zone, group)}>
                  Promote {what}…
                </Control>
              )}
              <Control key={`abort ${what}`} write={() => abortOf(zone, group)}>
                Abort the roll of {what}…
              </Control>
            </>
          );
        })}
        <Control write={() => signAgainOf(zone)}>Make all signatures again…</Control>
      </ul>
      <details class="files">
        <summary>I know better: end signing</summary>
        <p class="muted">
          First the parent removes the DS, then its TTL passes, then signing ends. In any other
          order validators find the zone bogus.
        </p>
        <ul class="controls">
          {status.withdrawing ? (
            <Control write={() => keepDsOf(zone)}>Keep the DS…</Control>
          ) : (
            <Control write={() => withdrawOf(zone)}>Ask the parent to remove the DS…</Control>
          )}
          <Control write={() => disableOf(zone)}>Stop signing…</Control>
        </ul>
      </details>
    </section>
  );
}

interface ControlProps {
  readonly write: () => Write;
  readonly children: ComponentChildren;
}

function Control({ write, children }: ControlProps) {
  const press = () => {
    pending.value = write();
  };
  return (
    <li>
      <button type="button" onClick={press}>
        {children}
      </button>
    </li>
  );
}

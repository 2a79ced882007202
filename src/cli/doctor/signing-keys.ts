/** Private halves of the keys that zones are signed with: each is there, and the key file opens it. */
import type { Connection } from '../../journal/database.ts';
import { type Finding, fail, ok } from './finding.ts';

const check = 'signing keys';

/** Keys that a message names. */
const keysShown = 5;

/** `keyFile` is known to be the one of the database. Undefined when no zone is signed. */
export async function signingKeysFinding(
  connection: Connection,
  keyFile: string,
): Promise<Finding | undefined> {
  const { openedSigningKeys } = await import('../../keystore/keystore.ts');
  const { SigningQueries } = await import('../../projection/signing-store.ts');
  const { ZoneQueries } = await import('../../projection/zone-queries.ts');
  const opened = new Map<number, boolean>();
  for (const { keyId, opens } of openedSigningKeys(connection, keyFile)) opened.set(keyId, opens);
  const zones = new ZoneQueries(connection);
  const wrong: string[] = [];
  let keys = 0;
  for (const { zoneId, signing } of new SigningQueries(connection).signedZones()) {
    for (const { id, keyTag } of signing.keys) {
      keys++;
      if (opened.get(id) === true) continue;
      const how = opened.has(id) ? 'can not be opened' : 'is missing';
      wrong.push(`key ${keyTag} of ${zones.byId(zoneId)?.name} ${how}`);
    }
  }
  if (keys === 0) return undefined;
  if (wrong.length === 0) return ok(check, `the key file opens all ${keys}`);
  const shown = wrong.slice(0, keysShown).join(', ');
  const more = wrong.length > keysShown ? ` and ${wrong.length - keysShown} more` : '';
  const advice =
    'such a zone can not change, nor be signed anew: restore a backup, or disable and enable its signing';
  return fail(check, `the private half of ${shown}${more}`, advice);
}

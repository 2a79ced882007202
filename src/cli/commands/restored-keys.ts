/**
 * Keys of signed zones that a restore leaves behind: the database that is replaced has them, and the backup has
 * not. A parent may name one of them alone. Loaded by a restore alone.
 */
import { type StoredSigning, signingOf, type ZoneKey } from '../../domain/signing.ts';
import type { Connection } from '../../journal/database.ts';

interface KeyOfZone {
  readonly zone: string;
  readonly key: ZoneKey;
}

/** A key that the restored database does not have. */
export interface KeyLeft {
  readonly zone: string;
  readonly key_tag: number;
  readonly role: ZoneKey['role'];
  readonly state: ZoneKey['state'];
}

/** The keys of all zones; the tables may be those of an earlier version. */
export function keysOfZones(connection: Connection): KeyOfZone[] {
  const tables = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'zone_signing'";
  if (connection.prepare(tables).get() === undefined) return [];
  const rows = connection
    .prepare('SELECT name, state FROM zone_signing JOIN zone ON zone.id = zone_id ORDER BY name')
    .all() as { name: string; state: string }[];
  return rows.flatMap(({ name, state }) => keysIn(state).map((key) => ({ zone: name, key })));
}

/** None of a state that is damaged, which may be why a backup is restored. */
function keysIn(state: string): readonly ZoneKey[] {
  try {
    return signingOf(JSON.parse(state) as StoredSigning).keys;
  } catch {
    return [];
  }
}

/** The keys of `replaced` that are not in `restored`, by zone. */
export function keysLeft(
  replaced: readonly KeyOfZone[],
  restored: readonly KeyOfZone[],
): KeyLeft[] {
  const nameOf = ({ zone, key }: KeyOfZone) => `${zone} ${key.dnskey.toString('base64')}`;
  const kept = new Set(restored.map(nameOf));
  return replaced
    .filter((each) => !kept.has(nameOf(each)))
    .map(({ zone, key: { keyTag, role, state } }) => ({ zone, key_tag: keyTag, role, state }));
}

/** What a restore says of them; nothing when there are none. `former` is where they are. */
export function keysLeftText(keys: readonly KeyLeft[], former: string): string[] {
  if (keys.length === 0) return [];
  return [
    ...keys.map(
      ({ zone, key_tag: tag, role, state }) =>
        `not in the backup: key ${tag} (${role}, ${state}) of ${zone}`,
    ),
    'a zone is bogus while its parent, or the caches of resolvers, have only keys that it has no more: before',
    `the service starts, take its active keys over by 'zonebook dnssec key export --active' of ${former}`,
    "and 'zonebook dnssec key import --replace', or a published one whose DS the parent has alone by '--key-tag'",
    "and without '--replace'; the manual's page Backup and upgrade has the commands",
  ];
}

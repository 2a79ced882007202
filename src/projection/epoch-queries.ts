/** Reads of what a new epoch has to pass: of the database that goes on, and of the one it replaces. */
import type { StoredCounter } from '../domain/epoch.ts';
import type { Connection } from '../journal/database.ts';
import { CatalogQueries } from './catalog-queries.ts';

/** What is left to do of the epoch that began last. */
export interface OpenEpoch {
  /** How far zones step. */
  readonly jump: number;
  /** Names of zones that have not taken their step. */
  readonly zoneNames: readonly string[];
}

/** Undefined when none began. */
export function openEpoch(connection: Connection): OpenEpoch | undefined {
  const begun = connection
    .prepare(
      `SELECT seq, json_extract(payload, '$.jump') AS jump FROM event
       WHERE stream = 0 AND serial IS NULL AND kind = 'service.recovered' ORDER BY seq DESC LIMIT 1`,
    )
    .get() as { seq: number; jump: number } | undefined;
  if (begun === undefined) return undefined;
  const zoneNames = connection
    .prepare(
      `SELECT name FROM zone WHERE (SELECT seq FROM event WHERE stream = zone.id AND serial IS NOT NULL
        ORDER BY serial DESC LIMIT 1) < ? ORDER BY apex`,
    )
    .pluck()
    .all(begun.seq) as string[];
  return { jump: begun.jump, zoneNames };
}

/** Names that secondaries are asked for: of zones, enabled or not, and of deleted ones. */
export function namesServed(connection: Connection): readonly string[] {
  return connection
    .prepare('SELECT name FROM zone UNION SELECT name FROM deleted_zone ORDER BY 1')
    .pluck()
    .all() as string[];
}

/** All that counts in a database, which another one is going to replace. */
export interface CountedState {
  /** The last serials of names, the zones that are there and those that were. */
  readonly serials: ReadonlyMap<string, number>;
  readonly catalogSerial: number;
  readonly counters: Readonly<Partial<Record<StoredCounter, number>>>;
}

export function countedState(connection: Connection): CountedState {
  const rows = connection
    .prepare(
      `SELECT name, max(serial) FROM (SELECT name, serial FROM zone
        UNION ALL SELECT name, serial FROM deleted_zone
        UNION ALL SELECT name, last_serial FROM former_name) GROUP BY name`,
    )
    .raw()
    .all() as [string, number][];
  const counters = connection.prepare('SELECT name, value FROM counter').raw().all() as [
    StoredCounter,
    number,
  ][];
  return {
    serials: new Map(rows),
    catalogSerial: new CatalogQueries(connection).state().serial,
    counters: Object.fromEntries(counters),
  };
}

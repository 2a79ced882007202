/** Reads of what a new epoch has to pass: of the database that goes on, and of the one it replaces. */
import { and, desc, eq, isNull, sql } from 'drizzle-orm';
import { union } from 'drizzle-orm/sqlite-core';
import type { StoredCounter } from '../domain/epoch.ts';
import { administrationStream } from '../domain/event.ts';
import type { Connection } from '../journal/database.ts';
import { event } from '../journal/schema.ts';
import { CatalogQueries } from '../projection/catalog-queries.ts';
import { counter, deletedZone, formerName, zone } from '../projection/schema.ts';
import { tablesOf } from '../projection/tables.ts';

/** What is left to do of the epoch that began last. */
export interface OpenEpoch {
  /** How far zones step. */
  readonly jump: number;
  /** Names of zones that have not taken their step. */
  readonly zoneNames: readonly string[];
}

const isEpochStart = and(
  eq(event.stream, administrationStream),
  isNull(event.serial),
  eq(event.kind, 'service.recovered'),
);

/**
 * Undefined when none began. The history of a zone begins with its step, so that one whose step failed, and which has
 * changed since then, is left to do all the same.
 */
export function openEpoch(connection: Connection): OpenEpoch | undefined {
  const tables = tablesOf(connection);
  const begun = tables
    .select({ seq: event.seq, jump: sql<number>`${event.payload} ->> '$.jump'` })
    .from(event)
    .where(isEpochStart)
    .orderBy(desc(event.seq))
    .limit(1)
    .get();
  if (begun === undefined) return undefined;
  const beginning = tables
    .select({ seq: event.seq })
    .from(event)
    .where(and(eq(event.stream, zone.id), eq(event.serial, zone.historyFromSerial)))
    .orderBy(event.seq)
    .limit(1);
  const zones = tables
    .select({ name: zone.name })
    .from(zone)
    .where(sql`coalesce((${beginning}), 0) < ${begun.seq}`)
    .orderBy(zone.apex)
    .all();
  return { jump: begun.jump, zoneNames: zones.map(({ name }) => name) };
}

/** Where an epoch began: the number of the event that says so. */
export interface EpochStart {
  readonly epoch: number;
  readonly seq: number;
}

/** Of all epochs that began in this database, in order. */
export function epochStarts(connection: Connection): readonly EpochStart[] {
  return tablesOf(connection)
    .select({ epoch: sql<number>`${event.payload} ->> '$.epoch'`, seq: event.seq })
    .from(event)
    .where(isEpochStart)
    .orderBy(event.seq)
    .all();
}

/** Names that secondaries are asked for: of zones, enabled or not, and of deleted ones. */
export function namesServed(connection: Connection): readonly string[] {
  const tables = tablesOf(connection);
  const stored = tables.select({ name: zone.name }).from(zone);
  const deleted = tables.select({ name: deletedZone.name }).from(deletedZone);
  const names = union(stored, deleted)
    .all()
    .map(({ name }) => name);
  return names.sort();
}

/** All that counts in a database, which another one is going to replace. */
export interface CountedState {
  /** The last serials of names, the zones that are there and those that were. */
  readonly serials: ReadonlyMap<string, number>;
  readonly catalogSerial: number;
  readonly counters: Readonly<Partial<Record<StoredCounter, number>>>;
}

export function countedState(connection: Connection): CountedState {
  const tables = tablesOf(connection);
  const serials = new Map<string, number>();
  for (const { name, serial } of [
    ...tables.select({ name: zone.name, serial: zone.serial }).from(zone).all(),
    ...tables
      .select({ name: deletedZone.name, serial: deletedZone.serial })
      .from(deletedZone)
      .all(),
    ...tables
      .select({ name: formerName.name, serial: formerName.lastSerial })
      .from(formerName)
      .all(),
  ]) {
    serials.set(name, Math.max(serial, serials.get(name) ?? 0));
  }
  const counters = tables.select().from(counter).all();
  return {
    serials,
    catalogSerial: new CatalogQueries(connection).state().serial,
    counters: Object.fromEntries(counters.map(({ name, value }) => [name, value])),
  };
}

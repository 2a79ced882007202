/**
 * What many commands of one commit change again and again: zones, counters, blocks and the index of
 * records. It is kept in memory, as the open commit has it, and written once before that ends.
 *
 * `flush` comes before COMMIT. After a rollback, of a part or of all, `reset`: what was not flushed
 * before is lost then, so a part that may be undone begins with a flush.
 */
import { eq, getTableColumns, max, sql } from 'drizzle-orm';
import { keyToBytes } from '../dns/name.ts';
import type { StoredCounter } from '../domain/epoch.ts';
import { apexOf, type Zone } from '../domain/zone.ts';
import type { Connection } from '../journal/database.ts';
import { stageStates } from '../journal/history-drop.ts';
import { stage } from '../journal/schema.ts';
import { BlockStore } from './block-store.ts';
import { DnssecChanges } from './dnssec-changes.ts';
import { Nsec3Owners } from './nsec3-owners.ts';
import { RecordIndex } from './record-index.ts';
import { counter, deletedZone, zone, zoneFields } from './schema.ts';
import { SigningStore } from './signing-store.ts';
import {
  deleting,
  given,
  inserting,
  preparedOnce,
  putting,
  type Row,
  rowBy,
  tablesOf,
  updating,
} from './tables.ts';

/** Zones kept from one commit to the next. */
const keptZones = 1000;

const rowFields = { ...zoneFields, changedAt: zone.changedAt, changedBy: zone.changedBy };

/** A zone as its row has it. */
interface ZoneRow extends Zone {
  readonly changedAt: number;
  readonly changedBy: string | null;
}

/** What is written of a zone in most commits: a statement that names an indexed column writes its index too. */
const { id: _id, name: _name, ...unindexed } = rowFields;

const zoneQueriesOf = preparedOnce((tables) => {
  const ofZone = eq(zone.id, given('id'));
  const { deletedAt, ...kept } = getTableColumns(deletedZone);
  return {
    byName: rowBy(tables, zone, zone.name, rowFields),
    byId: rowBy(tables, zone, zone.id, rowFields),
    insert: inserting(tables, zone),
    rename: updating(tables, zone, ['name', 'apex']),
    update: updating(tables, zone, Object.keys(unindexed) as (keyof typeof unindexed)[]),
    keepDeleted: tables
      .insert(deletedZone)
      .select(
        tables
          .select({
            ...getTableColumns(zone),
            deletedAt: sql<number>`${given('deletedAt')}`.as('deleted_at'),
          })
          .from(zone)
          .where(ofZone),
      )
      .prepare(),
    delete: deleting(tables, zone, zone.id),
    bringBack: tables
      .insert(zone)
      .select(
        tables
          .select(kept)
          .from(deletedZone)
          .where(eq(deletedZone.id, given('id'))),
      )
      .prepare(),
    forgetDeleted: tables
      .delete(deletedZone)
      .where(eq(deletedZone.id, given('id')))
      .returning({ content: deletedZone.content })
      .prepare(),
    generationOf: rowBy(tables, zone, zone.id, { content: zone.content }),
    setGeneration: updating(tables, zone, ['content']),
  };
});

export class PendingZones {
  readonly #queries: ReturnType<typeof zoneQueriesOf>;
  readonly #zones = new Map<number, ZoneRow>();
  readonly #ids = new Map<string, number>();
  readonly #changed = new Set<number>();

  constructor(connection: Connection) {
    this.#queries = zoneQueriesOf(connection);
  }

  byId(id: number): ZoneRow | undefined {
    return this.#zones.get(id) ?? this.#keep(this.#queries.byId(id));
  }

  byName(name: string): ZoneRow | undefined {
    const id = this.#ids.get(name);
    if (id !== undefined) return this.byId(id);
    return this.#keep(this.#queries.byName(name));
  }

  /** A row under a name that has left it in this commit is of another zone by now. */
  #keep(zone: ZoneRow | undefined): ZoneRow | undefined {
    if (zone === undefined) return undefined;
    if (this.#zones.size >= keptZones && this.#changed.size === 0) this.forget();
    this.#zones.set(zone.id, zone);
    this.#ids.set(zone.name, zone.id);
    return zone;
  }

  /** A new zone shows the content of its own number, unless another was prepared for it. */
  insert(zone: ZoneRow, generation = zone.id): void {
    this.#queries.insert({ ...zone, apex: apexBytes(zone), content: generation });
    this.#zones.set(zone.id, zone);
    this.#ids.set(zone.name, zone.id);
  }

  /** A new name is written at once: the old one may be taken in the same commit. */
  put(zone: ZoneRow): void {
    const before = this.#zones.get(zone.id);
    this.#zones.set(zone.id, zone);
    if (before?.name === zone.name) {
      this.#changed.add(zone.id);
      return;
    }
    this.#queries.rename({ id: zone.id, name: zone.name, apex: apexBytes(zone) });
    this.#queries.update(zone);
    this.#changed.delete(zone.id);
    if (before !== undefined) this.#ids.delete(before.name);
    this.#ids.set(zone.name, zone.id);
  }

  /** The row leaves the stored zones and is kept among the deleted ones, as it is now. */
  remove(zone: Pick<Zone, 'id' | 'name'>, deletedAt: number): void {
    if (this.#changed.has(zone.id)) this.#queries.update(this.#zones.get(zone.id)!);
    this.#queries.keepDeleted.run({ id: zone.id, deletedAt });
    this.#queries.delete(zone.id);
    this.#zones.delete(zone.id);
    this.#ids.delete(zone.name);
    this.#changed.delete(zone.id);
  }

  /** The row of a deleted zone comes back, with the content it was deleted with. */
  restore(id: number): void {
    this.#queries.bringBack.run({ id });
    this.forgetDeleted(id);
  }

  /** Removes the row of a deleted zone; returns the content it was deleted with. */
  forgetDeleted(id: number): number | undefined {
    return this.#queries.forgetDeleted.get({ id })?.content;
  }

  /** Makes a zone show another content; returns the one it showed before. */
  showGeneration(id: number, generation: number): number {
    const former = this.#queries.generationOf(id)!;
    this.#queries.setGeneration({ id, content: generation });
    return former.content;
  }

  flush(): void {
    for (const id of this.#changed) this.#queries.update(this.#zones.get(id)!);
    this.#changed.clear();
  }

  forget(): void {
    this.#zones.clear();
    this.#ids.clear();
    this.#changed.clear();
  }
}

function apexBytes(zone: Zone): Buffer {
  return keyToBytes(apexOf(zone));
}

/** The greatest identifier of each kind that was ever given out. */
export class PendingCounters {
  readonly #get: (name: StoredCounter) => Row<typeof counter> | undefined;
  readonly #put: (row: Row<typeof counter>) => void;
  readonly #values = new Map<StoredCounter, number>();
  /** Outlives every rollback: a reservation is a promise. */
  readonly #reserved = new Map<StoredCounter, number>();
  readonly #changed = new Set<StoredCounter>();

  constructor(connection: Connection) {
    const tables = tablesOf(connection);
    this.#get = rowBy(tables, counter, counter.name);
    this.#put = putting(tables, counter, ['name']);
    // What was prepared before a restart is cleared away by its ids: until then nobody else may have them.
    const prepared = tables.select({ endId: max(stage.endId), zoneId: max(stage.zoneId) });
    const left = prepared.from(stage).where(eq(stage.state, stageStates.prepared)).get();
    this.#reserved.set('record', (left?.endId ?? 1) - 1);
    this.#reserved.set('zone', left?.zoneId ?? 0);
  }

  value(name: StoredCounter): number {
    let value = this.#values.get(name);
    if (value === undefined) {
      value = this.#get(name)?.value ?? 0;
      this.#values.set(name, value);
    }
    return value;
  }

  /** The greatest identifier that is given out or reserved. */
  greatest(name: StoredCounter): number {
    return Math.max(this.value(name), this.#reserved.get(name) ?? 0);
  }

  /** Reserves identifiers for what is prepared outside a commit; they are lost when it comes to nothing. */
  reserve(name: StoredCounter, count: number): { readonly first: number; readonly end: number } {
    const first = this.greatest(name) + 1;
    this.#reserved.set(name, first + count - 1);
    return { first, end: first + count };
  }

  raise(name: StoredCounter, value: number): void {
    if (value <= this.value(name)) return;
    this.#values.set(name, value);
    this.#changed.add(name);
  }

  flush(): void {
    for (const name of this.#changed) {
      this.#put({ name, value: this.#values.get(name)! });
    }
    this.#changed.clear();
  }

  forget(): void {
    this.#values.clear();
    this.#changed.clear();
  }
}

export class Pending {
  readonly zones: PendingZones;
  readonly counters: PendingCounters;
  readonly blocks: BlockStore;
  readonly dnssec: DnssecChanges;
  readonly recordIndex: RecordIndex;
  readonly signing: SigningStore;
  readonly nsec3Owners: Nsec3Owners;

  /** The callback is called before DNSSEC records are packed: from then on their bytes have to stay. */
  constructor(connection: Connection, beforePacking: () => void = () => {}) {
    this.zones = new PendingZones(connection);
    this.counters = new PendingCounters(connection);
    this.blocks = new BlockStore(connection);
    this.dnssec = new DnssecChanges(this.blocks, beforePacking);
    this.recordIndex = new RecordIndex(connection);
    this.signing = new SigningStore(connection);
    this.nsec3Owners = new Nsec3Owners(connection);
  }

  /** Writes what the open commit has changed. */
  flush(): void {
    this.#flushAll(() => this.blocks.flush());
  }

  /** The same at the end of a commit that changed blocks by steps alone (BlockStore.flushAndKeep). */
  flushAndKeep(): void {
    this.#flushAll(() => this.blocks.flushAndKeep());
  }

  #flushAll(flushBlocks: () => void): void {
    this.zones.flush();
    this.counters.flush();
    this.dnssec.flush();
    flushBlocks();
    this.recordIndex.flush();
  }

  /** Forgets everything: the commit it belonged to was rolled back. */
  reset(): void {
    const { zones, counters, dnssec, blocks, recordIndex, signing } = this;
    for (const held of [zones, counters, dnssec, blocks, recordIndex, signing]) held.forget();
  }
}

/**
 * What many commands of one commit change again and again: zones, counters, blocks and the places of
 * records. It is kept in memory, as the open commit has it, and written once before that ends.
 *
 * `flush` comes before COMMIT. After a rollback, of a part or of all, `reset`: what was not flushed
 * before is gone then, so a part that may be undone begins with a flush.
 */
import { keyToBytes, parseAbsoluteName } from '../dns/name.ts';
import type { StoredCounter } from '../domain/epoch.ts';
import type { Zone } from '../domain/zone.ts';
import type { Connection, Statement } from '../journal/database.ts';
import { BlockStore } from './block-store.ts';
import { DerivedChanges } from './derived-changes.ts';
import { Nsec3Owners } from './nsec3-owners.ts';
import { RecordPlaces } from './record-places.ts';
import { SigningStore } from './signing-store.ts';
import { type ZoneRow, zoneColumns, zoneOf } from './zone-row.ts';

/** The columns of a zone's row, the last two being its identity and what it shows. */
const storedColumns = `name, apex, mname, rname, default_ttl, minimum_ttl, refresh, retry, expire,
  serial, description, enabled, record_count, derived_count, history_from_serial, created_at, id,
  content`;

/** Zones kept from one commit to the next. */
const keptZones = 1000;

export class PendingZones {
  readonly #byName: Statement;
  readonly #byId: Statement;
  readonly #insert: Statement;
  readonly #rename: Statement;
  readonly #update: Statement;
  readonly #keepDeleted: Statement;
  readonly #delete: Statement;
  readonly #bringBack: Statement;
  readonly #forgetDeleted: Statement;
  readonly #contentOf: Statement;
  readonly #setContent: Statement;
  readonly #zones = new Map<number, Zone>();
  readonly #ids = new Map<string, number>();
  readonly #changed = new Set<number>();

  constructor(connection: Connection) {
    this.#byName = connection.prepare(`SELECT ${zoneColumns} FROM zone WHERE name = ?`);
    this.#byId = connection.prepare(`SELECT ${zoneColumns} FROM zone WHERE id = ?`);
    this.#insert = connection.prepare(
      `INSERT INTO zone (${storedColumns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    // Apart from the rest: a statement that names an indexed column writes the pages of its index too.
    this.#rename = connection.prepare('UPDATE zone SET name = ?, apex = ? WHERE id = ?');
    this.#update = connection.prepare(
      `UPDATE zone SET mname = ?, rname = ?, default_ttl = ?, minimum_ttl = ?, refresh = ?, retry = ?,
        expire = ?, serial = ?, description = ?, enabled = ?, record_count = ?, derived_count = ?,
        history_from_serial = ?, created_at = ?
       WHERE id = ?`,
    );
    this.#keepDeleted = connection.prepare(
      'INSERT INTO deleted_zone SELECT zone.*, ? FROM zone WHERE id = ?',
    );
    this.#delete = connection.prepare('DELETE FROM zone WHERE id = ?');
    this.#bringBack = connection.prepare(
      `INSERT INTO zone (${storedColumns}) SELECT ${storedColumns} FROM deleted_zone WHERE id = ?`,
    );
    this.#forgetDeleted = connection
      .prepare('DELETE FROM deleted_zone WHERE id = ? RETURNING content')
      .pluck();
    this.#contentOf = connection.prepare('SELECT content FROM zone WHERE id = ?').pluck();
    this.#setContent = connection.prepare('UPDATE zone SET content = ? WHERE id = ?');
  }

  byId(id: number): Zone | undefined {
    return this.#zones.get(id) ?? this.#keep(this.#byId.get(id) as ZoneRow | undefined);
  }

  byName(name: string): Zone | undefined {
    const id = this.#ids.get(name);
    if (id !== undefined) return this.byId(id);
    return this.#keep(this.#byName.get(name) as ZoneRow | undefined);
  }

  /** A row under a name that has left it in this commit is of another zone by now. */
  #keep(row: ZoneRow | undefined): Zone | undefined {
    if (row === undefined) return undefined;
    if (this.#zones.size >= keptZones && this.#changed.size === 0) this.reset();
    const zone = zoneOf(row);
    this.#zones.set(zone.id, zone);
    this.#ids.set(zone.name, zone.id);
    return zone;
  }

  /** A new zone shows the content of its own number, unless another was prepared for it. */
  insert(zone: Zone, content = zone.id): void {
    this.#insert.run([zone.name, apexOf(zone), ...settingsOf(zone), zone.id, content]);
    this.#zones.set(zone.id, zone);
    this.#ids.set(zone.name, zone.id);
  }

  /** A new name is written at once: the old one may be taken in the same commit. */
  put(zone: Zone): void {
    const before = this.#zones.get(zone.id);
    this.#zones.set(zone.id, zone);
    if (before?.name === zone.name) {
      this.#changed.add(zone.id);
      return;
    }
    this.#rename.run([zone.name, apexOf(zone), zone.id]);
    this.#write(zone);
    this.#changed.delete(zone.id);
    if (before !== undefined) this.#ids.delete(before.name);
    this.#ids.set(zone.name, zone.id);
  }

  /** The row leaves the stored zones and is kept among the deleted ones, as it is now. */
  remove(zone: Pick<Zone, 'id' | 'name'>, deletedAt: number): void {
    if (this.#changed.has(zone.id)) this.#write(this.#zones.get(zone.id)!);
    this.#keepDeleted.run([deletedAt, zone.id]);
    this.#delete.run([zone.id]);
    this.#zones.delete(zone.id);
    this.#ids.delete(zone.name);
    this.#changed.delete(zone.id);
  }

  /** The row of a deleted zone comes back, with the content it was deleted with. */
  restore(id: number): void {
    this.#bringBack.run([id]);
    this.#forgetDeleted.get(id);
  }

  /** Removes the row of a deleted zone; returns the content it was deleted with. */
  forgetDeleted(id: number): number | undefined {
    return this.#forgetDeleted.get(id) as number | undefined;
  }

  /** Makes a zone show another content; returns the one it showed before. */
  showContent(id: number, content: number): number {
    const former = this.#contentOf.get(id) as number;
    this.#setContent.run([content, id]);
    return former;
  }

  flush(): void {
    for (const id of this.#changed) this.#write(this.#zones.get(id)!);
    this.#changed.clear();
  }

  #write(zone: Zone): void {
    this.#update.run([...settingsOf(zone), zone.id]);
  }

  reset(): void {
    this.#zones.clear();
    this.#ids.clear();
    this.#changed.clear();
  }
}

function apexOf(zone: Zone): Buffer {
  return keyToBytes(parseAbsoluteName(zone.name));
}

/** All but what tells zones apart: name, apex and number. */
function settingsOf(zone: Zone): unknown[] {
  return [
    zone.mname,
    zone.rname,
    zone.defaultTtl,
    zone.minimumTtl,
    zone.refresh,
    zone.retry,
    zone.expire,
    zone.serial,
    zone.description,
    zone.enabled ? 1 : 0,
    zone.recordCount,
    zone.derivedCount,
    zone.historyFromSerial,
    zone.createdAt,
  ];
}

/** The greatest identifier of each kind that was ever given out. */
export class PendingCounters {
  readonly #get: Statement;
  readonly #put: Statement;
  readonly #values = new Map<StoredCounter, number>();
  /** Outlives every rollback: a reservation is a promise. */
  readonly #reserved = new Map<StoredCounter, number>();
  readonly #changed = new Set<StoredCounter>();

  constructor(connection: Connection) {
    this.#get = connection.prepare('SELECT value FROM counter WHERE name = ?');
    this.#put = connection.prepare(
      `INSERT INTO counter (name, value) VALUES (?, ?)
       ON CONFLICT DO UPDATE SET value = excluded.value`,
    );
  }

  value(name: StoredCounter): number {
    let value = this.#values.get(name);
    if (value === undefined) {
      value = (this.#get.get(name) as { value: number } | undefined)?.value ?? 0;
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
    for (const name of this.#changed) this.#put.run([name, this.#values.get(name)]);
    this.#changed.clear();
  }

  reset(): void {
    this.#values.clear();
    this.#changed.clear();
  }
}

export class Pending {
  readonly zones: PendingZones;
  readonly counters: PendingCounters;
  readonly blocks: BlockStore;
  readonly derived: DerivedChanges;
  readonly places: RecordPlaces;
  readonly signing: SigningStore;
  readonly nsec3Owners: Nsec3Owners;

  /** `settle` is called before derived records are packed (derived-changes.ts). */
  constructor(connection: Connection, settle: () => void = () => {}) {
    this.zones = new PendingZones(connection);
    this.counters = new PendingCounters(connection);
    this.blocks = new BlockStore(connection);
    this.derived = new DerivedChanges(this.blocks, settle);
    this.places = new RecordPlaces(connection);
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
    this.derived.flush();
    flushBlocks();
    this.places.flush();
  }

  /** Forgets everything: the commit it belonged to is gone. */
  reset(): void {
    this.zones.reset();
    this.counters.reset();
    this.derived.forget();
    this.blocks.forget();
    this.places.forget();
    this.signing.forget();
  }
}

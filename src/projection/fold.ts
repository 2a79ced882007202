/**
 * The fold: what each event does to the tables that are read. It runs in the commit that writes the
 * event, and again, event by event, when the tables are rebuilt: both must give the same bytes, so
 * it uses nothing but the event and the tables.
 */
import { assert } from '../base/problem.ts';
import { keyToBytes, parseAbsoluteName } from '../dns/name.ts';
import { compareRecords, type ResourceRecord } from '../dns/record.ts';
import {
  type AdministrationEvent,
  type DomainEvent,
  isZoneEvent,
  type ZoneEvent,
} from '../domain/event.ts';
import type { Secondary } from '../domain/secondary.ts';
import type { ZoneSettings } from '../domain/zone.ts';
import type { Connection, Statement } from '../journal/database.ts';
import { AccessFold } from './access-fold.ts';
import { BlockStore } from './block-store.ts';
import { RecordStore } from './record-store.ts';

/** Tables that a rebuild empties and fills again. */
export const projectionTables = [
  'zone',
  'former_name',
  'record',
  'block',
  'secondary',
  'role',
  'role_grant',
  'token',
  'tsig_key',
  'counter',
] as const;

export class Fold {
  readonly #blocks: BlockStore;
  readonly #records: RecordStore;
  readonly #access: AccessFold;
  readonly #insertZone: Statement;
  readonly #updateZone: Statement;
  readonly #deleteZone: Statement;
  readonly #putFormerName: Statement;
  readonly #raiseCounter: Statement;
  readonly #putSecondary: Statement;
  readonly #deleteSecondary: Statement;

  constructor(connection: Connection) {
    this.#blocks = new BlockStore(connection);
    this.#records = new RecordStore(connection);
    this.#access = new AccessFold(connection);
    this.#insertZone = connection.prepare(
      `INSERT INTO zone (name, apex, mname, rname, default_ttl, minimum_ttl, refresh, retry, expire,
        serial, description, enabled, id, created_at, record_count, derived_count,
        history_from_serial)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, ?)`,
    );
    this.#updateZone = connection.prepare(
      `UPDATE zone SET name = ?, apex = ?, mname = ?, rname = ?, default_ttl = ?, minimum_ttl = ?,
        refresh = ?, retry = ?, expire = ?, serial = ?, description = ?, enabled = ?,
        record_count = record_count + ?, derived_count = derived_count + ?,
        history_from_serial = coalesce(?, history_from_serial)
       WHERE id = ?`,
    );
    this.#deleteZone = connection.prepare('DELETE FROM zone WHERE id = ?');
    this.#putFormerName = connection.prepare(
      `INSERT INTO former_name (name, last_serial) VALUES (?, ?)
       ON CONFLICT DO UPDATE SET last_serial = max(last_serial, excluded.last_serial)`,
    );
    this.#raiseCounter = connection.prepare(
      `INSERT INTO counter (name, value) VALUES (?, ?)
       ON CONFLICT DO UPDATE SET value = max(value, excluded.value)`,
    );
    this.#putSecondary = connection.prepare(
      `INSERT INTO secondary (id, name, address, enabled, notify_key_name, created_at)
       VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET address = excluded.address, enabled = excluded.enabled,
        notify_key_name = excluded.notify_key_name`,
    );
    this.#deleteSecondary = connection.prepare('DELETE FROM secondary WHERE id = ?');
  }

  /** Applies one event that happened at `at`. */
  apply(event: DomainEvent, at: number): void {
    if (isZoneEvent(event)) this.#applyZone(event, at);
    else this.#applyAdministration(event);
  }

  #applyZone(event: ZoneEvent, at: number): void {
    const { zoneId, before, after } = event;
    if (after === null) {
      assert(before !== null, 'a deleted zone was there before');
      this.#putFormerName.run(before.name, before.serial);
      this.#deleteZone.run(zoneId);
      this.#records.deleteZone(zoneId);
      this.#blocks.deleteZone(zoneId);
      this.#access.deleteGrantsOfZone(zoneId);
      return;
    }
    if (before === null) {
      this.#insertZone.run(...settingColumns(after), zoneId, at, after.serial);
      this.#blocks.createZone(zoneId);
      this.#raiseCounter.run('zone', zoneId);
    }
    const { removed, added, derivedRemoved, derivedAdded } = event.delta;
    const renamed = before !== null && before.name !== after.name;
    if (renamed) this.#putFormerName.run(before.name, before.serial);
    this.#updateZone.run(
      ...settingColumns(after),
      added.length - removed.length,
      derivedAdded.length - derivedRemoved.length,
      renamed ? after.serial : null,
      zoneId,
    );
    this.#records.apply(zoneId, removed, added);
    this.#blocks.apply(zoneId, merged(removed, derivedRemoved), merged(added, derivedAdded));
    const greatestId = added.reduce((greatest, { id }) => (id > greatest ? id : greatest), 0);
    if (greatestId > 0) this.#raiseCounter.run('record', greatestId);
  }

  #applyAdministration(event: AdministrationEvent): void {
    switch (event.kind) {
      case 'secondary.registered':
        this.#raiseCounter.run('secondary', event.secondary.id);
        this.#put(event.secondary);
        return;
      case 'secondary.updated':
        this.#put(event.secondary);
        return;
      case 'secondary.forgotten':
        this.#deleteSecondary.run(event.secondary.id);
        return;
      default:
        this.#access.apply(event);
    }
  }

  #put({ id, name, address, enabled, notifyKeyName, createdAt }: Secondary): void {
    this.#putSecondary.run(id, name, address, enabled ? 1 : 0, notifyKeyName, createdAt);
  }
}

function settingColumns(zone: ZoneSettings): unknown[] {
  return [
    zone.name,
    keyToBytes(parseAbsoluteName(zone.name)),
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
  ];
}

/** User and derived records of one half together, in canonical order. */
function merged(
  user: readonly ResourceRecord[],
  derived: readonly ResourceRecord[],
): readonly ResourceRecord[] {
  if (derived.length === 0) return user;
  return user.length === 0 ? derived : [...user, ...derived].sort(compareRecords);
}

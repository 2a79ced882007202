/**
 * The fold: what each event does to the tables that are read. It runs in the commit that writes the
 * event, and again, event by event, when the tables are rebuilt: both must give the same bytes, so
 * it uses nothing but the event and the tables.
 */
import { assert } from '../base/problem.ts';
import { compareRecords, type ResourceRecord } from '../dns/record.ts';
import {
  beginsHistory,
  countsOf,
  type DomainEvent,
  isChange,
  isZoneEvent,
  type StagedDelta,
  keepsSerial,
  type ZoneEvent,
} from '../domain/event.ts';
import type { ZoneSigning } from '../domain/signing.ts';
import { changedZone } from '../domain/zone.ts';
import type { Connection } from '../journal/database.ts';
import type { EventRow } from '../journal/event-row.ts';
import { AdministrationFold } from './administration-fold.ts';
import { CatalogFold } from './catalog-fold.ts';
import { DesiredStore } from './desired-store.ts';
import { FormerNames } from './former-names.ts';
import { HeaderFold, type ZoneHeader } from './header-fold.ts';
import type { Pending } from './pending.ts';
import { StageStore } from './stage-store.ts';

/** Tables that a rebuild empties and fills again. */
export const projectionTables = [
  'zone',
  'deleted_zone',
  'former_name',
  'record',
  'block',
  'zone_signing',
  'nsec3_owner',
  'desired_rrset',
  'catalog_member',
  'catalog_change',
  'secondary',
  'webhook',
  'dnssec_policy',
  'role',
  'role_grant',
  'token',
  'tsig_key',
  'counter',
] as const;

/** A step with more DNSSEC records than this goes to the blocks at once. */
const manyDnssecRecords = 1000;

/** What the row of an event says of it: when, in milliseconds since 1970, and who, by name. */
export type EventOrigin = Pick<EventRow, 'at' | 'actorName'>;

export class Fold {
  readonly #pending: Pending;
  readonly #administration: AdministrationFold;
  readonly #catalog: CatalogFold;
  readonly #formerNames: FormerNames;
  readonly #headers = new HeaderFold();
  readonly #stages: StageStore;
  readonly #desired: DesiredStore;

  constructor(connection: Connection, pending: Pending) {
    this.#pending = pending;
    this.#catalog = new CatalogFold(connection);
    this.#formerNames = new FormerNames(connection);
    const { counters } = pending;
    this.#administration = new AdministrationFold(
      connection,
      counters,
      this.#catalog,
      this.#formerNames,
    );
    this.#stages = new StageStore(connection);
    this.#desired = new DesiredStore(connection);
  }

  /** Applies one event. */
  apply(event: DomainEvent, origin: EventOrigin): void {
    if (isZoneEvent(event)) this.#applyZone(event, origin);
    else this.#administration.apply(event);
  }

  #applyZone(event: ZoneEvent, { at, actorName }: EventOrigin): void {
    if (event.kind === 'zone.checkpointed') {
      // What was prepared for it is the event's own now; the zone stays as it is.
      if (event.staged !== undefined) this.#stages.publish(event.staged.number, null);
      return;
    }
    if (event.kind === 'zone.purged') {
      this.#purge(event);
      return;
    }
    const { zoneId, before, after, signing } = event;
    if (signing !== undefined) this.#putSigning(zoneId, signing.state);
    if (event.desired !== undefined) this.#desired.apply(zoneId, event.desired);
    const upToSeq = event.forgotten?.upToSeq;
    // So that it goes whatever comes between the event and the deletions that follow it.
    if (upToSeq !== undefined) this.#stages.forget(zoneId, upToSeq);
    if (keepsSerial(event.kind)) return;
    const { zones, counters, blocks, recordIndex } = this.#pending;
    // A deleted zone was no member any more, whatever its settings were.
    this.#catalog.apply(zoneId, event.kind === 'zone.restored' ? null : before, after);
    if (after === null) {
      assert(before !== null, 'a deleted zone was there before');
      this.#formerNames.put(before.name, before.serial);
      zones.remove({ id: zoneId, name: before.name }, at);
      this.#administration.deleteGrantsOfZone(zoneId);
      return;
    }
    const { staged } = event;
    const isRestored = event.kind === 'zone.restored';
    if (isRestored) {
      // What was read of the zone while it was deleted, which is nothing, must not be kept.
      this.#pending.flush();
      zones.restore(zoneId);
    }
    if (before === null) {
      const row = { ...after, id: zoneId, ...nothingYet(after.serial, { at, actorName }) };
      zones.insert(row, staged?.number);
      if (staged === undefined) blocks.createGeneration(zoneId);
      counters.raise('zone', zoneId);
    }
    const { removed, added, dnssecRemoved, dnssecAdded } = event.delta;
    recordIndex.apply(zoneId, removed, added);
    if (staged === undefined) {
      const { nsec3Owners, dnssec } = this.#pending;
      if (dnssecRemoved.length + dnssecAdded.length > manyDnssecRecords) {
        dnssec.flushForLarge();
        blocks.apply(zoneId, merged(removed, dnssecRemoved), merged(added, dnssecAdded));
      } else {
        blocks.apply(zoneId, removed, added);
        dnssec.apply(zoneId, dnssecRemoved, dnssecAdded);
      }
      nsec3Owners.apply(() => blocks.generationOf(zoneId), dnssecRemoved, dnssecAdded);
    }
    const renamed = before !== null && before.name !== after.name;
    if (renamed) this.#formerNames.put(before.name, before.serial);
    const greatestId = greatestIdOf(added, staged?.greatestId ?? 0);
    if (greatestId > 0) counters.raise('record', greatestId);
    if (staged !== undefined) this.#showStaged(event, staged);
    const zone = zones.byId(zoneId);
    assert(zone !== undefined, 'an event changes a zone that is there');
    const changed = countsOf(event);
    const counts = {
      recordCount: zone.recordCount + changed.added - changed.removed,
      dnssecCount: zone.dnssecCount + changed.dnssecAdded - changed.dnssecRemoved,
      historyFromSerial:
        renamed || beginsHistory(event.kind) ? after.serial : zone.historyFromSerial,
    };
    const last = isChange(event.kind) ? { changedAt: at, changedBy: actorName } : lastOf(zone);
    zones.put(Object.assign(changedZone(zone, after, counts), last));
  }

  /**
   * What an event does outside of its zone, when a checkpoint or a purge replaces the event: its content is
   * not looked at, and may be deleted.
   */
  passOver(row: EventRow): void {
    const zoneId = row.stream;
    const { before, after, left } = this.#headers.next(row);
    this.#catalog.apply(zoneId, before ?? null, after ?? null);
    if (left !== undefined) this.#formerNames.put(left.name, left.serial);
    if (row.kind === 'zone.deleted') this.#administration.deleteGrantsOfZone(zoneId);
    this.#pending.counters.raise('zone', zoneId);
  }

  /** A zone whose events were passed over appears as a checkpoint has it. */
  establish({ zoneId, after, delta, standIn, signing, desired }: ZoneEvent): void {
    const { zones, counters, blocks, recordIndex } = this.#pending;
    const { name, serial, enabled: _, ...origin } = this.#headers.of(zoneId);
    assert(after !== null && standIn !== undefined, 'a checkpoint holds a zone');
    assert(after.name === name && after.serial === serial, 'a checkpoint is of its last event');
    const { added, dnssecAdded } = delta;
    const counts = { recordCount: added.length, dnssecCount: dnssecAdded.length };
    zones.insert({ ...after, id: zoneId, ...origin, ...counts });
    blocks.createGeneration(zoneId);
    recordIndex.apply(zoneId, [], added);
    blocks.apply(zoneId, [], merged(added, dnssecAdded));
    this.#pending.nsec3Owners.apply(() => blocks.generationOf(zoneId), [], dnssecAdded);
    if (signing !== undefined) this.#putSigning(zoneId, signing.state);
    if (desired !== undefined) this.#desired.apply(zoneId, desired);
    counters.raise('record', standIn.greatestRecordId);
    counters.raise('signing_key', standIn.greatestKeyId);
  }

  #putSigning(zoneId: number, state: ZoneSigning): void {
    this.#pending.signing.put(zoneId, state);
    for (const { id } of state.keys) this.#pending.counters.raise('signing_key', id);
  }

  /** The zone can not come back; its content is gradually deleted. */
  #purge({ zoneId, standIn }: ZoneEvent): void {
    const { zones, counters } = this.#pending;
    const generation = zones.forgetDeleted(zoneId);
    if (generation !== undefined) this.#stages.purge(zoneId, generation);
    this.#pending.signing.remove(zoneId);
    this.#desired.removeZone(zoneId);
    assert(standIn !== undefined, 'a purge says what it replaces');
    counters.raise('record', standIn.greatestRecordId);
    counters.raise('signing_key', standIn.greatestKeyId);
  }

  /** The zone shows what was prepared; what it showed before is gradually deleted. */
  #showStaged({ zoneId, before }: ZoneEvent, { number, mergedStage, isPatch }: StagedDelta): void {
    const { zones, blocks } = this.#pending;
    // What is held in memory of the former content must not be written after it.
    this.#pending.dnssec.flush();
    blocks.flush();
    if (isPatch) {
      this.#stages.patch(number, blocks.generationOf(zoneId));
      this.#stages.publish(number, null);
      return;
    }
    const former = before === null ? null : zones.showGeneration(zoneId, number);
    this.#stages.publish(number, former);
    this.#stages.showRestored(number, zoneId);
    if (mergedStage !== undefined) {
      this.#stages.showRestored(mergedStage, zoneId);
      this.#stages.absorb(mergedStage);
    }
  }
}

function greatestIdOf(records: readonly { readonly id: number }[], min: number): number {
  return records.reduce((greatest, { id }) => Math.max(greatest, id), min);
}

/** The last change of a zone. */
type LastChange = Pick<ZoneHeader, 'changedAt' | 'changedBy'>;

const lastOf = ({ changedAt, changedBy }: LastChange): LastChange => ({ changedAt, changedBy });

/** What a zone holds before its first event is folded. */
function nothingYet(serial: number, { at, actorName }: EventOrigin) {
  const origin = { createdAt: at, changedAt: at, changedBy: actorName };
  return { ...origin, recordCount: 0, dnssecCount: 0, historyFromSerial: serial };
}

/** User and DNSSEC records that a step removed, or added, together in canonical order. */
function merged(
  user: readonly ResourceRecord[],
  dnssec: readonly ResourceRecord[],
): readonly ResourceRecord[] {
  if (dnssec.length === 0) return user;
  return user.length === 0 ? dnssec : [...user, ...dnssec].sort(compareRecords);
}

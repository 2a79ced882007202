/** Events of a zone as they are read, header and payload without records, and how far back those are retained. */
import { and, desc, eq, isNull, lte, max, ne, sql } from 'drizzle-orm';
import type { ZoneEventKind } from '../base/event-kind.ts';
import { bearsDs } from '../dnssec/zone-key.ts';
import { isSigned, type ZoneSigning } from '../domain/signing.ts';
import type { ZoneSettings } from '../domain/zone.ts';
import type { Connection } from '../journal/database.ts';
import { decodeSettings, lossIn, payloadOf, type Provenance } from '../journal/event-row.ts';
import { event } from '../journal/schema.ts';
import { given, preparedOnce } from '../projection/tables.ts';
import { VersionIndex } from './version-index.ts';

/** Who caused an event; null for the local command line, the scheduler and calls without a token. */
export type ChangedBy = { readonly kind: 'token' | 'tsig_key'; readonly name: string } | null;

/** A row of the journal, without what proves it; the payload is null once retention has dropped it. */
export const zoneEventColumns = {
  seq: event.seq,
  serial: event.serial,
  kind: sql<ZoneEventKind>`${event.kind}`,
  at: event.at,
  changeSource: event.changeSource,
  actorKind: sql<'token' | 'tsig_key' | 'local' | null>`${event.actorKind}`,
  actorName: event.actorName,
  actorUid: event.actorUid,
  requestId: event.requestId,
  reason: event.reason,
  reference: event.reference,
  payload: event.payload,
  partCount: event.parts,
  payloadChecksum: event.payloadChecksum,
  delta: event.delta,
};

/** Changes that re-sign a zone: they change no user record, and are pruned earlier than others. */
export const signerKind = 'zone.signed';

/** SQLite, with STAT4 as it is built here, plans again for every value that is bound in a comparison. */
const stream = sql`(${given('zoneId')} + 0)`;
const serial = sql`(${given('serial')} + 0)`;

const deletionColumns = {
  actorKind: zoneEventColumns.actorKind,
  actorName: event.actorName,
  actorUid: event.actorUid,
  reason: event.reason,
  reference: event.reference,
  payload: event.payload,
  partCount: event.parts,
  payloadChecksum: event.payloadChecksum,
  delta: event.delta,
};

const preparedIn = preparedOnce((tables) => {
  const ofZone = eq(event.stream, stream);
  return {
    at: tables
      .select(zoneEventColumns)
      .from(event)
      .where(and(ofZone, eq(event.serial, serial)))
      .prepare(),
    upTo: tables
      .select({ seq: event.seq, serial: event.serial, at: event.at })
      .from(event)
      .where(and(ofZone, lte(event.serial, serial)))
      .orderBy(desc(event.serial))
      .limit(1)
      .prepare(),
    lastDeletion: tables
      .select(deletionColumns)
      .from(event)
      .where(and(ofZone, isNull(event.serial), eq(event.kind, 'zone.deleted')))
      .orderBy(desc(event.seq))
      .limit(1)
      .prepare(),
    oldestRetained: tables
      .select({ serial: max(event.serial) })
      .from(event)
      .where(and(ofZone, isNull(event.payload), ne(event.kind, signerKind)))
      .prepare(),
  };
});

export type ZoneEventRow = NonNullable<ReturnType<ReturnType<typeof preparedIn>['at']['get']>>;

type DeletionRow = NonNullable<ReturnType<ReturnType<typeof preparedIn>['lastDeletion']['get']>>;

/** A change of a zone by its place in the journal and in time. */
interface Passed {
  readonly seq: number;
  readonly serial: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export class ZoneEvents {
  readonly #connection: Connection;
  readonly #prepared: ReturnType<typeof preparedIn>;
  readonly #index: VersionIndex;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#prepared = preparedIn(connection);
    this.#index = new VersionIndex(connection);
  }

  /** The event that led to a serial. */
  at(zoneId: number, serial: number): ZoneEventRow | undefined {
    return this.#prepared.at.get({ zoneId, serial });
  }

  /**
   * The oldest serial of a zone that is retained: the one that the last change led to whose content is deleted, or 0.
   * All changes after it are there.
   */
  oldestRetained(zoneId: number): number {
    return this.#prepared.oldestRetained.get({ zoneId })?.serial ?? 0;
  }

  /** Versions that are retained, those that only re-signed the zone among them. */
  retainedCount(zoneId: number): number {
    const oldest = this.oldestRetained(zoneId);
    return this.#index.count({ zoneId, oldest, current: -1, withSigning: 1 });
  }

  /** By whom and why a deleted zone was deleted, and what that says of itself. */
  lastDeletion(zoneId: number): DeletionRow | undefined {
    const row = this.#prepared.lastDeletion.get({ zoneId });
    return row && { ...row, payload: payloadOf(this.#connection, row) };
  }

  /**
   * The last change, up to a serial, that still passes. Events have an index by serial and none by time or number,
   * but later serials never have lesser ones: so it is found by halves.
   */
  lastPassing(
    zoneId: number,
    upToSerial: number,
    passes: (change: Passed) => boolean,
  ): Passed | undefined {
    let found: Passed | undefined;
    let low = 0;
    let high = upToSerial;
    while (low <= high) {
      const middle = Math.floor((low + high) / 2);
      const row = this.#prepared.upTo.get({ zoneId, serial: middle }) as Passed | undefined;
      if (row === undefined || passes(row)) {
        found = row ?? found;
        low = middle + 1;
      } else {
        high = row.serial - 1;
      }
    }
    return found;
  }
}

export function changedByOf({
  actorKind,
  actorName,
}: Pick<ZoneEventRow, 'actorKind' | 'actorName'>): ChangedBy {
  const isKnown = actorKind !== null && actorKind !== 'local' && actorName !== null;
  return isKnown ? { kind: actorKind, name: actorName } : null;
}

/** How a zone was deleted, what is kept of it, and what is not. */
export interface Deletion {
  readonly deletedBy: EventActor | null;
  readonly deletedReason: string | null;
  readonly deletedReference: string | null;
  readonly versions: number;
  /** Roles whose grants in the zone alone went with it; null where that was not written down. */
  readonly rolesLost: readonly string[] | null;
  /** Of the keys that it comes back with and that a DS can name; none where it is not signed. */
  readonly dsKeyTags: readonly number[];
  /** Whether its parent was asked to remove the DS, and is again when it comes back. */
  readonly dsWithdrawing: boolean;
}

export function deletionOf(
  events: ZoneEvents,
  zoneId: number,
  signing: ZoneSigning | undefined,
): Deletion {
  const row = events.lastDeletion(zoneId);
  const payload = row?.payload ?? null;
  const isKept = isSigned(signing);
  const keys = isKept ? signing.keys : [];
  return {
    deletedBy: row === undefined ? null : actorOf(row),
    deletedReason: row?.reason ?? null,
    deletedReference: row?.reference ?? null,
    versions: events.retainedCount(zoneId),
    rolesLost: payload === null ? null : (lossIn(payload).rolesLost ?? null),
    dsKeyTags: keys.filter(({ role }) => bearsDs(role)).map(({ keyTag }) => keyTag),
    dsWithdrawing: isKept && signing.withdrawing,
  };
}

/** Who caused an event; `claimed` where nothing proves it. */
export interface EventActor {
  readonly kind: 'token' | 'tsig_key' | 'local';
  readonly name: string;
  readonly uid?: number;
  readonly claimed?: true;
}

/** The same with users of this host, who are what they say. Null for the service itself, and where nobody was named. */
export function actorOf({
  actorKind,
  actorName,
  actorUid,
}: Pick<Provenance, 'actorKind' | 'actorName' | 'actorUid'>): EventActor | null {
  if (actorKind === null || actorName === null) return null;
  const actor = { kind: actorKind as EventActor['kind'], name: actorName };
  return actorUid === null ? actor : { ...actor, uid: actorUid, claimed: true };
}

/** The settings an event left a zone with, or the last ones of a zone it deleted. */
export function settingsAfter(payload: string): ZoneSettings {
  const { before, after } = decodeSettings(payload);
  return (after ?? before)!;
}

/** The names of the settings that an event changed, the serial left out. */
export function settingsChanged(payload: string): (keyof ZoneSettings)[] {
  const { before, after } = decodeSettings(payload);
  if (before === null || after === null) return [];
  const keys = Object.keys(after) as (keyof ZoneSettings)[];
  return keys.filter((key) => key !== 'serial' && before[key] !== after[key]);
}

/**
 * Events: what has happened, as a closed union of facts.
 *
 * Every event of a zone has one shape: the settings before and after, and the records removed and
 * added between them. Its kind says why; folding it needs only the shape. So replay, IXFR, versions
 * and rollback work on any kind, also on kinds that come later.
 */

import {
  type AdministrationEventKind,
  type ZoneEventKind,
  zoneEventKinds,
} from '../base/event-kind.ts';
import type { NameKey } from '../dns/name.ts';
import type { ResourceRecord } from '../dns/record.ts';
import type { AccessEvent } from './access/model.ts';
import type { PolicyEvent } from './dnssec-policy.ts';
import type { DesiredFact, StoredDesired } from './desired.ts';
import type { ServiceRecovered } from './epoch.ts';
import type { ZoneRecord } from './record.ts';
import type { SecondaryEvent } from './secondary.ts';
import type { SigningFact, SigningReason, StoredSigning } from './signing.ts';
import type { WebhookEvent } from './webhook.ts';
import type { StoredSettings, ZoneSettings } from './zone.ts';

/** Records that go with a change: as many as RRsets have fewer afterwards. */
export interface Deletions {
  readonly count: number;
  /** The first RRsets of which one goes, as the owner relative to the apex and the type. */
  readonly rrsets: readonly (readonly [owner: NameKey, type: number])[];
  /** Those that are protected, stood before, and of which a record goes, changes or comes. */
  readonly protected: readonly (readonly [owner: NameKey, type: number])[];
}

/** The records of one step. Replaced records are in both sets. */
export interface ZoneDelta {
  readonly removed: readonly ZoneRecord[];
  readonly added: readonly ZoneRecord[];
  readonly dnssecRemoved: readonly ResourceRecord[];
  readonly dnssecAdded: readonly ResourceRecord[];
}

export const emptyDelta: ZoneDelta = {
  removed: [],
  added: [],
  dnssecRemoved: [],
  dnssecAdded: [],
};

export interface ZoneEvent {
  readonly kind: ZoneEventKind;
  readonly zoneId: number;
  /** Null at creation and purge; for a zone that comes back, the settings it was deleted with. */
  readonly before: ZoneSettings | null;
  /** Null at deletion and purge, which take no step of the serial. */
  readonly after: ZoneSettings | null;
  readonly delta: ZoneDelta;
  /**
   * A large delta that was written ahead. Then `delta` is empty until the event is read back, but for
   * user records whose locations are not indexed yet.
   */
  readonly staged?: StagedDelta;
  /** Set when the event changes how the zone is signed; a checkpoint has what was so then. */
  readonly signing?: SigningFact;
  /** Of a checkpoint, whose delta adds all records of the zone, and of a purge, which has none. */
  readonly standIn?: StandIn;
  /** Set when RRsets get another owner, or are to be something else; a checkpoint has what was so then. */
  readonly desired?: DesiredFact;
  /** Of an event that names a version. */
  readonly tag?: Tag;
  /** Of a deletion of old versions. */
  readonly forgotten?: ForgottenUpTo;
  /** Of a deletion: names of the roles with grants in the zone alone, which go with it and do not come back. */
  readonly rolesLost?: readonly string[];
}

/** A name for a serial of a zone; null takes it away. */
export interface Tag {
  readonly name: string;
  readonly serial: number | null;
}

/** Versions that were deleted. */
export interface Forgotten {
  /** How many, but for those that only re-signed the zone. */
  readonly versions: number;
  /** The serial of the oldest one that stays. */
  readonly oldestSerial: number;
}

/** `upToSeq`: the event up to which they go. Events of earlier versions do not say. */
export interface ForgottenUpTo extends Forgotten {
  readonly upToSeq?: number;
}

/**
 * What a checkpoint or a purge says of the earlier events of its zone, whose content can be deleted
 * then: their headers stay. Neither takes a step of the serial.
 */
export interface StandIn {
  /** The last event it replaces. Those after it may come before the checkpoint itself. */
  readonly upToSeq: number;
  /** The greatest id that any record had by then, of this zone or another. */
  readonly greatestRecordId: number;
  /** The same of signing keys. */
  readonly greatestKeyId: number;
}

/** The records of a step that were prepared outside the commit of their event. */
export interface StagedDelta {
  /** The number its parts, and the content the zone shows from now on, stand under. */
  readonly number: number;
  readonly partCount: number;
  /** SHA-256 over the parts. */
  readonly partsDigest: Buffer;
  readonly removed: number;
  readonly added: number;
  /** DNSSEC records of both sets. */
  readonly dnssecRemoved?: number;
  readonly dnssecAdded?: number;
  /** Another stage that went into this one. */
  readonly mergedStage?: number;
  /** The greatest id among the records added. */
  readonly greatestId: number;
  /** Whether the apex has a DNAME then; left out where that is not known, as it is not of signing alone. */
  readonly hasApexDname?: boolean;
  /** Names of its records that NSEC3 has no room for (dnssec/long-names.ts). */
  readonly longOwners?: readonly NameKey[];
  /** What a guard is asked about. */
  readonly deletions?: Deletions | undefined;
  /** Set when its blocks take the places of those of the zone that begin as they do; others stay. */
  readonly isPatch?: boolean;
}

/** How many records an event removes and adds. */
export interface RecordCounts {
  readonly removed: number;
  readonly added: number;
  readonly dnssecRemoved: number;
  readonly dnssecAdded: number;
}

/** The same for a change that comes with its event and for one that was staged. */
export function countsOf({ delta, staged }: Pick<ZoneEvent, 'delta' | 'staged'>): RecordCounts {
  return {
    removed: staged?.removed ?? delta.removed.length,
    added: staged?.added ?? delta.added.length,
    dnssecRemoved: staged?.dnssecRemoved ?? delta.dnssecRemoved.length,
    dnssecAdded: staged?.dnssecAdded ?? delta.dnssecAdded.length,
  };
}

/**
 * The payload of a zone's event as the journal holds it, whichever version wrote it. What some version left out is
 * optional, so that the compiler asks what its absence means; `settingsFrom`, `standInFrom` and `signingOf` answer.
 */
export interface StoredZoneEvent {
  /** The settings after it. */
  readonly zone: StoredSettings | null;
  /** What differed before it; all settings where there are none after it. */
  readonly before: Partial<StoredSettings> | null;
  readonly removed: number;
  readonly added: number;
  readonly standIn?: StoredStandIn;
  readonly tag?: Tag;
  readonly forgotten?: ForgottenUpTo;
  readonly rolesLost?: readonly string[];
  readonly desired?: StoredDesired;
  readonly signing?: {
    readonly reason: SigningReason;
    readonly state: StoredSigning;
    readonly keyTags?: readonly number[];
  };
}

/** The first version deleted no signing keys, so their ids were never given out again. */
type StoredStandIn = Omit<StandIn, 'greatestKeyId'> & { readonly greatestKeyId?: number };

export function standInFrom({ greatestKeyId = 0, ...standIn }: StoredStandIn): StandIn {
  return { ...standIn, greatestKeyId };
}

/** Events of the administration stream: the audit log of everything that is no zone. */
export type AdministrationEvent = Listed<
  SecondaryEvent | WebhookEvent | PolicyEvent | AccessEvent | ServiceRecovered
>;

/** Lets the compiler find a kind that no filter of events would know. */
type Listed<Event extends { readonly kind: AdministrationEventKind }> = Event;

export type DomainEvent = ZoneEvent | AdministrationEvent;

/** The stream that administration is journalled in; zones use their own id. */
export const administrationStream = 0;

/** Also of an event of which only a part is at hand. */
export function isZoneEvent<Event extends Pick<DomainEvent, 'kind'>>(
  event: Event,
): event is Extract<Event, { readonly kind: ZoneEventKind }> {
  return (zoneEventKinds as readonly string[]).includes(event.kind);
}

/** False for steps of signing alone. */
export function isChange(kind: string): boolean {
  return kind !== 'zone.signed';
}

/** True for steps that no IXFR leads over: what secondaries hold of before may be something else. */
export function beginsHistory(kind: string): boolean {
  return beginnings.has(kind);
}

const beginnings: ReadonlySet<string> = new Set<ZoneEventKind>([
  'zone.renamed',
  'zone.restored',
  'zone.recovered',
  'zone.taken-over',
]);

/** Events that take no step of the serial: what the zone serves stays as it is. */
export const kindsWithoutSerial: readonly ZoneEventKind[] = [
  'zone.checkpointed',
  'zone.history-forgotten',
  'zone.signing-noted',
  'zone.tagged',
  'zone.desired-assigned',
];

export function keepsSerial(kind: ZoneEventKind): boolean {
  return kindsWithoutSerial.includes(kind);
}

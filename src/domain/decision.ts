/**
 * What decisions take and give: `decide` is a pure function of a command, a view of the state and a
 * context; it returns the event to journal and the outcome to answer, or throws a Problem.
 */
import type { NameKey } from '../dns/name.ts';
import type { ResourceRecord } from '../dns/record.ts';
import type { Grant, Role, Session, Token, TsigKey } from './access/model.ts';
import type { Rights } from './access/rights.ts';
import type { SessionUse } from './access/session-end.ts';
import type { DesiredRrset } from './desired.ts';
import type { DnssecPolicy } from './dnssec-policy.ts';
import type { CounterName, StoredCounter } from './epoch.ts';
import type { DomainEvent, Forgotten, ZoneEvent } from './event.ts';
import type { ZoneRecord } from './record.ts';
import type { Secondary } from './secondary.ts';
import type { SigningOrder, ZoneSigning } from './signing.ts';
import type { Webhook } from './webhook.ts';
import type { DeletedZone, Zone, ZoneDefaults } from './zone.ts';

/** What goes when what was in a zone before some time is deleted. */
export interface Forgettable extends Forgotten {
  /** The last event before that time. */
  readonly upToSeq: number;
  /** Whether anything can go by the checkpoints that there are. */
  readonly hasAny: boolean;
  /** Whether more can go once another checkpoint is there. */
  readonly needsCheckpoint: boolean;
}

/** The state that decisions read. Reads see everything decided before. */
export interface StateView {
  zoneByName(name: string): Zone | undefined;
  zoneById(id: number): Zone | undefined;
  recordById(id: number): { readonly zoneId: number; readonly record: ZoneRecord } | undefined;
  /** The user records at an owner, in no particular order. */
  recordsAt(zoneId: number, owner: NameKey): readonly ZoneRecord[];
  /** The same for many owners, in one go. */
  recordsAtAll(
    zoneId: number,
    owners: readonly NameKey[],
  ): ReadonlyMap<NameKey, readonly ZoneRecord[]>;
  /** What signing made at an owner: DNSKEY, RRSIG, NSEC and their like. */
  generatedAt(zoneId: number, owner: NameKey): readonly ResourceRecord[];
  /** The last owner before a name in canonical order, one of DNSSEC records alone included. */
  ownerBefore(zoneId: number, name: NameKey): NameKey | undefined;
  /** The first owner of user records below a name that comes after an owner, in canonical order. */
  ownerBelow(zoneId: number, name: NameKey, after: NameKey): NameKey | undefined;
  /** All user records of a zone, owner by owner. Taken to the end before anything else is read. */
  allRecords(zoneId: number): Iterable<ZoneRecord>;
  /** The zone of that name that was deleted last, or the one with that id. */
  deletedZone(name: string, id?: number): DeletedZone | undefined;
  /** The last serial a name was served under by a zone that has left it. */
  formerSerial(name: string): number | undefined;
  /** Bytes on the wire of the longest owner of the zone, relative to its apex. */
  longestOwnerBytes(zoneId: number): number;
  /** Whether a version of a zone is retained. */
  hasVersion(zone: Zone, serial: number): boolean;
  /** Number of versions of a zone that are retained. */
  versionCount(zoneId: number): number;
  /** Whether something of a zone was set since an event that takes no serial: a tag, an owner of RRsets, parents. */
  isSetSince(zoneId: number, seq: number): boolean;
  /** What of a zone was replaced before a time, in milliseconds since 1970. */
  forgettable(zone: Zone, beforeMs: number): Forgettable;
  /** The serials of a zone that have names, by name. */
  tagsOf(zoneId: number): ReadonlyMap<string, number>;
  /** The RRsets of a zone that a team owns, in canonical order; and the one of a name and type, whoever owns it. */
  desiredBy(zoneId: number, team: string): readonly DesiredRrset[];
  desiredAt(zoneId: number, owner: NameKey, type: number): DesiredRrset | undefined;
  /** The greatest id that any record, or signing key, ever had. */
  greatestRecordId(): number;
  greatestKeyId(): number;
  /** The greatest value that a counter ever had. */
  counter(name: StoredCounter): number;
  catalogSerial(): number;
  secondaryByName(name: string): Secondary | undefined;
  secondaryByAddress(address: string): Secondary | undefined;
  /** Names of the secondaries whose NOTIFY a TSIG key signs. */
  secondariesNotifiedWith(keyName: string): readonly string[];
  webhookByName(name: string): Webhook | undefined;
  webhookCount(): number;
  /** Undefined for a zone that was never signed and knows no parents. */
  signing(zoneId: number): ZoneSigning | undefined;
  policyByName(name: string): DnssecPolicy | undefined;
  policyById(id: number): DnssecPolicy | undefined;
  /** Names of the zones that are signed under a policy. */
  zonesUnderPolicy(policyId: number): readonly string[];
  /** The same of deleted zones, which could be restored. */
  deletedZonesUnderPolicy(policyId: number): readonly string[];
  /** Names of the zones, deleted ones too, that come under a policy again if their move from it is aborted. */
  zonesMovedFromPolicy(policyId: number): readonly string[];
  roleByName(name: string): Role | undefined;
  roleById(id: number): Role | undefined;
  /** Names of what authenticates into a role. */
  roleHolders(roleId: number): {
    readonly tokens: readonly string[];
    readonly tsigKeys: readonly string[];
  };
  grantById(id: number): Grant | undefined;
  /** Names of the roles with grants in a zone alone. */
  rolesIn(zoneId: number): readonly string[];
  tokenByName(name: string): Token | undefined;
  tsigKeyByName(name: string): TsigKey | undefined;
  sessionById(id: string): SessionUse | undefined;
}

export interface DecisionContext {
  readonly view: StateView;
  /** Milliseconds since 1970, never before the last event. */
  readonly now: number;
  /**
   * The same by the clock, which the journal is ahead of when it was set back. Signatures and the times of
   * keys go by it, for validators and caches do.
   */
  readonly clockNow: number;
  readonly zoneDefaults: ZoneDefaults;
  readonly catalogZoneName: string;
  /** The next identifier of a kind; 0 in a dry run. */
  allocateId(kind: CounterName): number;
  /** What the caller may do, read in the transaction that the decision is written in. */
  readonly rights: Rights;
  /** The id of the session that the command came by. */
  readonly bySession?: string | undefined;
  /** How the zone of a command is signed, where a dry run goes by more than what is recorded. */
  readonly signing?: ZoneSigning;
}

/** Changes of secrets that belong to an event: carried out in its commit, never journalled. */
export type SecretChange =
  | { readonly kind: 'put-token-hash'; readonly tokenId: number; readonly hash: Buffer }
  | { readonly kind: 'delete-token-hash'; readonly tokenId: number }
  | { readonly kind: 'put-session'; readonly session: Session; readonly hash: Buffer }
  | { readonly kind: 'delete-session'; readonly id: string }
  | { readonly kind: 'put-tsig-secret'; readonly keyId: number; readonly secret: Buffer }
  | { readonly kind: 'delete-tsig-secret'; readonly keyId: number }
  | {
      readonly kind: 'put-webhook-secret';
      readonly webhookId: number;
      readonly secret: Buffer;
    }
  | { readonly kind: 'delete-webhook-secret'; readonly webhookId: number }
  /** The private half of a signing key, PKCS #8 in DER. */
  | {
      readonly kind: 'put-signing-key';
      readonly keyId: number;
      readonly zoneId: number;
      readonly privateKey: Buffer;
    }
  | { readonly kind: 'delete-signing-key'; readonly keyId: number }
  /** All of a zone that was purged, or is not signed any more. */
  | { readonly kind: 'delete-signing-keys'; readonly zoneId: number };

/** `event` is undefined when the command changes nothing. */
export interface Decision<Outcome> {
  readonly event: DomainEvent | undefined;
  /** Events of further zones that belong to the same operation: all are written, or none. */
  readonly more?: readonly ZoneEvent[];
  readonly outcome: Outcome;
  /** Secrets to put or delete in the same commit. */
  readonly secrets?: readonly SecretChange[];
  /** Of steps that ask for more signatures than they change records. */
  readonly signing?: SigningOrder;
}

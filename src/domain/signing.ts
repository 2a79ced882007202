/**
 * How a zone is signed: its policy, its keys and what it waits for. One value that events carry whole
 * when they change it, so that the last of them tells everything.
 *
 * Private keys are not in it: they are the keystore's.
 */
import type { NameKey } from '../dns/name.ts';
import { largestServedTtl, noteServedTtl, type ServedTtl } from '../dnssec/served-ttl.ts';
import { letGoWaitMs, type WaitFacts } from '../dnssec/key-waits.ts';
import type { SecondarySighting } from '../dnssec/secondary-serials.ts';
import type { KeyRole, KeyState, ZoneKey } from '../dnssec/zone-key.ts';
import type { ZoneSettings } from './zone.ts';

/** The DS set of a zone as its parents were last seen to serve it. */
export interface DsSighting {
  readonly ttlSeconds: number;
  /** Milliseconds since 1970. */
  readonly seenAt: number;
}

export interface ZoneSigning {
  /** Null for a zone that is not signed; it may know its parents all the same. */
  readonly policyId: number | null;
  /** Name servers of the parent, `host:port`. */
  readonly parentNsAddrs: readonly string[];
  readonly keys: readonly ZoneKey[];
  /** True while CDS and CDNSKEY ask the parent to remove the DS. */
  readonly withdrawing: boolean;
  /** When the CDS of keys were last looked at: those that were due then stand in the zone. */
  readonly signedAt: number;
  /** TTLs of DNSKEY, and the largest of the zone, that caches may hold. */
  readonly dnskeyTtls: readonly ServedTtl[];
  readonly largestTtls: readonly ServedTtl[];
  readonly dsSeen: DsSighting | null;
  /**
   * Since when no parent is known to rely on the keys of a leaving algorithm, in milliseconds since 1970;
   * null while one does, or nobody has looked.
   */
  readonly parentsLetGoAt: number | null;
  /**
   * Since when some parent is seen to serve a DS set that names no key of the zone, in milliseconds since
   * 1970; null when none was seen to.
   */
  readonly foreignDsSince: number | null;
  /** The policy before a move to another algorithm that can still be aborted; null at other times. */
  readonly movedFromPolicyId: number | null;
  /** What secondaries were seen to serve while keys come and go; empty at other times. */
  readonly secondaries: readonly SecondarySighting[];
}

export const unsigned: ZoneSigning = {
  policyId: null,
  parentNsAddrs: [],
  keys: [],
  withdrawing: false,
  signedAt: 0,
  dnskeyTtls: [],
  largestTtls: [],
  dsSeen: null,
  parentsLetGoAt: null,
  foreignDsSince: null,
  movedFromPolicyId: null,
  secondaries: [],
};

/** Why a signer step was taken, as the history tells it. */
export type SigningReason =
  | 'enabled'
  | 'disabled'
  | 'policy-moved'
  | 'parents-set'
  | 'parents-seen'
  | 'key-published'
  | 'keys-promoted'
  | 'keys-removed'
  | 'keys-aborted'
  | 'secondaries-seen'
  | 'cds-published'
  | 'withdrawal-started'
  | 'withdrawal-cancelled'
  | 're-signed'
  | 'signatures-refreshed'
  | 'zone-changed';

/** What an event says about signing: the state after it, and why it changed. */
export interface SigningFact {
  readonly reason: SigningReason;
  readonly state: ZoneSigning;
}

export function isSigned(signing: ZoneSigning | undefined): signing is ZoneSigning {
  return signing !== undefined && signing.policyId !== null;
}

/** What waits of key rolls are made of. */
export function waitFactsOf(signing: ZoneSigning, zone: ZoneSettings, now: number): WaitFacts {
  return {
    dnskeyTtlSeconds: largestServedTtl(signing.dnskeyTtls, zone.refresh, now),
    largestTtlSeconds: largestServedTtl(signing.largestTtls, zone.refresh, now),
    soaRefreshSeconds: zone.refresh,
    parentDsTtlSeconds: signing.dsSeen?.ttlSeconds ?? null,
  };
}

/** When nobody can hold the parents' word for keys of a leaving algorithm; null while it stands. */
export function letGoUntil(signing: ZoneSigning, zone: ZoneSettings, now: number): number | null {
  const { parentsLetGoAt } = signing;
  return parentsLetGoAt === null
    ? null
    : parentsLetGoAt + letGoWaitMs(waitFactsOf(signing, zone, now));
}

/**
 * The state once a zone serves `largestTtl` and, for its DNSKEY, the default TTL: the same value when
 * nothing is new. A largest TTL that falls is only noted when it is known by looking at all records.
 */
export function withServedTtls(
  signing: ZoneSigning,
  zone: ZoneSettings,
  largestTtl: number,
  now: number,
): ZoneSigning {
  const dnskey = currentTtl(signing.dnskeyTtls);
  const largest = currentTtl(signing.largestTtls);
  if (dnskey === zone.defaultTtl && largest === largestTtl) return signing;
  return {
    ...signing,
    dnskeyTtls: noteServedTtl(signing.dnskeyTtls, zone.defaultTtl, zone.refresh, now),
    largestTtls: noteServedTtl(signing.largestTtls, largestTtl, zone.refresh, now),
  };
}

/** The TTL that is served now; 0 when none is known. */
export function currentTtl(history: readonly ServedTtl[]): number {
  return history.find(({ servedUntil }) => servedUntil === null)?.ttlSeconds ?? 0;
}

type StoredKey = Omit<ZoneKey, 'dnskey'> & { readonly dnskey: string };
/** The form in journal and tables: DNSKEY RDATA in base64. */
export type StoredSigning = Omit<ZoneSigning, 'keys'> & { readonly keys: readonly StoredKey[] };

export function storedSigning(signing: ZoneSigning): StoredSigning {
  const keys = signing.keys.map((key) => ({ ...key, dnskey: key.dnskey.toString('base64') }));
  return { ...signing, keys };
}

export function signingOf(stored: StoredSigning): ZoneSigning {
  const keys = stored.keys.map((key) => ({ ...key, dnskey: Buffer.from(key.dnskey, 'base64') }));
  return { ...unsigned, ...stored, keys };
}

/** How a step asks to be signed beyond what it changes. */
export interface SigningOrder {
  /** All signatures are made anew. */
  readonly resign?: boolean;
  /** Owners whose signatures run out. */
  readonly revisit?: Iterable<NameKey>;
}

/** A key with its private half, made before the command that brings it in. */
export interface MadeKey {
  /** Reserved for it. */
  readonly id: number;
  readonly algorithm: number;
  readonly role: KeyRole;
  readonly dnskey: Buffer;
  /** PKCS #8, DER. */
  readonly privateKey: Buffer;
}

export type { KeyRole, KeyState, ZoneKey };

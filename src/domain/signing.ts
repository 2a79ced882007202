/**
 * How a zone is signed: its policy, its keys and what it waits for. One value that events carry whole
 * when they change it, so that the last of them tells everything.
 *
 * Private keys are not in it: they are the keystore's.
 */
import { isDeepStrictEqual } from 'node:util';
import type { NameKey } from '../dns/name.ts';
import {
  currentTtl,
  largestServedRefresh,
  largestServedTtl,
  noteServedRefresh,
  noteServedTtl,
  refreshedWithin,
  type ServedTtl,
  type WaitFacts,
  waitMs,
} from '../dnssec/key-timing.ts';
import { type DsSighting, largestDsTtl, type ParentsSaid } from '../dnssec/parent-ds.ts';
import type { SecondaryAnswer, SecondarySighting } from '../dnssec/secondary-serials.ts';
import { waitAgain } from '../dnssec/wait-again.ts';
import { type KeyRole, type KeyState, redated, type ZoneKey } from '../dnssec/zone-key.ts';
import type { Reach } from './reach.ts';
import type { ZoneSettings } from './zone.ts';

export interface ZoneSigning {
  /** Null for a zone that is not signed; it may know its parents all the same. */
  readonly policyId: number | null;
  /** Name servers of the parent, `host:port`. */
  readonly parentNsAddrs: readonly string[];
  /** How far those may be: as far as whoever named them could reach then. */
  readonly parentsReach: Reach;
  readonly keys: readonly ZoneKey[];
  /** True while CDS and CDNSKEY ask the parent to remove the DS. */
  readonly withdrawing: boolean;
  /** When the CDS of keys were last looked at: those that were due then are in the zone. */
  readonly signedAt: number;
  /** TTLs of DNSKEY, and the largest of the zone, that caches may hold. */
  readonly dnskeyTtls: readonly ServedTtl[];
  readonly largestTtls: readonly ServedTtl[];
  /** Refresh intervals of the SOA that secondaries may go by. */
  readonly refreshes: readonly ServedTtl[];
  /** The DS as the parents were last seen to serve it, and the TTLs that it was seen with. */
  readonly dsSeen: DsSighting | null;
  readonly dsTtls: readonly ServedTtl[];
  /** Parent servers that relied on a retired key whose algorithm stays when they last answered. */
  readonly relyingParents: readonly string[];
  /**
   * Since when all parents are known not to rely on the keys of a leaving algorithm, in milliseconds since
   * 1970; null while one does, or did not say.
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
  /** Since when times of the state may be of a clock that was behind the journal, by that clock; else null. */
  readonly clockSetBackTo: number | null;
}

/** Why a signer step was taken, as the history tells it. */
export type SigningReason =
  | 'enabled'
  | 'disabled'
  | 'policy-moved'
  | 'parents-set'
  | 'parents-seen'
  | 'clock-set-back'
  | 'clock-set-right'
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

/** Why the service notes what it has seen by itself. */
export const sightings: readonly SigningReason[] = [
  'parents-seen',
  'secondaries-seen',
  'clock-set-back',
  'clock-set-right',
];

/** What others said of a zone, as far as they were asked. */
export interface Seen {
  /** Null when they were not asked. */
  readonly parents: ParentsSaid | null;
  readonly secondaries: readonly SecondaryAnswer[];
}

/** What an event says about signing: the state after it, and why it changed. */
export interface SigningFact {
  readonly reason: SigningReason;
  readonly state: ZoneSigning;
  /** Of the keys that came, went or changed their state, least first; older events do not say. */
  readonly keyTags?: readonly number[];
}

/** The same with the tags of the keys that it changed. */
export function withKeyTags(fact: SigningFact, before: ZoneSigning | undefined): SigningFact {
  const states = new Map(before?.keys.map((key) => [key.id, key]));
  const touched = new Set<number>();
  for (const key of fact.state.keys) {
    if (states.get(key.id)?.state !== key.state) touched.add(key.keyTag);
    states.delete(key.id);
  }
  for (const key of states.values()) touched.add(key.keyTag);
  return touched.size === 0 ? fact : { ...fact, keyTags: [...touched].sort((a, b) => a - b) };
}

export function isSigned(signing: ZoneSigning | undefined): signing is ZoneSigning {
  return signing !== undefined && signing.policyId !== null;
}

/** What waits of key rolls are made of. */
export function waitFactsOf(signing: ZoneSigning, zone: ZoneSettings, now: number): WaitFacts {
  const soaRefreshSeconds = largestRefresh(signing, zone, now);
  return {
    dnskeyTtlSeconds: largestServedTtl(signing.dnskeyTtls, soaRefreshSeconds, now),
    largestTtlSeconds: largestServedTtl(signing.largestTtls, soaRefreshSeconds, now),
    soaRefreshSeconds,
    parentDsTtlSeconds: largestDsTtl(signing),
  };
}

/** The largest refresh that a secondary may go by: it knows the one of the SOA that it fetched last. */
function largestRefresh({ refreshes }: ZoneSigning, zone: ZoneSettings, now: number): number {
  return Math.max(refreshedWithin(zone.refresh), largestServedRefresh(refreshes, now));
}

/** When nobody can hold the parents' word for keys of a leaving algorithm; null while it stands. */
export function letGoUntil(signing: ZoneSigning, zone: ZoneSettings, now: number): number | null {
  const { parentsLetGoAt } = signing;
  return parentsLetGoAt === null
    ? null
    : parentsLetGoAt + waitMs('ds-removed', waitFactsOf(signing, zone, now));
}

/**
 * The state once a zone serves `largestTtl`, for its DNSKEY the default TTL, and an SOA with `refresh`: the
 * same value when nothing is new. A largest TTL that falls is only recorded when it is known by looking at
 * all records.
 */
export function withServed(
  signing: ZoneSigning,
  zone: ZoneSettings,
  { largestTtl, refresh }: { readonly largestTtl: number; readonly refresh: number },
  now: number,
): ZoneSigning {
  const { dnskeyTtls, largestTtls, refreshes } = signing;
  const isKnown =
    currentTtl(dnskeyTtls) === zone.defaultTtl &&
    currentTtl(largestTtls) === largestTtl &&
    currentTtl(refreshes) === refresh;
  if (isKnown) return signing;
  const longest = Math.max(refreshedWithin(refresh), largestRefresh(signing, zone, now));
  return {
    ...signing,
    dnskeyTtls: noteServedTtl(dnskeyTtls, zone.defaultTtl, longest, now),
    largestTtls: noteServedTtl(largestTtls, largestTtl, longest, now),
    refreshes: noteServedRefresh(refreshes, refresh, now),
  };
}

/**
 * The state by the clock, which may be behind the journal: the same value when nothing is to be set. What is dated
 * ahead of a clock that is behind was done, or seen, by now, and waits begin again. Once the clock is not behind any
 * more, it may have been wrong all that time: what is dated since then counts from now, also what was done meanwhile.
 */
export function withClockSet(signing: ZoneSigning, now: number, isBehind: boolean): ZoneSigning {
  const { clockSetBackTo: since } = signing;
  if (!isBehind) {
    if (since === null) return signing;
    return { ...dated(signing, (time) => (time < since ? time : now)), clockSetBackTo: null };
  }
  const clockSetBackTo = Math.min(since ?? now, now);
  const state = { ...dated(signing, (time) => Math.min(time, now)), clockSetBackTo };
  return isDeepStrictEqual(state, signing) ? signing : state;
}

/** The state with its times as `date` gives them; `signedAt` no later, for it tells which CDS are in the zone. */
function dated(signing: ZoneSigning, date: (time: number) => number): ZoneSigning {
  const { dsSeen } = signing;
  const orNull = (time: number | null) => (time === null ? null : date(time));
  const history = (served: readonly ServedTtl[]) =>
    served.map((each) => ({ ...each, servedUntil: orNull(each.servedUntil) }));
  const seen = <Seen extends { readonly seenAt: number }>(each: Seen) => {
    return { ...each, seenAt: date(each.seenAt) };
  };
  return {
    ...signing,
    keys: signing.keys.map((key) => redated(key, date)),
    signedAt: Math.min(signing.signedAt, date(signing.signedAt)),
    dnskeyTtls: history(signing.dnskeyTtls),
    largestTtls: history(signing.largestTtls),
    refreshes: history(signing.refreshes),
    dsTtls: history(signing.dsTtls),
    dsSeen: dsSeen && seen(dsSeen),
    parentsLetGoAt: orNull(signing.parentsLetGoAt),
    foreignDsSince: orNull(signing.foreignDsSince),
    secondaries: signing.secondaries.map(seen),
  };
}

/**
 * The state once the zone was taken back and goes on at `serial`: the same value when all keys stand. Parents may have
 * relied on keys again since it was seen that they did not, and secondaries were served until now.
 */
export function withWaitsAgain(
  signing: ZoneSigning,
  zone: ZoneSettings,
  serial: number,
  now: number,
): ZoneSigning {
  if (signing.keys.every(({ state }) => state === 'active')) return signing;
  const keys = waitAgain(signing.keys, waitFactsOf(signing, zone, now), serial, now);
  const secondaries = signing.secondaries.map((seen) => ({ ...seen, seenAt: now }));
  return { ...signing, keys, parentsLetGoAt: null, secondaries };
}

/** DNSKEY RDATA in base64. Keys of the first version do not say when a parent was seen to serve their DS. */
type Stored<Key> = Omit<Key, 'dnskey' | 'dsSeenAt'> & {
  readonly dnskey: string;
  readonly dsSeenAt?: number | null;
};
type StoredKey = ZoneKey extends infer Key ? (Key extends ZoneKey ? Stored<Key> : never) : never;

/** What states of every version have. */
type FirstFields =
  | 'policyId'
  | 'parentNsAddrs'
  | 'withdrawing'
  | 'signedAt'
  | 'dnskeyTtls'
  | 'largestTtls'
  | 'dsSeen';

type LaterFields = Exclude<keyof ZoneSigning, FirstFields | 'keys'>;

/** The form in journal and tables, whichever version wrote it. */
export type StoredSigning = Pick<ZoneSigning, FirstFields> &
  Partial<Pick<ZoneSigning, LaterFields>> & { readonly keys: readonly StoredKey[] };

/** What it means that an older state has no such field: nobody had seen it yet. */
const laterFields: Pick<ZoneSigning, LaterFields> = {
  parentsReach: 'public',
  refreshes: [],
  dsTtls: [],
  relyingParents: [],
  parentsLetGoAt: null,
  foreignDsSince: null,
  movedFromPolicyId: null,
  secondaries: [],
  clockSetBackTo: null,
};

export const unsigned: ZoneSigning = {
  policyId: null,
  parentNsAddrs: [],
  keys: [],
  withdrawing: false,
  signedAt: 0,
  dnskeyTtls: [],
  largestTtls: [],
  dsSeen: null,
  ...laterFields,
};

export function storedSigning(signing: ZoneSigning): StoredSigning {
  const keys = signing.keys.map((key) => ({ ...key, dnskey: key.dnskey.toString('base64') }));
  return { ...signing, keys };
}

export function signingOf(stored: StoredSigning): ZoneSigning {
  const keys = stored.keys.map((key) => {
    return { ...key, dnskey: Buffer.from(key.dnskey, 'base64'), dsSeenAt: key.dsSeenAt ?? null };
  });
  // In one order of fields, so that a rebuilt state has the bytes of the live one.
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

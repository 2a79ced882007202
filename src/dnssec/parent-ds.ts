/**
 * What the parents' servers say about a zone's DS, judged, and what is kept of it for the waits of keys:
 * pure, the asking is somebody else's.
 *
 * Digests are computed again, because a tag and an algorithm name no key. What a server did not say
 * is unverified and never taken for a yes or a no. A parent may lower the TTL of a DS with the very change
 * that a roll asks for, and caches keep what they got before (RFC 7583 3.3): so the TTLs are kept too.
 */
import { formatTime } from '../base/clock.ts';
import { Problem } from '../base/problem.ts';
import type { NameKey } from '../dns/name.ts';
import { readDs } from './dnskey.ts';
import { matchOfSet, hasDsOf, namedAlgorithms, unnamedText } from './ds-set.ts';
import { type KeyRing, leavesAlgorithm } from './key-roll.ts';
import {
  cachedSeconds,
  currentTtl,
  endServing,
  largestTtlSince,
  noteTtlSince,
  type ServedTtl,
} from './key-timing.ts';
import { bearsDs, type ZoneKey } from './zone-key.ts';

/** What an address of a parent said: its DS (none is an answer too; `noName`: NXDOMAIN), or why nothing. */
export type ParentAnswer =
  | {
      readonly address: string;
      readonly ds: readonly Buffer[];
      readonly ttlSeconds: number | null;
      readonly noName?: true;
    }
  | { readonly address: string; readonly failure: string };

/** What the servers of the parents said when they were asked. */
export interface ParentsSaid {
  readonly answers: readonly ParentAnswer[];
  /** Who was asked, `host:port`: the servers that the zone had then. */
  readonly servers: readonly string[];
  /** Milliseconds since 1970. */
  readonly askedAt: number;
}

/** The answers of servers that serve a DS set, which is not empty. */
function dsSets(answers: readonly ParentAnswer[]) {
  return answers.flatMap((answer) => ('ds' in answer && answer.ds.length > 0 ? [answer] : []));
}

function dnskeysOf(keys: readonly ZoneKey[]): Buffer[] {
  return keys.map(({ dnskey }) => dnskey);
}

/** How a key's DS stands at the parents, as the status of a delegation shows it. */
export function dsAtParents(
  apex: NameKey,
  key: ZoneKey,
  answers: readonly ParentAnswer[],
): { published: boolean; digestUnsupported: boolean; missing: string | null } {
  const matches = answers.map((answer) =>
    'ds' in answer ? matchOfSet(apex, key.dnskey, answer.ds) : 'no-match',
  );
  const lacking = answers
    .filter((answer) => 'ds' in answer)
    .find(({ ds }) => matchOfSet(apex, key.dnskey, ds) !== 'match');
  return {
    published: matches.length > 0 && matches.every((match) => match === 'match'),
    digestUnsupported: !matches.includes('match') && matches.includes('uncomputable'),
    missing: lacking === undefined ? null : lackText(apex, key, `key ${key.keyTag}`, lacking),
  };
}

/** A server whose DS set does not name the key to validators: the sentence that says so. */
function lackText(
  apex: NameKey,
  { dnskey }: ZoneKey,
  keyText: string,
  { address, ds }: { readonly address: string; readonly ds: readonly Buffer[] },
): string {
  return `parent server ${address} ${unnamedText(apex, dnskey, ds, keyText)}`;
}

/** False when a server has no such name, and so delegates no zone of it; null when none could be asked. */
export function hasName(answers: readonly ParentAnswer[]): boolean | null {
  const said = answers.filter((answer) => 'ds' in answer);
  return said.length === 0 ? null : said.every(({ noName }) => noName !== true);
}

/** True when any server serves a DS. */
export function anyDs(answers: readonly ParentAnswer[]): boolean {
  return dsSets(answers).length > 0;
}

/** The largest TTL in seconds that DS are served with; null when none are. */
export function servedDsTtl(answers: readonly ParentAnswer[]): number | null {
  const ttls = dsSets(answers).flatMap(({ ttlSeconds }) => ttlSeconds ?? []);
  return ttls.length === 0 ? null : Math.max(...ttls);
}

/** Refuses with DNSSEC_DS_UNVERIFIED when a server could not be asked; names it. */
export function checkAllAnswered(zoneName: string, answers: readonly ParentAnswer[]): void {
  for (const answer of answers) {
    if (!('failure' in answer)) continue;
    throw new Problem(
      'DNSSEC_DS_UNVERIFIED',
      `parent server ${answer.address} could not be asked for the DS of zone ${zoneName}: ${answer.failure}`,
    );
  }
  if (answers.length > 0) return;
  throw new Problem('DNSSEC_DS_UNVERIFIED', `no parent server of zone ${zoneName} is known`);
}

/** Refuses to unsign a zone that a parent still vouches for: it would turn bogus. */
export function checkDisable(zoneName: string, answers: readonly ParentAnswer[]): void {
  const [serving] = dsSets(answers);
  if (serving !== undefined) {
    throw new Problem(
      'DNSSEC_DS_PUBLISHED',
      `parent server ${serving.address} serves a DS for zone ${zoneName}: have it removed first`,
    );
  }
  checkAllAnswered(zoneName, answers);
}

/** Refuses a promotion unless every server serves DS that name each of the new entry points to validators. */
export function checkDsOfPromoted(
  { zoneName, apex }: KeyRing,
  promoted: readonly ZoneKey[],
  answers: readonly ParentAnswer[],
  now: number,
): void {
  checkAllAnswered(zoneName, answers);
  for (const key of promoted.filter(({ role }) => bearsDs(role))) {
    for (const answer of answers) {
      if (!('ds' in answer)) continue;
      const match = matchOfSet(apex, key.dnskey, answer.ds);
      if (match === 'match') continue;
      if (key.dsFrom !== null && key.dsFrom > now) throw notOffered(zoneName, key, key.dsFrom);
      throw new Problem(
        match === 'uncomputable' ? 'DNSSEC_DS_UNVERIFIED' : 'DNSSEC_DS_NOT_PUBLISHED',
        lackText(apex, key, `key ${key.keyTag} of zone ${zoneName}`, answer),
      );
    }
  }
}

/** Of a new algorithm whose DS no parent can have: caches hold the zone without its signatures. */
function notOffered(zoneName: string, { keyTag }: ZoneKey, from: number): Problem {
  return new Problem(
    'DNSSEC_DS_NOT_PUBLISHED',
    `parents are given the DS of key ${keyTag} of zone ${zoneName} from ${formatTime(from)} on, because its ` +
      'algorithm is new: promote it then, or skip the check of the DS too (skip_ds_check), if no cache holds the zone',
  );
}

/**
 * True when some server serves a DS set with DS that validators go by and that name none of the keys: they
 * turn the zone away.
 */
export function servesForeignDs(
  { apex, keys }: KeyRing,
  answers: readonly ParentAnswer[],
): boolean {
  const own = dnskeysOf(keys.filter(({ role }) => bearsDs(role)));
  return dsSets(answers).some(({ ds }) => namedAlgorithms(apex, own, ds).unnamed.length > 0);
}

/**
 * Why published keys can not be taken away, or null: a server's DS set names them and none that stays, or
 * has a DS of the algorithm that would go.
 */
export function abortBlock(
  { apex, keys }: KeyRing,
  going: readonly ZoneKey[],
  answers: readonly ParentAnswer[],
): string | null {
  const entryPoints = keys.filter(({ role }) => bearsDs(role));
  const left = entryPoints.filter((key) => !going.some(({ id }) => id === key.id));
  const leaving = leavesAlgorithm(keys, going) ? going : [];
  for (const { address, ds } of dsSets(answers)) {
    const { named } = namedAlgorithms(apex, dnskeysOf(going), ds);
    const { unnamed } = namedAlgorithms(apex, dnskeysOf(left), ds);
    const algorithms = ds.map((each) => readDs(each).algorithm);
    const removed = leaving.find(({ algorithm }) => algorithms.includes(algorithm));
    if (removed !== undefined) {
      return `parent server ${address} serves a DS of algorithm ${removed.algorithm}`;
    }
    if (named.some((algorithm) => unnamed.includes(algorithm))) {
      return `parent server ${address} serves only the DS of the new key`;
    }
  }
  return null;
}

/**
 * Refuses to take published keys away that a server relies on, or caches of before the zone was taken back. A server
 * that says nothing does not keep them, for that may be why the roll is given up; only where an algorithm goes whose
 * DS was offered already.
 */
export function checkAbort(
  ring: KeyRing,
  going: readonly ZoneKey[],
  answers: readonly ParentAnswer[],
  now: number,
): void {
  const { zoneName, keys } = ring;
  const known = going.find(({ signsBeside, eligibleAt }) => signsBeside && (eligibleAt ?? 0) > now);
  if (known !== undefined) {
    throw new Problem(
      'INVALID_INPUT',
      `key ${known.keyTag} of zone ${zoneName} can be aborted from ${formatTime(known.eligibleAt!)} on: the zone was ` +
        'taken back, and until then caches may know no other key',
    );
  }
  const block = abortBlock(ring, going, answers);
  if (block !== null) {
    const text = `${block} for zone ${zoneName}: have it removed first`;
    throw new Problem('DNSSEC_DS_PUBLISHED', text);
  }
  const isOffered = going.some(({ dsFrom }) => dsFrom !== null && dsFrom <= now);
  if (isOffered && leavesAlgorithm(keys, going)) checkAllAnswered(zoneName, answers);
}

/**
 * What a server positively serves that relies on retired keys, or null: DS that validators go by and that
 * name no active key, or a DS of the algorithm that would go.
 */
export function reliance(
  { apex, keys }: KeyRing,
  going: readonly ZoneKey[],
  answers: readonly ParentAnswer[],
): string | null {
  if (!going.some((key) => bearsDs(key.role))) return null;
  const active = keys.filter((key) => key.state === 'active' && bearsDs(key.role));
  const leaving = leavingAlgorithm(keys, going);
  for (const answer of dsSets(answers)) {
    const { address, ds } = answer;
    if (ds.some((each) => readDs(each).algorithm === leaving)) {
      return `parent server ${address} still serves a DS of algorithm ${leaving}`;
    }
    const [unnamed] = namedAlgorithms(apex, dnskeysOf(active), ds).unnamed;
    if (unnamed === undefined) continue;
    const mentioned = active.find(({ dnskey }) => hasDsOf(apex, dnskey, ds));
    if (mentioned === undefined) {
      return `parent server ${address} serves a DS set that names no active key`;
    }
    return mentioned.algorithm === unnamed
      ? lackText(apex, mentioned, `key ${mentioned.keyTag}`, answer)
      : `parent server ${address} serves a DS of algorithm ${unnamed} that names no active key`;
  }
  return null;
}

/**
 * Why retired keys must stay though their time is over, or null. Silence blocks only the last keys of an
 * algorithm: a validator that still has a DS of it insists on its signatures, so every server has to say
 * that it serves none. Where the algorithm stays, the new key answers for either DS.
 */
export function removalBlock(
  ring: KeyRing,
  going: readonly ZoneKey[],
  answers: readonly ParentAnswer[],
): string | null {
  const relied = reliance(ring, going, answers);
  if (relied !== null) return relied;
  const leaving = leavingAlgorithm(ring.keys, going);
  if (leaving === undefined) return null;
  for (const answer of answers) {
    if (!('failure' in answer)) continue;
    return (
      `parent server ${answer.address} has not said that it serves ` +
      `no DS of algorithm ${leaving}: ${answer.failure}`
    );
  }
  return answers.length > 0 ? null : `no parent server of zone ${ring.zoneName} is known`;
}

/** The algorithm of which no key is left without those that go; they are of one algorithm. */
function leavingAlgorithm(keys: readonly ZoneKey[], going: readonly ZoneKey[]): number | undefined {
  return leavesAlgorithm(keys, going) ? going[0]?.algorithm : undefined;
}

/** Taken for the TTL of a DS that nobody has seen, in seconds. */
const unseenDsTtlSeconds = 86_400;

/** The DS set of a zone as its parents were last seen to serve it. */
export interface DsSighting {
  readonly ttlSeconds: number;
  /** Milliseconds since 1970. */
  readonly seenAt: number;
}

export interface DsSightings {
  readonly keys: readonly ZoneKey[];
  readonly dsSeen: DsSighting | null;
  readonly dsTtls: readonly ServedTtl[];
}

/** A sighting is recorded again when it is as old, in milliseconds, so that not every look is an event. */
const renewedAfterMs = 3_600_000;

/** The keys that parents may have a DS of and that are not just coming in. */
function keysInUse(keys: readonly ZoneKey[]): ZoneKey[] {
  const inState = (state: ZoneKey['state']) =>
    keys.filter((key) => bearsDs(key.role) && key.state === state);
  const retired = inState('retired');
  return retired.length > 0 ? retired : inState('active');
}

/** Since when the DS of all keys that stand, or go, were seen; null when that of one never was. */
function seenSince(keys: readonly ZoneKey[]): number | null {
  let since: number | null = null;
  for (const { dsSeenAt } of keysInUse(keys)) {
    if (dsSeenAt === null) return null;
    if (since === null || dsSeenAt < since) since = dsSeenAt;
  }
  return since;
}

/**
 * The largest TTL that caches may have the DS of the key with that is, or will be, replaced: the largest
 * that was seen since it was first seen. A DS that nobody saw may have had any: a day is taken for it.
 */
export function largestDsTtl({ keys, dsTtls }: DsSightings): number {
  const since = seenSince(keys);
  if (since !== null) return largestTtlSince(dsTtls, since);
  return Math.max(unseenDsTtlSeconds, largestTtlSince(dsTtls, 0));
}

/** A larger TTL that comes within an hour of the last sighting is taken for so much more than the one before. */
const minIncrease = 1.25;

/**
 * What is known once the parents said this; the same value when it is nothing new.
 *
 * Whoever may look can do so at any rate, and a parent may serve another TTL each time: so not every TTL is recorded.
 * Waits go by the largest. A smaller one is recorded after an hour, or with the first DS of a key, and the larger one
 * counts until then. A larger one is recorded at once, and within the hour by large steps: after some sixty of these it
 * is as long as caches keep anything. No wait of a key gets shorter by that; the sighting is an hour old at most, as it
 * is where the TTL stays.
 */
export function noteDs<State extends DsSightings>(
  state: State,
  apex: NameKey,
  answers: readonly ParentAnswer[],
  now: number,
): State {
  const sets = dsSets(answers);
  const keys = state.keys.map((key): ZoneKey => {
    if (!bearsDs(key.role) || key.dsSeenAt !== null) return key;
    return sets.some(({ ds }) => hasDsOf(apex, key.dnskey, ds)) ? { ...key, dsSeenAt: now } : key;
  });
  const isFirst = keys.some((key, index) => key !== state.keys[index]);
  const known = isFirst ? { ...state, keys } : state;
  const ttlSeconds = servedDsTtl(answers);
  if (ttlSeconds === null) return withoutDs(known, answers, now);
  const { dsSeen, dsTtls } = known;
  const isFresh = dsSeen !== null && Math.abs(now - dsSeen.seenAt) <= renewedAfterMs;
  const before = isFresh ? currentTtl(dsTtls) : undefined;
  if (before === ttlSeconds) return known;
  let counted = ttlSeconds;
  if (before !== undefined && !isFirst) {
    if (cachedSeconds(ttlSeconds) <= cachedSeconds(before)) return known;
    counted = Math.max(ttlSeconds, Math.ceil(before * minIncrease));
  }
  return {
    ...known,
    dsSeen: { ttlSeconds, seenAt: now },
    dsTtls: noteTtlSince(dsTtls, counted, seenSince(keys) ?? 0, now),
  };
}

/** Caches may have fetched it until the moment before all said that there is none. */
function withoutDs<State extends DsSightings>(
  state: State,
  answers: readonly ParentAnswer[],
  now: number,
): State {
  const isWithdrawn = answers.length > 0 && answers.every((answer) => 'ds' in answer);
  if (!isWithdrawn || currentTtl(state.dsTtls) === undefined) return state;
  return { ...state, dsTtls: endServing(state.dsTtls, now) };
}

/** The TTL of the DS as parents serve it, or did when they were last seen to; null where none was seen. */
export function knownDsTtl(
  { dsSeen }: Pick<DsSightings, 'dsSeen'>,
  answers: readonly ParentAnswer[],
): number | null {
  return servedDsTtl(answers) ?? dsSeen?.ttlSeconds ?? null;
}

/** Until when caches may hold a DS that was seen, in milliseconds since 1970; 0 when none was. */
export function dsCachedUntil({ dsSeen, dsTtls }: Omit<DsSightings, 'keys'>): number {
  const ends = dsTtls.map(
    ({ ttlSeconds, servedUntil }) =>
      (servedUntil ?? dsSeen?.seenAt ?? 0) + cachedSeconds(ttlSeconds) * 1000,
  );
  return Math.max(0, ...ends);
}

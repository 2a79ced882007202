/**
 * How long keys wait in their states (RFC 6781 4.1, RFC 7583 3): until every cache that may hold
 * something older has dropped it. A wait is worked out when its state begins and then stands.
 *
 * What was served lately counts as much as what is served now, so that a TTL lowered just before a key
 * changes state shortens no wait. The SOA's refresh has a history of the same kind: secondaries go by the
 * one that they last saw.
 */
import type { ZoneKey } from './zone-key.ts';

const daySeconds = 86_400;

/**
 * How long resolvers keep an answer at most, whatever its TTL: validators no longer than its signature is
 * valid (RFC 4035 5.3.3), by default two weeks, and most drop everything after a week (RFC 8767 4) or a day.
 */
const longestCachedSeconds = 14 * daySeconds;

/** How long secondaries go without asking at most, whatever the refresh of the SOA: what BIND does. */
const longestRefreshSeconds = 28 * daySeconds;

/** For how many seconds a TTL counts: a slip of the hand must not put a step off for 68 years. */
export function cachedSeconds(ttlSeconds: number): number {
  return Math.min(ttlSeconds, longestCachedSeconds);
}

/** For how many seconds the refresh of an SOA counts. */
export function refreshedWithin(refreshSeconds: number): number {
  return Math.min(refreshSeconds, longestRefreshSeconds);
}

/** What waits are made of. TTLs are the largest that caches may hold. */
export interface WaitFacts {
  readonly dnskeyTtlSeconds: number;
  /** Of all records in the zone, the SOA and DNSSEC records among them. */
  readonly largestTtlSeconds: number;
  /** How long a secondary may go without noticing a change: the largest refresh that one may know. */
  readonly soaRefreshSeconds: number;
  /** TTL of the DS of the key that is replaced, the largest that caches may have (parent-ds.ts). */
  readonly parentDsTtlSeconds: number;
}

/** What each wait gives caches time for, in seconds; secondaries get their refresh on top. */
const cacheSeconds = {
  /** Every validator knows a key that was published beside one of its own algorithm. */
  'key-published': ({ dnskeyTtlSeconds }: WaitFacts) => dnskeyTtlSeconds,
  /** Every validator has the signatures of a new algorithm too (RFC 6781 4.1.4). */
  'algorithm-published': everyTtlSeconds,
  /** Nobody holds unsigned records of a zone just signed, so that a parent may publish its DS. */
  'zone-signed': ({ largestTtlSeconds }: WaitFacts) => largestTtlSeconds,
  /** Nobody needs a replaced key: its signatures have left the caches, and its DS too. */
  'ksk-retired': (facts: WaitFacts) => Math.max(facts.dnskeyTtlSeconds, facts.parentDsTtlSeconds),
  'csk-retired': (facts: WaitFacts) => Math.max(everyTtlSeconds(facts), facts.parentDsTtlSeconds),
  'zsk-retired': everyTtlSeconds,
  /**
   * No validator insists on an algorithm that the parents no longer name: it may have fetched the DS at
   * the last moment, and keep the DNSKEYs that it proved by them for their own TTL after that.
   */
  'ds-removed': (facts: WaitFacts) => facts.parentDsTtlSeconds + facts.dnskeyTtlSeconds,
} satisfies Record<string, (facts: WaitFacts) => number>;

function everyTtlSeconds({ dnskeyTtlSeconds, largestTtlSeconds }: WaitFacts): number {
  return Math.max(dnskeyTtlSeconds, largestTtlSeconds);
}

/** Milliseconds that a key waits after something was done. */
export function waitMs(after: keyof typeof cacheSeconds, facts: WaitFacts): number {
  return (cacheSeconds[after](facts) + facts.soaRefreshSeconds) * 1000;
}

/**
 * Milliseconds until caches have dropped what a late secondary served before it caught up with the state
 * of a key: DNSKEYs without a new one, or, of a new algorithm, anything without its signatures; signatures
 * of the old one.
 */
export function catchUpWaitMs(key: ZoneKey, entersAlgorithm: boolean, facts: WaitFacts): number {
  const isDnskeyAlone = !entersAlgorithm && (key.role === 'ksk' || key.state === 'published');
  return cacheSeconds[isDnskeyAlone ? 'key-published' : 'algorithm-published'](facts) * 1000;
}

/** A TTL, or a refresh interval, that was served, and until when. */
export interface ServedTtl {
  readonly ttlSeconds: number;
  /** Milliseconds since 1970; null while it is the one that is served. */
  readonly servedUntil: number | null;
}

/**
 * Entries of one history: a server whose TTL sinks with each answer must not make it longer and longer.
 * The two oldest become one then, of the larger TTL and the later end, which shortens no wait.
 */
const maxEntries = 16;

/**
 * True while some cache may hold the TTL's records: a secondary may have served them for a refresh
 * interval more, and a resolver for the TTL after that.
 */
function isHeld(served: ServedTtl, soaRefreshSeconds: number, now: number): boolean {
  if (served.servedUntil === null) return true;
  const seconds = cachedSeconds(served.ttlSeconds) + soaRefreshSeconds;
  return served.servedUntil + seconds * 1000 > now;
}

/** True while some secondary may go by the refresh. */
function isKnownRefresh({ ttlSeconds, servedUntil }: ServedTtl, now: number): boolean {
  return servedUntil === null || servedUntil + refreshedWithin(ttlSeconds) * 1000 > now;
}

/** The largest TTL that caches may hold now. */
export function largestServedTtl(
  history: readonly ServedTtl[],
  soaRefreshSeconds: number,
  now: number,
): number {
  return cachedSeconds(largestOf(history.filter((each) => isHeld(each, soaRefreshSeconds, now))));
}

/** The largest refresh that secondaries may go by now. */
export function largestServedRefresh(history: readonly ServedTtl[], now: number): number {
  return refreshedWithin(largestOf(history.filter((served) => isKnownRefresh(served, now))));
}

/** The largest TTL that was served after `since`, in milliseconds since 1970. */
export function largestTtlSince(history: readonly ServedTtl[], since: number): number {
  return cachedSeconds(largestOf(history.filter((served) => isSince(served, since))));
}

function isSince({ servedUntil }: ServedTtl, since: number): boolean {
  return servedUntil === null || servedUntil > since;
}

function largestOf(history: readonly ServedTtl[]): number {
  return history.reduce((largest, served) => Math.max(largest, served.ttlSeconds), 0);
}

/** The history once `ttlSeconds` is what is served; entries that count no more are left out. */
export function noteServedTtl(
  history: readonly ServedTtl[],
  ttlSeconds: number,
  soaRefreshSeconds: number,
  now: number,
): ServedTtl[] {
  return updatedTtls(history, ttlSeconds, now, (served) => isHeld(served, soaRefreshSeconds, now));
}

/** The same of the refresh of the SOA. */
export function noteServedRefresh(
  history: readonly ServedTtl[],
  refreshSeconds: number,
  now: number,
): ServedTtl[] {
  return updatedTtls(history, refreshSeconds, now, (served) => isKnownRefresh(served, now));
}

/** The same of TTLs that others serve, which count as long as caches hold them, and back to `since`. */
export function noteTtlSince(
  history: readonly ServedTtl[],
  ttlSeconds: number,
  since: number,
  now: number,
): ServedTtl[] {
  const counts = (served: ServedTtl) => isSince(served, since) || isHeld(served, 0, now);
  return updatedTtls(history, ttlSeconds, now, counts);
}

function updatedTtls(
  history: readonly ServedTtl[],
  ttlSeconds: number,
  now: number,
  counts: (served: ServedTtl) => boolean,
): ServedTtl[] {
  if (currentTtl(history) === ttlSeconds) return [...history];
  const ended = endServing(history, now).filter(
    (served) => served.ttlSeconds > ttlSeconds && counts(served),
  );
  const [oldest, next, ...rest] = ended;
  const kept =
    ended.length < maxEntries ? ended : [{ ...next!, ttlSeconds: oldest!.ttlSeconds }, ...rest];
  return [...kept, { ttlSeconds, servedUntil: null }];
}

/** The history once nothing is served any more. */
export function endServing(history: readonly ServedTtl[], now: number): ServedTtl[] {
  return history.map((served) =>
    served.servedUntil === null ? { ...served, servedUntil: now } : served,
  );
}

/** The TTL that is served now; undefined when none is known. */
export function currentTtl(history: readonly ServedTtl[]): number | undefined {
  return history.find(({ servedUntil }) => servedUntil === null)?.ttlSeconds;
}

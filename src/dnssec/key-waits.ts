/**
 * How long keys wait in their states (RFC 6781 4.1, RFC 7583 3): until every cache that may hold
 * something older has let it go. A wait is worked out when its state begins and then stands.
 */
import { bearsDs, type KeyRole, type ZoneKey } from './zone-key.ts';

/** What waits are made of. TTLs are the largest that caches may hold (served-ttl.ts). */
export interface WaitFacts {
  readonly dnskeyTtlSeconds: number;
  /** Of all records in the zone, the SOA and derived ones among them. */
  readonly largestTtlSeconds: number;
  /** How long a secondary may go without noticing a step: the largest refresh that one may know. */
  readonly soaRefreshSeconds: number;
  /** TTL of the DS of the key that is replaced, the largest that caches may have (ds-sightings.ts). */
  readonly parentDsTtlSeconds: number;
}

/** Until every validator knows a key that was published beside one of its own algorithm. */
export function publishWaitMs(facts: WaitFacts): number {
  return (facts.dnskeyTtlSeconds + facts.soaRefreshSeconds) * 1000;
}

/** Until every validator has the signatures of a new algorithm too (RFC 6781 4.1.4). */
export function algorithmPublishWaitMs(facts: WaitFacts): number {
  return (everyTtlSeconds(facts) + facts.soaRefreshSeconds) * 1000;
}

/** Until nobody holds unsigned records of a zone just signed, so that a parent may be told. */
export function firstCdsWaitMs(facts: WaitFacts): number {
  return (facts.largestTtlSeconds + facts.soaRefreshSeconds) * 1000;
}

/** Until nobody needs the key any more: its signatures have left the caches, and its DS too. */
export function retireWaitMs(role: KeyRole, facts: WaitFacts): number {
  const signed = role === 'ksk' ? facts.dnskeyTtlSeconds : everyTtlSeconds(facts);
  const ds = bearsDs(role) ? facts.parentDsTtlSeconds : 0;
  return (Math.max(signed, ds) + facts.soaRefreshSeconds) * 1000;
}

/**
 * Until caches have let go of what a late secondary served before it caught up with the state of a key:
 * DNSKEYs without a new one, or, of a new algorithm, anything without its signatures; signatures of the
 * old one.
 */
export function cacheWaitMs(key: ZoneKey, entersAlgorithm: boolean, facts: WaitFacts): number {
  const isDnskeyAlone = key.role === 'ksk' || (key.state === 'published' && !entersAlgorithm);
  return (isDnskeyAlone ? facts.dnskeyTtlSeconds : everyTtlSeconds(facts)) * 1000;
}

/**
 * Until no validator insists on an algorithm that the parents do not name any more: it may have fetched
 * the DS at the last moment, and keep the DNSKEYs that it proved by them for their own TTL after that.
 */
export function letGoWaitMs(facts: WaitFacts): number {
  const { parentDsTtlSeconds, dnskeyTtlSeconds, soaRefreshSeconds } = facts;
  return (parentDsTtlSeconds + dnskeyTtlSeconds + soaRefreshSeconds) * 1000;
}

function everyTtlSeconds(facts: WaitFacts): number {
  return Math.max(facts.dnskeyTtlSeconds, facts.largestTtlSeconds);
}

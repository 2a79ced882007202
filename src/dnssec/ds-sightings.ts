/**
 * What was seen of a zone's DS at its parents, kept for the waits of keys: which TTLs it was served with
 * and since when each key has one. A parent may lower the TTL with the very change that a roll asks for,
 * and caches go on with what they were told before (RFC 7583 3.3).
 */
import type { NameKey } from '../dns/name.ts';
import { namesKey, type ParentAnswer } from './parent-ds.ts';
import {
  currentTtl,
  endServing,
  largestTtlSince,
  noteTtlSince,
  type ServedTtl,
} from './served-ttl.ts';
import { bearsDs, type ZoneKey } from './zone-key.ts';

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

/** A sighting is noted anew when it is as old, in milliseconds, so that not every look is an event. */
const renewedAfterMs = 3_600_000;

/** The keys that parents may have a DS of and that are not just on their way in. */
function standingKeys(keys: readonly ZoneKey[]): ZoneKey[] {
  const inState = (state: ZoneKey['state']) =>
    keys.filter((key) => bearsDs(key.role) && key.state === state);
  const retired = inState('retired');
  return retired.length > 0 ? retired : inState('active');
}

/** Since when the DS of all keys that stand, or go, were seen; null when that of one never was. */
function seenSince(keys: readonly ZoneKey[]): number | null {
  let since: number | null = null;
  for (const { dsSeenAt } of standingKeys(keys)) {
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

/** What is known once the parents said this; the same value when it is nothing new. */
export function noteDs<State extends DsSightings>(
  state: State,
  apex: NameKey,
  answers: readonly ParentAnswer[],
  now: number,
): State {
  const keys = state.keys.map((key): ZoneKey => {
    const isNew = bearsDs(key.role) && key.dsSeenAt === null && namesKey(apex, key, answers);
    return isNew ? { ...key, dsSeenAt: now } : key;
  });
  const isFirst = keys.some((key, index) => key !== state.keys[index]);
  const known = isFirst ? { ...state, keys } : state;
  const ttlSeconds = ttlOf(answers);
  if (ttlSeconds === undefined) return withoutDs(known, answers, now);
  const { dsSeen, dsTtls } = known;
  const isCurrent = currentTtl(dsTtls) === ttlSeconds;
  if (isCurrent && dsSeen !== null && Math.abs(now - dsSeen.seenAt) <= renewedAfterMs) return known;
  return {
    ...known,
    dsSeen: { ttlSeconds, seenAt: now },
    dsTtls: noteTtlSince(dsTtls, ttlSeconds, seenSince(keys) ?? 0, now),
  };
}

/** The largest TTL among the answers with a DS. */
function ttlOf(answers: readonly ParentAnswer[]): number | undefined {
  const ttls = answers.flatMap((answer) =>
    'ds' in answer && answer.ds.length > 0 ? (answer.ttlSeconds ?? []) : [],
  );
  return ttls.length === 0 ? undefined : Math.max(...ttls);
}

/** Caches may have fetched it until the moment before all said that there is none. */
function withoutDs<State extends DsSightings>(
  state: State,
  answers: readonly ParentAnswer[],
  now: number,
): State {
  const isGone = answers.length > 0 && answers.every((answer) => 'ds' in answer);
  if (!isGone || currentTtl(state.dsTtls) === undefined) return state;
  return { ...state, dsTtls: endServing(state.dsTtls, now) };
}

/** Until when caches may hold a DS that was seen, in milliseconds since 1970; 0 when none was. */
export function dsCachedUntil({ dsSeen, dsTtls }: Omit<DsSightings, 'keys'>): number {
  const ends = dsTtls.map(
    ({ ttlSeconds, servedUntil }) => (servedUntil ?? dsSeen?.seenAt ?? 0) + ttlSeconds * 1000,
  );
  return Math.max(0, ...ends);
}

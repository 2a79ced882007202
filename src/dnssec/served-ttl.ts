/**
 * TTLs that caches may still hold: what was served lately counts as much as what is served now, so
 * that a TTL lowered just before a key changes state shortens no wait. The SOA's refresh has a history
 * of the same kind: secondaries go by the one that they last heard of.
 */

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
const mostEntries = 16;

/**
 * True while some cache may hold the TTL's records: a secondary may have served them for a refresh
 * interval more, and a resolver for the TTL after that.
 */
function isHeld(served: ServedTtl, soaRefreshSeconds: number, now: number): boolean {
  if (served.servedUntil === null) return true;
  return served.servedUntil + (served.ttlSeconds + soaRefreshSeconds) * 1000 > now;
}

/** The largest TTL that caches may hold now. */
export function largestServedTtl(
  history: readonly ServedTtl[],
  soaRefreshSeconds: number,
  now: number,
): number {
  return largestOf(history.filter((served) => isHeld(served, soaRefreshSeconds, now)));
}

/** The largest TTL that was served after `since`, in milliseconds since 1970. */
export function largestTtlSince(history: readonly ServedTtl[], since: number): number {
  return largestOf(history.filter((served) => isSince(served, since)));
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
  const counts = (served: ServedTtl) => isHeld(served, soaRefreshSeconds, now);
  return noted(history, ttlSeconds, now, counts);
}

/** The same of TTLs that others serve, which count as long as caches hold them, and back to `since`. */
export function noteTtlSince(
  history: readonly ServedTtl[],
  ttlSeconds: number,
  since: number,
  now: number,
): ServedTtl[] {
  const counts = (served: ServedTtl) => isSince(served, since) || isHeld(served, 0, now);
  return noted(history, ttlSeconds, now, counts);
}

function noted(
  history: readonly ServedTtl[],
  ttlSeconds: number,
  now: number,
  counts: (served: ServedTtl) => boolean,
): ServedTtl[] {
  if (currentTtl(history) === ttlSeconds) return [...history];
  const past = endServing(history, now).filter(
    (served) => served.ttlSeconds > ttlSeconds && counts(served),
  );
  const [oldest, next, ...rest] = past;
  const kept =
    past.length < mostEntries ? past : [{ ...next!, ttlSeconds: oldest!.ttlSeconds }, ...rest];
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

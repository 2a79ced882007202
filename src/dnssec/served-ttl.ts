/**
 * TTLs that caches may still hold: what was served lately counts as much as what is served now, so
 * that a TTL lowered just before a key changes state shortens no wait.
 */

/** A TTL that was served, and until when. */
export interface ServedTtl {
  readonly ttlSeconds: number;
  /** Milliseconds since 1970; null while it is the one that is served. */
  readonly servedUntil: number | null;
}

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
  const held = history.filter((served) => isHeld(served, soaRefreshSeconds, now));
  return held.reduce((largest, served) => Math.max(largest, served.ttlSeconds), 0);
}

/** The history once `ttlSeconds` is what is served; entries that count no more are left out. */
export function noteServedTtl(
  history: readonly ServedTtl[],
  ttlSeconds: number,
  soaRefreshSeconds: number,
  now: number,
): ServedTtl[] {
  const current = history.find((served) => served.servedUntil === null);
  if (current?.ttlSeconds === ttlSeconds) return [...history];
  const past = history
    .map((served) => (served.servedUntil === null ? { ...served, servedUntil: now } : served))
    .filter((served) => served.ttlSeconds > ttlSeconds && isHeld(served, soaRefreshSeconds, now));
  return [...past, { ttlSeconds, servedUntil: null }];
}

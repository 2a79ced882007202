import { isLong } from './long.ts';

/**
 * The predicate of a property, bounded in time: what begins later than `limitMs` after this call passes unplayed, so
 * that a slow host plays fewer rounds and a failure is shrunken no further than it was by then. What has begun is
 * played to its end: fast-check's `interruptAfterTimeLimit` breaks it off, and takes a first round that it broke off
 * for a failure.
 */
export function inTime<Drawn extends unknown[]>(
  play: (...drawn: Drawn) => Promise<void>,
  limitMs: number = isLong ? 600_000 : 60_000,
): (...drawn: Drawn) => Promise<void> {
  const deadline = performance.now() + limitMs;
  return async (...drawn) => {
    if (performance.now() < deadline) await play(...drawn);
  };
}

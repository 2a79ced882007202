/** The part of the life of a zone that a strip is about, closer or from further away. */

/** Milliseconds since 1970. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

/** A shorter one is not drawn, in milliseconds. */
export const shortestMs = 1000;

/** Where the zone begins, undefined where that is not known, and now. */
interface Lifetime {
  readonly start: number | undefined;
  readonly now: number;
}

/**
 * As long as `factor` says, with `center` where it was, inside the life of the zone.
 *
 * @returns Undefined for all of its life.
 */
export function zoomed(
  { from, to }: TimeRange,
  factor: number,
  center: number,
  { start, now }: Lifetime,
): TimeRange | undefined {
  const length = Math.max(shortestMs, (to - from) * factor);
  const share = (center - from) / Math.max(1, to - from);
  const first = center - length * share;
  const end = Math.min(now, Math.max(first, start ?? first) + length);
  const begin = Math.max(start ?? 0, end - length);
  const isWhole = start === undefined ? factor > 1 : begin <= start;
  return isWhole && end >= now ? undefined : { from: begin, to: end };
}

/**
 * The clock: the only place that reads the time of day.
 *
 * Domain rules take times as arguments; listeners, APIs and background work take a Clock, so that
 * tests can run years in seconds.
 */

/** Returns the present as milliseconds since 1970-01-01T00:00:00Z. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

/** Milliseconds. */
export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/** Milliseconds of a monotonic clock, for durations. */
export function monotonicMs(): number {
  return performance.now();
}

/** Whether a time has come that was at most `withinMs` ahead; it has where the clock was set back further since. */
export function hasCome(at: number, now: number, withinMs: number): boolean {
  return at <= now || at > now + withinMs;
}

/** Milliseconds that a clock may be set by unnoticed. */
const unnoticedMs = 60_000;

/** Notices a clock that is set forth or back, or a host that slept: it goes otherwise than the monotonic one. */
export class ClockWatch {
  readonly #clock: Clock;
  #aheadMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#aheadMs = clock() - monotonicMs();
  }

  /** Whether it was since the last look, or since the start where this is the first. */
  wasSet(): boolean {
    const before = this.#aheadMs;
    this.#aheadMs = this.#clock() - monotonicMs();
    return Math.abs(this.#aheadMs - before) > unnoticedMs;
  }
}

/** RFC 3339 in UTC with `Z`, as every answer shows times. */
export function formatTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

const firstMs = Date.parse('0000-01-01T00:00:00Z');
const lastMs = Date.parse('9999-12-31T23:59:59.999Z');

/** Whether a time, in milliseconds since 1970, has a form in RFC 3339, whose years are 0000 to 9999. */
export function hasForm(milliseconds: number): boolean {
  return milliseconds >= firstMs && milliseconds <= lastMs;
}

const rfc3339 = /^(\d{4}-\d{2}-\d{2})[Tt ](?!24)\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;

/**
 * Milliseconds of an RFC 3339 date-time, or undefined when the text is none. Date.parse takes a 30th
 * of February for the 1st or 2nd of March; here a day must stand in the calendar. Leap seconds are
 * refused, as our clock knows none.
 */
export function parseTime(text: string): number | undefined {
  const day = rfc3339.exec(text)?.[1];
  if (day === undefined) return undefined;
  const midnight = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(midnight.getTime()) || !midnight.toISOString().startsWith(day)) return undefined;
  const milliseconds = Date.parse(text.replace(' ', 'T').toUpperCase());
  // Its offset may lead out of these years.
  return hasForm(milliseconds) ? milliseconds : undefined;
}

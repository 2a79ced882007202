/**
 * Clocks: signatures of TSIG count for five minutes around the time of the other side (RFC 8945 10),
 * those of DNSSEC for an hour before it, and the journal's events have to follow each other.
 */
import { formatTime } from '../../base/clock.ts';
import { type CheckResult, fail, ok, skip } from './check-result.ts';

const check = 'clock';

/** Milliseconds that two clocks may be apart; the half of what TSIG forgives would be late. */
const maxGapMs = 30_000;
/** Milliseconds that the clock may move against the monotonic one while doctor runs. */
const maxJumpMs = 1000;
/** When this program was made: no clock is earlier. */
const earliest = Date.UTC(2026, 0, 1);

export interface ClockReadings {
  /** Now, in milliseconds since 1970. */
  readonly now: number;
  /** How far the time of day went beyond the monotonic clock since doctor began. */
  readonly jumpedMs: number;
  /** How far the service is ahead; null when it was not asked, or is on this host. */
  readonly aheadMs: number | null;
  /** When the last event was written; null when that is not known. */
  readonly lastEventAt: number | null;
}

const advice = "set the time from the network: 'timedatectl set-ntp true', or run chrony or ntpd";

export function checkClock(readings: ClockReadings): CheckResult {
  const { now, jumpedMs, aheadMs, lastEventAt } = readings;
  if (now < earliest) return fail(check, `it is ${formatTime(now)} here`, advice);
  if (Math.abs(jumpedMs) > maxJumpMs) {
    const message = `the time jumped by ${seconds(jumpedMs)} while doctor ran`;
    return fail(check, message, `${advice}; two programs that set it fight each other`);
  }
  if (lastEventAt !== null && lastEventAt - now > maxGapMs) {
    const message = `the last change is dated ${formatTime(lastEventAt)}, after now: the clock went back`;
    return fail(check, message, advice);
  }
  if (aheadMs !== null && Math.abs(aheadMs) > maxGapMs) {
    const side = aheadMs > 0 ? 'ahead of' : 'behind';
    return fail(check, `the service is ${seconds(Math.abs(aheadMs))} ${side} this host`, advice);
  }
  if (aheadMs === null && lastEventAt === null) {
    return skip(check, 'there is nothing to compare it with: no service and no change');
  }
  const others = [
    ...(aheadMs === null ? [] : ['the service']),
    ...(lastEventAt === null ? [] : ['the last change']),
  ];
  return ok(check, `${formatTime(now)} agrees with ${others.join(' and ')}`);
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

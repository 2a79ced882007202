import { expect, it } from 'vitest';
import { type Lag, lagOutline, lagText, runsOf } from './lag.ts';

const timeOf = (ms: number) => new Date(ms).toISOString().slice(11, 19);
const now = Date.parse('2026-01-31T12:04:00Z');
const minute = 60_000;

/** The latest spans; those before are not known. */
function lagOf(countedSince: string, ...latest: (number | null)[]): Lag {
  const before = Array.from({ length: 144 - latest.length }, () => null);
  return {
    counted_since: countedSince,
    first_at: '2026-01-30T12:10:00Z',
    span_seconds: 600,
    behind_ms: [...before, ...latest],
  };
}

it('says for how long it was in sync', () => {
  const whole = lagOf('2026-01-20T12:00:00Z', ...Array.from({ length: 144 }, () => 0));
  expect(lagText(whole, now, timeOf)).toBe('in sync for 24 h');
  expect(lagText(lagOf('2026-01-31T12:03:30Z', 0), now, timeOf)).toBe('in sync for 30 s');
  expect(lagText(lagOf('2026-01-31T11:45:00Z', 0, 0, 0), now, timeOf)).toBe('in sync for 19 min');
});

it('says how far it was behind and when, and for how long it said nothing', () => {
  const lag = lagOf('2026-01-31T11:25:00Z', 0, 14 * minute, 14 * minute, null, 90);
  expect(lagText(lag, now, timeOf)).toBe('behind for up to 14 min at 11:30; no answer for 10 min');
  expect(lagText(lagOf('2026-01-31T11:55:00Z', null, 0), now, timeOf)).toBe(
    'in sync for 4 min; no answer for 5 min',
  );
  expect(lagText(lagOf('2026-01-31T11:55:00Z', null, null), now, timeOf)).toBe(
    'no answer for 9 min',
  );
  expect(lagText(lagOf('2026-01-31T12:03:00Z', 90), now, timeOf)).toBe(
    'behind for up to 90 ms at 12:03',
  );
});

it('lists spans in a row that say the same as one, newest first', () => {
  const lag = lagOf('2026-01-31T11:35:00Z', 0, 0, null, 90);
  const listed = runsOf(lag, now).map(({ from, until, behindMs }) => {
    return [new Date(from).toISOString().slice(11, 16), (until - from) / minute, behindMs];
  });
  expect(listed).toEqual([
    ['12:00', 4, 90],
    ['11:50', 10, null],
    ['11:35', 15, 0],
  ]);
});

it('draws what is known', () => {
  expect(lagOutline(lagOf('2026-01-31T11:35:00Z', 0, null, 40, 20))).toBe(
    'M140 20V19.0h1V20zM142 20V0.0h1V20zM143 20V9.5h1V20z',
  );
});

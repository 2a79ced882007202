import { expect, it } from 'vitest';
import { LagHistory } from './lag-history.ts';

const minute = 60_000;
const start = 1000 * 10 * minute;

/** What is known of the latest spans. */
const latest = (history: LagHistory, count: number) => history.day().behindMs.slice(-count);

it('has the greatest lag of each span, up to the current one', () => {
  const history = new LagHistory(start);
  history.see(start, null);
  history.pass(start + 4 * minute, null);
  history.see(start + 4 * minute, start + 4 * minute);
  history.pass(start + 18 * minute, start + 4 * minute);
  history.see(start + 18 * minute, null);
  history.pass(start + 31 * minute, null);
  expect(latest(history, 5)).toEqual([null, 6 * minute, 14 * minute, 0, 0]);
  const { countedSince, firstAt, spanSeconds, behindMs } = history.day();
  expect([countedSince, spanSeconds, behindMs.length]).toEqual([start, 600, 144]);
  expect(firstAt + 144 * spanSeconds * 1000).toBe(start + 40 * minute);
});

it('knows nothing while there is no answer, or nobody asks', () => {
  const history = new LagHistory(start);
  history.see(start, null);
  history.see(start + 10 * minute, undefined);
  history.pass(start + 29 * minute, undefined);
  history.see(start + 30 * minute, null);
  history.pass(start + 79 * minute, null);
  expect(latest(history, 8)).toEqual([0, null, null, 0, 0, 0, 0, null]);
});

it('forgets what is older than a day, however long nothing was seen', () => {
  const history = new LagHistory(start);
  history.see(start, start - minute);
  history.see(start + 143 * 10 * minute, null);
  expect(history.day().behindMs[0]).toBe(minute);
  history.pass(start + 144 * 10 * minute, null);
  expect(history.day().behindMs.filter((each) => each !== null)).toEqual([0, 0]);
  history.see(start + 5000 * 10 * minute, undefined);
  expect(history.day().behindMs.every((each) => each === null)).toBe(true);
  expect(history.day().countedSince).toBe(start);
});

it('takes a clock that goes back as one that stands', () => {
  const history = new LagHistory(start);
  history.see(start + 10 * minute, null);
  history.see(start, start + minute);
  expect(latest(history, 2)).toEqual([null, 0]);
});

it('begins anew where the clock was ahead by a day or more', () => {
  const ahead = start + 144 * 10 * minute;
  const history = new LagHistory(ahead);
  history.see(ahead, null);
  history.see(start, start - minute);
  history.pass(start + 10 * minute, start - minute);
  expect(latest(history, 3)).toEqual([null, 11 * minute, 11 * minute]);
  expect(history.day().countedSince).toBe(start);
});

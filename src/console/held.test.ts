/** Reads that are asked to come again later. */
import { expect, it } from 'vitest';
import { askNow, heldUntil, retryTimeOf, waitUntil } from './held.ts';

it('reads seconds and dates of Retry-After, and nothing else', () => {
  expect(retryTimeOf('30', 1000)).toBe(31_000);
  expect(retryTimeOf('Sat, 31 Jan 2026 12:00:00 GMT')).toBe(Date.UTC(2026, 0, 31, 12));
  expect(retryTimeOf('soon')).toBeUndefined();
  expect(retryTimeOf(null)).toBeUndefined();
});

it('waits as long as the latest of them, until somebody does not want to', async () => {
  const later = Date.now() + 3_600_000;
  const aborting = new AbortController();
  const waits = [
    waitUntil(later, undefined),
    waitUntil(later - 1000, aborting.signal),
    waitUntil(later * 1000, undefined),
  ];
  aborting.abort();
  await waits[1];
  expect(heldUntil.value).toBe(later * 1000);
  askNow();
  await Promise.all(waits);
  expect(heldUntil.value).toBeNull();
  await waitUntil(0, undefined);
  await waitUntil(later, aborting.signal);
  expect(heldUntil.value).toBeNull();
});

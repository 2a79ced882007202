/** Histories of TTLs that others serve. */
import { describe, expect, it } from 'vitest';
import { largestTtlSince, noteTtlSince, type ServedTtl } from './key-timing.ts';

const day = 86_400_000;
const start = Date.UTC(2026, 0, 1);

describe('TTLs that parents were seen to serve', () => {
  it('count back to when the DS that goes was first seen, however often they sank', () => {
    let history: ServedTtl[] = [];
    // Each answer of some servers has a TTL that is a little less.
    for (let ttl = 3600; ttl > 0; ttl--) history = noteTtlSince(history, ttl, start, start + day);
    expect(history).toHaveLength(16);
    expect(largestTtlSince(history, start)).toBe(3600);
    expect(largestTtlSince(history, start + 2 * day)).toBe(1);
    expect(noteTtlSince(history, 3601, start, start + day)).toEqual([
      { ttlSeconds: 3601, servedUntil: null },
    ]);
  });
});

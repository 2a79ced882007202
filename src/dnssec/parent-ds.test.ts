/** The TTL that caches may have the DS of a key with. */
import { describe, expect, it } from 'vitest';
import { parseAbsoluteName } from '../dns/name.ts';
import { dnskeyRdata, dsRdata } from './dnskey.ts';
import { dsCachedUntil, type DsSightings, largestDsTtl, noteDs } from './parent-ds.ts';
import type { ZoneKey } from './zone-key.ts';

const day = 86_400;
const dsTtls = [
  { ttlSeconds: 2 * day, servedUntil: 1000 },
  { ttlSeconds: 300, servedUntil: null },
];

const seen = (dsSeenAt: number | null, state = 'active', role = 'ksk') =>
  ({ dsSeenAt, state, role }) as ZoneKey;

it.each<[string, number, readonly ZoneKey[]]>([
  ['what was served since it was seen', 300, [seen(1000)]],
  ['all that was served since it was seen', 2 * day, [seen(999)]],
  ['what was served since the first of several was seen', 2 * day, [seen(1000), seen(999)]],
  ['that of the key that goes, not of the one that comes', 300, [seen(1000, 'retired'), seen(1)]],
  ['no TTL of keys without a DS', 300, [seen(1000), seen(null, 'active', 'zsk')]],
  ['a day or more where it was not seen', 2 * day, [seen(null)]],
])('is the largest of %s', (_, expected, keys) => {
  expect(largestDsTtl({ keys, dsTtls, dsSeen: null })).toBe(expected);
});

it('is a day where nothing was seen', () => {
  const nothing: DsSightings = { keys: [seen(null)], dsTtls: [], dsSeen: null };
  expect(largestDsTtl(nothing)).toBe(day);
});

describe('looks at the parents', () => {
  const apex = parseAbsoluteName('example.com');
  const hour = 3_600_000;
  const minute = 60_000;
  /** A DS of another key: what it names is of no account here. */
  const ds = [Buffer.from([0, 1, 13, 2, ...Buffer.alloc(32, 1)])];
  const answers = (ttlSeconds: number) => [{ address: '192.0.2.1', ds, ttlSeconds }];
  const none = [{ address: '192.0.2.1', ds: [], ttlSeconds: null }];

  /** Looks with these TTLs, one after the other; how many of them are events. */
  function looks(
    ttls: Iterable<number>,
    apart: number,
    from?: { state: DsSightings; now: number },
  ) {
    let state: DsSightings = from?.state ?? { keys: [seen(1)], dsTtls: [], dsSeen: null };
    let now = from?.now ?? hour;
    let events = 0;
    for (const ttlSeconds of ttls) {
      now += apart;
      const before = state;
      state = noteDs(state, apex, answers(ttlSeconds), now);
      if (state !== before) events++;
      // Whatever is recorded, nothing that is served counts for less than it is.
      expect(largestDsTtl(state)).toBeGreaterThanOrEqual(Math.min(ttlSeconds, 14 * day));
    }
    return { state, now, events };
  }

  const times = <Value>(count: number, make: (index: number) => Value) =>
    Array.from({ length: count }, (_, index) => make(index));

  it.each<[string, number, (index: number) => number]>([
    ['in turns', 1, (index) => (index % 2 === 0 ? 3600 : 300)],
    ['down by one', 1, (index) => 100_000 - index],
    ['at random', 20, (index) => (Math.imul(index, 1_103_515_245) >>> 8) % 86_400],
    ['up by one', 45, (index) => 1 + index],
    ['up beyond what caches keep', 1, (index) => 15 * day + index],
  ])('within an hour are few events where the TTL goes %s', (_, most, ttlOf) => {
    const { events } = looks(times(3000, ttlOf), 1000);
    expect(events).toBeGreaterThan(0);
    expect(events).toBeLessThanOrEqual(most);
  });

  it('record another TTL as it is, a larger one at once and a smaller one after an hour', () => {
    const first = looks([3600], minute);
    const larger = looks([7200], minute, first);
    expect(larger.state.dsTtls).toEqual([{ ttlSeconds: 7200, servedUntil: null }]);
    const early = looks([300], minute, larger);
    expect(early.state).toBe(larger.state);
    const late = looks([300], hour, early);
    expect(late.state.dsSeen).toEqual({ ttlSeconds: 300, seenAt: late.now });
    // It counts until the smaller one was recorded, not until it came.
    expect(late.state.dsTtls).toEqual([
      { ttlSeconds: 7200, servedUntil: late.now },
      { ttlSeconds: 300, servedUntil: null },
    ]);
    expect(dsCachedUntil(late.state)).toBe(late.now + 7200 * 1000);
  });

  it('tell of the last moment of a TTL that was the largest, also where a smaller one was passed over', () => {
    const { state, now } = looks([3600, 300, 300], minute);
    const gone = noteDs(state, apex, none, now + minute);
    expect(dsCachedUntil(gone)).toBe(now + minute + 3600 * 1000);
  });

  it('record a smaller TTL at once with the first DS of a key', () => {
    const { state, now } = looks([86_400], minute);
    const dnskey = dnskeyRdata(13, Buffer.alloc(64, 1), true);
    const unseen = { ...seen(null), dnskey };
    const answer = [{ address: '192.0.2.1', ds: [dsRdata(apex, dnskey)], ttlSeconds: 300 }];
    const next = noteDs({ ...state, keys: [unseen] }, apex, answer, now + minute);
    expect(next.keys[0]!.dsSeenAt).toBe(now + minute);
    expect(next.dsSeen).toEqual({ ttlSeconds: 300, seenAt: now + minute });
    expect(largestDsTtl(next)).toBe(300);
  });
});

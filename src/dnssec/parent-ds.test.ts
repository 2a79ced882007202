/** The TTL that caches may have the DS of a key with. */
import { expect, it } from 'vitest';
import { type DsSightings, largestDsTtl } from './parent-ds.ts';
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

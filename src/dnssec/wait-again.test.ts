/** Keys of a zone that was taken back, on an imagined clock. */
import { expect, it } from 'vitest';
import { day, enabled, facts, keyOf, ringOf, second, start } from '../../spec/support/key-ring.ts';
import { promote, startAlgorithmRoll, startRoll } from './key-roll.ts';
import { waitAgain } from './wait-again.ts';
import type { ZoneKey } from './zone-key.ts';

const later = start + 10 * day;

it('leaves active keys alone', () => {
  const keys = enabled(13, true);
  expect(waitAgain(keys, facts, 70_000, later)).toEqual(keys);
});

it('begins the wait of a published and a retired key again, and both sign until it ends', () => {
  const keys = enabled(13, false);
  const both = [...keys, ...startRoll(ringOf(keys), null, facts, start).map(keyOf)];
  const [, published] = waitAgain(both, facts, 70_000, later) as [ZoneKey, ZoneKey];
  const wait = { stateChangedAt: later, stateSerial: 70_000, signsBeside: true };
  expect(published).toMatchObject({ ...wait, eligibleAt: later + 3900 * second });
  expect(published.cdsFrom).toBe(both[1]!.cdsFrom);
  const promoted = promote([both[0]!, published], facts, later + day);
  expect(promoted[1]!.signsBeside).toBeUndefined();
  const [retired] = waitAgain(promoted, facts, 90_000, later + 2 * day) as [ZoneKey];
  const end = later + 2 * day + (86_400 + 300) * second;
  expect(retired).toMatchObject({ state: 'retired', signsBeside: true, eligibleAt: end });
});

it('shortens no wait, and offers no DS of a new algorithm before its end', () => {
  const keys = enabled(13, true);
  const fresh = startAlgorithmRoll(ringOf(keys), 15, facts, start).map(keyOf);
  const [, , ksk, zsk] = waitAgain([...keys, ...fresh], facts, 7, later) as ZoneKey[];
  const end = later + 7500 * second;
  expect(ksk).toMatchObject({ eligibleAt: end, cdsFrom: end, dsFrom: end });
  expect(ksk!.signsBeside).toBeUndefined();
  expect(zsk).toMatchObject({ eligibleAt: end, cdsFrom: null, dsFrom: null });
  const seen = { ...fresh[0]!, dsSeenAt: start };
  const { cdsFrom, dsFrom } = seen;
  expect(waitAgain([...keys, seen], facts, 7, later)[2]).toMatchObject({
    eligibleAt: end,
    cdsFrom,
    dsFrom,
  });
  expect(waitAgain([ksk!, zsk!], facts, 8, start)).toMatchObject([
    { eligibleAt: end },
    { eligibleAt: end },
  ]);
});

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { shortestMs, zoomed } from './zoom.ts';

const start = 1_000_000;
const now = 90_000_000;
const times = fc.integer({ min: start, max: now });

it('stays inside the life of the zone and keeps what is pointed at where it can', () => {
  const range = fc.tuple(times, times).filter(([one, other]) => Math.abs(one - other) > shortestMs);
  const factors = fc.double({ min: 0.1, max: 10, noNaN: true });
  fc.assert(
    fc.property(
      range,
      factors,
      fc.double({ min: 0, max: 1, noNaN: true }),
      (ends, factor, share) => {
        const [from, to] = ends.toSorted((one, other) => one - other) as [number, number];
        const center = from + (to - from) * share;
        const found = zoomed({ from, to }, factor, center, { start, now });
        if (found === undefined) {
          expect((to - from) * factor).toBeGreaterThanOrEqual(now - start - 1);
          return;
        }
        expect(found.from).toBeGreaterThanOrEqual(start);
        expect(found.to).toBeLessThanOrEqual(now);
        expect(found.from).toBeLessThanOrEqual(center + 1);
        expect(found.to).toBeGreaterThanOrEqual(center - 1);
        if (factor <= 1) expect(found.to - found.from).toBeLessThanOrEqual(to - from + 1);
      },
    ),
  );
});

it('ends at the whole life, also when its beginning is not known', () => {
  expect(zoomed({ from: 5, to: now - 5 }, 4, now / 2, { start: 0, now })).toBeUndefined();
  const far = { from: now - 2000, to: now - 1000 };
  expect(zoomed(far, 4, now - 1500, { start: undefined, now })).toBeUndefined();
});

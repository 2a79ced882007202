import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limits } from '../base/limits.ts';
import { isPassable, judgeSerials } from './seen-serials.ts';

const { startingSerial, maxSerial } = limits;
const greatestSaid = 2 ** 32 - 1;

describe('serials that others say', () => {
  it.each([
    [1, startingSerial - 1, startingSerial],
    // What has come far passes what leaves it half of its serials.
    [maxSerial - 100, maxSerial - 51, maxSerial - 50],
    [maxSerial - 1, maxSerial - 1, maxSerial],
    // In the last million the end is the last serial of all.
    [maxSerial, maxSerial + 499_999, maxSerial + 500_000],
    [limits.serial, limits.serial, limits.serial + 1],
  ])('are passed from %i up to %i', (own, last, next) => {
    expect([0, own, last].map((seen) => isPassable(seen, own))).toEqual([true, true, true]);
    expect([next, limits.serial + 1, greatestSaid].map((seen) => isPassable(seen, own))).toEqual([
      false,
      false,
      false,
    ]);
  });

  it('are judged one by one: what is ignored hides no other', () => {
    const sources = [
      { name: 'ns1', serials: new Map([['a', greatestSaid]]) },
      // One with two addresses.
      { name: 'ns2', serials: [['a', 300_000] as const, ['a', startingSerial] as const] },
      { name: null, serials: [['a', 40] as const, ['b', 3] as const] },
    ];
    const { greatest, ignored } = judgeSerials(sources, (name) => (name === 'a' ? 50 : 0));
    expect([...greatest]).toEqual([
      ['a', 300_000],
      ['b', 3],
    ]);
    expect(ignored).toEqual([
      { source: 'ns1', zone: 'a', serial: greatestSaid, own: 50 },
      { source: 'ns2', zone: 'a', serial: startingSerial, own: 50 },
    ]);
  });

  it('come to the same whoever says them, and whatever else is said that is ignored', () => {
    const said = fc.array(
      fc.oneof(
        fc.integer({ min: 0, max: greatestSaid }),
        fc.integer({ min: startingSerial - 3, max: limits.serial + 3 }),
      ),
    );
    fc.assert(
      fc.property(said, fc.integer({ min: 0, max: limits.serial }), (serials, own) => {
        const each = serials.map((serial, at) => ({
          name: `ns${at}`,
          serials: [['a', serial] as const],
        }));
        const { greatest, ignored } = judgeSerials(each, () => own);
        const passed = serials.filter((serial) => isPassable(serial, own));
        expect(greatest.get('a')).toBe(passed.length === 0 ? undefined : Math.max(...passed));
        expect(passed.length + ignored.length).toBe(serials.length);
      }),
    );
  });
});

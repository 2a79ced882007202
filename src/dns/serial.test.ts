import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareSerials, isNewerSerial } from './serial.ts';

const serial = fc.integer({ min: 0, max: 0xffff_ffff });

describe('RFC 1982 3.2 and 5: comparison of serials', () => {
  // The examples of section 5.2, with SERIAL_BITS 32 in the place of 8.
  const newer: [number, number][] = [
    [1, 0],
    [44, 0],
    [100, 0],
    [100, 44],
    [0x80000000 + 44, 100],
    [0xffffffff, 0x80000000 + 44],
    [0, 0xffffffff],
    [44, 0xffffffff],
    [100, 0x80000000 + 101],
  ];
  it.each(newer)('%d is newer than %d', (a, b) => {
    expect(compareSerials(a, b)).toBe(1);
    expect(compareSerials(b, a)).toBe(-1);
    expect(isNewerSerial(a, b)).toBe(true);
    expect(isNewerSerial(b, a)).toBe(false);
  });

  it('leaves serials 2^31 apart undefined, and none of them is newer', () => {
    for (const [a, b] of [
      [0, 0x80000000],
      [1, 0x80000001],
      [0x80000000, 0],
      [0xffffffff, 0x7fffffff],
    ] as const) {
      expect(compareSerials(a, b)).toBeUndefined();
      expect(isNewerSerial(a, b)).toBe(false);
      expect(isNewerSerial(b, a)).toBe(false);
    }
  });

  it('section 3.1: adding 1 to 2^31 - 1 makes a newer serial, and s is never newer than itself', () => {
    fc.assert(
      fc.property(serial, fc.integer({ min: 1, max: 0x7fff_ffff }), (s, step) => {
        const sum = (s + step) % 0x1_0000_0000;
        expect(isNewerSerial(sum, s)).toBe(true);
        expect(isNewerSerial(s, sum)).toBe(false);
        expect(compareSerials(s, s)).toBe(0);
        expect(isNewerSerial(s, s)).toBe(false);
      }),
    );
  });

  it('is the order of integers between serials that we give out', () => {
    const ours = fc.integer({ min: 1, max: 2_147_483_647 });
    fc.assert(
      fc.property(ours, ours, (a, b) => {
        expect(isNewerSerial(a, b)).toBe(a > b);
      }),
    );
  });
});

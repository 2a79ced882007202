import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limits } from '../base/limits.ts';
import { keyFromLabels, parseAbsoluteName } from '../dns/name.ts';
import { compareRecords } from '../dns/record.ts';
import { emptyDelta, type ZoneDelta } from '../domain/event.ts';
import type { ZoneRecord } from '../domain/record.ts';
import { addedSet, type DeltaPart, decodeDelta, encodeDelta, removedSet } from './delta.ts';

const zoneRecord: fc.Arbitrary<ZoneRecord> = fc.record({
  id: fc.integer({ min: 1, max: limits.id }),
  createdAt: fc.integer({ min: 0, max: 253_402_300_799_999 }),
  owner: fc.array(fc.constantFrom('a', '\0', '\x01\xff', '*'), { maxLength: 3 }).map(keyFromLabels),
  type: fc.constantFrom(1, 16, 65_280),
  ttl: fc.integer({ min: 0, max: limits.ttl }),
  rdata: fc
    .oneof(
      { weight: 9, arbitrary: fc.integer({ min: 0, max: 40 }) },
      { weight: 1, arbitrary: fc.integer({ min: 0, max: limits.rdataBytes }) },
    )
    .map((size) => Buffer.alloc(size, size)),
});
const half = fc.array(zoneRecord, { maxLength: 20 }).map((some) => some.sort(compareRecords));
const derived = half.map((some) => some.map(({ id: _, createdAt: __, ...rest }) => rest));

function record(size: number, id = 1): ZoneRecord {
  const owner = parseAbsoluteName('a');
  return { id, createdAt: 5, owner, type: 10, ttl: 60, rdata: Buffer.alloc(size, id) };
}

function added(...records: ZoneRecord[]): DeltaPart[] {
  return encodeDelta({ ...emptyDelta, added: records });
}

describe('deltas as rows', () => {
  it('come back as they were, in parts that keep the order of an IXFR', () => {
    fc.assert(
      fc.property(half, half, derived, derived, (removed, some, dnssecRemoved, dnssecAdded) => {
        const delta: ZoneDelta = { removed, added: some, dnssecRemoved, dnssecAdded };
        const parts = encodeDelta(delta);
        expect(decodeDelta(parts)).toEqual(delta);
        expect(parts.map((part) => part.part)).toEqual(parts.map((_, index) => index));
        const halves = parts.map((part) => part.change);
        expect(halves).toEqual(halves.toSorted((a, b) => a - b));
        for (const { records, count, ids, layer } of parts) {
          expect(records.length <= limits.deltaPartBytes || count === 1).toBe(true);
          expect(ids?.length).toBe(layer === 0 ? 12 * count : undefined);
        }
        expect([removedSet, addedSet]).toEqual([0, 1]);
      }),
      { numRuns: 60 },
    );
  });

  it('of nothing have no part', () => {
    expect(encodeDelta(emptyDelta)).toEqual([]);
    expect(decodeDelta([])).toEqual(emptyDelta);
  });

  it('are cut at 64 KiB exactly', () => {
    // An owner of two bytes and twelve fixed ones: a record takes 14 bytes and its RDATA.
    const [first, second] = [record(32 * 1024 - 14, 1), record(32 * 1024 - 14, 2)];
    expect(added(first, second).map((part) => part.records.length)).toEqual([65_536]);
    const third = record(32 * 1024 - 13, 3);
    expect(added(first, third).map((part) => part.count)).toEqual([1, 1]);
    expect(added(first, second, third).map((part) => part.count)).toEqual([2, 1]);
  });

  it('survive records larger than a part, first, in the middle and last', () => {
    const large = (id: number) => record(limits.rdataBytes, id);
    for (const records of [
      [large(1)],
      [large(1), record(1, 2)],
      [record(1, 1), large(2)],
      [record(1, 1), large(2), record(1, 3)],
      [large(1), large(2)],
    ]) {
      const parts = added(...records);
      expect(parts.map((part) => part.count)).toEqual(records.map(() => 1));
      expect(decodeDelta(parts).added).toEqual(records);
    }
  });
});

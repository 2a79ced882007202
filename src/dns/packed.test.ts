/** Packed records walked over and compared in place, against the objects they were made of. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyFromLabels, labelsToWire, parseAbsoluteName } from './name.ts';
import { fixedBytes, OwnerOrder, OwnerScan, PackedCursor, packedEndOf } from './packed.ts';
import { packRecords, type ResourceRecord } from './record.ts';
import { rrtype } from './rrtype.ts';

const label = fc.oneof(
  fc.constantFrom('a', 'b', 'ab', '*', '\0', '\x01', '\x01\xff', '\xff', 'x'.repeat(63)),
  fc
    .uint8Array({ minLength: 1, maxLength: 5 })
    .map((bytes) => Buffer.from(bytes).toString('latin1')),
);
const owner = fc.array(label, { maxLength: 3 }).map(keyFromLabels);
const record: fc.Arbitrary<ResourceRecord> = fc.record({
  owner,
  type: fc.integer({ min: 1, max: 65_535 }),
  ttl: fc.integer({ min: 0, max: 2_147_483_647 }),
  rdata: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
});

/** Records of a few owners, so that some follow each other. */
const records = fc
  .tuple(fc.array(record, { maxLength: 12 }), fc.array(owner, { minLength: 1, maxLength: 3 }))
  .map(([list, owners]) =>
    list.map((one, index) => ({ ...one, owner: owners[index % owners.length]! })),
  );

describe('PackedCursor', () => {
  it('finds every part of every record, and ends behind the last', () => {
    fc.assert(
      fc.property(records, (expected) => {
        const packed = packRecords(expected);
        const cursor = new PackedCursor(Buffer.alloc(0));
        expect(cursor.next()).toBe(false);
        cursor.open(packed);
        for (const one of expected) {
          const start = cursor.end;
          expect(cursor.next()).toBe(true);
          const { owner, type, ttl, rdata } = cursor;
          expect({ owner, type, ttl, rdata }).toEqual(one);
          expect(cursor.labels).toEqual(labelsToWire(one.owner));
          expect(cursor.record).toEqual(packRecords([one]));
          expect(cursor.rdataStart - cursor.labelsEnd).toBe(fixedBytes);
          expect([cursor.start, cursor.end]).toEqual([start, packedEndOf(packed, start)]);
        }
        expect(cursor.next()).toBe(false);
        expect(cursor.end).toBe(packed.length);
      }),
    );
  });

  it('begins at any record, and anew', () => {
    const list = ['a', 'a', 'b'].map((name, index) => {
      return { owner: keyFromLabels([name]), type: 1, ttl: index, rdata: Buffer.of(index) };
    });
    const packed = packRecords(list);
    const cursor = new PackedCursor(packed, packedEndOf(packed, 0));
    cursor.next();
    expect([cursor.owner, cursor.ttl]).toEqual([list[1]!.owner, 1]);
    cursor.next();
    expect(cursor.owner).toBe(list[2]!.owner);
    expect(cursor.hasLabels(labelsToWire(list[2]!.owner))).toBe(true);
    expect(cursor.hasLabels(labelsToWire(list[0]!.owner))).toBe(false);
    cursor.open(packRecords(list.slice(0, 1))).next();
    expect(cursor.owner).toBe(list[0]!.owner);
  });
});

describe('OwnerOrder', () => {
  it('is the order of keys, whatever bytes labels are made of', () => {
    fc.assert(
      fc.property(record, owner, (one, other) => {
        const before = Buffer.from('any bytes');
        const packed = Buffer.concat([before, packRecords([one])]);
        const order = new OwnerOrder(labelsToWire(other));
        const expected = one.owner < other ? -1 : Number(one.owner > other);
        expect(Math.sign(order.compare(packed, before.length))).toBe(expected);
      }),
      { numRuns: 2000 },
    );
  });

  it('is 0 for the owner itself, with 127 labels too', () => {
    const longest = keyFromLabels(Array(127).fill('a'));
    for (const name of [keyFromLabels([]), longest]) {
      const packed = packRecords([{ owner: name, type: 1, ttl: 0, rdata: Buffer.alloc(4) }]);
      expect(new OwnerOrder(labelsToWire(name)).compare(packed, 0)).toBe(0);
    }
  });
});

const [a, b, c] = ['a', 'b', 'c'].map(parseAbsoluteName);

function packedOf(...owners: (typeof a)[]) {
  const rdata = Buffer.from([192, 0, 2, 1]);
  return packRecords(owners.map((owner) => ({ owner: owner!, type: rrtype.A, ttl: 60, rdata })));
}

/** How many records of an owner a scan passes. */
function count(scan: OwnerScan, owner: typeof a): number {
  const start = scan.pass(owner!);
  return scan.count - start.count;
}

it('a scan passes the records of an owner, and what was passed before is found again by others', () => {
  const records = packedOf(a, a, b);
  for (let times = 0; times < 2; times++) {
    const scan = new OwnerScan(records);
    expect([count(scan, a), count(scan, b), count(scan, c)]).toEqual([2, 1, 0]);
  }
  expect(new OwnerScan(records).pass(b!)).toEqual({ at: packedOf(a, a).length, count: 2 });
});

it('who asks for what it has passed finds nothing, and misleads nobody', () => {
  const records = packedOf(a, b);
  const scan = new OwnerScan(records);
  expect([count(scan, a), count(scan, a)]).toEqual([1, 0]);
  expect(count(new OwnerScan(records), a)).toBe(1);
  const late = new OwnerScan(records);
  expect([count(late, b), count(late, a)]).toEqual([1, 0]);
  expect(count(new OwnerScan(records), a)).toBe(1);
});

it('an owner is looked for in each block by itself', () => {
  expect(count(new OwnerScan(packedOf(a, b)), b)).toBe(1);
  expect(count(new OwnerScan(packedOf(a, b, b)), b)).toBe(2);
  expect(count(new OwnerScan(packedOf(a)), b)).toBe(0);
});

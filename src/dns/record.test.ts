import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { emptyName, keyFromLabels, parseAbsoluteName } from './name.ts';
import {
  compareRecords,
  packedBytes,
  packRecord,
  packRecords,
  type ResourceRecord,
  rdataKey,
  unpackRecords,
} from './record.ts';

const label = fc
  .array(fc.constantFrom('\0', '\x01', '\xff', 'a', 'b', '*', 'A'), { minLength: 1, maxLength: 6 })
  .map((bytes) => bytes.join(''));
const owner = fc.array(label, { maxLength: 4 }).map(keyFromLabels);
const resourceRecord: fc.Arbitrary<ResourceRecord> = fc.record({
  owner: fc.oneof(owner, fc.constant(emptyName)),
  type: fc.integer({ min: 1, max: 65_534 }),
  ttl: fc.integer({ min: 0, max: 2_147_483_647 }),
  rdata: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
});

function plain(record: ResourceRecord) {
  return { ...record, rdata: record.rdata.toString('hex') };
}

describe('packed records', () => {
  it('RFC 1035 4.1.3: are wire form, with a pointer to the apex at byte 12', () => {
    const record = {
      owner: parseAbsoluteName('a.B'),
      type: 1,
      ttl: 0x01020304,
      rdata: Buffer.from([192, 0, 2, 1]),
    };
    const expected = '0161' + '0162' + 'c00c' + '0001' + '0001' + '01020304' + '0004' + 'c0000201';
    expect(packRecords([record]).toString('hex')).toBe(expected);
    expect(packRecords([{ ...record, owner: emptyName }]).toString('hex')).toBe(expected.slice(8));
  });

  it('unpack to what was packed', () => {
    fc.assert(
      fc.property(fc.array(resourceRecord, { maxLength: 12 }), (records) => {
        const packed = packRecords(records);
        expect([...unpackRecords(packed)].map(plain)).toEqual(records.map(plain));
        const bytes = records.reduce((sum, record) => sum + packedBytes(record), 0);
        expect(packed.length).toBe(bytes);
      }),
    );
  });

  it('can be written into the middle of other bytes', () => {
    const record = { owner: parseAbsoluteName('x'), type: 16, ttl: 5, rdata: Buffer.from([1, 97]) };
    const into = Buffer.alloc(40, 0xee);
    const end = packRecord(record, into, 3);
    expect(into.subarray(3, end)).toEqual(packRecords([record]));
    expect(end - 3).toBe(packedBytes(record));
    expect(into.subarray(0, 3).toString('hex') + into[end]!.toString(16)).toBe('eeeeeeee');
  });

  it('hold the greatest RDATA, and none', () => {
    for (const size of [0, 65_535]) {
      const record = {
        owner: parseAbsoluteName('x'),
        type: 10,
        ttl: 0,
        rdata: Buffer.alloc(size, 7),
      };
      const [back] = [...unpackRecords(packRecords([record]))];
      expect(back!.rdata.equals(record.rdata)).toBe(true);
    }
    expect([...unpackRecords(Buffer.alloc(0))]).toEqual([]);
  });

  it('RFC 4034 6: are ordered by owner, type number and bytes of RDATA', () => {
    const make = (name: string, type: number, hex: string): ResourceRecord => ({
      owner: name === '' ? emptyName : parseAbsoluteName(name),
      type,
      ttl: 0,
      rdata: Buffer.from(hex, 'hex'),
    });
    const sorted = [
      make('', 2, '01'),
      make('', 257, ''),
      make('a', 1, '01'),
      make('a', 1, '0100'),
      make('a', 1, 'ff'),
      make('a', 28, '00'),
      make('z.a', 1, '00'),
      make('b', 1, '00'),
    ];
    expect(sorted.toReversed().sort(compareRecords)).toEqual(sorted);
    expect(compareRecords(sorted[2]!, { ...sorted[2]!, ttl: 9 })).toBe(0);
  });

  it('have keys that differ with type and bytes', () => {
    expect(rdataKey(1, Buffer.from('11'))).not.toBe(rdataKey(11, Buffer.from('1')));
    expect(rdataKey(1, Buffer.from([0xff]))).toBe(rdataKey(1, Buffer.from([0xff])));
    expect(rdataKey(1, Buffer.from([0xff]))).not.toBe(rdataKey(1, Buffer.from([0x7f])));
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteWriter } from '../../base/byte-writer.ts';
import { keyFromLabels, type NameKey, parseAbsoluteName } from '../../dns/name.ts';
import { compareRecords, packRecords } from '../../dns/record.ts';
import { rrtype } from '../../dns/rrtype.ts';
import type { FileRecord } from '../../domain/command.ts';
import { diffNodes } from '../../domain/diff.ts';
import { diffEntryText } from '../../contract/record-json.ts';
import { AddedTexts } from './added-text.ts';
import { FileTable, packedBytesOf, packPresented, PresentedRecord } from './file-table.ts';

/** Labels of any bytes: short ones often meet, NUL and 1 are written with escapes in keys. */
const label = fc.oneof(
  fc.constantFrom('a', 'b', 'www', '*', 'x.y', '"', '\0', '\x01', '\x01\0', '\xff', 'a\\b'),
  fc.uint8Array({ minLength: 1, maxLength: 63 }).map((bytes) => Buffer.from(bytes).latin1Slice()),
);
const owner = fc.array(label, { maxLength: 3 }).map(keyFromLabels);
const rdataOf = {
  [rrtype.A]: fc.uint8Array({ minLength: 4, maxLength: 4 }),
  [rrtype.AAAA]: fc.uint8Array({ minLength: 16, maxLength: 16 }),
  [rrtype.TXT]: fc
    .uint8Array({ maxLength: 255 })
    .map((bytes) => Uint8Array.of(bytes.length, ...bytes)),
  65280: fc.uint8Array({ maxLength: 300 }),
};
const record: fc.Arbitrary<FileRecord> = fc
  .constantFrom(...Object.entries(rdataOf))
  .chain(([type, rdata]) =>
    fc.record({
      owner,
      type: fc.constant(Number(type)),
      ttl: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
      rdata: rdata.map((bytes) => Buffer.from(bytes)),
      line: fc.nat(),
    }),
  );

function tableOf(records: readonly FileRecord[]): FileTable {
  const table = new FileTable();
  for (const one of records) table.add(one);
  return table;
}

/** All that a table gives owner by owner. */
function sortedOf(table: FileTable): FileRecord[] {
  table.sort();
  const all: FileRecord[] = [];
  for (let at = 0; at < table.count; ) {
    const end = table.endOfOwner(at);
    all.push(...table.recordsAt(at, end));
    at = end;
  }
  return all;
}

function shownOf(one: FileRecord): PresentedRecord {
  const table = tableOf([one]);
  table.sort();
  const presented = new PresentedRecord();
  table.show(0, presented);
  return presented;
}

describe('the table of a file', () => {
  it('gives records back as they came, and owner by owner in canonical order', () => {
    fc.assert(
      fc.property(fc.array(record, { maxLength: 200 }), (records) => {
        const table = tableOf(records);
        expect([...table.records()]).toEqual(records);
        const sorted = records.toSorted(compareRecords);
        expect(sortedOf(table).map(withoutLine)).toEqual(sorted.map(withoutLine));
      }),
      { numRuns: 60 },
    );
  });

  it('sorts thousands of owners that differ late, by counting and not by comparing', () => {
    const records = Array.from({ length: 20_000 }, (_, index): FileRecord => {
      const labels = [`host-${(index * 7919) % 20_000}`, 'below', 'a-long-common-name'];
      const rdata = Buffer.of(10, 0, index >> 8, index & 0xff);
      return { owner: keyFromLabels(labels), type: rrtype.A, ttl: 60, rdata, line: index };
    });
    expect(sortedOf(tableOf(records))).toEqual(records.toSorted(compareRecords));
  });

  it('packs a record like the object of it', () => {
    fc.assert(
      fc.property(record, (one) => {
        const presented = shownOf(one);
        const into = Buffer.alloc(packedBytesOf(presented) + 1);
        const end = packPresented(presented, into, 1);
        expect(end).toBe(into.length);
        expect(into.subarray(1)).toEqual(packRecords([one]));
      }),
    );
  });

  it('tells a new record in the same text as any other diff entry', () => {
    for (const apex of ['example.com', '0/25.2.0.192.in-addr.arpa'].map(parseAbsoluteName)) {
      const texts = new AddedTexts(apex);
      fc.assert(
        fc.property(record, (one) => {
          const into = new ByteWriter(16);
          texts.write(shownOf(one), into);
          const { entries } = diffNodes(apex, [{ owner: one.owner, before: [], after: [one] }]);
          expect(into.take().toString()).toBe(diffEntryText(entries[0]!, apex));
        }),
      );
    }
  });
});

function withoutLine({ owner: key, type, ttl, rdata }: FileRecord): [NameKey, number, string] {
  // Of equal records of one owner any order will do, so the TTL of the first is not compared.
  return [key, type, `${rdata.toString('hex')} ${ttl >= 0}`];
}

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inputOf, scannedRecords, scanBulk } from './scanned-bulk.ts';
import { recordRoutes } from './records.ts';
import { parseBody } from './validate.ts';

const text = fc.stringMatching(/^[ -!#-[\]-~]{0,12}$/);
const record = fc.record(
  {
    name: text,
    type: text,
    value: text,
    ttl: fc.option(fc.nat({ max: 2_147_483_647 })),
    priority: fc.option(fc.nat({ max: 65_535 })),
  },
  { requiredKeys: ['name', 'type', 'value'] },
);
const body = fc.record(
  {
    records: fc.array(record, { minLength: 1, maxLength: 5 }),
    zone_name: text,
    dry_run: fc.option(fc.boolean()),
  },
  { requiredKeys: ['records', 'zone_name'] },
);

describe('bodies of bulk inserts', () => {
  it('are read as JSON.parse reads them', () => {
    fc.assert(
      fc.property(body, fc.constantFrom(0, 1, '\t'), (given, space) => {
        const plain = scanBulk(Buffer.from(JSON.stringify(given, null, space)), true)!;
        const { records, ...head } = plain;
        expect(head).toEqual({ ...given, records: undefined, ...head });
        expect(head.zone_name).toBe(given.zone_name);
        expect(head.dry_run).toBe(given.dry_run);
        expect(records.count).toBe(given.records.length);
        const bytes = Buffer.from(records.bytes.buffer);
        expect(JSON.parse(bytes.toString())).toEqual(given.records);
        const read = [...scannedRecords(bytes).map((one) => inputOf(bytes, one))];
        expect(read).toEqual(
          given.records.map(({ name, type, value, ttl, priority }) => {
            return { name, type, value, ttl: ttl ?? undefined, priority: priority ?? undefined };
          }),
        );
      }),
    );
  });

  it('are never taken when the ordinary way would refuse them', () => {
    const good =
      '{"zone_name":"a.example","records":[{"name":"a","type":"A","value":"1.2.3.4","ttl":5}]}';
    fc.assert(
      fc.property(
        fc.nat({ max: good.length - 1 }),
        fc.nat({ max: 3 }),
        fc.string({ maxLength: 2 }),
        (at, cut, put) => {
          const changed = good.slice(0, at) + put + good.slice(at + cut);
          if (scanBulk(Buffer.from(changed), true) === undefined) return;
          expect(() => parseBody(recordRoutes.createRecords, changed)).not.toThrow();
        },
      ),
      { numRuns: 2000 },
    );
  });

  it.each([
    '{"zone_name":"a","records":[]}',
    '{"zone_name":"a","records":[{"name":"a","type":"A","value":["1"]}]}',
    '{"zone_name":"a","records":[{"name":"\\u0061","type":"A","value":"1"}]}',
    '{"zone_name":"a","records":[{"name":"ä","type":"A","value":"1"}]}',
    '{"zone_name":"a","records":[{"name":"a","name":"b","type":"A","value":"1"}]}',
    '{"zone_name":"a","records":[{"name":"a","type":"A"}]}',
    '{"zone_name":"a","records":[{"name":"a","type":"A","value":"1","ttl":01}]}',
    '{"zone_name":"a","records":[{"name":"a","type":"A","value":"1","ttl":-1}]}',
    '{"zone_name":"a","records":[{"name":"a","type":"A","value":"1","ttl":1e3}]}',
    '{"zone_name":"a","records":[{"name":"a","type":"A","value":"1","ttl":2147483648}]}',
    '{"zone_name":"a","records":[{"name":"a","type":"A","value":"1"},]}',
    '{"zone_name":"a","records":[{"name":"a","type":"A","value":"1"}],"more":1}',
    '{"records":[{"name":"a","type":"A","value":"1"}]}',
    '{"zone_name":"a","records":[{"name":"a","type":"A","value":"1"}]} x',
    '{"zone_name":"a","records":[{"name":"a","type":"A","value":"1"}]',
    '',
  ])('are left to the ordinary way: %s', (text) => {
    expect(scanBulk(Buffer.from(text), true)).toBeUndefined();
  });
});

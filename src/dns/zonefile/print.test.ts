/** Zone files as they are exported: form, order, and what is left out. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { emptyName, keyFromLabels, type NameKey, nameToWire, parseAbsoluteName } from '../name.ts';
import { parseRdataText } from '../rdata/rdata.ts';
import { compareRecords, packRecords, type ResourceRecord } from '../record.ts';
import { parseType, rrtype } from '../rrtype.ts';
import { printZoneFile, type ZoneFileHead } from './print.ts';
import { ZoneFileReader } from './reader.ts';

const apex = parseAbsoluteName('example.com');
const head: ZoneFileHead = {
  apex,
  serial: 7,
  defaultTtl: 1800,
  soa: parseRdataText(rrtype.SOA, 'ns1 host\\.master.example.com. 7 1 2 3 4'),
};

function record(owner: string, ttl: number, type: string, value: string): ResourceRecord {
  const number = parseType(type)!;
  const key = owner === '@' ? emptyName : (parseAbsoluteName(owner) as NameKey);
  return { owner: key, type: number, ttl, rdata: parseRdataText(number, value) };
}

function print(
  records: Iterable<Buffer | ResourceRecord>,
  derived?: Iterable<Buffer | ResourceRecord>,
): string {
  return [...printZoneFile(head, records, derived)].join('');
}

const opening = `; zone example.com serial 7 exported by zonebook
$ORIGIN example.com.
$TTL 1800
@\t1800\tIN\tSOA\tns1. host\\.master.example.com. 7 1 2 3 4
`;

const records = [
  record('@', 60, 'A', '192.0.2.1'),
  record('@', 3600, 'NS', 'ns1.example.com'),
  record('@', 3600, 'NS', 'ns2.example.com'),
  record('@', 60, 'MX', '10 mail.example.com'),
  record('www', 60, 'A', '192.0.2.2'),
  record('www', 60, 'TXT', '"a;b" "" "\\255"'),
  record('a\\.b.sub', 60, 'TYPE65280', '\\# 2 0A0B'),
  record('$x', 60, 'SRV', '1 2 3 .'),
].sort(compareRecords);

const printed = `${opening}@\t3600\tIN\tNS\tns1.example.com.
@\t3600\tIN\tNS\tns2.example.com.
@\t60\tIN\tA\t192.0.2.1
@\t60\tIN\tMX\t10 mail.example.com.
\\$x\t60\tIN\tSRV\t1 2 3 .
a\\.b.sub\t60\tIN\tTYPE65280\t\\# 2 0A0B
www\t60\tIN\tA\t192.0.2.2
www\t60\tIN\tTXT\t"a;b" "" "\\255"
`;

describe('printZoneFile', () => {
  it('prints the NS of the apex first and the rest in canonical order', () => {
    expect(print(records)).toBe(printed);
  });

  it('prints packed records the same, however they are put together', () => {
    expect(print([packRecords(records)])).toBe(printed);
    expect(print(records.map((each) => packRecords([each])))).toBe(printed);
    expect(print([packRecords(records.slice(0, 3)), ...records.slice(3)])).toBe(printed);
    expect(print([packRecords([]), packRecords(records)])).toBe(printed);
  });

  it('prints zones without records, and with records of the apex alone', () => {
    expect(print([])).toBe(opening);
    expect(print(records.slice(0, 1))).toBe(`${opening}@\t60\tIN\tA\t192.0.2.1\n`);
  });

  it('leaves derived records out unless they are asked for', () => {
    const derived = record('www', 60, 'NSEC', 'example.com. A NSEC');
    const line = 'www\t60\tIN\tNSEC\texample.com. A NSEC\n';
    for (const item of [derived, packRecords([derived])]) {
      expect(print([item])).toBe(opening);
      expect(print([item], [item])).toBe(opening + line);
    }
  });

  it('appends derived records, those of the apex too, to all others', () => {
    const www = record('www', 60, 'A', '192.0.2.2');
    const derived = [
      record('@', 60, 'NSEC', 'www.example.com. A NSEC'),
      record('www', 60, 'NSEC', 'example.com. A NSEC'),
    ];
    const apex = record('@', 60, 'A', '192.0.2.1');
    const both = [apex, derived[0]!, www, derived[1]!];
    const lines = [
      '@\t60\tIN\tA\t192.0.2.1\n',
      'www\t60\tIN\tA\t192.0.2.2\n',
      '@\t60\tIN\tNSEC\twww.example.com. A NSEC\n',
      'www\t60\tIN\tNSEC\texample.com. A NSEC\n',
    ];
    expect(print(both, both)).toBe(opening + lines.join(''));
    expect(print([packRecords(both)], [packRecords(both)])).toBe(opening + lines.join(''));
    expect(print([apex], derived)).toBe(opening + lines[0]! + lines[2]! + lines[3]!);
  });

  it('writes what other servers do not read by its name as a number', () => {
    const service = (value: string) => record('www', 60, 'HTTPS', value);
    expect(print([service('1 . alpn=h2 ohttp')])).toContain('HTTPS\t1 . alpn="h2" key8=""\n');
    expect(print([service('1 . alpn=h2 port=8443')])).toContain('HTTPS\t1 . alpn="h2" port=8443\n');
  });

  it('hands over pieces of bounded size', () => {
    const many = Array.from({ length: 20_000 }, (_, index) =>
      record(`h${String(index).padStart(5, '0')}`, 60, 'A', '192.0.2.1'),
    );
    const pieces = [...printZoneFile(head, many)];
    expect(pieces.length).toBeGreaterThan(5);
    for (const piece of pieces) expect(piece.length).toBeLessThan(70_000);
    expect(pieces.join('').split('\n')).toHaveLength(20_000 + 5);
  });
});

describe('any zone', () => {
  it('case 70: is read back as it was printed, whatever bytes it holds', () => {
    const bytes = (least: number, most: number) =>
      fc.uint8Array({ minLength: least, maxLength: most }).map((bytes) => Buffer.from(bytes));
    const owner = fc
      .array(bytes(1, 20), { maxLength: 4 })
      .map((labels) => keyFromLabels(labels.map((label) => label.toString('latin1'))));
    const string = bytes(0, 255).map((text) => Buffer.concat([Buffer.of(text.length), text]));
    const typeAndRdata = fc.oneof(
      fc.tuple(
        fc.constant(rrtype.TXT),
        fc.array(string, { minLength: 1, maxLength: 3 }).map((strings) => Buffer.concat(strings)),
      ),
      fc.tuple(fc.constant(65_280), bytes(0, 50)),
      fc.tuple(fc.constant(rrtype.CNAME), owner.map(nameToWire)),
    );
    const ttl = fc.nat(2_147_483_647);
    const any = fc.tuple(owner, ttl, typeAndRdata).map(([key, seconds, [type, rdata]]) => {
      return { owner: key, type, ttl: seconds, rdata };
    });
    fc.assert(
      fc.property(fc.array(any, { maxLength: 8 }), (zone) => {
        zone.sort(compareRecords);
        const reader = new ZoneFileReader({ apex, defaultTtl: 1, skipUnsupported: false });
        const text = print([packRecords(zone)]);
        const read = [...reader.read(text), ...reader.end()].flat().sort(compareRecords);
        expect(reader.errors.lines).toEqual([]);
        expect(read.map(({ line: _, ...each }) => each)).toEqual(zone);
        expect(print(read)).toBe(text);
      }),
      { numRuns: 500 },
    );
  });
});

/**
 * Values of records of every type, valid and invalid alike, for generators that do not know the rules.
 *
 * What is large is described and made when it is used, so that a counterexample can be read.
 */
import fc from 'fast-check';
import examples from '../../fixtures/rdata/examples.json' with { type: 'json' };
import svcb from '../../fixtures/rdata/svcb.json' with { type: 'json' };
import { parseRdata, parseRdataText } from '../../src/dns/rdata/rdata.ts';
import { rrtype } from '../../src/dns/rrtype.ts';

/** `value` as it is, or bytes of a type made to a size. */
export type ValueText = string | { readonly of: 'TXT' | 'OPENPGPKEY' | 'TYPE65280'; size: number };

export interface TypedValue {
  readonly type: string;
  readonly value: ValueText;
}

/** The text of a value in master-file form. */
export function textOf(value: ValueText): string {
  if (typeof value === 'string') return value;
  const { of, size } = value;
  if (of === 'OPENPGPKEY') return Buffer.alloc(size, 0x6b).toString('base64');
  if (of === 'TYPE65280') return `\\# ${size} ${'AB'.repeat(size)}`;
  const segments: string[] = [];
  for (let left = size; left > 0; left -= 256) {
    segments.push(`"${'t'.repeat(Math.min(256, left) - 1)}"`);
  }
  return segments.join(' ');
}

const stored = examples.filter(({ type }) => type !== 'SOA');

/** Values that made some server stumble, or might. */
const odd: [type: string, value: string][] = [
  ['MX', '0 .'],
  ['MX', '10 .'],
  ['MX', '10 a'],
  ['SRV', '0 0 0 .'],
  ['SRV', '65535 65535 65535 UP.x.'],
  ['NS', '.'],
  ['NS', 'ns.d'],
  ['NS', '*.x.'],
  ['PTR', 'a\\000b.x.'],
  ['TXT', '""'],
  ['TXT', '"\\000" "\\255" ""'],
  ['CAA', '0 issue ""'],
  ['CAA', '255 ISSUE "x"'],
  ['CAA', '1 a123456789012345 "x"'],
  ['NAPTR', '1 2 "u" "E2U+sip" "!^.*$!sip:\\\\1@x!" .'],
  ['NAPTR', '1 2 "s" "" "!a\\\\!b!" x.'],
  ['NAPTR', '1 2 "z" "a" "both" x.'],
  ['NAPTR', '1 2 "u" "E2U+sip" "!^(.*)$!sip:\\\\1@x!i" .'],
  ['URI', '1 1 ""'],
  ['URI', '0 0 "http://\\000"'],
  ['APL', '1:0.0.0.0/0 !2:::/0'],
  ['LOC', '90 S 180 W -100000m 90000000m 90000000m 90000000m'],
  ['CERT', '65535 65535 255 AA=='],
  ['CERT', '0 0 0'],
  ['DS', '1 13 2 00'],
  ['DS', '65535 255 255 FF'],
  ['TLSA', '255 255 255 00'],
  ['SSHFP', '255 255 00'],
  ['DHCID', 'AA=='],
  ['HINFO', '"" ""'],
  ['CSYNC', '4294967295 65535'],
  ['OPENPGPKEY', 'AA=='],
  ['RP', 'UP.x. .'],
  ['KX', '0 .'],
  ['AFSDB', '65535 *.x.'],
];

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

const label = fc.constantFrom('A', 'b', 'Cc');
const wireName = fc.array(label, { maxLength: 3 }).map((labels) => {
  const bytes = labels.map((each) =>
    Buffer.concat([Buffer.from([each.length]), Buffer.from(each)]),
  );
  return Buffer.concat([...bytes, Buffer.from([0])]);
});
const characterString = fc
  .uint8Array({ maxLength: 6 })
  .map((bytes) => Buffer.concat([Buffer.from([bytes.length]), bytes]));
const numbers = fc
  .constantFrom(2, 4, 6, 8, 10, 20)
  .chain((length) =>
    fc.uint8Array({ minLength: length, maxLength: length }).map((bytes) => Buffer.from(bytes)),
  );

/** RDATA put together of what RDATA are made of, for a type that may or may not look like that. */
const rdata = fc
  .array(fc.oneof(wireName, characterString, numbers), { maxLength: 3 })
  .map((parts) => Buffer.concat(parts));

const typeNumber = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 130 }) },
  { weight: 1, arbitrary: fc.integer({ min: 240, max: 270 }) },
  { weight: 1, arbitrary: fc.constantFrom(0, 32_768, 32_769, 65_280, 65_534, 65_535) },
);

const generic = fc.tuple(typeNumber, rdata).map(([number, bytes]): TypedValue => {
  return { type: `TYPE${number}`, value: `\\# ${bytes.length} ${hex(bytes)}`.trim() };
});

const sizes = fc.oneof(
  fc.constantFrom(16_000, 40_000, 64_000),
  fc.integer({ min: 65_100, max: 65_535 }),
);
const large = fc
  .tuple(fc.constantFrom('TXT', 'OPENPGPKEY', 'TYPE65280'), sizes)
  .map(([of, size]): TypedValue => ({ type: of, value: { of, size } as ValueText }));

const simple = fc.constantFrom<TypedValue>(
  { type: 'A', value: '192.0.2.1' },
  { type: 'A', value: '192.0.2.2' },
  { type: 'AAAA', value: '2001:db8::1' },
  { type: 'NS', value: 'ns.other.test.' },
  { type: 'NS', value: 'ns2.other.test.' },
  { type: 'CNAME', value: 'x.other.test.' },
  { type: 'DNAME', value: 'x.other.test.' },
  { type: 'MX', value: '10 mx.other.test.' },
  { type: 'TXT', value: '"a"' },
  { type: 'DS', value: `1 13 2 ${'AB'.repeat(32)}` },
);

/** Any value; what is large comes seldom, because it takes its time. */
export const typedValue: fc.Arbitrary<TypedValue> = fc.oneof(
  { weight: 12, arbitrary: simple },
  {
    weight: 5,
    arbitrary: fc.constantFrom(...stored.map(({ type, text }) => ({ type, value: text }))),
  },
  {
    weight: 4,
    arbitrary: fc.constantFrom(...odd.map(([type, value]): TypedValue => ({ type, value }))),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ...svcb.accepted.map(({ text }): TypedValue => ({ type: 'HTTPS', value: text })),
    ),
  },
  { weight: 3, arbitrary: generic },
  { weight: 1, arbitrary: large },
);

/** Owners that meet each other above and below; LONG is made to 255 bytes with its zone. */
export const ownerText = fc.oneof(
  { weight: 2, arbitrary: fc.constant('@') },
  {
    weight: 8,
    arbitrary: fc.constantFrom('a', 'b.a', 'c.b.a', 'd', 'e.d', 'ns.d', 'f.e.d', '*', '*.a', 'n1'),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      'x.*.a',
      'a.*',
      '*.*',
      '\\000',
      '\\000.a',
      'a\\.b',
      '\\255',
      'UPPER',
      '_tcp',
      'l'.repeat(63),
      '\\@',
      'LONG',
    ),
  },
);

/** An owner by its text; LONG fills the name up to 255 bytes. */
export function ownerIn(owner: string, zone: string): string {
  if (owner !== 'LONG') return owner;
  let room = 255 - (zone.length + 2);
  const labels: string[] = [];
  while (room >= 2) {
    let length = Math.min(63, room - 1);
    if (room - 1 - length === 1) length--;
    labels.push('o'.repeat(length));
    room -= length + 1;
  }
  return labels.length === 0 ? '@' : labels.join('.');
}

export const ttl = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(undefined, 60, 300) },
  { weight: 1, arbitrary: fc.constantFrom(0, 1, 2_147_483_647, 2_147_483_648) },
);

/** The bytes of a value, also where a generic form is none that its type could have. */
export function bytesOf(type: number, text: string): Buffer {
  const generic = /^\\# \d+ ?([0-9a-f]*)$/i.exec(text);
  if (generic !== null) return Buffer.from(generic[1]!, 'hex');
  return type === rrtype.TXT ? parseRdata(type, text) : parseRdataText(type, text);
}

/** The priority of MX and SRV stands beside the value. */
export function valueJson(type: string, text: string) {
  const [, priority, value] = /^(\d+) (.*)$/.exec(text) ?? [];
  if ((type !== 'MX' && type !== 'SRV') || priority === undefined) return { type, value: text };
  return { type, value, priority: Number(priority) };
}

/** Master files of any bytes in any chunks, and the two ways of reading a line. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAbsoluteName } from '../name.ts';
import { ZoneFileReader } from './reader.ts';

const apex = parseAbsoluteName('example.com');

/** All that a reader says about a file. */
function outcome(chunks: readonly (Uint8Array | string)[]) {
  const reader = new ZoneFileReader({ apex, defaultTtl: 3600, skipUnsupported: true });
  const records = [];
  for (const chunk of chunks) {
    const bytes = typeof chunk === 'string' ? chunk : Uint8Array.from(chunk);
    for (const batch of reader.read(bytes)) records.push(...batch);
    // The reader may keep nothing of the chunk's memory.
    if (typeof bytes !== 'string') bytes.fill(0x28);
  }
  for (const batch of reader.end()) records.push(...batch);
  const { errors, skipped, soa, firstDefaultTtl } = reader;
  return {
    records: records.map((record) => ({ ...record, rdata: record.rdata.toString('hex') })),
    errors: [errors.count, ...errors.lines],
    skipped: [skipped.count, ...skipped.lines],
    soa: soa && { ...soa, rdata: soa.rdata.toString('hex') },
    firstDefaultTtl,
  };
}

function split<T extends string | Uint8Array>(whole: T, cuts: readonly number[]): T[] {
  const borders = [...new Set(cuts.map((cut) => cut % (whole.length + 1)))].sort((a, b) => a - b);
  return [0, ...borders].map(
    (border, index) => whole.slice(border, borders[index] ?? whole.length) as T,
  );
}

const word = fc.constantFrom(
  ...[
    '@',
    'www',
    'a.b',
    'x.example.com.',
    'out.org.',
    '*',
    '\\.',
    '\\032',
    'a\\',
    '"',
    '"q"',
    '(',
    ')',
  ],
  ...[
    'IN',
    'CH',
    'A',
    'AAAA',
    'NS',
    'MX',
    'TXT',
    'SRV',
    'CNAME',
    'SOA',
    'RRSIG',
    'TYPE65280',
    '\\#',
    'SPF',
  ],
  ...[
    '0',
    '10',
    '60',
    '1h',
    '4294967296',
    '192.0.2.1',
    '2001:db8::1',
    '0A',
    ';',
    '; c',
    'ü',
    '\ud83d\ude00',
    '\0',
  ],
  ...['$ORIGIN', '$TTL', '$INCLUDE', '\ufeff', '\r', '$'],
);
const blank = fc.constantFrom(' ', ' ', ' ', '\t', '\n', '\n', '\r\n', '');
const looseText = fc
  .array(fc.tuple(word, blank), { maxLength: 60 })
  .map((parts) => parts.flat().join(''));
const cuts = fc.array(fc.nat(), { maxLength: 8 });

describe('chunks', () => {
  it('of any bytes give the same wherever they are cut', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      looseText.map((text) => Uint8Array.from(Buffer.from(text))),
    );
    fc.assert(
      fc.property(bytes, cuts, (whole, places) => {
        const expected = outcome([whole]);
        expect(outcome(split(whole, places))).toEqual(expected);
        expect(outcome([...whole].map((byte) => Uint8Array.of(byte)))).toEqual(expected);
      }),
      { numRuns: 1500 },
    );
  });

  it('of text give the same as its bytes, surrogate pairs cut or not', () => {
    fc.assert(
      fc.property(looseText, cuts, (text, places) => {
        const expected = outcome([Buffer.from(text)]);
        expect(outcome([text])).toEqual(expected);
        expect(outcome(split<string>(text, places))).toEqual(expected);
      }),
      { numRuns: 1000 },
    );
  });
});

/** `usual` three times out of four, `odd` else: lines with one oddity are the interesting ones. */
function mostly<T>(usual: fc.Arbitrary<T>, odd: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 3, arbitrary: usual }, { weight: 1, arbitrary: odd });
}

const label = mostly(
  fc.stringMatching(/^[A-Za-z0-9_*/-]{1,12}$/),
  fc.oneof(
    fc.nat(3).map((more) => 'x'.repeat(61 + more)),
    fc.constantFrom('bücher', 'ａ', '\u00ad', '\\ü', '_ü'),
  ),
);
const nameEnd = fc.constantFrom(
  '',
  '',
  '.',
  '.example.com.',
  '.example.com',
  '.EXAMPLE.com.',
  '..',
);
const name = mostly(
  fc.tuple(fc.array(label, { minLength: 1, maxLength: 3 }), nameEnd),
  // Around 255 bytes, with and without the origin.
  fc.tuple(
    fc
      .nat(25)
      .map((more) =>
        ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(56)).concat('e'.repeat(more + 1)),
      ),
    nameEnd,
  ),
).map(([labels, end]) => labels.join('.') + end);

const ttl = mostly(
  fc.constantFrom('0', '60', '2147483647'),
  fc.constantFrom('2147483648', '99999999999', '000000000060', '1h', '60x'),
);
const classIn = mostly(
  fc.constantFrom('IN', 'in', 'iN'),
  fc.constantFrom('CH', 'I', 'INN', 'CLASS1'),
);
const header = mostly<readonly string[]>(
  fc.oneof(
    fc.constant([]),
    ttl.map((seconds) => [seconds]),
    classIn.map((word) => [word]),
    fc.tuple(ttl, classIn),
    fc.tuple(classIn, ttl),
  ),
  fc.array(fc.oneof(ttl, classIn), { minLength: 2, maxLength: 3 }),
);

const decimal = mostly(
  fc.integer({ min: 0, max: 255 }).map(String),
  fc.constantFrom('256', '00', '01', '0377', '', '1000', 'x'),
);
const address = fc
  .array(decimal, { minLength: 4, maxLength: 4 })
  .chain((parts) => fc.constantFrom(parts, parts, parts, parts.slice(1), [...parts, '1']))
  .map((parts) => parts.join('.'));
const number = mostly(
  fc.integer({ min: 0, max: 65_535 }).map(String),
  fc.constantFrom('65536', '70000', '007', '000001', '-1', '1x'),
);
const host = mostly(name, fc.constantFrom('.', '@', 'a\\.b', 'a b', '$', 'bücher', '日.example.'));
const quoted = mostly(
  fc.string({ unit: fc.constantFrom(...'ab ;()@$.é'), maxLength: 8 }),
  fc.constantFrom(
    'x'.repeat(254),
    'x'.repeat(255),
    'x'.repeat(256),
    '\\"',
    '\\065',
    '\t',
    '\x01',
    '\x7f',
    '\0',
  ),
).map((text) => `"${text}"`);
const strings = fc
  .tuple(fc.array(quoted, { minLength: 1, maxLength: 4 }), fc.constantFrom(' ', ' ', '', '\t '))
  .map(([texts, blanks]) => texts.join(blanks));

function typed(mnemonics: readonly string[], value: fc.Arbitrary<string>) {
  return fc.tuple(fc.constantFrom(...mnemonics), value);
}

const typeAndValue = fc.oneof(
  typed(['A', 'a', 'TYPE1'], address),
  typed(
    ['AAAA', 'aaaa'],
    mostly(
      fc.ipV6(),
      fc.constantFrom(
        '::ffff:1.2.3.4',
        '::',
        '1::',
        '1:2:3:4:5:6:7::',
        '::2:3:4:5:6:7:8',
        '1:2:3:4:5:6:7:8::',
        '1:2:3:4:5:6:7:8:',
        '1:2:3:4:5:6:7:8:9',
        ':1:2:3:4:5:6:7',
        '00001::',
        '1:2',
        '1::2:',
        'ABCD:ef01::',
        '1::2::3',
        ':::',
        '1.2.3.4',
        'g::',
      ),
    ),
  ),
  typed(['NS', 'CNAME', 'ptr', 'DNAME'], host),
  typed(
    ['MX'],
    fc.tuple(number, host).map((parts) => parts.join(' ')),
  ),
  typed(
    ['SRV'],
    fc.tuple(number, number, number, host).map((parts) => parts.join('\t')),
  ),
  typed(
    ['TXT', 'txt'],
    mostly(strings, fc.constantFrom('bare', '"a"b', '"open', '""', '\\#', '\\# 2 0161')),
  ),
  typed(['AAAAAA', 'FOO', 'IN', 'TXTT'], fc.constant('x')),
);
const owner = mostly(name, fc.constantFrom('', '', '@', '$x', '"a"', 'a\\032b', '(', ';'));
const blanks = fc.constantFrom(' ', ' ', '\t', ' \t ');
const lineEnd = mostly(
  fc.constantFrom('', ' ', ' ; comment'),
  fc.constantFrom(';comment', '\t; \0', ' )', ' "', ' \x7f', ' more', '\r'),
);

/** A line, with a place left open between its type and its value. */
const line = fc
  .tuple(owner, header, typeAndValue, blanks, lineEnd)
  .map(([ownerText, words, [type, value], gap, end]) => {
    const head = [ownerText, ...words, type].join(gap);
    return (between: string) => `${head}${between}${gap}${value}${end}\n`;
  });
const start = fc.constantFrom(
  '',
  '',
  '$ORIGIN sub\n',
  '$ORIGIN com.\n',
  '$ORIGIN org.\n',
  '$ORIGIN .\n',
  '$TTL 5\n',
);

describe('plain lines', () => {
  it('are read directly as they are read carefully', () => {
    fc.assert(
      fc.property(
        start,
        fc.array(line, { minLength: 1, maxLength: 4 }),
        cuts,
        (first, lines, places) => {
          const before = `first 77 A 192.0.2.1\n${first}`;
          const file = (between: string) => before + lines.map((text) => text(between)).join('');
          // Parentheses around nothing keep a line from being read directly, and mean nothing.
          const expected = outcome([file(' ()')]);
          expect(outcome([file('')])).toEqual(expected);
          expect(outcome(split<Uint8Array>(Buffer.from(file('')), places))).toEqual(expected);
        },
      ),
      { numRuns: 10_000 },
    );
  });
});

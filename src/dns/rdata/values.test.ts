/** Values in requests: priority beside them, TXT segments, the generic form (cases 66 to 68). */
import { describe, expect, it } from 'vitest';
import { parseAbsoluteName } from '../name.ts';
import { rrtype } from '../rrtype.ts';
import {
  additionalNames,
  compressibleNames,
  parseRdata,
  parseRdataText,
  printRdata,
  RdataError,
  type RecordValue,
  readRdata,
  showRdata,
} from './rdata.ts';

function shown(type: number, value: RecordValue, priority?: number | null): unknown {
  return showRdata(type, parseRdata(type, value, priority)).value;
}

describe('priority', () => {
  it('is 10 when not given, and shown beside the value', () => {
    const rdata = parseRdata(rrtype.MX, 'Mail.Example.COM');
    expect(showRdata(rrtype.MX, rdata)).toEqual({ value: 'mail.example.com.', priority: 10 });
    expect(printRdata(rrtype.MX, rdata)).toBe('10 mail.example.com.');
    expect(parseRdata(rrtype.MX, 'mail.example.com.', null)).toEqual(rdata);
    const srv = parseRdata(rrtype.SRV, '5 80 web.example.', 0);
    expect(showRdata(rrtype.SRV, srv)).toEqual({ value: '5 80 web.example.', priority: 0 });
  });

  it.each([
    [rrtype.A, '192.0.2.1', 1],
    [rrtype.TXT, 'x', 0],
    [rrtype.MX, 'mail.', 65_536],
    [rrtype.MX, 'mail.', -1],
    [rrtype.MX, 'mail.', 1.5],
    [rrtype.MX, '10 mail.', undefined],
    [rrtype.SRV, '10 5 80 web.', undefined],
    [rrtype.MX, '\\# 5 000a016100', 11],
  ])('is refused: %i %s %s', (type, value, priority) => {
    expect(() => parseRdata(type, value, priority)).toThrow(RdataError);
  });

  it('stays inside the generic form', () => {
    expect(showRdata(15, parseRdata(15, '\\# 5 0005016100'))).toEqual({ value: 'a.', priority: 5 });
  });
});

describe('TXT', () => {
  it.each<[RecordValue, RecordValue]>([
    ['', ''],
    ['v=spf1 -all', 'v=spf1 -all'],
    ['a "b" ; c (', 'a "b" ; c ('],
    [' "a"', ' "a"'],
    ['\\# 1 00', '\\# 1 00'],
    ['"foo" "" "bar"', ['foo', '', 'bar']],
    ['"a"', 'a'],
    ['"\\"a"', '"\\"a"'],
    ['"\\200"', '"\\200"'],
    ['"a\\\\b"', 'a\\b'],
    ['"\\#" "1"', ['#', '1']],
    [['a'], 'a'],
    [['"a', 'b'], '"\\"a" "b"'],
    [
      ['', ''],
      ['', ''],
    ],
    ['ü\u0000\n', 'ü\u0000\n'],
    ['a'.repeat(256), ['a'.repeat(255), 'a']],
    [`${'a'.repeat(254)}ü`, ['a'.repeat(254), 'ü']],
    ['😀'.repeat(64), ['😀'.repeat(63), '😀']],
  ])('%j is shown as %j and parses back', (value, expected) => {
    expect(shown(rrtype.TXT, value)).toEqual(expected);
    const rdata = parseRdata(rrtype.TXT, value);
    expect(parseRdata(rrtype.TXT, showRdata(rrtype.TXT, rdata).value)).toEqual(rdata);
    expect(parseRdataText(rrtype.TXT, printRdata(rrtype.TXT, rdata))).toEqual(rdata);
  });

  it.each<[RecordValue]>([
    [[]],
    [['a'.repeat(256)]],
    [['ü'.repeat(128)]],
    [`"${'a'.repeat(256)}"`],
    ['"a'],
    ['"a" b'],
    ['"\\256"'],
    ['\ud800'],
    ['a'.repeat(65_536)],
    [Array(300).fill('a'.repeat(255))],
  ])('refuses %.40j', (value) => {
    expect(() => parseRdata(rrtype.TXT, value)).toThrow(RdataError);
  });

  it('takes the largest RDATA there is', () => {
    const value = [...Array(255).fill('a'.repeat(255)), 'a'.repeat(254)];
    expect(parseRdata(rrtype.TXT, value).length).toBe(65_535);
  });

  it('takes unquoted strings in zone files', () => {
    const rdata = parseRdataText(rrtype.TXT, 'v=spf1 "-all"');
    expect(showRdata(rrtype.TXT, rdata).value).toEqual(['v=spf1', '-all']);
  });
});

describe('segments of other types', () => {
  it.each(['SPF', 'AVC', 'NINFO', 'RESINFO', 'WALLET', 'CLA'] as const)('%s', (mnemonic) => {
    const type = rrtype[mnemonic];
    expect(shown(type, 'v=spf1 -all')).toBe('v=spf1 -all');
    expect(shown(type, ['a', 'b'])).toEqual(['a', 'b']);
    expect(shown(type, '"a" "b"')).toEqual(['a', 'b']);
    expect(shown(type, 'a'.repeat(256))).toEqual(['a'.repeat(255), 'a']);
    // These types had only the generic form before: it means what it meant.
    expect(shown(type, '\\# 2 0161')).toBe('a');
    expect(shown(type, ['\\# 2 0161'])).toBe('"\\\\# 2 0161"');
    expect(shown(type, '"\\\\# 2 0161"')).toBe('"\\\\# 2 0161"');
    for (const refused of ['\\# 2 0261', '\\#', [], ['a'.repeat(256)], '"a" b']) {
      expect(() => parseRdata(type, refused)).toThrow(RdataError);
    }
    expect(() => parseRdata(type, [])).toThrow(`${mnemonic} has at least one segment`);
  });

  it('belong to no other type', () => {
    expect(() => parseRdata(rrtype.HINFO, ['a', 'b'])).toThrow(RdataError);
    expect(() => parseRdata(rrtype.HIP, ['a', 'b'])).toThrow(RdataError);
  });
});

describe('generic form (RFC 3597 5)', () => {
  it.each([
    [65_280, '\\# 0', '\\# 0'],
    [65_280, '\\# 4 0a00 0001', '\\# 4 0A000001'],
    [65_280, '\\# 2 ( ab\n cd )', '\\# 2 ABCD'],
    [rrtype.A, '\\# 4 0A000001', '10.0.0.1'],
    [rrtype.NS, '\\# 3 014100', 'a.'],
  ])('type %i %s becomes %s', (type, text, expected) => {
    expect(shown(type, text)).toBe(expected);
  });

  it.each([
    [65_280, '\\#'],
    [65_280, '\\# 1'],
    [65_280, '\\# 1 0'],
    [65_280, '\\# 1 0102'],
    [65_280, '\\# 2 01'],
    [65_280, '\\# x 01'],
    [65_280, '"\\#" 1 00'],
    [65_280, '1.2.3.4'],
    [rrtype.A, '\\# 3 010203'],
    [rrtype.A, '\\# 5 0102030405'],
    [rrtype.A, '"\\#" 4 01020304'],
    [rrtype.SOA, '\\# 26 016100c0000000000100000001000000010000000100000001'],
  ])('type %i refuses %s', (type, text) => {
    expect(() => parseRdata(type, text)).toThrow(RdataError);
  });
});

describe('names', () => {
  it('are completed with the origin in zone files only', () => {
    const origin = parseAbsoluteName('example.com');
    const print = (text: string) => printRdata(5, parseRdataText(5, text, origin));
    expect(print('www')).toBe('www.example.com.');
    expect(print('www.')).toBe('www.');
    expect(print('@')).toBe('example.com.');
    expect(print('\\@')).toBe('\\@.example.com.');
    expect(shown(rrtype.CNAME, 'www')).toBe('www.');
    expect(() => parseRdata(rrtype.CNAME, '@')).toThrow(RdataError);
    const long = `${`${'a'.repeat(60)}.`.repeat(4)}`.slice(0, -1);
    expect(() => parseRdataText(rrtype.CNAME, long, origin)).toThrow(/bytes/);
  });

  it('may be compressed in messages and come out uncompressed and lower-case', () => {
    const message = Buffer.from('\x03COM\x00\x00\x0a\x04Mail\xc0\x00', 'latin1');
    expect(printRdata(15, readRdata(15, message, 5, 9))).toBe('10 mail.com.');
    expect(() => readRdata(15, message, 5, 8)).toThrow(RdataError);
    expect(() => readRdata(rrtype.SVCB, message, 5, 9)).toThrow(/compressed/);
  });

  it.each([
    ['MB', 0, 'mail.com.'],
    ['MINFO', 0, 'mail.com. com.'],
    ['RT', 2, '2570 mail.com.'],
    ['PX', 2, '2570 mail.com. com.'],
  ] as const)(
    'of %s come out uncompressed and are never sent compressed',
    (mnemonic, skip, text) => {
      const [type, two] = [rrtype[mnemonic], text.split('. ').length === 2];
      const names = `\x04Mail\xc0\x00${two ? '\xc0\x00' : ''}`;
      const rdata = `${'\x0a'.repeat(skip)}${names}`;
      const message = Buffer.from(`\x03COM\x00${rdata}`, 'latin1');
      const read = readRdata(type, message, 5, rdata.length);
      expect(printRdata(type, read)).toBe(text);
      expect(compressibleNames(type, read)).toEqual([]);
    },
  );

  it.each(['LP', 'TALINK', 'DSYNC', 'HIP', 'IPSECKEY', 'AMTRELAY'] as const)(
    'of %s must not be compressed',
    (mnemonic) => {
      const before = {
        LP: '\0\x01',
        TALINK: '\0',
        DSYNC: '\0\x3b\x01\0\x35',
        HIP: '\x01\x02\0\x01aa',
        IPSECKEY: '\x0a\x03\x02',
        AMTRELAY: '\x0a\x03',
      }[mnemonic];
      const read = (name: string) => {
        const rdata = Buffer.from(
          `${before}${name}${mnemonic === 'IPSECKEY' ? 'k' : ''}`,
          'latin1',
        );
        const message = Buffer.concat([Buffer.from('\x03com\0', 'latin1'), rdata]);
        return readRdata(rrtype[mnemonic], message, 5, rdata.length);
      };
      expect(read('\x01a\0').length).toBeGreaterThan(3);
      expect(() => read('\xc0\x00')).toThrow('must not be compressed');
      expect(() => read('\xc0\x04')).toThrow('must not be compressed');
    },
  );

  it('say where they may be compressed and whom an answer may add', () => {
    const soa = parseRdata(rrtype.SOA, 'ns.example. host.example. 1 2 3 4 5');
    expect(compressibleNames(rrtype.SOA, soa)).toEqual([0, 12]);
    const mx = parseRdata(rrtype.MX, 'mail.example.');
    expect(compressibleNames(rrtype.MX, mx)).toEqual([2]);
    expect(additionalNames(rrtype.MX, mx)).toEqual([parseAbsoluteName('mail.example')]);
    const srv = parseRdata(rrtype.SRV, '1 2 sip.example.');
    expect(compressibleNames(rrtype.SRV, srv)).toEqual([]);
    expect(additionalNames(rrtype.SRV, srv)).toEqual([parseAbsoluteName('sip.example')]);
    expect(additionalNames(rrtype.MX, parseRdata(rrtype.MX, '.', 0))).toEqual([]);
    expect(additionalNames(rrtype.SVCB, parseRdata(rrtype.SVCB, '1 .'))).toEqual([]);
    expect(additionalNames(rrtype.CNAME, parseRdata(rrtype.CNAME, 'a.'))).toEqual([]);
    expect(compressibleNames(65_280, mx)).toEqual([]);
  });
});

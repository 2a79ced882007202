import { describe, expect, it } from 'vitest';
import {
  finished,
  partsOf,
  segmentsText,
  taken,
  textsOf,
  unfinishedName,
  valueFrom,
} from './record-parts.ts';

const values = [
  ['MX', '10 mail.example.com.', ['10', 'mail.example.com.']],
  ['SRV', '0 5 5060 sip.example.com.', ['0', '5', '5060', 'sip.example.com.']],
  ['CAA', '0 issue "letsencrypt.org"', ['0', 'issue', 'letsencrypt.org']],
  ['CAA', '0 issue "a \\"b\\" \\\\ c"', ['0', 'issue', 'a "b" \\ c']],
  ['TLSA', '3 1 1 ab cd', ['3', '1', '1', 'ab cd']],
  ['HTTPS', '1 . alpn="h2,h3" port=8443', ['1', '.', 'alpn="h2,h3" port=8443']],
  ['SVCB', '0 other.example.', ['0', 'other.example.', '']],
  ['DS', '20326 13 2 AB', ['20326', '13', '2', 'AB']],
] as const;

describe('the fields of a value', () => {
  it.each(values)('are taken apart and put together: %s %s', (type, value, texts) => {
    expect(textsOf(type, value)).toEqual(texts);
    expect(valueFrom(type, texts)).toBe(value);
  });

  it('can be filled one after the other', () => {
    let value = '';
    for (const [index, text] of ['0', 'issue', 'ca.example'].entries()) {
      value = valueFrom('CAA', textsOf('CAA', value).with(index, text));
    }
    expect(value).toBe('0 issue "ca.example"');
  });

  it('are none for a value that is one', () => {
    for (const type of ['A', 'AAAA', 'TXT', 'CNAME', 'TYPE65400', '']) {
      expect(partsOf(type)).toEqual([]);
      expect(textsOf(type, 'x y')).toEqual([]);
    }
  });
});

describe('a name that does not end with a dot', () => {
  it.each([
    ['MX', '10 mail', '10 mail.example.com.'],
    ['MX', '10 mail.example.com', '10 mail.example.com.'],
    ['SRV', '0 5 5060 sip', '0 5 5060 sip.example.com.'],
    ['CNAME', 'www', 'www.example.com.'],
    ['CNAME', '@', 'example.com.'],
    ['NS', 'example.com', 'example.com.'],
    ['HTTPS', '1 www alpn="h2"', '1 www.example.com. alpn="h2"'],
  ])('is finished within its zone: %s %s', (type, value, better) => {
    expect(unfinishedName(type, value)).toBeDefined();
    expect(finished(type, value, 'example.com')).toBe(better);
    expect(unfinishedName(type, better)).toBeUndefined();
    expect(taken(type, better)).toBe(better);
    expect(unfinishedName(type, taken(type, value))).toBeUndefined();
  });

  it('is not looked for where there is none', () => {
    const others = [
      ['A', '192.0.2.1'],
      ['TXT', 'some words'],
      ['MX', '10 '],
      ['MX', ''],
      ['CNAME', 'www.example.net.'],
    ] as const;
    for (const [type, value] of others) {
      expect(unfinishedName(type, value)).toBeUndefined();
      expect(finished(type, value, 'example.com')).toBe(value);
      expect(taken(type, value)).toBe(value.trim());
    }
  });
});

it('writes text as segments of 255 bytes, and splits no character', () => {
  expect(segmentsText('')).toBe('""');
  expect(segmentsText('say "a\\b"')).toBe('"say \\"a\\\\b\\""');
  expect(segmentsText('x'.repeat(300))).toBe(`"${'x'.repeat(255)}" "${'x'.repeat(45)}"`);
  expect(segmentsText(`${'x'.repeat(254)}ü`)).toBe(`"${'x'.repeat(254)}" "ü"`);
});

/** Every type's examples in both directions, and the vectors of RFC 9460 appendix D. */
import { describe, expect, it } from 'vitest';
import examples from '../../../fixtures/rdata/examples.json' with { type: 'json' };
import svcbVectors from '../../../fixtures/rdata/svcb.json' with { type: 'json' };
import { isStorable, parseType, rrtype } from '../rrtype.ts';
import {
  parseRdata,
  parseRdataText,
  printRdata,
  RdataError,
  readRdata,
  showRdata,
} from './rdata.ts';

describe('examples', () => {
  it.each(examples)('$type $text', ({ type: mnemonic, text, hex }) => {
    const type = parseType(mnemonic)!;
    const rdata = Buffer.from(hex, 'hex');
    expect(parseRdataText(type, text).toString('hex')).toBe(hex);
    expect(printRdata(type, rdata)).toBe(text);
    expect(readRdata(type, Buffer.concat([Buffer.alloc(7), rdata]), 7, rdata.length)).toEqual(
      rdata,
    );
    const { value, priority } = showRdata(type, rdata);
    expect(parseRdata(type, value, priority)).toEqual(rdata);
    const generic = `\\# ${rdata.length} ${hex}`;
    expect(parseRdataText(type, generic).toString('hex')).toBe(hex);
  });

  it('has one for every type with a mnemonic', () => {
    const queries = [rrtype.OPT, rrtype.TKEY, rrtype.TSIG];
    const wanted = Object.entries(rrtype).filter(
      ([, type]) => !queries.includes(type as never) && !(type > 250 && type < 256),
    );
    const present = new Set(examples.map((example) => example.type));
    expect(wanted.map(([mnemonic]) => mnemonic).filter((one) => !present.has(one))).toEqual([]);
    expect(wanted.filter(([, type]) => isStorable(type)).length).toBeGreaterThan(29);
  });
});

describe('RFC 9460 appendix D', () => {
  it.each(svcbVectors.accepted)('takes $text', ({ text, hex }) => {
    for (const type of [rrtype.SVCB, rrtype.HTTPS]) {
      const rdata = parseRdata(type, text);
      expect(rdata.toString('hex')).toBe(hex);
      expect(parseRdata(type, printRdata(type, rdata))).toEqual(rdata);
    }
  });

  it.each(svcbVectors.refused)('refuses %s', (text) => {
    expect(() => parseRdata(rrtype.SVCB, text)).toThrow(RdataError);
  });
});

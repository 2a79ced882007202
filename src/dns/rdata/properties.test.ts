/**
 * Properties of all formats: what is accepted has one form that text and bytes agree on, and
 * nothing but the expected errors ever comes out.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import examples from '../../../fixtures/rdata/examples.json' with { type: 'json' };
import { parseType } from '../rrtype.ts';
import { rdataFormatOf } from './formats.ts';
import {
  additionalNames,
  compressibleNames,
  parseRdata,
  parseRdataText,
  parseStoredRdata,
  parseStoredText,
  printPortable,
  printRdata,
  RdataError,
  readRdata,
  showRdata,
} from './rdata.ts';

interface Sample {
  readonly type: number;
  readonly rdata: Buffer;
}

const samples: Sample[] = examples.map(({ type, hex }) => ({
  type: parseType(type)!,
  rdata: Buffer.from(hex, 'hex'),
}));
const types = [...new Set(samples.map((sample) => sample.type))];

/** Bytes near valid RDATA: some replaced, some cut out, some put in. */
const mutation = fc.record({
  at: fc.nat(80),
  remove: fc.nat(2),
  insert: fc.uint8Array({ maxLength: 2 }),
});

function mutate(rdata: Buffer, mutations: { at: number; remove: number; insert: Uint8Array }[]) {
  return mutations.reduce((bytes, { at, remove, insert }) => {
    const start = Math.min(at, bytes.length);
    return Buffer.concat([bytes.subarray(0, start), insert, bytes.subarray(start + remove)]);
  }, rdata);
}

function readOrUndefined(type: number, bytes: Buffer): Buffer | undefined {
  try {
    return readRdata(type, bytes, 0, bytes.length);
  } catch (error) {
    if (error instanceof RdataError) return undefined;
    throw error;
  }
}

function checkOneForm(type: number, rdata: Buffer): void {
  const text = printRdata(type, rdata);
  expect(text).toMatch(/^[\x20-\x7e]*$/);
  expect(parseRdataText(type, text)).toEqual(rdata);
  const { value, priority } = showRdata(type, rdata);
  expect(parseRdata(type, value, priority)).toEqual(rdata);
  expect(readRdata(type, rdata, 0, rdata.length)).toEqual(rdata);
  for (const at of compressibleNames(type, rdata)) expect(at).toBeLessThan(rdata.length);
  additionalNames(type, rdata);
}

describe('generated RDATA', () => {
  it.each(types)('of type %i near the examples have one form', (type) => {
    const own = samples.filter((sample) => sample.type === type);
    let accepted = 0;
    fc.assert(
      fc.property(fc.constantFrom(...own), fc.array(mutation, { maxLength: 3 }), (sample, list) => {
        const rdata = readOrUndefined(type, mutate(sample.rdata, list));
        if (rdata === undefined) return;
        accepted++;
        checkOneForm(type, rdata);
      }),
      { numRuns: 300 },
    );
    expect(accepted).toBeGreaterThan(10);
  });

  it('of any bytes throw nothing unexpected', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...types),
        fc.uint8Array({ maxLength: 60 }),
        fc.nat(20),
        fc.nat(60),
        (type, bytes, start, length) => {
          try {
            readRdata(type, Buffer.from(bytes), start, length);
          } catch (error) {
            expect(error).toBeInstanceOf(RdataError);
          }
        },
      ),
      { numRuns: 3000 },
    );
  });
});

describe('any bytes that are stored', () => {
  const shapes = fc.oneof(
    fc.uint8Array({ maxLength: 60 }),
    fc
      .tuple(fc.constantFrom(...samples), fc.array(mutation, { maxLength: 3 }))
      .map(([sample, list]) => mutate(sample.rdata, list)),
  );

  it('are shown, and read back to the same when their type came later', () => {
    fc.assert(
      fc.property(fc.constantFrom(...types), shapes, (type, bytes) => {
        const rdata = Buffer.from(bytes);
        const text = printRdata(type, rdata);
        const { value, priority } = showRdata(type, rdata);
        const [word, ...data] = printPortable(type, rdata).split('\t');
        expect(parseType(word!)).toBe(type);
        if (rdataFormatOf(type)?.isLater !== true) return;
        // Readable RDATA in another spelling become canonical; everything else is kept.
        const expected = readOrUndefined(type, rdata);
        const kept = expected?.length === rdata.length ? expected : rdata;
        expect(parseStoredText(type, text)).toEqual(kept);
        expect(parseStoredRdata(type, value, priority)).toEqual(kept);
        expect(parseStoredText(type, data.join('\t'))).toEqual(kept);
        if (!kept.equals(rdata) || expected === undefined) expect(text).toMatch(/^\\# \d+/);
      }),
      { numRuns: 3000 },
    );
  });
});

describe('any text', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.stringMatching(/^[\\"0-9a-f.:/ =,#NSEW!@()-]{0,40}$/),
    fc
      .constantFrom(...examples)
      .chain(({ text: whole }) =>
        fc
          .tuple(fc.nat(whole.length), fc.nat(3), fc.constantFrom('', '"', '\\', ' ', '0', ','))
          .map(([at, remove, insert]) => whole.slice(0, at) + insert + whole.slice(at + remove)),
      ),
  );

  it('is refused with an RdataError or has one form', () => {
    fc.assert(
      fc.property(fc.constantFrom(...types), text, (type, value) => {
        for (const parse of [parseRdata, parseRdataText]) {
          let rdata: Buffer;
          try {
            rdata = parse(type, value);
          } catch (error) {
            expect(error).toBeInstanceOf(RdataError);
            continue;
          }
          checkOneForm(type, rdata);
        }
      }),
      { numRuns: 5000 },
    );
  });

  it('of TXT is kept to the byte', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), (value) => {
        fc.pre(!value.startsWith('"'));
        const shown = showRdata(16, parseRdata(16, value)).value;
        if (typeof shown !== 'string' || !shown.startsWith('"')) {
          expect([shown].flat().join('')).toBe(value);
        }
        checkOneForm(16, parseRdata(16, value));
      }),
    );
  });
});

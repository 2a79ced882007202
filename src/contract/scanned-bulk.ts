/**
 * Bodies of bulk inserts in the form nearly all of them have, read byte by byte (RFC 8259): known fields,
 * each once, and strings of printable ASCII without escapes. Reading so costs a tenth of JSON.parse and
 * a check of the shape. Whatever is otherwise, wrong bodies among it, is left to those.
 */
import { limits } from '../base/limits.ts';

/** A body whose records stay the bytes they came as: a JSON array. */
export interface ScannedBulk {
  readonly zone_name?: string;
  readonly dry_run?: boolean | null;
  readonly records: ScannedRecords;
}

export interface ScannedRecords {
  /** In memory that threads share, and of its own. */
  readonly bytes: Uint8Array<SharedArrayBuffer>;
  readonly count: number;
}

/** Where the fields of one record stand; numbers are -1 when they are not given. */
export class ScannedRecord {
  nameStart = 0;
  nameEnd = 0;
  typeStart = 0;
  typeEnd = 0;
  valueStart = 0;
  valueEnd = 0;
  ttl = -1;
  priority = -1;
}

export interface ScannedInput {
  readonly name: string;
  readonly type: string;
  readonly value: string;
  readonly ttl: number | undefined;
  readonly priority: number | undefined;
}

const byte = {
  quote: 0x22,
  comma: 0x2c,
  zero: 0x30,
  nine: 0x39,
  colon: 0x3a,
  openBracket: 0x5b,
  backslash: 0x5c,
  closeBracket: 0x5d,
  openBrace: 0x7b,
  closeBrace: 0x7d,
} as const;

const name = Buffer.from('name"');
const type = Buffer.from('type"');
const value = Buffer.from('value"');
const ttl = Buffer.from('ttl"');
const priority = Buffer.from('priority"');
const isTrue = Buffer.from('true');
const isFalse = Buffer.from('false');
const isNull = Buffer.from('null');

/** Thrown and caught here: the body is not of that form. */
const notScannable = new Error('the body can not be scanned');
const maxPriority = 65_535;
const allNeeded = 0b111;

/** Undefined when the body is not of that form. */
export function scanBulk(bytes: Buffer, takesZoneName: boolean): ScannedBulk | undefined {
  try {
    return new Scan(bytes).bulk(takesZoneName);
  } catch (error) {
    if (error === notScannable) return undefined;
    throw error;
  }
}

/** The records of a body that was found plain, one after the other; each is the same object. */
export function scannedRecords(bytes: Buffer): Generator<ScannedRecord, void> {
  return new Scan(bytes).records();
}

/** A record as parsing would have given it. */
export function inputOf(bytes: Buffer, record: ScannedRecord): ScannedInput {
  const { nameStart, nameEnd, typeStart, typeEnd, valueStart, valueEnd, ttl, priority } = record;
  return {
    name: bytes.latin1Slice(nameStart, nameEnd),
    type: bytes.latin1Slice(typeStart, typeEnd),
    value: bytes.latin1Slice(valueStart, valueEnd),
    ttl: ttl < 0 ? undefined : ttl,
    priority: priority < 0 ? undefined : priority,
  };
}

class Scan {
  readonly #bytes: Buffer;
  readonly #record = new ScannedRecord();
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  bulk(takesZoneName: boolean): ScannedBulk {
    const body: { zone_name?: string; dry_run?: boolean | null; records?: ScannedRecords } = {};
    this.#expect(byte.openBrace);
    do {
      const field = this.#text();
      this.#expect(byte.colon);
      if (Object.hasOwn(body, field)) throw notScannable;
      if (field === 'records') body.records = this.#array();
      else if (field === 'zone_name' && takesZoneName) body.zone_name = this.#text();
      else if (field === 'dry_run') body.dry_run = this.#flag();
      else throw notScannable;
    } while (this.#goesOn(byte.closeBrace));
    if (this.#next() !== undefined || body.records === undefined) throw notScannable;
    if (takesZoneName && body.zone_name === undefined) throw notScannable;
    return body as ScannedBulk;
  }

  #array(): ScannedRecords {
    this.#next();
    const start = this.#at;
    let count = 0;
    for (const _ of this.records()) count++;
    const bytes = new Uint8Array(new SharedArrayBuffer(this.#at - start));
    bytes.set(this.#bytes.subarray(start, this.#at));
    return { bytes, count };
  }

  /** An array of records that is not empty. */
  *records(): Generator<ScannedRecord, void> {
    this.#expect(byte.openBracket);
    do {
      this.#readRecord();
      yield this.#record;
    } while (this.#goesOn(byte.closeBracket));
  }

  #readRecord(): void {
    const record = this.#record;
    record.ttl = -1;
    record.priority = -1;
    let seen = 0;
    this.#expect(byte.openBrace);
    do {
      this.#expect(byte.quote);
      const bit = this.#field();
      if ((seen & bit) !== 0) throw notScannable;
      seen |= bit;
    } while (this.#goesOn(byte.closeBrace));
    if ((seen & allNeeded) !== allNeeded) throw notScannable;
  }

  /** Reads a field whose opening quote is read; returns a bit of its own. */
  #field(): number {
    const record = this.#record;
    if (this.#skips(name)) {
      record.nameStart = this.#string();
      record.nameEnd = this.#at - 1;
      return 1;
    }
    if (this.#skips(type)) {
      record.typeStart = this.#string();
      record.typeEnd = this.#at - 1;
      return 2;
    }
    if (this.#skips(value)) {
      record.valueStart = this.#string();
      record.valueEnd = this.#at - 1;
      return 4;
    }
    if (this.#skips(ttl)) {
      record.ttl = this.#number(limits.ttl);
      return 8;
    }
    if (!this.#skips(priority)) throw notScannable;
    record.priority = this.#number(maxPriority);
    return 16;
  }

  /** Moves behind the bytes and the colon after them, when they come next. */
  #skips(word: Buffer): boolean {
    const bytes = this.#bytes;
    for (let index = 0; index < word.length; index++) {
      if (bytes[this.#at + index] !== word[index]) return false;
    }
    this.#at += word.length;
    this.#expect(byte.colon);
    return true;
  }

  /** Moves behind a string; returns where its characters start. */
  #string(): number {
    this.#expect(byte.quote);
    const bytes = this.#bytes;
    const start = this.#at;
    let at = start;
    while (bytes[at] !== byte.quote) {
      const one = bytes[at++];
      if (one === undefined || one < 0x20 || one > 0x7e || one === byte.backslash)
        throw notScannable;
    }
    this.#at = at + 1;
    return start;
  }

  #text(): string {
    const start = this.#string();
    return this.#bytes.latin1Slice(start, this.#at - 1);
  }

  /** A whole number as it is ordinarily written, or null, which is -1. */
  #number(max: number): number {
    if (this.#next() === isNull[0]) {
      this.#word(isNull);
      return -1;
    }
    const start = this.#at;
    let number = 0;
    for (let one = this.#bytes[start]; isDigit(one); one = this.#bytes[++this.#at]) {
      number = number * 10 + one - byte.zero;
      if (number > max) throw notScannable;
    }
    const digits = this.#at - start;
    if (digits === 0 || (digits > 1 && this.#bytes[start] === byte.zero)) throw notScannable;
    return number;
  }

  #flag(): boolean | null {
    const first = this.#next();
    if (first === isNull[0]) return this.#word(isNull, null);
    return first === isTrue[0] ? this.#word(isTrue, true) : this.#word(isFalse, false);
  }

  #word<Meaning>(word: Buffer, meaning?: Meaning): Meaning {
    if (!this.#bytes.subarray(this.#at, this.#at + word.length).equals(word)) throw notScannable;
    this.#at += word.length;
    return meaning as Meaning;
  }

  /** Moves over white space to the next byte; undefined at the end. */
  #next(): number | undefined {
    const bytes = this.#bytes;
    while (true) {
      const one = bytes[this.#at];
      if (one !== 0x20 && one !== 0x0a && one !== 0x0d && one !== 0x09) return one;
      this.#at++;
    }
  }

  #expect(one: number): void {
    if (this.#next() !== one) throw notScannable;
    this.#at++;
  }

  /** True after a comma, false after the byte that closes. */
  #goesOn(closing: number): boolean {
    const one = this.#next();
    this.#at++;
    if (one === byte.comma) return true;
    if (one === closing) return false;
    throw notScannable;
  }
}

function isDigit(one: number | undefined): one is number {
  return one !== undefined && one >= byte.zero && one <= byte.nine;
}

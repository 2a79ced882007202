/**
 * A value that records are sought by: part of a value as it is presented, or a whole one in any spelling of the same
 * data, like `2001:DB8:0::1` for 2001:db8::1, or a prefix that an address is in.
 *
 * Case says nothing in names, addresses and hex, and all in texts: in segments, and between quotes.
 */
import { RdataError } from '../error.ts';
import { lowerAscii } from '../name.ts';
import { AddressPrefix } from './address-prefix.ts';
import { rdataFormatOf } from './formats.ts';
import { hasPriority, parseStoredRdata, type RecordValue, showRdata } from './rdata.ts';

export class AskedValue {
  readonly #text: string;
  readonly #folded: string;
  readonly #prefix: AddressPrefix | undefined;
  /** RDATA that the text is the whole value of, by type. */
  readonly #wholes = new Map<number, WholeValue | undefined>();

  constructor(text: string) {
    this.#text = text;
    this.#folded = lowerAscii(text);
    this.#prefix = AddressPrefix.parse(text);
  }

  matches(type: number, rdata: Buffer): boolean {
    if (this.#prefix?.holds(type, rdata) === true) return true;
    const presented = presentedValue(type, rdata);
    if (presented.includes(this.#text)) return true;
    if (rdataFormatOf(type)?.hasSegments !== true) {
      if (lowerAscii(outsideQuotes(presented)).includes(this.#folded)) return true;
    }
    return this.#wholeOf(type)?.equals(rdata) ?? false;
  }

  #wholeOf(type: number): WholeValue | undefined {
    if (this.#wholes.has(type)) return this.#wholes.get(type);
    let whole: WholeValue | undefined;
    try {
      whole = new WholeValue(type, this.#text);
    } catch (error) {
      if (!(error instanceof RdataError)) throw error;
    }
    this.#wholes.set(type, whole);
    return whole;
  }
}

/** A value that names data of a type, whichever priority they have, unless one is given. */
export class WholeValue {
  readonly #rdata: Buffer;
  /** Bytes before what is compared. */
  readonly #start: number;

  /** Throws RdataError. */
  constructor(type: number, value: RecordValue, priority?: number) {
    this.#rdata = parseStoredRdata(type, value, priority);
    // The generic form has the priority inside.
    const isOpen = priority === undefined && hasPriority(type) && !String(value).startsWith('\\#');
    this.#start = isOpen ? 2 : 0;
  }

  equals(rdata: Buffer): boolean {
    return rdata.subarray(this.#start).equals(this.#rdata.subarray(this.#start));
  }
}

/** The value as searches see it: several TXT segments stand in quotes. */
export function presentedValue(type: number, rdata: Buffer): string {
  const { value } = showRdata(type, rdata);
  return typeof value === 'string' ? value : value.map((part) => `"${part}"`).join(' ');
}

/** What stands between quotes is left out; the quotes stay. */
function outsideQuotes(presented: string): string {
  return presented.includes('"') ? presented.replace(/"(?:[^"\\]|\\.)*"/g, '""') : presented;
}

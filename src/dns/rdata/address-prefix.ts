/** Prefixes of addresses, as `192.0.2.0/24` and `2001:db8::/32` (RFC 4632 3.1, RFC 4291 2.3). */
import { RdataError } from '../error.ts';
import { rrtype } from '../rrtype.ts';
import { parseStoredRdata } from './rdata.ts';

export class AddressPrefix {
  /** A or AAAA. */
  readonly type: number;
  readonly #first: Buffer;
  readonly #bits: number;

  private constructor(type: number, first: Buffer, bits: number) {
    this.type = type;
    this.#first = first;
    this.#bits = bits;
  }

  /** Undefined for a text that is none. Bits behind the length say nothing: 192.0.2.7/24 is 192.0.2.0/24. */
  static parse(text: string): AddressPrefix | undefined {
    const [, address, length] = /^([\da-f.:]+)\/(0|[1-9]\d{0,2})$/i.exec(text.trim()) ?? [];
    if (address === undefined) return undefined;
    const type = address.includes(':') ? rrtype.AAAA : rrtype.A;
    try {
      const first = parseStoredRdata(type, address);
      const bits = Number(length);
      return bits > first.length * 8 ? undefined : new AddressPrefix(type, first, bits);
    } catch (error) {
      if (error instanceof RdataError) return undefined;
      throw error;
    }
  }

  /** Its first address and its last. */
  bounds(): readonly [Buffer, Buffer] {
    const first = Buffer.from(this.#first);
    const last = Buffer.from(this.#first);
    for (let bit = this.#bits; bit < first.length * 8; bit++) {
      const mask = 0x80 >> (bit & 7);
      first[bit >> 3]! &= ~mask;
      last[bit >> 3]! |= mask;
    }
    return [first, last];
  }

  /** Whether the address of an A or AAAA is in it; no other record has one. */
  holds(type: number, rdata: Buffer): boolean {
    if (type !== this.type) return false;
    const whole = this.#bits >> 3;
    if (rdata.compare(this.#first, 0, whole, 0, whole) !== 0) return false;
    const rest = this.#bits & 7;
    return rest === 0 || (rdata[whole]! ^ this.#first[whole]!) >> (8 - rest) === 0;
  }
}

/**
 * RDATA of the most frequent types, straight from the octets of a line. Each reader starts at `at` and
 * leaves `at` behind what it took; undefined means that the careful way has to look, which knows more
 * forms and says what is wrong.
 */
import { limits } from '../../base/limits.ts';
import { rrtype } from '../rrtype.ts';
import { simpleNameEnd, simpleNameRdata } from './fast-names.ts';

const tab = 0x09;
const space = 0x20;
const quote = 0x22;
const dot = 0x2e;
const zero = 0x30;
const nine = 0x39;
const colon = 0x3a;
const backslash = 0x5c;
const deleteCharacter = 0x7f;
const stringOctets = 255;
const ipv6Octets = 16;

const strings = Buffer.alloc(limits.rdataOctets);

export class FastRdata {
  at = 0;
  private octets: Buffer = strings;
  private end = 0;

  /** Reads the RDATA of `type` that starts at `start` in a line that ends at `end`. */
  read(
    type: number,
    octets: Buffer,
    start: number,
    end: number,
    origin: Buffer,
  ): Buffer | undefined {
    this.octets = octets;
    this.at = start;
    this.end = end;
    switch (type) {
      case rrtype.A:
        return this.ipv4();
      case rrtype.AAAA:
        return this.ipv6();
      case rrtype.NS:
      case rrtype.CNAME:
      case rrtype.PTR:
        return this.name(0, origin);
      case rrtype.MX:
        return this.numbersAndName(1, origin);
      case rrtype.SRV:
        return this.numbersAndName(3, origin);
      case rrtype.TXT:
        return this.quotedStrings();
      default:
        return undefined;
    }
  }

  private ipv4(): Buffer | undefined {
    const { octets, end } = this;
    const rdata = Buffer.allocUnsafe(4);
    let at = this.at;
    for (let part = 0; part < 4; part++) {
      if (part > 0 && octets[at++] !== dot) return undefined;
      const start = at;
      let number = 0;
      for (; at < end && octets[at]! >= zero && octets[at]! <= nine; at++) {
        number = number * 10 + octets[at]! - zero;
      }
      const digits = at - start;
      if (digits === 0 || digits > 3 || number > 255) return undefined;
      if (digits > 1 && octets[start] === zero) return undefined;
      rdata[part] = number;
    }
    this.at = at;
    return rdata;
  }

  /** Groups of hex digits; the dotted end is left to the careful way. */
  private ipv6(): Buffer | undefined {
    const { octets } = this;
    const rdata = Buffer.allocUnsafe(ipv6Octets);
    let at = this.at;
    let filled = 0;
    let gapAt = -1;
    if (octets[at] === colon) {
      if (octets[at + 1] !== colon) return undefined;
      gapAt = 0;
      at += 2;
    }
    while (filled < ipv6Octets) {
      const start = at;
      let group = 0;
      for (let digit = hexDigit(octets[at]); digit >= 0; digit = hexDigit(octets[++at])) {
        group = group * 16 + digit;
        if (at - start >= 4) return undefined;
      }
      if (at === start) break;
      rdata[filled++] = group >> 8;
      rdata[filled++] = group & 0xff;
      if (octets[at] !== colon) break;
      if (octets[++at] === colon) {
        if (gapAt >= 0) return undefined;
        gapAt = filled;
        at++;
      } else if (hexDigit(octets[at]) < 0) {
        return undefined;
      }
    }
    this.at = at;
    if (gapAt < 0) return filled === ipv6Octets ? rdata : undefined;
    if (filled > ipv6Octets - 2) return undefined;
    const tailAt = ipv6Octets - (filled - gapAt);
    rdata.copyWithin(tailAt, gapAt, filled);
    rdata.fill(0, gapAt, tailAt);
    return rdata;
  }

  private name(reserve: number, origin: Buffer): Buffer | undefined {
    const start = this.at;
    this.at = simpleNameEnd(this.octets, start, this.end);
    if (this.at === start) return undefined;
    return simpleNameRdata(this.octets, start, this.at, reserve, origin);
  }

  private numbersAndName(count: number, origin: Buffer): Buffer | undefined {
    let first = 0;
    let second = 0;
    let third = 0;
    for (let index = 0; index < count; index++) {
      const number = this.number();
      if (number < 0 || !this.skipBlanks()) return undefined;
      if (index === 0) first = number;
      else if (index === 1) second = number;
      else third = number;
    }
    const rdata = this.name(2 * count, origin);
    if (rdata === undefined) return undefined;
    rdata.writeUInt16BE(first, 0);
    if (count === 1) return rdata;
    rdata.writeUInt16BE(second, 2);
    rdata.writeUInt16BE(third, 4);
    return rdata;
  }

  /** A number of 16 bits, or -1. */
  private number(): number {
    const start = this.at;
    let number = 0;
    for (; this.at < this.end; this.at++) {
      const octet = this.octets[this.at]!;
      if (octet < zero || octet > nine) break;
      number = number * 10 + octet - zero;
    }
    const digits = this.at - start;
    return digits === 0 || digits > 5 || number > 0xffff ? -1 : number;
  }

  /** False when no blank stands here. */
  private skipBlanks(): boolean {
    const start = this.at;
    while (this.octets[this.at] === space || this.octets[this.at] === tab) this.at++;
    return this.at > start;
  }

  /** Quoted strings without escapes. */
  private quotedStrings(): Buffer | undefined {
    const { octets, end } = this;
    let at = this.at;
    let length = 0;
    while (octets[at] === quote && at < end) {
      const start = ++at;
      while (at < end && octets[at] !== quote) {
        const octet = octets[at++]!;
        if (octet < space || octet === backslash || octet === deleteCharacter) return undefined;
      }
      const stringLength = at - start;
      if (at >= end || stringLength > stringOctets) return undefined;
      if (length + 1 + stringLength > limits.rdataOctets) return undefined;
      strings[length++] = stringLength;
      for (let from = start; from < at; from++) strings[length++] = octets[from]!;
      this.at = ++at;
      while (at < end && (octets[at] === space || octets[at] === tab)) at++;
    }
    if (length === 0) return undefined;
    const rdata = Buffer.allocUnsafe(length);
    strings.copy(rdata, 0, 0, length);
    return rdata;
  }
}

/** The value of a hex digit, or -1. */
function hexDigit(octet: number | undefined): number {
  if (octet === undefined) return -1;
  if (octet >= zero && octet <= nine) return octet - zero;
  const lower = octet | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

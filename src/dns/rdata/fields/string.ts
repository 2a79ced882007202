/**
 * Fields that are text: character-strings (RFC 1035 3.3: a length octet and up to 255 octets),
 * lists of them to the end of the RDATA, and text that fills the rest without a length.
 *
 * All are printed in quotes.
 */
import { printQuoted } from '../../zonefile/tokens.ts';
import type { Field } from '../format.ts';
import type { TokenReader } from '../tokenreader.ts';

/** Octets of one character-string. */
export const stringOctets = 255;

/** Why octets can not stand in a field; undefined when they can. */
type FaultOf = (octets: string) => string | undefined;

/** For octets that a pattern describes; `rule` says how in a clause. */
export function matching(allowed: RegExp, rule: string): FaultOf {
  return (octets) => (allowed.test(octets) ? undefined : rule);
}

/** One character-string; `faultOf` narrows its octets. */
export function characterString(label: string, faultOf: FaultOf = () => undefined): Field {
  return {
    label,
    parse: (tokens, out) => {
      const octets = tokens.octets(label);
      const fault = faultOf(octets);
      if (fault !== undefined) throw tokens.refuse(label, fault, octets);
      pushString(tokens, label, octets, out);
    },
    read: (wire, out) => {
      const bytes = wire.bytes(wire.u8(label), label);
      const fault = faultOf(bytes.latin1Slice());
      if (fault !== undefined) throw wire.refuse(label, fault);
      out.push(Buffer.of(bytes.length), bytes);
    },
    print: (wire) => printQuoted(wire.bytes(wire.u8(label), label).toString('latin1')),
  };
}

/** One character-string at the end of the RDATA, or none. */
export function optionalCharacterString(label: string): Field {
  const string = characterString(label);
  return {
    label,
    parse: (tokens, out) => {
      if (tokens.hasMore) string.parse(tokens, out);
    },
    read: (wire, out) => {
      if (wire.remaining > 0) string.read(wire, out);
    },
    print: (wire) => (wire.remaining > 0 ? string.print(wire) : undefined),
  };
}

/** A character-string of 1 to 15 letters and digits, stored lower-case, that is written and printed bare. */
export function tag(label: string): Field {
  const rule = matching(/^[A-Za-z0-9]{1,15}$/, 'is 1 to 15 letters and digits');
  const plain = characterString(label, rule);
  const lowered = (read: (into: Buffer[]) => void, out: Buffer[]): void => {
    const parts: Buffer[] = [];
    read(parts);
    for (const part of parts) out.push(Buffer.from(part.latin1Slice().toLowerCase(), 'latin1'));
  };
  return {
    ...plain,
    parse: (tokens, out) => lowered((into) => plain.parse(tokens, into), out),
    read: (wire, out) => lowered((into) => plain.read(wire, into), out),
    print: (wire) => wire.bytes(wire.u8(label), label).toString('latin1'),
  };
}

/** One or more character-strings to the end of the RDATA. */
export function characterStrings(label: string): Field {
  return {
    label,
    parse: (tokens, out) => {
      do pushString(tokens, label, tokens.octets(label), out);
      while (tokens.hasMore);
    },
    read: (wire, out) => {
      do {
        const length = wire.u8(label);
        out.push(Buffer.of(length), wire.bytes(length, label));
      } while (wire.remaining > 0);
    },
    print: (wire) => {
      const texts: string[] = [];
      while (wire.remaining > 0) {
        texts.push(printQuoted(wire.bytes(wire.u8(label), label).toString('latin1')));
      }
      return texts.join(' ');
    },
  };
}

/** Text that fills the rest of the RDATA. */
export function textRest(label: string, options: { mayBeEmpty: boolean }): Field {
  const emptyRule = 'must not be empty';
  return {
    label,
    parse: (tokens, out) => {
      const octets = tokens.octets(label);
      if (octets === '' && !options.mayBeEmpty) throw tokens.refuse(label, emptyRule, octets);
      out.push(Buffer.from(octets, 'latin1'));
    },
    read: (wire, out) => {
      const bytes = wire.rest();
      if (bytes.length === 0 && !options.mayBeEmpty) throw wire.refuse(label, emptyRule);
      out.push(bytes);
    },
    print: (wire) => printQuoted(wire.rest().toString('latin1')),
  };
}

function pushString(tokens: TokenReader, label: string, octets: string, out: Buffer[]): void {
  if (octets.length > stringOctets) {
    throw tokens.refuse(label, `has at most ${stringOctets} octets`, `${octets.length} octets`);
  }
  const bytes = Buffer.allocUnsafe(octets.length + 1);
  bytes[0] = octets.length;
  bytes.write(octets, 1, 'latin1');
  out.push(bytes);
}

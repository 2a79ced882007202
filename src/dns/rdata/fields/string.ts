/**
 * Fields that are text: character-strings (RFC 1035 3.3: a length byte and up to 255 bytes),
 * lists of them to the end of the RDATA, and text that fills the rest without a length.
 *
 * All are printed in quotes.
 */
import type { ByteWriter } from '../../../base/byte-writer.ts';
import { lowerAscii } from '../../name.ts';
import { printQuoted } from '../../tokens.ts';
import type { Field } from '../format.ts';
import type { TokenReader } from '../token-reader.ts';
import { listOfOneOrMore } from './form.ts';

/** Bytes of one character-string. */
export const maxStringBytes = 255;

/** Why bytes, one character each, can not stand in a field; undefined when they can. */
type RuleOf = (text: string) => string | undefined;

/** For bytes that a pattern describes; `rule` says how in a clause. */
export function matching(allowed: RegExp, rule: string): RuleOf {
  return (text) => (allowed.test(text) ? undefined : rule);
}

/** One character-string; `brokenRule` narrows its bytes. */
export function characterString(label: string, brokenRule?: RuleOf): Field {
  return {
    label,
    parse: (tokens, out) => {
      const start = out.length;
      writeString(tokens, label, out);
      const text = brokenRule && out.buffer.latin1Slice(start + 1, out.length);
      const rule = text === undefined ? undefined : brokenRule!(text);
      if (rule !== undefined) throw tokens.refuse(label, rule, text!);
    },
    read: (wire, out) => {
      const bytes = wire.bytes(wire.u8(label), label);
      const rule = brokenRule?.(bytes.latin1Slice());
      if (rule !== undefined) throw wire.refuse(label, rule);
      out.room(1)[out.length++] = bytes.length;
      out.add(bytes);
    },
    print: (wire) => printQuoted(wire.bytes(wire.u8(label), label).latin1Slice()),
  };
}

function writeString(tokens: TokenReader, label: string, out: ByteWriter): void {
  const lengthAt = out.length;
  out.room(1);
  out.length++;
  tokens.writeString(label, out);
  const length = out.length - lengthAt - 1;
  if (length > maxStringBytes) {
    throw tokens.refuse(label, `has at most ${maxStringBytes} bytes`, `${length} bytes`);
  }
  out.buffer[lengthAt] = length;
}

/** A character-string of 1 to 15 letters and digits, stored lower-case, that is written and printed bare. */
export function tag(label: string): Field {
  const string = characterString(
    label,
    matching(/^[A-Za-z0-9]{1,15}$/, 'is 1 to 15 letters and digits'),
  );
  const lower = (write: () => void, out: ByteWriter): void => {
    const start = out.length;
    write();
    const text = out.buffer.latin1Slice(start, out.length);
    out.buffer.latin1Write(lowerAscii(text), start);
  };
  return {
    ...string,
    parse: (tokens, out) => lower(() => string.parse(tokens, out), out),
    read: (wire, out) => lower(() => string.read(wire, out), out),
    print: (wire) => wire.bytes(wire.u8(label), label).latin1Slice(),
  };
}

/** One or more character-strings to the end of the RDATA. */
export function characterStrings(label: string): Field {
  return listOfOneOrMore(characterString(label));
}

/** Text that fills the rest of the RDATA. */
export function textRest(label: string, options: { mayBeEmpty: boolean }): Field {
  const emptyRule = 'must not be empty';
  return {
    label,
    parse: (tokens, out) => {
      const start = out.length;
      tokens.writeString(label, out);
      if (out.length === start && !options.mayBeEmpty) throw tokens.refuse(label, emptyRule, '');
    },
    read: (wire, out) => {
      const bytes = wire.rest();
      if (bytes.length === 0 && !options.mayBeEmpty) throw wire.refuse(label, emptyRule);
      out.add(bytes);
    },
    print: (wire) => printQuoted(wire.rest().latin1Slice()),
  };
}

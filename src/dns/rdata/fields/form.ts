/**
 * Fields whose text is a given form of bytes: of fixed width, of variable length with a length byte before them,
 * or of all bytes to the end of the RDATA.
 */
import type { Field } from '../format.ts';

/** How bytes are written in text. */
export interface TextForm {
  /** What the text must be, to follow the field's label in a message. */
  readonly rule: string;
  /** Bytes of a text of bytes, one character each; undefined when it is none. */
  parse(text: string): Buffer | undefined;
  print(bytes: Buffer): string;
}

/** One word for `width` bytes. */
export function fixedField(label: string, width: number, form: TextForm): Field {
  return {
    label,
    width,
    parse: (tokens, out) => {
      const text = tokens.word(label);
      const bytes = form.parse(text);
      if (bytes === undefined) throw tokens.refuse(label, form.rule, text);
      out.add(bytes);
    },
    read: (wire, out) => wire.copy(width, label, out),
    print: (wire) => form.print(wire.bytes(width, label)),
  };
}

/** One word for up to 255 bytes, which a byte counts. */
export function countedField(label: string, minBytes: number, form: TextForm): Field {
  return {
    label,
    parse: (tokens, out) => {
      const text = tokens.word(label);
      const bytes = form.parse(text);
      if (bytes === undefined || bytes.length < minBytes || bytes.length > 255) {
        throw tokens.refuse(label, form.rule, text);
      }
      out.room(1)[out.length++] = bytes.length;
      out.add(bytes);
    },
    read: (wire, out) => {
      const bytes = wire.bytes(wire.u8(label), label);
      if (bytes.length < minBytes) throw wire.refuse(label, 'must not be empty');
      out.room(1)[out.length++] = bytes.length;
      out.add(bytes);
    },
    print: (wire) => form.print(wire.bytes(wire.u8(label), label)),
  };
}

/** Words, or one, for all bytes to the end of the RDATA, of which there is one at least. */
export function restField(label: string, form: TextForm & { isOneWord?: boolean }): Field {
  return {
    label,
    parse: (tokens, out) => {
      const text = form.isOneWord === true ? tokens.word(label) : tokens.restJoined(label);
      const bytes = form.parse(text);
      if (bytes === undefined || bytes.length === 0) throw tokens.refuse(label, form.rule, text);
      out.add(bytes);
    },
    read: (wire, out) => {
      const bytes = wire.rest();
      if (bytes.length === 0) throw wire.refuse(label, 'is missing');
      out.add(bytes);
    },
    print: (wire) => form.print(wire.rest()),
  };
}

/** A field that is repeated to the end of the RDATA; there may be none. */
export function listField(one: Field): Field {
  return {
    label: one.label,
    parse: (tokens, out) => {
      while (tokens.hasMore) one.parse(tokens, out);
    },
    read: (wire, out) => {
      while (wire.remaining > 0) one.read(wire, out);
    },
    print: (wire) => {
      if (wire.remaining === 0) return undefined;
      let all = one.print(wire)!;
      while (wire.remaining > 0) all += ` ${one.print(wire)}`;
      return all;
    },
  };
}

/** A list of one at least. */
export function listOfOneOrMore(one: Field): Field {
  const list = listField(one);
  return {
    ...list,
    parse: (tokens, out) => {
      one.parse(tokens, out);
      list.parse(tokens, out);
    },
    read: (wire, out) => {
      one.read(wire, out);
      list.read(wire, out);
    },
  };
}

/** A field at the end of the RDATA that may be left out; `none` stands for that in text, or nothing at all. */
export function optionalField(field: Field, none?: string): Field {
  const { label } = field;
  return {
    label,
    parse: (tokens, out) => {
      if (none === undefined && !tokens.hasMore) return;
      if (none !== undefined && tokens.peekWord() === none) tokens.take(label);
      else field.parse(tokens, out);
    },
    read: (wire, out) => {
      if (wire.remaining > 0) field.read(wire, out);
    },
    print: (wire) => (wire.remaining === 0 ? none : field.print(wire)),
  };
}

/**
 * Fields that are domain names. They are stored lower-case and uncompressed and printed absolute.
 *
 * In a value a name without a closing dot is absolute; in a zone file the reader has an origin that
 * completes relative names, and `@` is the origin itself. Names of the types of RFC 1035 may be
 * compressed in messages; the rest are never sent so (RFC 3597 4), and types younger than that rule
 * are refused when they arrive so.
 */
import type { Field } from '../format.ts';

/** A name that messages may hold compressed, sent and received (types of RFC 1035). */
export function compressibleName(label: string): Field {
  return { ...name(label), compressible: true };
}

/** A name that is sent uncompressed and accepted compressed (types between RFC 1035 and 3597). */
export function name(label: string): Field {
  return nameField(label, false);
}

/** A name that must not be compressed in either direction (types after RFC 3597). */
export function uncompressedName(label: string): Field {
  return nameField(label, true);
}

function nameField(label: string, isUncompressed: boolean): Field {
  return {
    label,
    width: 'name',
    parse: (tokens, out) => tokens.name(label, out),
    read: (wire, out) => wire.name(label, isUncompressed, out),
    print: (wire) => wire.nameText(label),
  };
}

/**
 * Fields that are domain names. They are stored lower-case and uncompressed and printed absolute.
 *
 * In a value a name without a closing dot is absolute; in a zone file the reader has an origin that
 * completes relative names, and `@` is the origin itself. Names of the types of RFC 1035 may be
 * compressed in messages; the rest are never sent so (RFC 3597 4), and types younger than that rule
 * are refused when they arrive so.
 */
import {
  joinNames,
  keyFromLabels,
  NameError,
  type NameKey,
  nameToWire,
  printLabel,
  splitNameText,
} from '../../name.ts';
import { RdataError } from '../error.ts';
import type { Field } from '../format.ts';
import { shorten, type TokenReader } from '../tokenreader.ts';

/** A name that messages may hold compressed, sent and received (types of RFC 1035). */
export function compressibleName(label: string): Field {
  return { ...name(label), compressible: true };
}

/** A name that is sent uncompressed and accepted compressed (types between RFC 1035 and 3597). */
export function name(label: string): Field {
  return nameField(label, false);
}

/** A name that must not be compressed in either direction (types after RFC 3597). */
export function plainName(label: string): Field {
  return nameField(label, true);
}

function nameField(label: string, plain: boolean): Field {
  return {
    label,
    width: 'name',
    parse: (tokens, out) => {
      out.push(nameToWire(parseName(tokens, label)));
    },
    read: (wire, out) => {
      out.push(nameToWire(wire.name(label, plain)));
    },
    print: (wire) => printWireLabels(wire.canonicalLabels()),
  };
}

function parseName(tokens: TokenReader, label: string): NameKey {
  const text = tokens.word(label);
  try {
    if (text === '@') {
      if (tokens.origin !== undefined) return tokens.origin;
      throw new NameError('has to be written out instead of @');
    }
    const { labels, absolute } = splitNameText(text);
    const key = keyFromLabels(labels);
    return absolute || tokens.origin === undefined ? key : joinNames(key, tokens.origin);
  } catch (error) {
    if (!(error instanceof NameError)) throw error;
    throw new RdataError(`${tokens.mnemonic} ${label} '${shorten(text)}' ${error.message}`);
  }
}

/** Absolute text of canonical labels. */
function printWireLabels(labels: readonly string[]): string {
  if (labels.length === 0) return '.';
  let text = '';
  for (const label of labels) text += `${printLabel(label)}.`;
  return text;
}

/** Room for the wire form of a simple name: 253 characters and 2 octets more. */
const scratch = Buffer.allocUnsafe(256);
const simpleCharacters = new Uint8Array(128);
for (const character of 'abcdefghijklmnopqrstuvwxyz0123456789-_*') {
  simpleCharacters[character.charCodeAt(0)] = character.charCodeAt(0);
  const upper = character.toUpperCase();
  simpleCharacters[upper.charCodeAt(0)] = character.charCodeAt(0);
}

/**
 * Wire form of a name of letters, digits, hyphens and underscores, taken as absolute, after
 * `reserve` octets for the caller. Undefined for anything else: the fields know more.
 */
export function simpleNameWire(text: string, reserve = 0): Buffer | undefined {
  const end = text.charCodeAt(text.length - 1) === 0x2e ? text.length - 1 : text.length;
  if (end === 0 || end > 253) return undefined;
  let labelStart = 0;
  for (let at = 0; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x2e) {
      const length = at - labelStart;
      if (length === 0 || length > 63) return undefined;
      scratch[labelStart] = length;
      labelStart = at + 1;
    } else {
      const lower = simpleCharacters[code];
      if (lower === undefined || lower === 0) return undefined;
      scratch[at + 1] = lower;
    }
  }
  const length = end - labelStart;
  if (length === 0 || length > 63) return undefined;
  scratch[labelStart] = length;
  scratch[end + 1] = 0;
  const wire = Buffer.allocUnsafe(reserve + end + 2);
  scratch.copy(wire, reserve, 0, end + 2);
  return wire;
}

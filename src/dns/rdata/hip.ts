/**
 * HIP: a host identity (RFC 8005 5 and 6): algorithm, tag in hex, key in base64, rendezvous servers.
 *
 * The lengths of the tag and the key stand before both on the wire and nowhere in text, so one field reads
 * all of them.
 */
import { parseBase64, parseHex, printHex } from './fields/binary.ts';
import { listField } from './fields/form.ts';
import { uncompressedName } from './fields/name.ts';
import { writeNumber } from './fields/number.ts';
import { type Field, type FormatRows, laterAndUnportable } from './format.ts';
import type { TokenReader } from './token-reader.ts';

/** A tag's length is one byte, a key's two. */
const maxTagBytes = 255;
const maxKeyBytes = 65_535;
const label = 'host identity';

const hostIdentity: Field = {
  label: 'algorithm, host identity tag, public key',
  parse: (tokens, out) => {
    const algorithm = tokens.number('algorithm', 255);
    const tag = parseTag(tokens);
    const key = parseKey(tokens);
    writeNumber(tag.length, 1, out);
    writeNumber(algorithm, 1, out);
    writeNumber(key.length, 2, out);
    out.add(tag);
    out.add(key);
  },
  read: (wire, out) => {
    const header = wire.bytes(4, label);
    const [tagBytes, keyBytes] = [header[0]!, header.readUInt16BE(2)];
    if (tagBytes === 0 || keyBytes === 0) throw wire.refuse(label, 'has no tag or no key');
    out.add(header);
    out.add(wire.bytes(tagBytes + keyBytes, label));
  },
  print: (wire) => {
    const header = wire.bytes(4, label);
    const tag = wire.bytes(header[0]!, label);
    const key = wire.bytes(header.readUInt16BE(2), label);
    return `${header[1]} ${printHex(tag)} ${key.toString('base64')}`;
  },
};

export const hipTypes = {
  HIP: {
    fields: [hostIdentity, listField(uncompressedName('rendezvous servers'))],
    ...laterAndUnportable,
  },
} satisfies FormatRows;

function parseTag(tokens: TokenReader): Buffer {
  const text = tokens.word('host identity tag');
  const tag = parseHex(text);
  if (tag !== undefined && tag.length > 0 && tag.length <= maxTagBytes) return tag;
  throw tokens.refuse('host identity tag', `is 1 to ${maxTagBytes} bytes in hex`, text);
}

/** The key is one word: what comes after it are names. */
function parseKey(tokens: TokenReader): Buffer {
  const text = tokens.word('public key');
  const key = parseBase64(text);
  if (key !== undefined && key.length > 0 && key.length <= maxKeyBytes) return key;
  throw tokens.refuse('public key', 'is base64 (RFC 4648 4) in one word', text);
}

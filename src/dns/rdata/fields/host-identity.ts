/**
 * The fields of HIP (RFC 8005 5 and 6): the lengths of the tag and the key stand before both on the
 * wire and nowhere in text, so one field reads all of them; and the list of rendezvous servers.
 */
import type { Field } from '../format.ts';
import type { TokenReader } from '../tokenreader.ts';
import { parseBase64, parseHex, printHex } from './binary.ts';
import { plainName } from './name.ts';
import { u8 } from './number.ts';

/** Octets of a host identity tag, whose length is one octet. */
const mostTagOctets = 255;

export function hostIdentity(): Field {
  const algorithm = u8('algorithm');
  const label = 'host identity';
  return {
    label: 'algorithm, host identity tag, public key',
    parse: (tokens, out) => {
      const algorithmBytes: Buffer[] = [];
      algorithm.parse(tokens, algorithmBytes);
      const tag = parseTag(tokens);
      const key = parseKey(tokens);
      const header = Buffer.of(
        tag.length,
        algorithmBytes[0]![0]!,
        key.length >> 8,
        key.length & 255,
      );
      out.push(header, tag, key);
    },
    read: (wire, out) => {
      const header = wire.bytes(4, label);
      const [tagOctets, keyOctets] = [header[0]!, header.readUInt16BE(2)];
      if (tagOctets === 0 || keyOctets === 0) throw wire.refuse(label, 'has no tag or no key');
      out.push(header, wire.bytes(tagOctets + keyOctets, label));
    },
    print: (wire) => {
      const header = wire.bytes(4, label);
      const tag = wire.bytes(header[0]!, label);
      const key = wire.bytes(header.readUInt16BE(2), label);
      return `${header[1]} ${printHex(tag)} ${key.toString('base64')}`;
    },
  };
}

function parseTag(tokens: TokenReader): Buffer {
  const label = 'host identity tag';
  const text = tokens.word(label);
  const tag = parseHex(text);
  if (tag === undefined || tag.length === 0 || tag.length > mostTagOctets) {
    throw tokens.refuse(label, `is 1 to ${mostTagOctets} octets in hex`, text);
  }
  return tag;
}

/** The key is one word: what comes after it are names. */
function parseKey(tokens: TokenReader): Buffer {
  const label = 'public key';
  const text = tokens.word(label);
  const key = parseBase64(text);
  if (key === undefined || key.length === 0 || key.length > 0xffff) {
    throw tokens.refuse(label, 'is base64 (RFC 4648 4) in one word', text);
  }
  return key;
}

/** Names to the end of the RDATA, uncompressed; there may be none. */
export function names(label: string): Field {
  const one = plainName(label);
  return {
    label,
    parse: (tokens, out) => {
      while (tokens.hasMore) one.parse(tokens, out);
    },
    read: (wire, out) => {
      while (wire.remaining > 0) one.read(wire, out);
    },
    print: (wire) => {
      const texts: string[] = [];
      while (wire.remaining > 0) texts.push(one.print(wire)!);
      return texts.length === 0 ? undefined : texts.join(' ');
    },
  };
}

/**
 * The generic form of RDATA (RFC 3597 5): `\# length hex`, for types without a format of their own
 * and, on input, for every type.
 *
 * Refused: a length that is not that of the hex, odd hex. Quoted "\#" is ordinary text.
 */
import { limits } from '../../base/limits.ts';
import { parseHex, printHex } from './fields/binary.ts';
import { tooLarge } from './format.ts';
import type { TokenReader } from './token-reader.ts';

/** The bytes of tokens in generic form. */
export function parseGeneric(tokens: TokenReader): Buffer {
  tokens.takeWord('\\#');
  const lengthText = tokens.word('length after \\#');
  if (!/^\d{1,5}$/.test(lengthText)) {
    throw tokens.refuse('length after \\#', 'is a number from 0 to 65535', lengthText);
  }
  const hex = tokens.hasMore ? tokens.restJoined('hex') : '';
  const rdata = parseHex(hex);
  if (rdata === undefined) {
    throw tokens.refuse('data after \\#', 'are an even number of hex digits', hex);
  }
  if (rdata.length > limits.rdataOctets) throw tooLarge(tokens.mnemonic, rdata.length);
  if (rdata.length !== Number(lengthText)) {
    throw tokens.refuse('length after \\#', `is that of the data, ${rdata.length}`, lengthText);
  }
  return rdata;
}

export function printGeneric(rdata: Buffer): string {
  return rdata.length === 0 ? '\\# 0' : `\\# ${rdata.length} ${printHex(rdata)}`;
}

/**
 * The generic form of RDATA (RFC 3597 5): `\# length hex`, for types without a format of their own
 * and, on input, for every type.
 *
 * Refused: a length that is not that of the hex, odd hex. Quoted "\#" is ordinary text.
 */
import { limits } from '../../base/limits.ts';
import type { Token } from '../zonefile/tokens.ts';
import { parseHex, printHex } from './fields/binary.ts';
import { tooLarge } from './format.ts';
import { TokenReader } from './tokenreader.ts';

export function isGenericForm(tokens: readonly Token[]): boolean {
  const first = tokens[0];
  return first !== undefined && !first.quoted && first.text === '\\#';
}

/** The octets of tokens in generic form. */
export function parseGeneric(mnemonic: string, tokens: readonly Token[]): Buffer {
  const reader = new TokenReader(mnemonic, tokens);
  reader.word('\\#');
  const lengthText = reader.word('length after \\#');
  if (!/^\d{1,5}$/.test(lengthText)) {
    throw reader.refuse('length after \\#', 'is a number from 0 to 65535', lengthText);
  }
  const hex = reader.restJoined('hex');
  const rdata = parseHex(hex);
  if (rdata === undefined) {
    throw reader.refuse('data after \\#', 'are an even number of hex digits', hex);
  }
  if (rdata.length > limits.rdataOctets) throw tooLarge(mnemonic, rdata.length);
  if (rdata.length !== Number(lengthText)) {
    throw reader.refuse('length after \\#', `is that of the data, ${rdata.length}`, lengthText);
  }
  return rdata;
}

export function printGeneric(rdata: Buffer): string {
  return rdata.length === 0 ? '\\# 0' : `\\# ${rdata.length} ${printHex(rdata)}`;
}

/**
 * RRSIG: signature over an RRset (RFC 4034 3). Made by signing.
 */
import { rrtype } from '../rrtype.ts';
import { keyAlgorithm } from './fields/algorithm.ts';
import { base64Rest } from './fields/binary.ts';
import { typeName } from './fields/bitmap.ts';
import { plainName } from './fields/name.ts';
import { u8, u16, u32 } from './fields/number.ts';
import { signatureTime } from './fields/time.ts';
import { rdataFormat } from './format.ts';

export const rrsig = rdataFormat(rrtype.RRSIG, [
  typeName('type covered'),
  keyAlgorithm('algorithm'),
  u8('labels'),
  u32('original TTL'),
  signatureTime('expiration'),
  signatureTime('inception'),
  u16('key tag'),
  plainName('signer'),
  base64Rest('signature'),
]);

/**
 * CDNSKEY: a DNSKEY as the child wants the parent to use it (RFC 7344 3.2); `0 3 0 AA==` asks for
 * removal (RFC 8078 4). Made by signing.
 */
import { rrtype } from '../rrtype.ts';
import { keyAlgorithm } from './fields/algorithm.ts';
import { base64Rest } from './fields/binary.ts';
import { u8, u16 } from './fields/number.ts';
import { rdataFormat } from './format.ts';

export const cdnskey = rdataFormat(rrtype.CDNSKEY, [
  u16('flags'),
  u8('protocol'),
  keyAlgorithm('algorithm'),
  base64Rest('public key'),
]);

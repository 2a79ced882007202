/**
 * DNSKEY: a zone's public key (RFC 4034 2): flags, protocol, algorithm, key in base64. Made by
 * signing.
 */
import { rrtype } from '../rrtype.ts';
import { keyAlgorithm } from './fields/algorithm.ts';
import { base64Rest } from './fields/binary.ts';
import { u8, u16 } from './fields/number.ts';
import { rdataFormat } from './format.ts';

export const dnskey = rdataFormat(rrtype.DNSKEY, [
  u16('flags'),
  u8('protocol'),
  keyAlgorithm('algorithm'),
  base64Rest('public key'),
]);

/**
 * ZONEMD: digest of a whole zone (RFC 8976 2): serial, scheme, hash algorithm, digest of 12 octets
 * at least.
 */
import { rrtype } from '../rrtype.ts';
import { digestCheck } from './digest.ts';
import { hexRest } from './fields/binary.ts';
import { u8, u32 } from './fields/number.ts';
import { rdataFormat } from './format.ts';

export const zonemd = rdataFormat(
  rrtype.ZONEMD,
  [u32('serial'), u8('scheme'), u8('hash algorithm'), hexRest('digest')],
  { check: digestCheck('ZONEMD', 5, 6, { 1: 48, 2: 64 }, 12) },
);

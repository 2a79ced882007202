/**
 * NSEC3PARAM: how a zone hashes names (RFC 5155 4). Made by signing.
 */
import { rrtype } from '../rrtype.ts';
import { salt } from './fields/binary.ts';
import { u8, u16 } from './fields/number.ts';
import { rdataFormat } from './format.ts';

export const nsec3param = rdataFormat(rrtype.NSEC3PARAM, [
  u8('hash algorithm'),
  u8('flags'),
  u16('iterations'),
  salt('salt'),
]);

/**
 * NSEC3: the next hashed name of a zone and the types at this one (RFC 5155 3). Made by signing.
 */
import { rrtype } from '../rrtype.ts';
import { base32Hash, salt } from './fields/binary.ts';
import { typeBitmap } from './fields/bitmap.ts';
import { u8, u16 } from './fields/number.ts';
import { rdataFormat } from './format.ts';

export const nsec3 = rdataFormat(rrtype.NSEC3, [
  u8('hash algorithm'),
  u8('flags'),
  u16('iterations'),
  salt('salt'),
  base32Hash('next hashed name'),
  typeBitmap('types'),
]);

/**
 * CSYNC: what a parent should copy from its child (RFC 7477 2): SOA serial, flags, types.
 */
import { rrtype } from '../rrtype.ts';
import { typeBitmap } from './fields/bitmap.ts';
import { u16, u32 } from './fields/number.ts';
import { rdataFormat } from './format.ts';

export const csync = rdataFormat(rrtype.CSYNC, [
  u32('SOA serial'),
  u16('flags'),
  typeBitmap('types'),
]);

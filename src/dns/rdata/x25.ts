/**
 * X25: an address in a public packet network (RFC 1183 3.1): four digits or more.
 */
import { rrtype } from '../rrtype.ts';
import { characterString, matching } from './fields/string.ts';
import { rdataFormat } from './format.ts';

export const x25 = rdataFormat(
  rrtype.X25,
  [characterString('address', matching(/^\d{4,}$/, 'has four digits or more'))],
  { isLater: true, isPortable: false },
);

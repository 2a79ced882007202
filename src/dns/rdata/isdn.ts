/**
 * ISDN: a telephone number (RFC 1183 3.2) and, where there is one, a subaddress.
 */
import { rrtype } from '../rrtype.ts';
import { characterString, optionalCharacterString } from './fields/string.ts';
import { rdataFormat } from './format.ts';

export const isdn = rdataFormat(
  rrtype.ISDN,
  [characterString('address'), optionalCharacterString('subaddress')],
  { isLater: true, isPortable: false },
);

/**
 * RESINFO: what a resolver can do (RFC 9606 4): keys and values, character-strings like TXT.
 */
import { rrtype } from '../rrtype.ts';
import { characterStrings } from './fields/string.ts';
import { rdataFormat } from './format.ts';

export const resinfo = rdataFormat(rrtype.RESINFO, [characterStrings('string')], {
  hasSegments: true,
  isLater: true,
  isPortable: false,
});

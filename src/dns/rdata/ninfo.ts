/**
 * NINFO: the status of a zone (draft-reid-dnsext-zs-01): character-strings like TXT.
 */
import { rrtype } from '../rrtype.ts';
import { characterStrings } from './fields/string.ts';
import { rdataFormat } from './format.ts';

export const ninfo = rdataFormat(rrtype.NINFO, [characterStrings('string')], {
  hasSegments: true,
  isLater: true,
  isPortable: false,
});

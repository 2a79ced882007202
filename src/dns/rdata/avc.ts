/**
 * AVC: visibility of applications (IANA template AVC): character-strings like TXT.
 */
import { rrtype } from '../rrtype.ts';
import { characterStrings } from './fields/string.ts';
import { rdataFormat } from './format.ts';

export const avc = rdataFormat(rrtype.AVC, [characterStrings('string')], {
  hasSegments: true,
  isLater: true,
  isPortable: false,
});

/**
 * CLA: adapters of the bundle protocol (draft-johnson-dns-ipn-cla-07 3.2): character-strings like TXT.
 */
import { rrtype } from '../rrtype.ts';
import { characterStrings } from './fields/string.ts';
import { rdataFormat } from './format.ts';

export const cla = rdataFormat(rrtype.CLA, [characterStrings('string')], {
  hasSegments: true,
  isLater: true,
  isPortable: false,
});

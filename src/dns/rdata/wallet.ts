/**
 * WALLET: public addresses of wallets (IANA template WALLET): character-strings like TXT.
 */
import { rrtype } from '../rrtype.ts';
import { characterStrings } from './fields/string.ts';
import { rdataFormat } from './format.ts';

export const wallet = rdataFormat(rrtype.WALLET, [characterStrings('string')], {
  hasSegments: true,
  isLater: true,
  isPortable: false,
});

/**
 * SPF: the policy of senders before it moved to TXT (RFC 4408 3.1.1, RFC 7208 3.1): character-strings.
 */
import { rrtype } from '../rrtype.ts';
import { characterStrings } from './fields/string.ts';
import { rdataFormat } from './format.ts';

export const spf = rdataFormat(rrtype.SPF, [characterStrings('string')], {
  hasSegments: true,
  isLater: true,
});

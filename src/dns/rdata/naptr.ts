/**
 * NAPTR: rewriting rules (RFC 3403 4): order, preference, flags, services, regexp, replacement.
 *
 * Flags are letters and digits; what they mean is the application's business. The regexp is a substitution expression.
 */
import { rrtype } from '../rrtype.ts';
import { name } from './fields/name.ts';
import { u16 } from './fields/number.ts';
import { characterString, matching } from './fields/string.ts';
import { substitutionFault } from './fields/substitution.ts';
import { rdataFormat } from './format.ts';

export const naptr = rdataFormat(rrtype.NAPTR, [
  u16('order'),
  u16('preference'),
  characterString('flags', matching(/^[A-Za-z0-9]*$/, 'are letters and digits')),
  characterString('services'),
  characterString('regexp', substitutionFault),
  name('replacement'),
]);

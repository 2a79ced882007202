/**
 * HINFO: host information (RFC 1035 3.3.2, RFC 8482): two character-strings.
 */
import { rrtype } from '../rrtype.ts';
import { characterString } from './fields/string.ts';
import { rdataFormat } from './format.ts';

export const hinfo = rdataFormat(rrtype.HINFO, [characterString('CPU'), characterString('OS')]);

/**
 * TXT: one or more character-strings (RFC 1035 3.3.14). Segments are kept as they are, never
 * merged.
 */
import { rrtype } from '../rrtype.ts';
import { characterStrings } from './fields/string.ts';
import { rdataFormat } from './format.ts';

export const txt = rdataFormat(rrtype.TXT, [characterStrings('string')], { hasSegments: true });

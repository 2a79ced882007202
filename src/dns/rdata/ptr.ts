/**
 * PTR: a pointer to another name (RFC 1035 3.3.12).
 */
import { rrtype } from '../rrtype.ts';
import { compressibleName, simpleNameWire } from './fields/name.ts';
import { rdataFormat } from './format.ts';

export const ptr = rdataFormat(rrtype.PTR, [compressibleName('target')], {
  fast: { parse: (text) => simpleNameWire(text) },
});

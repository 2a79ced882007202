/**
 * CNAME: the canonical name of an alias (RFC 1035 3.3.1).
 */
import { rrtype } from '../rrtype.ts';
import { compressibleName, simpleNameWire } from './fields/name.ts';
import { rdataFormat } from './format.ts';

export const cname = rdataFormat(rrtype.CNAME, [compressibleName('target')], {
  fast: { parse: (text) => simpleNameWire(text) },
});

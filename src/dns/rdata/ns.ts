/**
 * NS: a name server of a zone (RFC 1035 3.3.11).
 */
import { rrtype } from '../rrtype.ts';
import { compressibleName, simpleNameWire } from './fields/name.ts';
import { rdataFormat } from './format.ts';

export const ns = rdataFormat(rrtype.NS, [compressibleName('name server')], {
  fast: { parse: (text) => simpleNameWire(text) },
});

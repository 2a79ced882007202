/**
 * APL: lists of address prefixes (RFC 3123 4): `1:192.0.2.0/24 !2:2001:db8::/32`; the list may be
 * empty.
 */
import { rrtype } from '../rrtype.ts';
import { addressPrefixes } from './fields/prefix.ts';
import { rdataFormat } from './format.ts';

export const apl = rdataFormat(rrtype.APL, [addressPrefixes('prefixes')]);

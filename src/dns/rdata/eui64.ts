/**
 * EUI64: a link-layer address of 64 bits (RFC 7043).
 */
import { rrtype } from '../rrtype.ts';
import { eui } from './fields/address.ts';
import { rdataFormat } from './format.ts';

export const eui64 = rdataFormat(rrtype.EUI64, [eui('address', 8)]);

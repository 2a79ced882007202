/**
 * EUI48: a link-layer address of 48 bits (RFC 7043).
 */
import { rrtype } from '../rrtype.ts';
import { eui } from './fields/address.ts';
import { rdataFormat } from './format.ts';

export const eui48 = rdataFormat(rrtype.EUI48, [eui('address', 6)]);

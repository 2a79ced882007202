/**
 * A6: an IPv6 address in parts (RFC 2874 3). Historic (RFC 6563).
 */
import { rrtype } from '../rrtype.ts';
import { addressSuffix } from './fields/address-suffix.ts';
import { rdataFormat } from './format.ts';

export const a6 = rdataFormat(rrtype.A6, [addressSuffix()], { isLater: true, isPortable: false });

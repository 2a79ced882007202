/**
 * DHCID: which DHCP client owns a name (RFC 4701 3): opaque octets in base64.
 */
import { rrtype } from '../rrtype.ts';
import { base64Rest } from './fields/binary.ts';
import { rdataFormat } from './format.ts';

export const dhcid = rdataFormat(rrtype.DHCID, [base64Rest('digest')]);

/**
 * AAAA: an IPv6 address (RFC 3596 2); shown as RFC 5952 says.
 */
import { rrtype } from '../rrtype.ts';
import { ipv6, parseIpv6, printIpv6 } from './fields/address.ts';
import { rdataFormat } from './format.ts';

export const aaaa = rdataFormat(rrtype.AAAA, [ipv6('value')], {
  fast: { parse: parseIpv6, print: printIpv6 },
});

/**
 * A: an IPv4 address (RFC 1035 3.4.1).
 */
import { rrtype } from '../rrtype.ts';
import { ipv4, parseIpv4, printIpv4 } from './fields/address.ts';
import { rdataFormat } from './format.ts';

export const a = rdataFormat(rrtype.A, [ipv4('value')], {
  fast: {
    parse: parseIpv4,
    print: (rdata) => (rdata.length === 4 ? printIpv4(rdata) : undefined),
  },
});

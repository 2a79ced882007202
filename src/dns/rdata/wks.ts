/**
 * WKS: services of a host (RFC 1035 3.4.2): address, protocol, ports.
 */
import { rrtype } from '../rrtype.ts';
import { ipv4 } from './fields/address.ts';
import { portBitmap, protocol } from './fields/services.ts';
import { rdataFormat } from './format.ts';

export const wks = rdataFormat(rrtype.WKS, [ipv4('address'), protocol(), portBitmap('ports')], {
  isLater: true,
  isPortable: false,
});

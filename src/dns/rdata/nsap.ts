/**
 * NSAP: an address of the OSI network service (RFC 1706 5).
 */
import { rrtype } from '../rrtype.ts';
import { nsapAddress } from './fields/network-address.ts';
import { rdataFormat } from './format.ts';

export const nsap = rdataFormat(rrtype.NSAP, [nsapAddress('address')], {
  isLater: true,
  isPortable: false,
});

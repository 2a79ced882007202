/**
 * ATMA: an address of an ATM network (ATM Forum af-saa-0069).
 */
import { rrtype } from '../rrtype.ts';
import { atmAddress } from './fields/network-address.ts';
import { rdataFormat } from './format.ts';

export const atma = rdataFormat(rrtype.ATMA, [atmAddress('address')], {
  isLater: true,
  isPortable: false,
});

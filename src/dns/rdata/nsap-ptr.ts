/**
 * NSAP-PTR: the host with an NSAP address (RFC 1348).
 */
import { rrtype } from '../rrtype.ts';
import { name } from './fields/name.ts';
import { rdataFormat } from './format.ts';

export const nsapPtr = rdataFormat(rrtype['NSAP-PTR'], [name('host')], {
  isLater: true,
  isPortable: false,
});

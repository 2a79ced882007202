/**
 * NIMLOC: a locator of Nimrod (draft-ietf-nimrod-dns-02): octets in hex.
 */
import { rrtype } from '../rrtype.ts';
import { hexRest } from './fields/binary.ts';
import { rdataFormat } from './format.ts';

export const nimloc = rdataFormat(rrtype.NIMLOC, [hexRest('locator')], {
  isLater: true,
  isPortable: false,
});

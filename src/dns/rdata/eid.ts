/**
 * EID: an endpoint identifier of Nimrod (draft-ietf-nimrod-dns-02): octets in hex.
 */
import { rrtype } from '../rrtype.ts';
import { hexRest } from './fields/binary.ts';
import { rdataFormat } from './format.ts';

export const eid = rdataFormat(rrtype.EID, [hexRest('identifier')], {
  isLater: true,
  isPortable: false,
});

/**
 * BRID: the broadcast of a drone (RFC 9886 5.2): CBOR in base64.
 */
import { rrtype } from '../rrtype.ts';
import { base64Rest } from './fields/binary.ts';
import { rdataFormat } from './format.ts';

export const brid = rdataFormat(rrtype.BRID, [base64Rest('data')], {
  isLater: true,
  isPortable: false,
});

/**
 * HHIT: the identity of a drone (RFC 9886 5.1): CBOR in base64.
 */
import { rrtype } from '../rrtype.ts';
import { base64Rest } from './fields/binary.ts';
import { rdataFormat } from './format.ts';

export const hhit = rdataFormat(rrtype.HHIT, [base64Rest('data')], {
  isLater: true,
  isPortable: false,
});

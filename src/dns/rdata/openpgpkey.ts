/**
 * OPENPGPKEY: an OpenPGP public key (RFC 7929 2) in base64.
 */
import { rrtype } from '../rrtype.ts';
import { base64Rest } from './fields/binary.ts';
import { rdataFormat } from './format.ts';

export const openpgpkey = rdataFormat(rrtype.OPENPGPKEY, [base64Rest('public key')]);

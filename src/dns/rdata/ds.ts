/**
 * DS: the digest of a child's key (RFC 4034 5, RFC 4509, RFC 6605): key tag, algorithm, digest
 * type, digest.
 *
 * A digest of a known type has that type's length; digest type 0 is reserved.
 */
import { rrtype } from '../rrtype.ts';
import { digestCheck, dsDigestOctets } from './digest.ts';
import { keyAlgorithm } from './fields/algorithm.ts';
import { hexRest } from './fields/binary.ts';
import { u8, u16 } from './fields/number.ts';
import { rdataFormat } from './format.ts';

export const ds = rdataFormat(
  rrtype.DS,
  [u16('key tag'), keyAlgorithm('algorithm'), u8('digest type'), hexRest('digest')],
  { check: digestCheck('DS', 3, 4, dsDigestOctets) },
);

/**
 * DLV: lookaside validation (RFC 4431, retired by RFC 8749): fields and rules of DS.
 */
import { rrtype } from '../rrtype.ts';
import { digestCheck, dsDigestOctets } from './digest.ts';
import { keyAlgorithm } from './fields/algorithm.ts';
import { hexRest } from './fields/binary.ts';
import { u8, u16 } from './fields/number.ts';
import { rdataFormat } from './format.ts';

export const dlv = rdataFormat(
  rrtype.DLV,
  [u16('key tag'), keyAlgorithm('algorithm'), u8('digest type'), hexRest('digest')],
  {
    isLater: true,
    isPortable: false,
    check: digestCheck('DLV', 3, 4, dsDigestOctets),
  },
);

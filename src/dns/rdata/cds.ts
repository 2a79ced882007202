/**
 * CDS: a DS as the child wants it (RFC 7344 3.1), or `0 0 0 00` to ask for its removal (RFC 8078
 * 4).
 */
import { rrtype } from '../rrtype.ts';
import { digestCheck, dsDigestOctets } from './digest.ts';
import { keyAlgorithm } from './fields/algorithm.ts';
import { hexRest } from './fields/binary.ts';
import { u8, u16 } from './fields/number.ts';
import { rdataFormat } from './format.ts';

export const cds = rdataFormat(
  rrtype.CDS,
  [u16('key tag'), keyAlgorithm('algorithm'), u8('digest type'), hexRest('digest')],
  { check: digestCheck('CDS', 3, 4, { ...dsDigestOctets, 0: 1 }) },
);

/**
 * SMIMEA: certificate association of a mail address (RFC 8162 2); the form of TLSA.
 */
import { rrtype } from '../rrtype.ts';
import { digestCheck } from './digest.ts';
import { hexRest } from './fields/binary.ts';
import { u8 } from './fields/number.ts';
import { rdataFormat } from './format.ts';

export const smimea = rdataFormat(
  rrtype.SMIMEA,
  [u8('usage'), u8('selector'), u8('matching type'), hexRest('association data')],
  { check: digestCheck('SMIMEA', 2, 3, { 1: 32, 2: 64 }) },
);

/**
 * TLSA: certificate association of a TLS service (RFC 6698 2): usage, selector, matching type,
 * data.
 *
 * Matching types 1 and 2 are SHA-256 and SHA-512 and fix the length of the data.
 */
import { rrtype } from '../rrtype.ts';
import { digestCheck } from './digest.ts';
import { hexRest } from './fields/binary.ts';
import { u8 } from './fields/number.ts';
import { rdataFormat } from './format.ts';

export const tlsa = rdataFormat(
  rrtype.TLSA,
  [u8('usage'), u8('selector'), u8('matching type'), hexRest('association data')],
  { check: digestCheck('TLSA', 2, 3, { 1: 32, 2: 64 }) },
);

/**
 * SSHFP: fingerprint of an SSH host key (RFC 4255, RFC 6594): algorithm, fingerprint type,
 * fingerprint.
 */
import { rrtype } from '../rrtype.ts';
import { digestCheck } from './digest.ts';
import { hexRest } from './fields/binary.ts';
import { u8 } from './fields/number.ts';
import { rdataFormat } from './format.ts';

export const sshfp = rdataFormat(
  rrtype.SSHFP,
  [u8('algorithm'), u8('fingerprint type'), hexRest('fingerprint')],
  { check: digestCheck('SSHFP', 1, 2, { 1: 20, 2: 32 }) },
);

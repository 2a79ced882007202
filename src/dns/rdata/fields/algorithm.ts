/**
 * The algorithm of a DNSSEC key (RFC 4034 A.1 and the IANA registry): a number, or on input a
 * mnemonic. Printed as number, except in CERT, where the mnemonic is usual (RFC 4398 2.2).
 */
import type { Field } from '../format.ts';
import { namedNumber } from './number.ts';

const mnemonics = {
  RSAMD5: 1,
  DH: 2,
  DSA: 3,
  RSASHA1: 5,
  NSEC3DSA: 6,
  'DSA-NSEC3-SHA1': 6,
  NSEC3RSASHA1: 7,
  'RSASHA1-NSEC3-SHA1': 7,
  RSASHA256: 8,
  RSASHA512: 10,
  ECCGOST: 12,
  'ECC-GOST': 12,
  ECDSAP256SHA256: 13,
  ECDSAP384SHA384: 14,
  ED25519: 15,
  ED448: 16,
  INDIRECT: 252,
  PRIVATEDNS: 253,
  PRIVATEOID: 254,
};

export function keyAlgorithm(label: string): Field {
  return namedNumber(label, 1, mnemonics, false);
}

/** As above, printed as mnemonic where there is one. */
export function keyAlgorithmName(label: string): Field {
  return namedNumber(label, 1, mnemonics, true);
}

/**
 * CERT: certificates (RFC 4398): type, key tag, algorithm and the certificate in base64.
 *
 * Type and algorithm are printed as mnemonics where they have one.
 */
import { rrtype } from '../rrtype.ts';
import { keyAlgorithmName } from './fields/algorithm.ts';
import { base64Rest } from './fields/binary.ts';
import { namedNumber, u16 } from './fields/number.ts';
import { rdataFormat } from './format.ts';

/** Certificate types of RFC 4398 2.1. */
const certificateType = namedNumber(
  'certificate type',
  2,
  {
    PKIX: 1,
    SPKI: 2,
    PGP: 3,
    IPKIX: 4,
    ISPKI: 5,
    IPGP: 6,
    ACPKIX: 7,
    IACPKIX: 8,
    URI: 253,
    OID: 254,
  },
  true,
);

export const cert = rdataFormat(rrtype.CERT, [
  certificateType,
  u16('key tag'),
  keyAlgorithmName('algorithm'),
  base64Rest('certificate'),
]);

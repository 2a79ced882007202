/**
 * The rule shared by the types that carry a digest: a digest of a known type has that type's
 * length.
 */
import { RdataError } from './error.ts';

/** Octets of a digest by its type number. */
type DigestOctets = Readonly<Record<number, number>>;

/** DS digests: SHA-1, SHA-256, GOST R 34.11-94, SHA-384 (RFC 4034, 4509, 5933, 6605). */
export const dsDigestOctets: DigestOctets = { 0: 0, 1: 20, 2: 32, 3: 32, 4: 48 };

/**
 * A check of RDATA whose octet `typeAt` says the digest's type and whose digest starts at
 * `digestAt`. A length of 0 marks a type that must not be used.
 */
export function digestCheck(
  mnemonic: string,
  typeAt: number,
  digestAt: number,
  octetsOfType: DigestOctets,
  leastOctets = 1,
): (rdata: Buffer) => void {
  return (rdata) => {
    const digestType = rdata[typeAt]!;
    const expected = octetsOfType[digestType];
    const actual = rdata.length - digestAt;
    if (expected === 0) throw new RdataError(`${mnemonic} digest type ${digestType} is reserved`);
    if (expected !== undefined && expected !== actual) {
      throw new RdataError(
        `${mnemonic} digest of type ${digestType} has ${expected} octets, not ${actual}`,
      );
    }
    if (actual < leastOctets) {
      throw new RdataError(`${mnemonic} digest has at least ${leastOctets} octets, not ${actual}`);
    }
  };
}

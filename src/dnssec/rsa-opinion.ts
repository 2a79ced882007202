/**
 * RSASSA-PKCS1-v1_5 checked with BigInt (RFC 8017 8.2.2, RFC 5702 3): the signature to the power of
 * the public exponent must be the padded digest, octet for octet. Only public numbers go through the
 * loop, so it need not take constant time.
 */
import type { RsaAlgorithm } from './algorithm.ts';
import { splitRsaPublicKey } from './dnskey.ts';
import type { PrivateNumbers } from './second-opinion.ts';

/** DER before the digest: the name of the hash (RFC 8017 9.2, note 1). */
const digestPrefix: Readonly<Record<RsaAlgorithm['hash'], Buffer>> = {
  sha256: Buffer.from('3031300d060960864801650304020105000420', 'hex'),
  sha512: Buffer.from('3051300d060960864801650304020305000440', 'hex'),
};

export function verifyRsa(
  hash: RsaAlgorithm['hash'],
  publicKey: Buffer,
  digest: Uint8Array,
  signature: Buffer,
): boolean {
  const { exponent, modulus } = splitRsaPublicKey(publicKey);
  if (signature.length !== modulus.length) return false;
  const message = power(toNumber(signature), toNumber(exponent), toNumber(modulus));
  return message === toNumber(padded(hash, digest, modulus.length));
}

/** 00 01 FF ... FF 00, the name of the hash, the digest (EMSA-PKCS1-v1_5). */
function padded(hash: RsaAlgorithm['hash'], digest: Uint8Array, octets: number): Buffer {
  const prefix = digestPrefix[hash];
  const filler = Buffer.alloc(octets - prefix.length - digest.length - 3, 0xff);
  return Buffer.concat([Buffer.of(0, 1), filler, Buffer.of(0), prefix, digest]);
}

/** Derives the public key from the primes; an error when the exponents do not belong to them. */
export function rsaPublicKeyOf(numbers: Extract<PrivateNumbers, { family: 'rsa' }>): Buffer {
  const [p, q] = [toNumber(numbers.primes[0]), toNumber(numbers.primes[1])];
  const inverse = toNumber(numbers.exponent) * toNumber(numbers.privateExponent);
  if (inverse % (p - 1n) !== 1n || inverse % (q - 1n) !== 1n) {
    throw new Error('the exponents of an RSA key do not belong to its primes');
  }
  const hex = (p * q).toString(16);
  const modulus = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
  const { exponent } = numbers;
  return Buffer.concat([Buffer.of(exponent.length), exponent, modulus]);
}

function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n;
  let square = base % modulus;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) result = (result * square) % modulus;
    square = (square * square) % modulus;
  }
  return result;
}

function toNumber(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).toString('hex') || '0'}`);
}

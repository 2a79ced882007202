/**
 * The second opinion: other code than the one that signs derives public keys and checks
 * signatures, so that what one library gets wrong never leaves the house.
 *
 * The curves and hashes come from outside as `IndependentMath`. RSA is a few lines of BigInt here
 * (RFC 8017 8.2.2, RFC 5702 3): only public numbers go through its loop, so it need not take constant
 * time.
 */
import { unreachable } from '../base/problem.ts';
import { algorithmOf, type EcAlgorithm, type EdAlgorithm, type RsaAlgorithm } from './algorithm.ts';
import { splitRsaPublicKey } from './dnskey.ts';

/** The secret part of a key pair: the numbers from which the public part follows. */
export type PrivateNumbers =
  | { readonly family: 'curve'; readonly secret: Buffer }
  | {
      readonly family: 'rsa';
      readonly primes: readonly [Buffer, Buffer];
      readonly exponent: Buffer;
      readonly privateExponent: Buffer;
    };

export type Curve = EcAlgorithm['curve'] | EdAlgorithm['curve'];

/** What a library other than the signing one has to be able to do. */
export interface IndependentMath {
  hash(name: 'sha256' | 'sha384' | 'sha512', data: Uint8Array): Uint8Array;
  /** ECDSA: x and y; Edwards curves: the encoded point. */
  publicKey(curve: Curve, secret: Uint8Array): Uint8Array;
  /** ECDSA: `message` is the digest, the signature r and s; Edwards curves: the message itself. */
  verify(curve: Curve, publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean;
}

export interface SecondOpinion {
  /** The public key in the form of DNSKEY RDATA. */
  derivePublicKey(algorithm: number, numbers: PrivateNumbers): Buffer;
  verify(algorithm: number, publicKey: Buffer, data: Buffer, signature: Buffer): boolean;
  /**
   * Whether a sample is wanted now; always, when left out. Steps that come faster than they can be
   * checked one by one are checked by turns.
   */
  isDue?(): boolean;
}

export function secondOpinionBy(math: IndependentMath): SecondOpinion {
  return {
    derivePublicKey(algorithm, numbers) {
      if (numbers.family === 'rsa') return rsaPublicKeyOf(numbers);
      const facts = algorithmOf(algorithm);
      if (facts.family === 'rsa') throw new Error('an RSA key has more than one secret number');
      return Buffer.from(math.publicKey(facts.curve, numbers.secret));
    },
    verify(algorithm, publicKey, data, signature) {
      const facts = algorithmOf(algorithm);
      switch (facts.family) {
        case 'rsa':
          return verifyRsa(facts.hash, publicKey, math.hash(facts.hash, data), signature);
        case 'ec':
          return math.verify(facts.curve, publicKey, math.hash(facts.hash, data), signature);
        case 'ed':
          return math.verify(facts.curve, publicKey, data, signature);
        default:
          return unreachable(facts);
      }
    },
  };
}

/** DER before the digest: the name of the hash (RFC 8017 9.2, note 1). */
const digestPrefix: Readonly<Record<RsaAlgorithm['hash'], Buffer>> = {
  sha256: Buffer.from('3031300d060960864801650304020105000420', 'hex'),
  sha512: Buffer.from('3051300d060960864801650304020305000440', 'hex'),
};

/** The signature to the power of the public exponent must be the padded digest, byte for byte. */
function verifyRsa(
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

/**
 * The second opinion: other code than the one that signs derives public keys and checks
 * signatures, so that what one library gets wrong never leaves the house.
 *
 * The curves and hashes come from outside as `IndependentMath`; RSA is a few lines of BigInt in
 * rsa-opinion.ts.
 */
import { unreachable } from '../base/problem.ts';
import { algorithmOf, type EcAlgorithm, type EdAlgorithm } from './algorithm.ts';
import { rsaPublicKeyOf, verifyRsa } from './rsa-opinion.ts';

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

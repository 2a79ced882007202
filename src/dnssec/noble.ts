/**
 * The verifier: other code than the one that signs derives public keys and checks signatures, so that an error of one
 * library is never published. Curves and hashes are those of @noble, which share no code with the
 * OpenSSL that signs.
 *
 * RSA is a few lines of BigInt here (RFC 8017 8.2.2, RFC 5702 3): only public numbers go through its
 * loop, so it need not take constant time.
 */
import type { WeierstrassPoint, WeierstrassPointCons } from '@noble/curves/abstract/weierstrass.js';
import { ed448 } from '@noble/curves/ed448.js';
import { ed25519 } from '@noble/curves/ed25519.js';
import { p256, p384 } from '@noble/curves/nist.js';
import { sha256, sha384, sha512 } from '@noble/hashes/sha2.js';
import { monotonicMs } from '../base/clock.ts';
import { unreachable } from '../base/problem.ts';
import { algorithmOf, type EcAlgorithm, type RsaAlgorithm } from './algorithm.ts';
import { splitRsaPublicKey } from './dnskey.ts';

const hashes = { sha256, sha384, sha512 };
const weierstrass = { 'P-256': p256, 'P-384': p384 };
const edwards = { Ed25519: ed25519, Ed448: ed448 };

/** Byte before x and y of a point that is not compressed (SEC 1, 2.3.3). */
const uncompressed = Buffer.of(4);

/** The secret part of a key pair: the numbers from which the public part follows. */
export type PrivateNumbers =
  | { readonly family: 'curve'; readonly secret: Buffer }
  | {
      readonly family: 'rsa';
      readonly primes: readonly [Buffer, Buffer];
      readonly exponent: Buffer;
      readonly privateExponent: Buffer;
    };

export interface Verifier {
  /** The public key in the form of DNSKEY RDATA. */
  derivePublicKey(algorithm: number, numbers: PrivateNumbers): Buffer;
  verify(algorithm: number, publicKey: Buffer, data: Buffer, signature: Buffer): boolean;
  /**
   * Whether a sample is wanted now; always, when left out. Steps that come faster than they can be
   * checked one by one are checked by turns.
   */
  isDue?(): boolean;
}

/** Whether r and s are a signature over a digest, by the key at the point x and y. */
type VerifyEcdsa = (
  curve: EcAlgorithm['curve'],
  publicKey: Uint8Array,
  digest: Uint8Array,
  signature: Uint8Array,
) => boolean;

function verifierBy(verifyEcdsa: VerifyEcdsa): Verifier {
  return {
    derivePublicKey(algorithm, numbers) {
      if (numbers.family === 'rsa') return rsaPublicKeyOf(numbers);
      const facts = algorithmOf(algorithm);
      switch (facts.family) {
        case 'rsa':
          throw new Error('an RSA key has more than one secret number');
        case 'ec':
          return Buffer.from(
            weierstrass[facts.curve].getPublicKey(numbers.secret, false).subarray(1),
          );
        case 'ed':
          return Buffer.from(edwards[facts.curve].getPublicKey(numbers.secret));
        default:
          return unreachable(facts);
      }
    },
    verify(algorithm, publicKey, data, signature) {
      const facts = algorithmOf(algorithm);
      switch (facts.family) {
        case 'rsa':
          return verifyRsa(facts.hash, publicKey, hashes[facts.hash](data), signature);
        case 'ec':
          return verifyEcdsa(facts.curve, publicKey, hashes[facts.hash](data), signature);
        case 'ed':
          return edwards[facts.curve].verify(signature, data, publicKey);
        default:
          return unreachable(facts);
      }
    },
  };
}

const verifyOnce: VerifyEcdsa = (curve, publicKey, digest, signature) => {
  const point = Buffer.concat([uncompressed, publicKey]);
  // The data are hashed already; validators take any s, so a high one is no fault (RFC 6605).
  return weierstrass[curve].verify(signature, digest, point, { prehash: false, lowS: false });
};

export const nobleVerifier: Verifier = verifierBy(verifyOnce);

/** Signatures of one key after which a table of multiples of its point pays. */
const usesBeforeTable = 8;
/** Bits of a window: a table takes some 20 ms and 500 KB. */
const tableBits = 6;

/**
 * The same for whoever checks many signatures of few keys: four times as fast for ECDSA, once a key has
 * been seen some times.
 */
export function cachingNobleVerifier(): Verifier {
  const seen = new Map<string, { uses: number; point?: WeierstrassPoint<bigint> }>();
  return verifierBy((curve, publicKey, digest, signature) => {
    const name = Buffer.from(publicKey).toString('base64');
    const key = seen.get(name) ?? { uses: 0 };
    seen.set(name, key);
    if (++key.uses <= usesBeforeTable) return verifyOnce(curve, publicKey, digest, signature);
    const { Point } = weierstrass[curve];
    key.point ??= Point.fromBytes(Buffer.concat([uncompressed, publicKey])).precompute(tableBits);
    return verifyByTable(Point, key.point, digest, signature);
  });
}

/** ECDSA verification (FIPS 186-5 6.4.2) of a digest as long as the group order. */
function verifyByTable(
  { BASE, Fn }: WeierstrassPointCons<bigint>,
  key: WeierstrassPoint<bigint>,
  digest: Uint8Array,
  signature: Uint8Array,
): boolean {
  const { BYTES: bytes, ORDER: order } = Fn;
  if (signature.length !== 2 * bytes || digest.length !== bytes) return false;
  const r = toNumber(signature.subarray(0, bytes));
  const s = toNumber(signature.subarray(bytes));
  if (r === 0n || r >= order || s === 0n || s >= order) return false;
  const inverse = Fn.inv(s);
  const ofBase = BASE.multiplyUnsafe(Fn.mul(Fn.create(toNumber(digest)), inverse));
  const sum = ofBase.add(key.multiplyUnsafe(Fn.mul(r, inverse)));
  return !sum.is0() && Fn.create(sum.toAffine().x) === r;
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
function padded(hash: RsaAlgorithm['hash'], digest: Uint8Array, bytes: number): Buffer {
  const prefix = digestPrefix[hash];
  const filler = Buffer.alloc(bytes - prefix.length - digest.length - 3, 0xff);
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

/** Checks of samples take one part in this number of the time: where samples come faster, several share a check. */
const checkedPart = 20;

/** The same checks, which say when they want a sample. */
export function pacedVerifier(): Verifier {
  let nextAt = Number.NEGATIVE_INFINITY;
  return {
    ...nobleVerifier,
    isDue: () => monotonicMs() >= nextAt,
    verify(algorithm, publicKey, data, signature) {
      const started = monotonicMs();
      const isGood = nobleVerifier.verify(algorithm, publicKey, data, signature);
      const ended = monotonicMs();
      // Where one is wrong, the next is looked at too.
      nextAt = isGood ? ended + (ended - started) * checkedPart : Number.NEGATIVE_INFINITY;
      return isGood;
    },
  };
}

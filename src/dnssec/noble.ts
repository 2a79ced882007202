/**
 * The independent mathematics of the second opinion: @noble/curves and @noble/hashes, which share no
 * code with the OpenSSL that signs.
 */
import type { WeierstrassPoint, WeierstrassPointCons } from '@noble/curves/abstract/weierstrass.js';
import { ed448 } from '@noble/curves/ed448.js';
import { ed25519 } from '@noble/curves/ed25519.js';
import { p256, p384 } from '@noble/curves/nist.js';
import { sha256, sha384, sha512 } from '@noble/hashes/sha2.js';
import { type IndependentMath, type SecondOpinion, secondOpinionBy } from './second-opinion.ts';

const hashes = { sha256, sha384, sha512 };
const weierstrass = { 'P-256': p256, 'P-384': p384 };
const edwards = { Ed25519: ed25519, Ed448: ed448 };

/** Octet before x and y of a point that is not compressed (SEC 1, 2.3.3). */
const uncompressed = Buffer.of(4);

const nobleMath: IndependentMath = {
  hash: (name, data) => hashes[name](data),
  publicKey: (curve, secret) =>
    curve === 'P-256' || curve === 'P-384'
      ? weierstrass[curve].getPublicKey(secret, false).subarray(1)
      : edwards[curve].getPublicKey(secret),
  verify(curve, publicKey, message, signature) {
    if (curve !== 'P-256' && curve !== 'P-384') {
      return edwards[curve].verify(signature, message, publicKey);
    }
    const point = Buffer.concat([uncompressed, publicKey]);
    // The message is hashed already; validators take any s, so a high one is no fault (RFC 6605).
    return weierstrass[curve].verify(signature, message, point, { prehash: false, lowS: false });
  },
};

export const nobleOpinion: SecondOpinion = secondOpinionBy(nobleMath);

/** Signatures of one key after which a table of multiples of its point pays. */
const usesBeforeTable = 8;
/** Bits of a window: a table takes some 20 ms and 500 KB. */
const tableBits = 6;

/**
 * The same for whoever checks many signatures of few keys: four times as fast for ECDSA, once a key has
 * been seen some times.
 */
export function nobleOpinionOfFewKeys(): SecondOpinion {
  const seen = new Map<string, { uses: number; point?: WeierstrassPoint<bigint> }>();
  return secondOpinionBy({
    ...nobleMath,
    verify(curve, publicKey, message, signature) {
      const isEdwards = curve !== 'P-256' && curve !== 'P-384';
      if (isEdwards) return nobleMath.verify(curve, publicKey, message, signature);
      const name = Buffer.from(publicKey).toString('base64');
      const key = seen.get(name) ?? { uses: 0 };
      seen.set(name, key);
      if (++key.uses <= usesBeforeTable) {
        return nobleMath.verify(curve, publicKey, message, signature);
      }
      const { Point } = weierstrass[curve];
      key.point ??= Point.fromBytes(Buffer.concat([uncompressed, publicKey])).precompute(tableBits);
      return verifyByTable(Point, key.point, message, signature);
    },
  });
}

/** ECDSA verification (FIPS 186-5 6.4.2) of a digest as long as the group order. */
function verifyByTable(
  { BASE, Fn }: WeierstrassPointCons<bigint>,
  key: WeierstrassPoint<bigint>,
  digest: Uint8Array,
  signature: Uint8Array,
): boolean {
  const { BYTES: octets, ORDER: order } = Fn;
  if (signature.length !== 2 * octets || digest.length !== octets) return false;
  const r = numberOf(signature.subarray(0, octets));
  const s = numberOf(signature.subarray(octets));
  if (r === 0n || r >= order || s === 0n || s >= order) return false;
  const inverse = Fn.inv(s);
  const ofBase = BASE.multiplyUnsafe(Fn.mul(Fn.create(numberOf(digest)), inverse));
  const sum = ofBase.add(key.multiplyUnsafe(Fn.mul(r, inverse)));
  return !sum.is0() && Fn.create(sum.toAffine().x) === r;
}

function numberOf(octets: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(octets).toString('hex')}`);
}

/**
 * The independent mathematics of the second opinion: @noble/curves and @noble/hashes, which share no
 * code with the OpenSSL that signs.
 */
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

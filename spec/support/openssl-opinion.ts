/**
 * OpenSSL as the second opinion, for tests of what is signed and not of the opinion. It finds no
 * fault of OpenSSL's own; public keys it derives in another way than the program does.
 */
import { createECDH, createPrivateKey, createPublicKey, verify } from 'node:crypto';
import { algorithmOf } from '../../src/dnssec/algorithm.ts';
import { publicJwk } from '../../src/dnssec/dnskey.ts';
import { rsaPublicKeyOf, type Verifier } from '../../src/dnssec/noble.ts';

/** PKCS #8 of an Edwards key up to its seed (RFC 8410 7). */
const pkcs8Start = {
  Ed25519: Buffer.from('302e020100300506032b657004220420', 'hex'),
  Ed448: Buffer.from('3047020100300506032b6571043b0439', 'hex'),
};

export const opensslOpinion: Verifier = {
  derivePublicKey(algorithm, numbers) {
    if (numbers.family === 'rsa') return rsaPublicKeyOf(numbers);
    const facts = algorithmOf(algorithm);
    if (facts.family === 'ec') {
      const exchange = createECDH(facts.curve === 'P-256' ? 'prime256v1' : 'secp384r1');
      exchange.setPrivateKey(numbers.secret);
      return exchange.getPublicKey().subarray(1);
    }
    if (facts.family === 'rsa') throw new Error('an RSA key has more than one secret number');
    const der = Buffer.concat([pkcs8Start[facts.curve], numbers.secret]);
    const key = createPublicKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
    return Buffer.from(key.export({ format: 'jwk' }).x!, 'base64url');
  },
  verify(algorithm, publicKey, data, signature) {
    const facts = algorithmOf(algorithm);
    const key = createPublicKey({ key: publicJwk(algorithm, publicKey), format: 'jwk' });
    const hash = facts.family === 'ed' ? null : facts.hash;
    return verify(hash, data, { key, dsaEncoding: 'ieee-p1363' }, signature);
  },
};

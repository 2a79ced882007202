/** The second opinion: RSA by our own arithmetic, curves by the mathematics it is given. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { opensslOpinion } from '../../spec/support/openssl-opinion.ts';
import { dnskeyRdata, publicKeyOfDnskey } from './dnskey.ts';
import { generateKey, openKeyPair, serializePrivateKey, signerOf } from './key-pair.ts';
import { type IndependentMath, secondOpinionBy } from './second-opinion.ts';

const asked: string[] = [];
const math: IndependentMath = {
  hash: (name, data) => createHash(name).update(data).digest(),
  publicKey: (curve, secret) => {
    asked.push(`publicKey ${curve}`);
    return secret;
  },
  verify: (curve, _publicKey, message) => {
    asked.push(`verify ${curve} ${message.length}`);
    return true;
  },
};
const opinion = secondOpinionBy(math);

describe('RSA', () => {
  it.each([8, 10])('algorithm %i: accepts what was signed and nothing else', async (number) => {
    const pair = await generateKey(number, true, [], opinion);
    const data = Buffer.from('data');
    const signature = signerOf(pair).sign(data);
    const publicKey = publicKeyOfDnskey(pair.dnskey);
    const accepts = (text: Buffer, signed: Buffer) =>
      opinion.verify(number, publicKey, text, signed);
    expect(accepts(data, signature)).toBe(true);
    expect(accepts(Buffer.from('date'), signature)).toBe(false);
    for (const at of [0, 100, 255]) {
      const broken = Buffer.from(signature);
      broken[at]! ^= 1;
      expect(accepts(data, broken)).toBe(false);
    }
    expect(accepts(data, signature.subarray(1))).toBe(false);
    const other = await generateKey(18 - number, true, [], opinion);
    expect(accepts(data, signerOf(other).sign(data))).toBe(false);
  });

  it('derives the modulus from the primes and refuses exponents of others', () => {
    const hex = (text: string) => Buffer.from(text, 'hex');
    const numbers = (exponent: string) => {
      const primes = [hex('0b'), hex('0d')] as const;
      return {
        family: 'rsa',
        primes,
        exponent: hex('07'),
        privateExponent: hex(exponent),
      } as const;
    };
    expect(opinion.derivePublicKey(8, numbers('67')).toString('hex')).toBe('01078f');
    expect(() => opinion.derivePublicKey(8, numbers('65'))).toThrow(/do not belong/);
  });
});

describe('curves', () => {
  it('are asked about with digests for ECDSA and messages for the others', () => {
    asked.length = 0;
    const data = Buffer.alloc(100);
    for (const number of [13, 14, 15, 16]) {
      expect(opinion.verify(number, data, data, data)).toBe(true);
      opinion.derivePublicKey(number, { family: 'curve', secret: data });
    }
    expect(asked).toEqual([
      'verify P-256 32',
      'publicKey P-256',
      'verify P-384 48',
      'publicKey P-384',
      'verify Ed25519 100',
      'publicKey Ed25519',
      'verify Ed448 100',
      'publicKey Ed448',
    ]);
  });

  it('a key is not used when the opinions differ', async () => {
    const pair = await generateKey(13, true, [], opensslOpinion);
    const stored = serializePrivateKey(pair.privateKey);
    expect(() => openKeyPair(stored, pair.dnskey, opinion)).toThrow(/both derivations/);
    await expect(generateKey(13, true, [], opinion)).rejects.toThrow(/both derivations/);
    expect(dnskeyRdata(13, publicKeyOfDnskey(pair.dnskey), true)).toEqual(pair.dnskey);
  });
});

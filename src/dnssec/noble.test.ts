/** The second opinion on keys and signatures that OpenSSL made. */
import { describe, expect, it } from 'vitest';
import { algorithms } from './algorithm.ts';
import { dnskeyRdata, publicKeyOfDnskey } from './dnskey.ts';
import { generateKey, openKeyPair, serializePrivateKey, signerOf } from './key-pair.ts';
import { nobleVerifier, cachingNobleVerifier, type Verifier } from './noble.ts';

describe.each(algorithms)('of $name', ({ number }) => {
  it('agrees with what is right, and with nothing else', async () => {
    const made = await generateKey(number, true, [], nobleVerifier);
    // Opening derives the public key once more.
    const opened = openKeyPair(serializePrivateKey(made.privateKey), made.dnskey, nobleVerifier);
    const publicKey = publicKeyOfDnskey(made.dnskey);
    const data = Buffer.from('an RRset');
    const signature = signerOf(opened).sign(data);
    const says = (text: string, bytes: Buffer) =>
      nobleVerifier.verify(number, publicKey, Buffer.from(text), bytes);
    expect(says('an RRset', signature)).toBe(true);
    expect(says('an RRsex', signature)).toBe(false);
    const broken = Buffer.from(signature);
    broken[broken.length >> 1]! ^= 1;
    expect(says('an RRset', broken)).toBe(false);
  });
});

describe('of a key that is seen often', () => {
  const often = algorithms.filter(({ family }) => family !== 'rsa');
  it.each(often)('stays what it is of $name', async ({ number }) => {
    const made = await generateKey(number, true, [], nobleVerifier);
    const publicKey = publicKeyOfDnskey(made.dnskey);
    const signer = signerOf(made);
    const opinion = cachingNobleVerifier();
    for (let turn = 0; turn < 12; turn++) {
      const data = Buffer.from(`an RRset ${turn}`);
      const signature = signer.sign(data);
      const says = (text: Buffer, bytes: Buffer) => opinion.verify(number, publicKey, text, bytes);
      expect(says(data, signature)).toBe(true);
      expect(says(Buffer.from('another RRset'), signature)).toBe(false);
      for (const at of [0, signature.length - 1]) {
        const broken = Buffer.from(signature);
        broken[at]! ^= 1;
        expect(says(data, broken)).toBe(false);
      }
      const half = signature.length / 2;
      expect(says(data, Buffer.from(signature).fill(0, 0, half))).toBe(false);
      expect(says(data, Buffer.from(signature).fill(0, half))).toBe(false);
      expect(says(data, Buffer.alloc(signature.length, 0xff))).toBe(false);
    }
  });
});

describe('RSA', () => {
  it.each([8, 10])('algorithm %i: accepts what was signed and nothing else', async (number) => {
    const pair = await generateKey(number, true, [], nobleVerifier);
    const data = Buffer.from('data');
    const signature = signerOf(pair).sign(data);
    const publicKey = publicKeyOfDnskey(pair.dnskey);
    const accepts = (text: Buffer, signed: Buffer) =>
      nobleVerifier.verify(number, publicKey, text, signed);
    expect(accepts(data, signature)).toBe(true);
    expect(accepts(Buffer.from('date'), signature)).toBe(false);
    for (const at of [0, 100, 255]) {
      const broken = Buffer.from(signature);
      broken[at]! ^= 1;
      expect(accepts(data, broken)).toBe(false);
    }
    expect(accepts(data, signature.subarray(1))).toBe(false);
    const other = await generateKey(18 - number, true, [], nobleVerifier);
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
    expect(nobleVerifier.derivePublicKey(8, numbers('67')).toString('hex')).toBe('01078f');
    expect(() => nobleVerifier.derivePublicKey(8, numbers('65'))).toThrow(/do not belong/);
  });
});

it('a key is not used when the opinions differ', async () => {
  const other: Verifier = {
    derivePublicKey: () => Buffer.alloc(64),
    verify: () => true,
  };
  const pair = await generateKey(13, true, [], nobleVerifier);
  const stored = serializePrivateKey(pair.privateKey);
  expect(() => openKeyPair(stored, pair.dnskey, other)).toThrow(/both derivations/);
  await expect(generateKey(13, true, [], other)).rejects.toThrow(/both derivations/);
  expect(dnskeyRdata(13, publicKeyOfDnskey(pair.dnskey), true)).toEqual(pair.dnskey);
});

/** The second opinion on keys and signatures that OpenSSL made. */
import { describe, expect, it } from 'vitest';
import { algorithms } from './algorithm.ts';
import { publicKeyOfDnskey } from './dnskey.ts';
import { generateKey, openKeyPair, serializePrivateKey, signerOf } from './key-pair.ts';
import { nobleOpinion, nobleOpinionOfFewKeys } from './noble.ts';

describe.each(algorithms)('of $name', ({ number }) => {
  it('agrees with what is right, and with nothing else', async () => {
    const made = await generateKey(number, true, [], nobleOpinion);
    // Opening derives the public key once more.
    const opened = openKeyPair(serializePrivateKey(made.privateKey), made.dnskey, nobleOpinion);
    const publicKey = publicKeyOfDnskey(made.dnskey);
    const data = Buffer.from('an RRset');
    const signature = signerOf(opened).sign(data);
    const says = (text: string, octets: Buffer) =>
      nobleOpinion.verify(number, publicKey, Buffer.from(text), octets);
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
    const made = await generateKey(number, true, [], nobleOpinion);
    const publicKey = publicKeyOfDnskey(made.dnskey);
    const signer = signerOf(made);
    const opinion = nobleOpinionOfFewKeys();
    for (let turn = 0; turn < 12; turn++) {
      const data = Buffer.from(`an RRset ${turn}`);
      const signature = signer.sign(data);
      const says = (text: Buffer, octets: Buffer) =>
        opinion.verify(number, publicKey, text, octets);
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

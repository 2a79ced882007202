/** The second opinion on keys and signatures that OpenSSL made. */
import { describe, expect, it } from 'vitest';
import { algorithms } from './algorithm.ts';
import { publicKeyOfDnskey } from './dnskey.ts';
import { generateKey, openKeyPair, serializePrivateKey } from './key-pair.ts';
import { nobleOpinion } from './noble.ts';
import { signerOf } from './signer.ts';

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

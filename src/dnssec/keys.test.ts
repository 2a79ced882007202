/** Key pairs: made, stored, opened again, moved to and from BIND (case 80). */
import { describe, expect, it } from 'vitest';
import { opensslOpinion } from '../../spec/support/openssl-opinion.ts';
import { parseAbsoluteName } from '../dns/name.ts';
import { printRdata } from '../dns/rdata/rdata.ts';
import { rrtype } from '../dns/rrtype.ts';
import { algorithms, findAlgorithm } from './algorithm.ts';
import { exportBindKey, importBindKey } from './bind-key.ts';
import {
  deleteCdnskey,
  deleteCds,
  dsRdata,
  isEntryPoint,
  keyTagOf,
  publicKeyOfDnskey,
  readDs,
  tagsOfKey,
} from './dnskey.ts';
import { generateKey, openKeyPair, serializePrivateKey, signerOf } from './key-pair.ts';

const apex = parseAbsoluteName('example.test');

describe.each(algorithms)('a key of $name', ({ number, dsDigestType }) => {
  it('is made, sealed, opened and signs', async () => {
    const made = await generateKey(number, true, [], opensslOpinion);
    expect([...made.dnskey.subarray(0, 4)]).toEqual([1, 1, 3, number]);
    const stored = serializePrivateKey(made.privateKey);
    const opened = openKeyPair(stored, made.dnskey, opensslOpinion);
    const data = Buffer.from('data');
    const signature = signerOf(opened).sign(data);
    const publicKey = publicKeyOfDnskey(made.dnskey);
    expect(opensslOpinion.verify(number, publicKey, data, signature)).toBe(true);
    expect(opensslOpinion.verify(number, publicKey, Buffer.from('date'), signature)).toBe(false);
    expect(readDs(dsRdata(apex, made.dnskey))).toMatchObject({
      keyTag: keyTagOf(made.dnskey),
      algorithm: number,
      digestType: dsDigestType,
    });
  });

  it('moves to the files of BIND and back', async () => {
    const made = await generateKey(number, false, [], opensslOpinion);
    expect(isEntryPoint(made.dnskey)).toBe(false);
    const files = exportBindKey(apex, made);
    expect(files.baseName).toMatch(/^Kexample\.test\.\+0\d\d\+\d{5}$/);
    const back = importBindKey(apex, files);
    expect(back.dnskey).toEqual(made.dnskey);
    expect(serializePrivateKey(back.privateKey)).toEqual(serializePrivateKey(made.privateKey));
  });

  it('is refused when its halves do not belong together', async () => {
    const one = await generateKey(number, true, [], opensslOpinion);
    const other = await generateKey(number, true, [one.dnskey], opensslOpinion);
    const stored = serializePrivateKey(one.privateKey);
    expect(() => openKeyPair(stored, other.dnskey, opensslOpinion)).toThrow(/another DNSKEY/);
    const { key } = exportBindKey(apex, other);
    const files = { key, private: exportBindKey(apex, one).private };
    expect(() => importBindKey(apex, files)).toThrow(/can not be used/);
  });
});

it('case 80: a new key shares no tag with another, revoked or not', async () => {
  const first = await generateKey(15, true, [], opensslOpinion);
  const second = await generateKey(15, true, [first.dnskey], opensslOpinion);
  const [tag, revoked] = tagsOfKey(first.dnskey);
  expect(revoked).not.toBe(tag);
  expect(tagsOfKey(second.dnskey)).not.toContain(tag);
  expect(tagsOfKey(second.dnskey)).not.toContain(revoked);
  // Every tag is taken: two bytes make a key of any tag.
  const all = Array.from({ length: 65_536 }, (_, want) =>
    Buffer.from([1, 1, 3, 15, want >> 8, want & 0xff]),
  );
  await expect(generateKey(15, true, all, opensslOpinion)).rejects.toThrow(/free tag/);
});

describe('files of BIND', () => {
  it.each([
    ['another zone', 'other.test. IN DNSKEY 257 3 15 AAAA', 'the key is one of other.test.'],
    ['no record', '; nothing', 'holds no DNSKEY record'],
    ['a revoked key', 'example.test. IN DNSKEY 385 3 15 AAAA', 'revoked'],
    ['another protocol', 'example.test. IN DNSKEY 257 2 15 AAAA', 'no zone key'],
    ['an algorithm of old', 'example.test. IN DNSKEY 257 3 5 AAAA', 'algorithm 5 is none'],
    ['broken base64', 'example.test. IN DNSKEY 257 3 15 A', 'base64'],
  ])('are refused with %s', (_, key, reason) => {
    const files = { key, private: 'Private-key-format: v1.3\nAlgorithm: 15 (ED25519)\n' };
    expect(() => importBindKey(apex, files)).toThrow(reason);
  });

  it('are refused with another format, algorithm or a field missing', async () => {
    const { key, private: text } = exportBindKey(
      apex,
      await generateKey(15, true, [], opensslOpinion),
    );
    const read = (changed: string) => () => importBindKey(apex, { key, private: changed });
    expect(read(text.replace('v1.3', 'v2.0'))).toThrow(/v1.3/);
    expect(read(text.replace('Algorithm: 15', 'Algorithm: 13'))).toThrow(/different algorithms/);
    expect(read(text.replace('PrivateKey', 'Other'))).toThrow(/no PrivateKey/);
    expect(read(text.replace(/PrivateKey: .*/, 'PrivateKey: AAAA'))).toThrow(/can not be used/);
  });

  it('have names that fit in a folder', async () => {
    const made = await generateKey(15, true, [], opensslOpinion);
    const { baseName } = exportBindKey(parseAbsoluteName('0/25.2.0.192.in-addr.arpa'), made);
    expect(baseName).toMatch(/^K0%2F25\.2\.0\.192\.in-addr\.arpa\.\+015\+/);
  });
});

it('case 81: the pair that asks for removal', () => {
  expect(printRdata(rrtype.CDS, deleteCds)).toBe('0 0 0 00');
  expect(printRdata(rrtype.CDNSKEY, deleteCdnskey)).toBe('0 3 0 AA==');
});

it('knows no algorithm that must not be used', () => {
  for (const number of [0, 1, 3, 5, 6, 7, 12]) expect(findAlgorithm(number)).toBeUndefined();
});

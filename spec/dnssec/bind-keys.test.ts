/** Key files that BIND makes are taken, and those that we make BIND signs with. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { printRdata } from '../../src/dns/rdata/rdata.ts';
import { rrtype } from '../../src/dns/rrtype.ts';
import { algorithms } from '../../src/dnssec/algorithm.ts';
import { exportBindKey, importBindKey } from '../../src/dnssec/bind-key.ts';
import { dsRdata } from '../../src/dnssec/dnskey.ts';
import { generateKey, serializePrivateKey } from '../../src/dnssec/key-pair.ts';
import { opensslOpinion } from '../support/openssl-opinion.ts';
import { needsPeers, peer } from '../support/peers.ts';
import { privateNumber } from '../support/private-number.ts';
import { exampleApex } from '../support/signed-zone.ts';

const folder = mkdtempSync(join(tmpdir(), 'zonebook-keys-'));
afterAll(() => rmSync(folder, { recursive: true }));

function run(name: string, ...args: string[]): string {
  return execFileSync(peer(name)!, args, { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
}

const programs = ['dnssec-keygen', 'dnssec-signzone', 'dnssec-dsfromkey'];
needsPeers(...programs)('keys of BIND', () => {
  it.each(algorithms)('are taken with $name', ({ number, mnemonic, family }) => {
    const size = family === 'rsa' ? ['-b', '2048'] : [];
    const output = run(
      'dnssec-keygen',
      ...['-q', '-a', mnemonic, ...size, '-f', 'KSK', 'example.test'],
    );
    const base = join(folder, output.trim());
    const files = {
      key: readFileSync(`${base}.key`, 'utf8'),
      private: readFileSync(`${base}.private`, 'utf8'),
    };
    const pair = importBindKey(exampleApex, files);
    expect(pair.dnskey[3]).toBe(number);
    const again = exportBindKey(exampleApex, pair);
    expect(again.baseName).toBe(output.trim());
    // BIND adds times of its own; the numbers are the same ones.
    expect(privateNumber(again.private)).toBe(privateNumber(files.private));
    const lines = again.private.trim().split('\n');
    for (const line of lines.filter((each) => !each.startsWith('PrivateKey: '))) {
      expect(files.private).toContain(line);
    }
  });

  it.each(algorithms.filter(({ family }) => family === 'rsa'))(
    'are refused with $name and too few bits',
    ({ mnemonic }) => {
      for (const [bits, role] of [
        [1024, ['-f', 'KSK']],
        [1024, []],
        [2040, []],
        [3072, []],
      ] as const) {
        const base = run(
          'dnssec-keygen',
          '-q',
          '-a',
          mnemonic,
          '-b',
          String(bits),
          ...role,
          'example.test',
        );
        const [key, privateText] = ['key', 'private'].map((end) =>
          readFileSync(join(folder, `${base.trim()}.${end}`), 'utf8'),
        );
        const taken = () => importBindKey(exampleApex, { key: key!, private: privateText! });
        if (bits >= 2048) expect(taken().dnskey.length).toBeGreaterThan(bits / 8);
        else expect(taken).toThrow(`the RSA key has ${bits} bit, and 2048 is the least`);
      }
    },
  );

  it.each(algorithms)('are made for BIND with $name', async ({ number, dsDigestType }) => {
    const pair = await generateKey(number, true, [], opensslOpinion);
    const files = exportBindKey(exampleApex, pair);
    writeFileSync(join(folder, `${files.baseName}.key`), files.key);
    writeFileSync(join(folder, `${files.baseName}.private`), files.private, { mode: 0o600 });
    writeFileSync(
      join(folder, 'zone'),
      `example.test. 300 IN SOA a. b. 1 2 3 4 5\nexample.test. 300 IN NS ns.other.test.\n${files.key}`,
    );
    run('dnssec-signzone', '-z', '-o', 'example.test', '-f', 'signed', 'zone', files.baseName);
    expect(readdirSync(folder)).toContain('signed');
    const digest = dsDigestType === 4 ? 'SHA-384' : 'SHA-256';
    const ds = run('dnssec-dsfromkey', '-a', digest, files.baseName).trim();
    expect(ds).toBe(
      `example.test. IN DS ${printRdata(rrtype.DS, dsRdata(exampleApex, pair.dnskey))}`,
    );
    expect(serializePrivateKey(pair.privateKey).length).toBeGreaterThan(40);
  });
});

/** The step into a new epoch makes every signature of a zone again, of a small one and of a large one. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { needsPeers, peer } from '../support/peers.ts';
import { ServedFolder } from '../support/served-folder.ts';
import { complaintsOf } from '../support/zone-verifiers.ts';

const soa = { mname: 'ns1.example.net', rname: 'root@example.net' };

/** The service is in this process, so nothing here may wait for dig. */
async function transferred(served: ServedFolder, zone: string): Promise<string[]> {
  const server = ['@127.0.0.1', '-p', String(served.dnsPort)];
  const shown = ['+noall', '+answer', '+tries=1', '+time=30'];
  const args = [...server, zone, 'AXFR', ...shown];
  const { stdout } = await promisify(execFile)(peer('dig')!, args, { maxBuffer: 1 << 26 });
  const lines = stdout.split('\n').filter((line) => line !== '' && !line.startsWith(';'));
  // The SOA comes again at the end.
  return lines.slice(0, -1);
}

const signaturesIn = (lines: readonly string[]) => lines.filter((line) => /\tRRSIG\t/.test(line));

needsPeers(
  'dig',
  'ldns-verify-zone',
  'dnssec-verify',
  'kzonecheck',
)('case 96: a signed zone', () => {
  it('has new signatures in the first version of a new epoch, which others find good', async () => {
    await using served = await ServedFolder.make();
    await served.start();
    await served.call('POST', '/secondaries', { name: 'here', address: '127.0.0.1:9' });
    // What is longer than a commit takes is signed by a thread.
    for (const [name, records] of [
      ['small.example', 3],
      ['large.example', 700],
    ] as const) {
      await served.call('POST', '/zones', { name, ...soa });
      const create = Array.from({ length: records }, (_, index) => ({
        name: `n${index}`,
        type: 'A',
        value: '192.0.2.1',
      }));
      const bulk = await served.call('POST', '/records/bulk', { zone_name: name, records: create });
      expect(bulk.status).toBeLessThan(300);
      const body = { parent_ns_addrs: ['127.0.0.1'] };
      expect((await served.call('POST', `/zones/${name}/dnssec`, body)).status).toBe(201);
    }
    const names = ['small.example', 'large.example'];
    const before = new Map<string, string[]>();
    for (const name of names) before.set(name, await transferred(served, name));
    await served.stop();
    // Signatures of one second are the same.
    await new Promise((resolve) => setTimeout(resolve, 1100));
    await served.start({ recover: true });
    for (const name of names) {
      const after = await transferred(served, name);
      expect(after[0]).toMatch(new RegExp(`SOA\\t.* ${3 + 65_536} `));
      const old = new Set(signaturesIn(before.get(name)!));
      const fresh = signaturesIn(after);
      expect(fresh).toHaveLength(old.size);
      expect(fresh.filter((line) => old.has(line))).toEqual([]);
      const judged = await complaintsOf(`${after.join('\n')}\n`, {
        origin: `${name}.`,
        now: Date.now(),
        cskCount: 1,
      });
      expect(judged).toEqual([]);
    }
  });
});

/**
 * Signed transfers and queries of the running service, as dig and kdig ask for them: the key's role
 * decides (decisions 8, interface 5.11), and what comes is signed (RFC 8945 5.3).
 */
import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { needsPeers, peer } from '../support/peers.ts';
import type { PeerKey } from '../support/secondaries.ts';
import { type RunningService, startService } from '../support/service.ts';
import { makeTransferKey } from '../support/tsig-keys.ts';

const algorithms = ['hmac-sha256', 'hmac-sha384', 'hmac-sha512'];

let service: RunningService;
/** By algorithm; their roles may transfer example.com and nothing else. */
const movers = new Map<string, PeerKey>();
let anywhere: PeerKey;
let nowhere: PeerKey;

async function prepare(): Promise<void> {
  service = await startService();
  for (const name of ['example.com', 'other.test']) {
    await service.must('POST', '/zones', { name, mname: `ns1.${name}`, rname: `root@${name}` });
  }
  const records = Array.from({ length: 4000 }, (_, at) => ({
    name: `host-${at}`,
    type: 'TXT',
    value: `record number ${at} ${'x'.repeat(at % 60)}`,
  }));
  await service.must('POST', '/records/bulk', { zone_name: 'example.com', records });
  const add = { zone_name: 'example.com', name: 'late', type: 'A', value: '192.0.2.1' };
  await service.must('POST', '/records', add);
  for (const algorithm of algorithms) {
    const name = `mover-${algorithm.slice(-3)}`;
    movers.set(algorithm, await makeTransferKey(service, name, ['example.com'], algorithm));
  }
  anywhere = await makeTransferKey(service, 'anywhere', [null]);
  nowhere = await makeTransferKey(service, 'nowhere', []);
}

/** What dig or kdig printed; both say so when a signature is missing or wrong. */
function ask(program: 'dig' | 'kdig', key: PeerKey | undefined, ...query: string[]): string {
  const server = ['@127.0.0.1', '-p', String(service.dnsPort)];
  const signing = key === undefined ? [] : ['-y', `${key.algorithm}:${key.name}:${key.secret}`];
  const once = program === 'dig' ? ['+tries=1', '+time=30'] : ['+retry=0', '+timeout=30'];
  const { stdout, stderr } = spawnSync(peer(program)!, [...server, ...signing, ...once, ...query], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  return stdout + stderr;
}

/** What either program says of a signature that is missing or wrong, or of a transfer cut short. */
const complaint =
  /^;; (WARNING: reply|ERROR|Couldn't verify)|could not be validated|Transfer failed/;
const complaints = (output: string) => output.split('\n').filter((line) => complaint.test(line));
const records = (output: string) =>
  output.split('\n').filter((line) => /^\S+\s+\d+\s+IN/.test(line));

for (const program of ['dig', 'kdig'] as const) {
  needsPeers(program)(`signed transfers to ${program}`, () => {
    beforeAll(prepare);
    afterAll(async () => {
      await service[Symbol.asyncDispose]();
    });

    it.each(algorithms)('AXFR with %s is whole, each message signed (case 51)', (algorithm) => {
      const output = ask(program, movers.get(algorithm), 'example.com', 'AXFR');
      expect(complaints(output)).toEqual([]);
      expect(records(output)).toHaveLength(4004);
    });

    it.each(algorithms)('IXFR with %s is a delta', (algorithm) => {
      const output = ask(program, movers.get(algorithm), 'example.com', 'IXFR=2');
      expect(complaints(output)).toEqual([]);
      const lines = records(output);
      expect(lines).toHaveLength(5);
      expect(lines[3]).toMatch(/^late\.example\.com\./);
    });

    it('IXFR over UDP is signed too', () => {
      const options = program === 'dig' ? ['+notcp'] : ['+notcp', '+noedns'];
      const output = ask(program, movers.get('hmac-sha256'), ...options, 'example.com', 'IXFR=2');
      expect(complaints(output)).toEqual([]);
      expect(records(output).length).toBeGreaterThan(0);
    });

    it('SOA queries are answered with the signature of the key that asked', () => {
      for (const key of [...movers.values(), nowhere]) {
        for (const transport of ['+tcp', '+notcp']) {
          const output = ask(program, key, transport, 'example.com', 'SOA');
          expect(complaints(output)).toEqual([]);
          expect(output).toContain('NOERROR');
          expect(output).toMatch(new RegExp(`${key.name}\\.?\\s+0\\s+ANY\\s+TSIG`));
        }
      }
    });

    it('keys move the zones of their role and no others', () => {
      const mover = movers.get('hmac-sha256')!;
      const moves = (key: PeerKey | undefined, zone: string) =>
        records(ask(program, key, zone, 'AXFR')).length > 0;
      expect(moves(mover, 'other.test')).toBe(false);
      expect(moves(anywhere, 'other.test')).toBe(true);
      expect(moves(anywhere, 'example.com')).toBe(true);
      expect(moves(nowhere, 'example.com')).toBe(false);
      expect(moves(undefined, 'example.com')).toBe(false);
    });

    it('a signed request never falls back to the rights of its address', async () => {
      await service.must('POST', '/secondaries', { name: 'here', address: '127.0.0.1:9' });
      expect(records(ask(program, undefined, 'other.test', 'AXFR')).length).toBeGreaterThan(0);
      const refused = ask(program, nowhere, 'other.test', 'AXFR');
      expect(records(refused)).toEqual([]);
      const forged = { ...anywhere, secret: Buffer.alloc(32).toString('base64') };
      expect(records(ask(program, forged, 'other.test', 'AXFR'))).toEqual([]);
      const unknown = { ...anywhere, name: 'unknown' };
      expect(records(ask(program, unknown, 'other.test', 'AXFR'))).toEqual([]);
      await service.must('DELETE', '/secondaries/here');
    });

    it('grants and keys count from the next request on', async () => {
      let later = await makeTransferKey(service, 'later', []);
      const axfr = () => records(ask(program, later, 'other.test', 'AXFR')).length > 0;
      const { role_grant } = await service.must('POST', '/roles/role-of-later/grants', {
        actions: ['zone:transfer'],
        zone_name: 'other.test',
      });
      expect(axfr()).toBe(true);
      await service.must('DELETE', `/roles/role-of-later/grants/${role_grant.id}`);
      expect(axfr()).toBe(false);
      await service.must('POST', '/roles/role-of-later/grants', { actions: ['zone:transfer'] });
      expect(axfr()).toBe(true);
      await service.must('DELETE', '/tsig-keys/later');
      expect(axfr()).toBe(false);
      const again = { name: 'later', role_name: 'role-of-later' };
      const { secret } = await service.must('POST', '/tsig-keys', again);
      expect(axfr()).toBe(false);
      later = { ...later, secret };
      expect(axfr()).toBe(true);
    });
  });
}

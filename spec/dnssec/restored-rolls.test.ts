/**
 * A backup of the middle of a roll comes back after the roll was given up, or in the place of an older backup: caches
 * then hold DNSKEYs without the new key, however long ago the backup says that it was published. Or it comes back when
 * the roll has ended, and they hold DNSKEYs without the old one.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { askResolver, startCachingResolver } from '../support/caching-resolver.ts';
import { MovedClock } from '../support/moved-clock.ts';
import { needsPeers } from '../support/peers.ts';
import { program } from '../support/program.ts';
import { startService } from '../support/service.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test's expectations are the check of the shape.
type Json = any;

const name = 'example.test';
const path = `/zones/${name}/dnssec`;
/** The TTL of DNSKEY, and the refresh of the SOA, in seconds. */
const times = { default_ttl: 3600, minimum_ttl: 60, refresh: 300, retry: 60 };

needsPeers(
  'faketime',
  'unbound',
  'dnspython',
)('a backup of the middle of a roll', () => {
  it.each(['the roll was aborted', 'an older backup was restored', 'the roll has ended'])(
    'comes back after %s, and the wait of the new key begins again',
    async (between) => {
      using clock = new MovedClock();
      const { env } = clock;
      await using service = await startService({
        ...env,
        ZONEBOOK_DNS_SCHEDULER_INTERVAL_SECS: '1',
      });
      const command = async (...words: string[]) => {
        const args = [...program.args, ...words, '--data-dir', service.dataDir];
        await promisify(execFile)(program.file, args, {
          env: { PATH: process.env.PATH ?? '', ...env },
        });
      };
      const restore = async (file: string) => {
        await service.end();
        await command('restore', file);
        await service.start();
      };
      const fileOf = (label: string) => join(service.dataDir, `${label}.bak`);
      const keys = async () =>
        (await service.must('GET', path)).keys.map(({ role, state }: Json) => `${role} ${state}`);
      const runs = async () => {
        const { body } = await service.call('GET', '/metrics');
        return Number(/scheduler_runs_total\{result="ok"\} (\d+)|$/.exec(String(body))![1] ?? 0);
      };
      /** Lets so many seconds pass, and the scheduler look at the zone after them. */
      const passes = async (seconds: number) => {
        const before = await runs();
        clock.advance(seconds);
        await expect.poll(runs).toBeGreaterThanOrEqual(before + 2);
      };

      await service.must('POST', '/dnssec-policies', { name: 'pair', split_keys: true });
      const names = { name, mname: `ns1.${name}`, rname: `root@${name}` };
      await service.must('POST', '/zones', { ...names, ...times });
      const records = ['a', 'b', 'c', 'd'].map((each) => {
        return { name: each, type: 'A', value: '192.0.2.1' };
      });
      await service.must('POST', '/records/bulk', { zone_name: name, records });
      const body = { policy_name: 'pair', parent_ns_addrs: ['127.0.0.1:9'] };
      const { ds_records: ds } = await service.must('POST', path, body);
      await command('backup', fileOf('before'));
      await service.must('POST', `${path}/rollover`, { role: 'zsk' });
      await command('backup', fileOf('middle'));
      if (between === 'the roll was aborted') {
        await service.must('POST', `${path}/rollover/abort`, { role: 'zsk' });
      } else if (between === 'the roll has ended') {
        await passes(times.default_ttl + times.refresh + 1);
        await expect.poll(keys).toEqual(['ksk active', 'zsk retired', 'zsk active']);
        await passes(times.default_ttl + times.refresh + 1);
        await expect.poll(keys).toEqual(['ksk active', 'zsk active']);
      } else await restore(fileOf('before'));
      await using resolver = await startCachingResolver({
        servers: { [name]: [service.dnsPort] },
        anchor: `${name}. DS ${ds[0].presentation}`,
        env,
      });
      await resolver.waitFor(name);
      clock.advance(2 * times.default_ttl);
      const isSecure = async (label: string) =>
        (await askResolver(resolver.port, `${label}.${name}`, 'A')).isSecure;
      // It has the DNSKEYs without one of the keys from now on.
      expect(await isSecure('a')).toBe(true);

      await restore(fileOf('middle'));
      await passes(0);
      expect(await isSecure('b')).toBe(true);
      expect(await keys()).toEqual(['ksk active', 'zsk active', 'zsk published']);
      clock.advance(times.default_ttl);
      expect(await isSecure('c')).toBe(true);
      clock.advance(times.refresh + 1);
      await expect.poll(keys).toEqual(['ksk active', 'zsk retired', 'zsk active']);
      expect(await isSecure('d')).toBe(true);
    },
  );
});

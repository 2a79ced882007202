/**
 * A secondary is late while nobody looks, and has caught up before the scheduler asks it: resolvers got DNSKEYs
 * without the new key from it until then.
 */
import { expect, it } from 'vitest';
import { askResolver, startCachingResolver } from '../support/caching-resolver.ts';
import { MovedClock } from '../support/moved-clock.ts';
import { patienceMs } from '../support/patience.ts';
import { needsPeers } from '../support/peers.ts';
import { startSecondary } from '../support/secondaries.ts';
import { startService } from '../support/service.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test's expectations are the check of the shape.
type Json = any;

const name = 'example.test';
const path = `/zones/${name}/dnssec`;
/** Seconds; a DNSKEY is kept for less than the time between two runs of the scheduler. */
const times = { default_ttl: 1800, minimum_ttl: 60, refresh: 300, retry: 60 };

needsPeers(
  'faketime',
  'knotd',
  'unbound',
  'dig',
  'dnspython',
)('a secondary that caught up before it was asked', () => {
  it('has caches given their time from when it was first seen with the new key', async () => {
    using clock = new MovedClock();
    const { env } = clock;
    // It runs at each start, and not again while this lasts.
    await using service = await startService({
      ...env,
      ZONEBOOK_DNS_SCHEDULER_INTERVAL_SECS: '3600',
    });
    const nextRun = async () => {
      await service.end();
      await service.start();
      const runs = async () => String((await service.call('GET', '/metrics')).body);
      await expect
        .poll(runs, { timeout: patienceMs })
        .toMatch(/scheduler_runs_total\{result="ok"\} 1/);
    };
    const keys = async () =>
      (await service.must('GET', path)).keys.map(({ role, state }: Json) => `${role} ${state}`);

    await service.must('POST', '/dnssec-policies', { name: 'pair', split_keys: true });
    const names = { name, mname: `ns1.${name}`, rname: `root@${name}` };
    await service.must('POST', '/zones', { ...names, ...times });
    const records = ['a', 'b', 'c', 'd'].map((each) => {
      return { name: each, type: 'A', value: '192.0.2.1' };
    });
    await service.must('POST', '/records/bulk', { zone_name: name, records });
    const body = { policy_name: 'pair', parent_ns_addrs: ['127.0.0.1:9'] };
    const { ds_records: ds } = await service.must('POST', path, body);
    // The secondary pulls from an address of its own, so that transfers can be cut off.
    await service.must('POST', '/secondaries', { name: 'pull', address: '127.0.0.2:9' });
    await using knotd = await startSecondary('knotd', name, service.dnsPort, undefined, {
      via: '127.0.0.2',
    });
    await service.must('POST', '/secondaries', {
      name: 'knot',
      address: `127.0.0.1:${knotd.port}`,
    });
    const follows = async () => knotd.waitForSerial((await service.must('GET', path)).serial);
    await follows();
    await using resolver = await startCachingResolver({
      servers: { [name]: [knotd.port] },
      anchor: `${name}. DS ${ds[0].presentation}`,
      env,
    });
    await resolver.waitFor(name);
    const isSecure = async (label: string) =>
      (await askResolver(resolver.port, `${label}.${name}`, 'A')).isSecure;
    expect(await isSecure('a')).toBe(true);

    await service.must('PUT', '/secondaries/pull', { enabled: false });
    await service.must('POST', `${path}/rollover`, { role: 'zsk' });
    clock.advance(3500);
    // The resolver has the DNSKEYs without the new key from now on.
    expect(await isSecure('b')).toBe(true);
    await service.must('PUT', '/secondaries/pull', { enabled: true });
    await follows();
    clock.advance(100);
    await nextRun();
    await follows();
    expect(await isSecure('c')).toBe(true);
    expect(await keys()).toEqual(['ksk active', 'zsk active', 'zsk published']);
    clock.advance(3600);
    await nextRun();
    await follows();
    expect(await keys()).toEqual(['ksk active', 'zsk retired', 'zsk active']);
    expect(await isSecure('d')).toBe(true);
  });
});

/** A clock that is behind when the service starts, and one that steps forth while it runs. */
import { expect, it } from 'vitest';
import { askResolver, startCachingResolver } from '../support/caching-resolver.ts';
import { MovedClock } from '../support/moved-clock.ts';
import { patienceMs } from '../support/patience.ts';
import { needsPeers } from '../support/peers.ts';
import { startService } from '../support/service.ts';

const name = 'example.test';
const path = `/zones/${name}/dnssec`;
const yearsSeconds = 2 * 365 * 86_400;
const limit = { timeout: patienceMs, interval: 500 };
/** The scheduler runs at the start, and not again while a test lasts. */
const hourly = { ZONEBOOK_DNS_SCHEDULER_INTERVAL_SECS: '3600' };
const names = {
  name,
  mname: `ns1.${name}`,
  rname: `root@${name}`,
  default_ttl: 60,
  minimum_ttl: 60,
};
const parents = { parent_ns_addrs: ['127.0.0.1:9'] };

needsPeers(
  'faketime',
  'unbound',
  'dnspython',
)('a clock that is behind when the service starts', () => {
  it('has every signature made again as soon as it is set right', async () => {
    using clock = new MovedClock();
    await using service = await startService({ ...hourly, ...clock.env });
    await service.must('POST', '/zones', names);
    const { ds_records: ds } = await service.must('POST', path, parents);
    await using resolver = await startCachingResolver({
      servers: { [name]: [service.dnsPort] },
      anchor: `${name}. DS ${ds[0].presentation}`,
      mostSeconds: 1,
    });
    await resolver.waitFor(name);
    const isSecure = async () => (await askResolver(resolver.port, name, 'NS')).isSecure;
    expect(await isSecure()).toBe(true);
    await service.end();
    clock.advance(-yearsSeconds);
    await service.start();
    await expect.poll(isSecure, limit).toBe(false);
    clock.advance(yearsSeconds);
    await expect.poll(isSecure, limit).toBe(true);
    const status = await service.must('GET', path);
    expect(status).toMatchObject({ expired_signatures: 0, future_signatures: 0, warnings: [] });
  });
});

needsPeers('faketime')('a clock that steps forth', () => {
  it('has signatures that ran out made again, and no key promoted, with no event ahead of it', async () => {
    using clock = new MovedClock();
    await using service = await startService({ ...hourly, ...clock.env });
    await service.must('POST', '/zones', names);
    await service.must('POST', '/dnssec-policies', { name: 'split', split_keys: true });
    await service.must('POST', path, { ...parents, policy_name: 'split' });
    await service.must('POST', `${path}/rollover`, { role: 'zsk' });
    clock.advance(20 * 86_400);
    const expiry = async () => {
      const { earliest_signature_expires_at: at } = await service.must('GET', path);
      return Date.parse(at);
    };
    await expect.poll(expiry, limit).toBeGreaterThan(clock.now());
    // It may be set back in a moment: keys take no step before the next run of the interval.
    const { keys } = await service.must('GET', path);
    expect(keys.map(({ state }: { state: string }) => state)).toContain('published');
    expect(Date.parse(keys.at(-1).eligible_at)).toBeLessThan(clock.now());
  });
});

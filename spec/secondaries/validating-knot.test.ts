/**
 * knotd that checks signatures before it serves what it fetched (`dnssec-validation`), as its page tells: it
 * refuses a zone with two CSKs, and follows a KSK and a ZSK through every roll.
 */
import { expect, it } from 'vitest';
import { MovedClock } from '../support/moved-clock.ts';
import { patienceMs } from '../support/patience.ts';
import { needsPeers } from '../support/peers.ts';
import { type RunningSecondary, startSecondary } from '../support/secondaries.ts';
import { type RunningService, startService } from '../support/service.ts';

const zone = 'example.test';
const path = `/zones/${zone}/dnssec`;
const validating = ['dnssec-validation: on'];
const promoting = `${path}/rollover/promote?skip_ds_check=true&skip_holddown=true&skip_secondaries=true`;

async function signedZone(service: RunningService, policy: object): Promise<void> {
  const days = { signature_validity_days: 14, signature_refresh_days: 0 };
  await service.must('POST', '/dnssec-policies', { name: 'before', ...days, ...policy });
  const after = { name: 'after', algorithm: 'ed25519', ...days, ...policy };
  await service.must('POST', '/dnssec-policies', after);
  const times = { refresh: 1, retry: 1, default_ttl: 60, minimum_ttl: 60 };
  const names = { name: zone, mname: 'ns1.test', rname: 'root@test' };
  await service.must('POST', '/zones', { ...names, ...times });
  for (const [name, type, value] of [
    ['@', 'NS', 'ns.other.test.'],
    ['www', 'A', '192.0.2.1'],
  ]) {
    await service.must('POST', '/records', { zone_name: zone, name, type, value });
  }
  const parents = { parent_ns_addrs: ['127.0.0.1:9'] };
  await service.must('POST', path, { policy_name: 'before', ...parents });
}

/** Follows the service by NOTIFY. */
async function validatingKnot(service: RunningService): Promise<RunningSecondary> {
  await service.must('POST', '/secondaries', { name: 'early', address: '127.0.0.1:9' });
  const knot = await startSecondary('knotd', zone, service.dnsPort, undefined, {
    zoneLines: validating,
  });
  await service.must('DELETE', '/secondaries/early');
  const address = `127.0.0.1:${knot.port}`;
  await service.must('POST', '/secondaries', { name: 'knot', address });
  return knot;
}

const serialOf = async (service: RunningService): Promise<number> =>
  (await service.must('GET', `/zones/${zone}`)).zone.serial;

needsPeers(
  'faketime',
  'knotd',
  'dig',
)('knotd with dnssec-validation', () => {
  it.each([
    ['rolls', 'POST', `${path}/rollover`, undefined],
    ['moves to another algorithm', 'PUT', path, { policy_name: 'after' }],
  ])('refuses a zone while its CSK %s', async (_, method, action, body) => {
    await using service = await startService();
    await signedZone(service, {});
    await using knot = await validatingKnot(service);
    const before = await serialOf(service);
    await knot.waitForSerial(before);
    await service.must(method, action, body);
    const refuses = async (serial: number) =>
      knot.waitForLog(
        new RegExp(
          `remote serial ${serial}, zone is outdated[\\s\\S]*?DNSSEC, validation failed`,
          'g',
        ),
        1,
      );
    await refuses(before + 1);
    await service.must('POST', promoting);
    const after = await serialOf(service);
    await refuses(after);
    expect(after).toBe(before + 2);
    expect(knot.serial()).toBe(before);
  });

  it('follows a KSK and a ZSK through every roll', async () => {
    using clock = new MovedClock();
    const scheduled = { ZONEBOOK_DNS_SCHEDULER_INTERVAL_SECS: '1', ...clock.env };
    await using service = await startService(scheduled);
    await signedZone(service, { split_keys: true });
    await using knot = await validatingKnot(service);
    const follows = async () => knot.waitForSerial(await serialOf(service));
    const keysAre = (...keys: string[]) =>
      expect
        .poll(
          async () => {
            const status = await service.must('GET', path);
            return status.keys.map((key: Record<string, string>) => `${key.role} ${key.state}`);
          },
          { timeout: patienceMs, interval: 100 },
        )
        .toEqual(keys);
    await follows();
    await service.must('POST', `${path}/rollover`, { role: 'zsk' });
    await follows();
    clock.advance(62);
    await keysAre('ksk active', 'zsk retired', 'zsk active');
    await follows();
    clock.advance(62);
    await keysAre('ksk active', 'zsk active');
    await follows();
    await service.must('POST', `${path}/rollover`, { role: 'ksk' });
    await follows();
    await service.must('POST', promoting);
    await follows();
    // Nobody speaks for the parent, so a day is waited for, of which knotd's clock knows nothing.
    await service.must('DELETE', `${path}?skip_ds_check=true`);
    await service.must('POST', path, { policy_name: 'before', parent_ns_addrs: ['127.0.0.1:9'] });
    await follows();
    await service.must('PUT', path, { policy_name: 'after' });
    await follows();
    await service.must('POST', promoting);
    await follows();
  });
});

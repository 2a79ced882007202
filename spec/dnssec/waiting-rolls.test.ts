/**
 * Rolls that wait for others, among real processes: a named that is the parent, one that never answers, a
 * knotd whose transfers are cut off, an unbound that asks all the while (cases 107 and 108).
 */
import { createSocket } from 'node:dgram';
import { expect, it } from 'vitest';
import { BogusWatch, startCachingResolver } from '../support/caching-resolver.ts';
import { run } from '../support/command-line.ts';
import { ZoneLife } from '../support/life-of-zone.ts';
import { ParentZone, parentName } from '../support/parent-zone.ts';
import { patienceMs } from '../support/patience.ts';
import { needsPeers } from '../support/peers.ts';
import { freePort } from '../support/ports.ts';
import { startSecondary } from '../support/secondaries.ts';
import { type RunningService, startService } from '../support/service.ts';

const name = `waits.${parentName}`;
const skipping = '/rollover/promote?skip_ds_check=true&skip_holddown=true';

/** A server of the parent that takes questions and never answers. */
async function startMute() {
  const socket = createSocket('udp4');
  const port = await freePort();
  await new Promise<void>((resolve) => socket.bind(port, '127.0.0.1', resolve));
  return { address: `127.0.0.1:${port}`, [Symbol.dispose]: () => void socket.close() };
}

async function metric(service: RunningService, wanted: string): Promise<number> {
  const { body } = await service.call('GET', '/metrics');
  const line = (body as string).split('\n').find((each) => each.startsWith(`${wanted} `));
  return Number(line?.split(' ')[1]);
}

needsPeers(
  'named',
  'knotd',
  'unbound',
  'dig',
  'nsupdate',
)('rolls that wait', () => {
  it('cases 107 and 108: for a silent parent, a late secondary and a foreign DS', async () => {
    await using service = await startService({ ZONEBOOK_DNS_SCHEDULER_INTERVAL_SECS: '1' });
    await using parent = await ParentZone.start(['waits'], 2);
    using mute = await startMute();
    await service.must('POST', '/dnssec-policies', { name: 'pair', split_keys: true });
    const zone = await ZoneLife.create(service, parent, name);
    // The secondary pulls from an address of its own, so that transfers can be cut off.
    await service.must('POST', '/secondaries', { name: 'pull', address: '127.0.0.2:9' });
    await using knotd = await startSecondary('knotd', name, service.dnsPort, undefined, {
      via: '127.0.0.2',
    });
    // The zone may take its next step before the secondary has this one.
    const follows = () =>
      expect.poll(async () => knotd.serial() === (await zone.status()).serial).toBe(true);
    const address = `127.0.0.1:${knotd.port}`;
    await service.must('POST', '/secondaries', { name: 'knot', address });
    await using resolver = await startCachingResolver({
      servers: { [parentName]: [parent.port], [name]: [service.dnsPort] },
      anchor: await parent.anchor(),
      mostSeconds: 1,
    });
    const parents = { parent_ns_addrs: [zone.parentAddress] };
    await zone.does('POST', '', { policy_name: 'pair', ...parents });
    await parent.setDs(name, await zone.dsRecords());
    await resolver.waitFor(name);
    await using watch = new BogusWatch(resolver.port, name);
    await watch.settles(true);

    // Case 107: the parent is silent, and the ZSK is rolled beside the KSK.
    await zone.does('PUT', '', { parent_ns_addrs: [mute.address] });
    await zone.does('POST', '/rollover', { role: 'ksk' });
    await zone.does('POST', '/rollover', { role: 'zsk' });
    expect(await zone.keys()).toBe('ksk active, zsk active, ksk published, zsk published');
    const aborted = await zone.does('POST', '/rollover/abort');
    expect(await zone.keys()).toBe('ksk active, zsk active, zsk published');
    await zone.does('POST', '/rollover/abort');
    await zone.refuses('DNSSEC_NO_ROLLOVER_IN_PROGRESS', 'POST', '/rollover/abort');
    await follows();
    expect(aborted.serial).toBeLessThan((await zone.status()).serial);
    expect(knotd.dig(name, 'DNSKEY')).toHaveLength(2);
    await zone.does('PUT', '', parents);

    // The secondary is cut off, and holds the promotion back.
    await service.must('PUT', '/secondaries/pull', { enabled: false });
    await zone.does('POST', '/rollover', { role: 'ksk' });
    await zone.refuses('DNSSEC_SECONDARY_BEHIND', 'POST', skipping);
    const reply = await service.call('POST', `/zones/${name}/dnssec${skipping}`);
    expect(reply.body.error).toMatch(/'knot' \(127\.0\.0\.1:\d+\) still serves serial \d+/);
    const step = { action: 'promote', secondaries_behind: ['knot'] };
    expect((await zone.status()).next_steps).toContainEqual(expect.objectContaining(step));
    await parent.setDs(name, await zone.dsRecords());
    await service.must('PUT', '/secondaries/pull', { enabled: true });
    await follows();
    await zone.does('POST', skipping);
    expect(await zone.keys()).toBe('ksk retired, zsk active, ksk active');
    expect(watch.wrong).toEqual([]);

    // Case 108: the parent has a DS that is nobody's.
    watch.letsGo();
    const tags = (await zone.status()).keys.map((key: { key_tag: number }) => key.key_tag);
    const foreign = [1, 2, 3, 4].find((tag) => !tags.includes(tag))!;
    await parent.setDs(name, [`${foreign} 13 2 ${'AB'.repeat(32)}`]);
    // After a start the scheduler looks at all zones; later each has its turn within a day.
    await service.end();
    await service.start();
    const warned = [expect.stringContaining('names no key')];
    await expect
      .poll(async () => (await zone.status()).warnings, { timeout: patienceMs, interval: 200 })
      .toEqual(warned);
    expect((await zone.does('POST', '/check-ds')).warnings).toEqual(warned);
    expect(await metric(service, 'zonebook_dnssec_foreign_ds_zones_total')).toBe(1);
    // The doctor would take its time with them.
    for (const each of ['pull', 'knot']) await service.must('DELETE', `/secondaries/${each}`);
    const doctor = await run(['doctor', '-o', 'table'], { dataDir: service.dataDir });
    const said = `DS of key ${foreign}, none of a key of ${name}`;
    expect(doctor.out).toMatch(new RegExp(`ds ${name} .*${said}`));
  });
});

/**
 * The life of signed zones among real processes: named is the parent and serves the DS that their CDS ask
 * for, unbound validates from the parent down and caches, and asks without pause. With the shortest TTLs
 * and timers that a zone may have nothing is ever bogus, and what is out of order is refused with its
 * code (cases 81 and 82; interface 3).
 *
 * The whole script takes some ten minutes: LONG_TESTS=1. The short one has a resolver that keeps nothing
 * for more than two seconds, so that hold-downs may be skipped once it has forgotten.
 */
import { expect, it } from 'vitest';
import { BogusWatch, startCachingResolver } from '../support/caching-resolver.ts';
import { ZoneLife } from '../support/life-of-zone.ts';
import { isLong } from '../support/long.ts';
import { ParentZone, parentName } from '../support/parent-zone.ts';
import { needsPeers } from '../support/peers.ts';
import { startSecondary } from '../support/secondaries.ts';
import { type RunningService, startService } from '../support/service.ts';
import type { PeerProcess } from '../support/signed-peers.ts';

const cskZone = `csk.${parentName}`;
const splitZone = `split.${parentName}`;

async function startScheduled(): Promise<RunningService> {
  const service = await startService({ ZONEBOOK_DNS_SCHEDULER_INTERVAL_SECS: '1' });
  const days = { signature_validity_days: 2, signature_refresh_days: 1 };
  for (const policy of [
    { name: 'p256', algorithm: 'ecdsap256sha256' },
    { name: 'edwards', algorithm: 'ed25519' },
    { name: 'edwards-nsec', algorithm: 'ed25519', denial: 'nsec' },
    { name: 'pair', algorithm: 'ecdsap256sha256', split_keys: true },
  ]) {
    await service.must('POST', '/dnssec-policies', { ...policy, ...days });
  }
  return service;
}

const peers = ['named', 'unbound', 'dig', 'nsupdate', 'dnspython'] as const;

needsPeers(...peers)('a life under a real parent', () => {
  it('is signed, rolled and unsigned, and never bogus', async () => {
    const mostSeconds = 2;
    await using service = await startScheduled();
    await using parent = await ParentZone.start(['csk'], 2);
    await using resolver = await startCachingResolver({
      servers: { [parentName]: [parent.port], [cskZone]: [service.dnsPort] },
      anchor: await parent.anchor(),
      mostSeconds,
    });
    const zone = await ZoneLife.create(service, parent, cskZone);
    await service.must('POST', '/secondaries', { name: 'here', address: '127.0.0.1:9' });
    await resolver.waitFor(cskZone);
    await using watch = new BogusWatch(resolver.port, cskZone);
    const forgotten = () => zone.passes(2 * mostSeconds + 1);

    await zone.does('POST', '', { policy_name: 'p256', parent_ns_addrs: [zone.parentAddress] });
    await zone.refuses('DNSSEC_ALREADY_ENABLED', 'POST', '', {
      parent_ns_addrs: [zone.parentAddress],
    });
    await forgotten();
    await parent.setDs(cskZone, await zone.dsRecords());
    await watch.settles(true);
    await zone.refuses('DNSSEC_DS_PUBLISHED', 'DELETE', '');
    await zone.refusesUnverified('DELETE', '');

    await zone.refuses('DNSSEC_NO_ROLLOVER_IN_PROGRESS', 'POST', '/rollover/promote');
    await zone.does('POST', '/rollover');
    await zone.refuses('DNSSEC_ROLLOVER_IN_PROGRESS', 'POST', '/rollover');
    await zone.refuses('INVALID_INPUT', 'POST', '/rollover/promote');
    const skipping = '/rollover/promote?skip_holddown=true';
    await zone.refuses('DNSSEC_DS_NOT_PUBLISHED', 'POST', skipping);
    await zone.refusesUnverified('POST', skipping);
    await parent.setDs(cskZone, await zone.dsRecords());
    await forgotten();
    await zone.does('POST', skipping);
    expect(await zone.keys()).toBe('csk retired, csk active');
    await parent.setDs(cskZone, await zone.dsRecords());
    await forgotten();

    await zone.does('POST', '/withdraw');
    await zone.refuses('INVALID_INPUT', 'POST', '/withdraw');
    watch.letsGo();
    expect(await parent.followCds(cskZone, service.dnsPort)).toEqual(['0 0 0 00']);
    await forgotten();
    await zone.does('DELETE', '');
    await zone.refuses('DNSSEC_NOT_ENABLED', 'POST', '/rollover');
    await watch.settles(false);
    expect(watch.wrong).toEqual([]);
  });

  if (!isLong) return;

  it('goes through everything with caches that keep what TTLs say', async () => {
    await using service = await startScheduled();
    await using parent = await ParentZone.start(['csk', 'split'], 20);
    const zone = await ZoneLife.create(service, parent, cskZone);
    const pair = await ZoneLife.create(service, parent, splitZone);
    // Half of the questions about the one zone go to a secondary that follows it.
    await using secondary = await startSecondary('named', cskZone, service.dnsPort);
    const address = `127.0.0.1:${secondary.port}`;
    await service.must('POST', '/secondaries', { name: 'named', address });
    await secondary.waitForSerial((await service.must('GET', `/zones/${cskZone}`)).zone.serial);
    await using resolver = await startCachingResolver({
      servers: {
        [parentName]: [parent.port],
        [cskZone]: [service.dnsPort, secondary.port],
        [splitZone]: [service.dnsPort],
      },
      anchor: await parent.anchor(),
    });
    await resolver.waitFor(cskZone);
    const lives = [wholeLife(zone, resolver), lifeOfPair(pair, resolver)];
    await Promise.all(lives);
  }, 1_800_000);
});

/** CSK: enabled, rolled, moved to another algorithm and another denial, withdrawn, disabled. */
async function wholeLife(zone: ZoneLife, resolver: PeerProcess): Promise<void> {
  const { parent, service } = zone;
  await using watch = new BogusWatch(resolver.port, zone.name);
  const parents = { parent_ns_addrs: [zone.parentAddress] };
  await watch.settles(false);
  const enabled = await zone.does('POST', '', { policy_name: 'p256', ...parents });
  expect(enabled.ds_records).toHaveLength(1);
  await zone.refuses('DNSSEC_ALREADY_ENABLED', 'POST', '', parents);
  expect(await parent.followCds(zone.name, service.dnsPort)).toEqual([]);
  await zone.untilCdsFollowed(1);
  await watch.settles(true);
  expect(watch.wrong).toEqual([]);

  await zone.refuses('DNSSEC_DS_PUBLISHED', 'DELETE', '');
  await zone.refusesUnverified('DELETE', '');
  await zone.refuses('INVALID_INPUT', 'DELETE', '/withdraw');
  await zone.refuses('INVALID_INPUT', 'PUT', '', { policy_name: 'pair' });
  await zone.refuses('DNSSEC_NO_ROLLOVER_IN_PROGRESS', 'POST', '/rollover/promote');

  await zone.does('POST', '/rollover');
  await zone.refuses('DNSSEC_ROLLOVER_IN_PROGRESS', 'POST', '/rollover');
  await zone.refuses('DNSSEC_ROLLOVER_IN_PROGRESS', 'PUT', '', { policy_name: 'edwards' });
  await zone.refuses('INVALID_INPUT', 'POST', '/rollover/promote');
  await zone.passes(62);
  await zone.refuses('DNSSEC_DS_NOT_PUBLISHED', 'POST', '/rollover/promote');
  await zone.refusesUnverified('POST', '/rollover/promote');
  await zone.until('the status says what it waits for', 30_000, async () => {
    const [step] = (await zone.status()).next_steps;
    expect(step).toMatchObject({ action: 'promote', awaits: 'ds_at_all_parents' });
    return step.blocked_by?.includes(`${zone.parentAddress} serves no DS`) ?? false;
  });
  await zone.untilCdsFollowed(2);
  await zone.untilKeys('csk retired, csk active');
  await zone.untilCdsFollowed(1);
  await zone.untilKeys('csk active');
  expect(watch.wrong).toEqual([]);

  await zone.does('PUT', '', { policy_name: 'edwards' });
  await zone.refuses('INVALID_INPUT', 'POST', '/rollover/promote');
  await zone.refuses('DNSSEC_ROLLOVER_IN_PROGRESS', 'POST', '/rollover');
  // The new algorithm is not spoken of before all caches have its signatures.
  expect(await parent.followCds(zone.name, service.dnsPort)).toHaveLength(1);
  expect(await zone.dsRecords()).toHaveLength(1);
  await zone.untilCdsFollowed(2);
  await zone.untilKeys('csk retired, csk active');
  // The parent is slow: both algorithms stay, and the status says for whom.
  await zone.until('the old algorithm is held', 150_000, async () => {
    const [{ blocked_by: blocked } = {}] = (await zone.status()).next_steps;
    return blocked?.includes('still serves a DS of algorithm 13') ?? false;
  });
  expect(await zone.keys()).toBe('csk retired, csk active');
  await zone.untilCdsFollowed(1);
  await zone.untilKeys('csk active');
  await zone.passes(65);
  expect(watch.wrong).toEqual([]);

  await zone.does('PUT', '', { policy_name: 'edwards-nsec' });
  await zone.passes(65);
  expect(watch.wrong).toEqual([]);

  await zone.does('POST', '/withdraw');
  await zone.refuses('INVALID_INPUT', 'POST', '/withdraw');
  await zone.refuses('DNSSEC_DS_PUBLISHED', 'DELETE', '');
  watch.letsGo();
  expect(await parent.followCds(zone.name, service.dnsPort)).toEqual(['0 0 0 00']);
  // The old DS has to leave all caches, and what was found secure by it.
  await zone.passes(parent.dsTtlSeconds + 60);
  await zone.does('DELETE', '');
  await zone.refuses('DNSSEC_NOT_ENABLED', 'POST', '/rollover');
  await zone.refuses('DNSSEC_NOT_ENABLED', 'DELETE', '');
  await watch.settles(false);
  await zone.passes(62);
  expect(watch.wrong).toEqual([]);
}

/** KSK and ZSK: enabled, the ZSK rolled, then the KSK. */
async function lifeOfPair(zone: ZoneLife, resolver: PeerProcess): Promise<void> {
  await using watch = new BogusWatch(resolver.port, zone.name);
  const parents = { parent_ns_addrs: [zone.parentAddress] };
  await zone.does('POST', '', { policy_name: 'pair', ...parents });
  await zone.untilCdsFollowed(1);
  await watch.settles(true);

  await zone.refuses('INVALID_INPUT', 'POST', '/rollover');
  await zone.refuses('INVALID_INPUT', 'POST', '/rollover', { role: 'csk' });
  await zone.does('POST', '/rollover', { role: 'zsk' });
  await zone.refuses('INVALID_INPUT', 'POST', '/rollover/promote');
  await zone.refuses('DNSSEC_ROLLOVER_IN_PROGRESS', 'POST', '/rollover', { role: 'ksk' });
  await zone.untilKeys('ksk active, zsk retired, zsk active');
  await zone.untilKeys('ksk active, zsk active');
  expect(watch.wrong).toEqual([]);

  await zone.does('POST', '/rollover', { role: 'ksk' });
  await zone.refuses('INVALID_INPUT', 'POST', '/rollover/promote');
  await zone.untilCdsFollowed(2);
  await zone.untilKeys('ksk retired, zsk active, ksk active');
  await zone.untilCdsFollowed(1);
  await zone.untilKeys('zsk active, ksk active');
  await zone.passes(62);
  expect(watch.wrong).toEqual([]);
}

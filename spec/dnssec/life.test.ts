/** The life of a signed zone over the HTTP interface, in years that pass in seconds. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ParentAnswer } from '../../src/dnssec/parent-ds.ts';
import { InProcessService } from '../support/in-process.ts';
import { needsPeers, peer } from '../support/peers.ts';

const day = 86_400_000;
const parents = { parent_ns_addrs: ['192.0.2.1'] };
const zone = 'example.com';
let service: InProcessService;

beforeEach(async () => {
  service = new InProcessService();
  await service.createZone(zone);
  for (const [name, type, value] of [
    ['ns1', 'A', '192.0.2.1'],
    ['www', 'A', '192.0.2.2'],
    ['www', 'AAAA', '2001:db8::2'],
    ['a.b.c', 'TXT', 'deep'],
    ['*.wild', 'A', '192.0.2.9'],
    ['sub', 'NS', 'ns.sub.example.com.'],
    ['ns.sub', 'A', '192.0.2.77'],
    ['secure', 'NS', 'ns1.example.com.'],
    ['secure', 'DS', '12345 13 2 49FD46E6C4B45C55D4AC69CBD3CD34AC1AFE51DE0B0EB62B7E1B3E8A24C2CC1A'],
    ['alias', 'CNAME', 'www.example.com.'],
    ['tree', 'DNAME', 'example.net.'],
  ]) {
    await service.call('POST', '/records', { zone_name: zone, name, type, value });
  }
  service.parents = (_, addresses) => addresses.map((address) => noDs(address));
});

afterEach(() => service.close());

const noDs = (address: string): ParentAnswer => ({ address, ds: [], ttlSeconds: null });

/** The zone as it is transferred is what verifiers accept at the time of the service. */
async function verifies(): Promise<void> {
  const text = await (await service.fetch('GET', `/zones/${zone}/export?signed=true`)).text();
  const folder = mkdtempSync(join(tmpdir(), 'zonebook-life-'));
  const file = join(folder, 'zone');
  writeFileSync(file, text);
  const now = new Date(service.now()).toISOString().slice(0, 19).replace(/\D/g, '');
  try {
    await promisify(execFile)(peer('ldns-verify-zone')!, ['-t', now, file]);
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`ldns-verify-zone: ${stdout}${stderr}\n${text}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const status = () => service.call('GET', `/zones/${zone}/dnssec`);
const statesOf = (answer: { keys: { role: string; state: string }[] }) =>
  answer.keys.map(({ role, state }) => `${role} ${state}`);

/** Parents that serve the DS of all keys in a status. */
function serveDs({ ds_records }: { ds_records: { presentation: string }[] }, ttl = 3600) {
  const ds = ds_records.map(({ presentation }) => {
    const [tag, algorithm, type, ...digest] = presentation.split(' ');
    const head = Buffer.alloc(4);
    head.writeUInt16BE(Number(tag));
    head[2] = Number(algorithm);
    head[3] = Number(type);
    return Buffer.concat([head, Buffer.from(digest.join(''), 'hex')]);
  });
  service.parents = (_, addresses) =>
    addresses.map((address) => ({ address, ds, ttlSeconds: ttl }));
}

needsPeers('ldns-verify-zone')('a CSK', () => {
  it('is enabled, rolls, is withdrawn and disabled', async () => {
    const enabled = await service.call('POST', `/zones/${zone}/dnssec`, parents, 201);
    expect(enabled).toMatchObject({ enabled: true, withdrawing: false, expired_signatures: 0 });
    expect(statesOf(enabled)).toEqual(['csk active']);
    await verifies();
    serveDs(enabled);
    await service.call('POST', '/records', {
      zone_name: zone,
      name: 'new',
      type: 'A',
      value: '192.0.2.3',
    });
    await verifies();

    const rolling = await service.call('POST', `/zones/${zone}/dnssec/rollover`, {}, 200);
    expect(statesOf(rolling)).toEqual(['csk active', 'csk published']);
    expect(rolling.ds_records).toHaveLength(2);
    await verifies();
    const early = await service.fetch('POST', `/zones/${zone}/dnssec/rollover/promote`);
    expect([early.status, await early.json()]).toMatchObject([400, { code: 'INVALID_INPUT' }]);
    service.pass(2 * 3_600_000);
    const unseen = await service.fetch('POST', `/zones/${zone}/dnssec/rollover/promote`);
    expect([unseen.status, await unseen.json()]).toMatchObject([
      409,
      { code: 'DNSSEC_DS_NOT_PUBLISHED' },
    ]);
    serveDs(rolling);
    const promoted = await service.call('POST', `/zones/${zone}/dnssec/rollover/promote`);
    expect(statesOf(promoted)).toEqual(['csk retired', 'csk active']);
    await verifies();

    service.pass(2 * day);
    await service.signing.scheduler.runOnce();
    expect(statesOf(await status())).toEqual(['csk active']);
    await verifies();

    const held = await service.fetch('DELETE', `/zones/${zone}/dnssec`);
    expect([held.status, await held.json()]).toMatchObject([409, { code: 'DNSSEC_DS_PUBLISHED' }]);
    expect(await service.call('POST', `/zones/${zone}/dnssec/withdraw`)).toMatchObject({
      withdrawing: true,
    });
    await verifies();
    service.parents = (_, addresses) => addresses.map((address) => noDs(address));
    service.pass(day);
    await service.call('DELETE', `/zones/${zone}/dnssec`);
    expect(await status()).toMatchObject({ enabled: false, policy: null, keys: [], signatures: 0 });
    const plain = await (await service.fetch('GET', `/zones/${zone}/export?signed=true`)).text();
    expect(plain).not.toMatch(/RRSIG|DNSKEY|NSEC/);
    expect(await service.verify()).toEqual([]);
  });
});

needsPeers('ldns-verify-zone')('signatures', () => {
  it('are made anew before they run out', async () => {
    await service.call('POST', `/zones/${zone}/dnssec`, parents, 201);
    for (let days = 0; days < 30; days++) {
      service.pass(day);
      await service.signing.scheduler.runOnce();
      if (days % 5 === 0) await verifies();
    }
    expect(await status()).toMatchObject({ expired_signatures: 0 });
    expect(await service.verify()).toEqual([]);
  });
});

needsPeers('ldns-verify-zone')('another policy', () => {
  it('changes denial, and algorithm by a double signature', async () => {
    const policy = (name: string, fields: object) =>
      service.call('POST', '/dnssec-policies', { name, ...fields }, 201);
    await policy('plain', { denial: 'nsec' });
    await policy('edwards', { algorithm: 'ed25519', denial: 'nsec' });
    const enabled = await service.call('POST', `/zones/${zone}/dnssec`, parents, 201);
    serveDs(enabled);
    await service.call('PUT', `/zones/${zone}/dnssec`, { policy_name: 'plain' });
    const text = await (await service.fetch('GET', `/zones/${zone}/export?signed=true`)).text();
    expect(text).toMatch(/\tNSEC\t/);
    expect(text).not.toMatch(/\tNSEC3(PARAM)?\t/);
    await verifies();
    const rolling = await service.call('PUT', `/zones/${zone}/dnssec`, { policy_name: 'edwards' });
    expect(statesOf(rolling)).toEqual(['csk active', 'csk published']);
    expect(rolling.ds_records).toHaveLength(1);
    await verifies();
    service.pass(day);
    serveDs(await status());
    await service.signing.scheduler.runOnce();
    expect(statesOf(await status())).toEqual(['csk retired', 'csk active']);
    await verifies();
    service.pass(2 * day);
    await service.signing.scheduler.runOnce();
    // The parents still serve the DS of the leaving algorithm: both stay.
    const waiting = await status();
    expect(statesOf(waiting)).toEqual(['csk retired', 'csk active']);
    expect(waiting.next_steps[0].blocked_by).toMatch(/still serves a DS of algorithm 13/);
    serveDs({ ds_records: waiting.ds_records });
    await service.signing.scheduler.runOnce();
    // They let go, but resolvers may have asked a moment ago.
    const draining = await status();
    expect(statesOf(draining)).toEqual(['csk retired', 'csk active']);
    const seenUntil = Date.parse(draining.next_steps[0].at) - service.now();
    expect(seenUntil / 60_000).toBeCloseTo((3600 + 3600 + 300) / 60, 0);
    service.pass(2 * 3_600_000);
    await service.signing.scheduler.runOnce();
    expect(statesOf(await status())).toHaveLength(2);
    service.pass(3_600_000);
    await service.signing.scheduler.runOnce();
    expect(statesOf(await status())).toEqual(['csk active']);
    await verifies();
    expect(await service.verify()).toEqual([]);
  });
});

needsPeers('ldns-verify-zone')('a KSK and a ZSK', () => {
  it('roll by themselves and when asked', async () => {
    await service.call(
      'POST',
      '/dnssec-policies',
      { name: 'split', split_keys: true, zsk_lifetime_days: 30 },
      201,
    );
    const wanted = { ...parents, policy_name: 'split' };
    const enabled = await service.call('POST', `/zones/${zone}/dnssec`, wanted, 201);
    expect(statesOf(enabled)).toEqual(['ksk active', 'zsk active']);
    serveDs(enabled);
    await verifies();
    const seen = new Set<string>();
    for (let days = 0; days < 35; days++) {
      service.pass(day);
      await service.signing.scheduler.runOnce();
      seen.add(statesOf(await status()).join(', '));
      if (days > 28) await verifies();
    }
    expect([...seen]).toEqual([
      'ksk active, zsk active',
      'ksk active, zsk active, zsk published',
      'ksk active, zsk retired, zsk active',
    ]);
    expect(await service.verify()).toEqual([]);
  });
});

it('a deleted zone comes back signed under the same keys', async () => {
  const enabled = await service.call('POST', `/zones/${zone}/dnssec`, parents, 201);
  await service.call('DELETE', `/zones/${zone}`);
  service.pass(40 * day);
  await service.call('POST', `/zones/${zone}/restore`);
  const restored = await status();
  expect(restored.keys[0].key_tag).toBe(enabled.keys[0].key_tag);
  expect(restored.expired_signatures).toBe(0);
  expect(await service.verify()).toEqual([]);
});

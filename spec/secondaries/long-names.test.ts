/**
 * Names without room for a wildcard before them: NSD 4.6 hashes that of every name in a zone with NSEC3, and ends.
 * No way in stores one there, nor signs a zone with NSEC3 that has one.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ControlledNsd, startControlledNsd } from '../support/controlled-nsd.ts';
import { hasNoted } from '../support/nsd-control.ts';
import { needsPeers } from '../support/peers.ts';
import { type RunningService, startService } from '../support/service.ts';
import { TransferClient } from '../support/transfer-client.ts';

const apexBytes = 'z.example'.length + 2;
const soa = { mname: 'ns1.other.test', rname: 'h@other.test' };

/** A name below the apex that has so many bytes with it. */
function ownerOf(bytes: number): string {
  const left = bytes - apexBytes;
  const last = left - 3 * 64;
  return [...Array.from({ length: 3 }, () => 'o'.repeat(63)), 'l'.repeat(last - 1)].join('.');
}

const [longest, tooLong] = [ownerOf(253), ownerOf(254)];
const text = (name: string) => ({ name, type: 'TXT', value: 'x', ttl: 60 });

needsPeers(
  'nsd',
  'nsd-control',
  'dnspython',
)('case 97: the longest names with NSEC3', () => {
  let service: RunningService;
  let nsd: ControlledNsd;
  const client = new TransferClient();
  beforeAll(async () => {
    const env = {
      ZONEBOOK_API_EXTERNAL_DNS_ENABLED: 'true',
      ZONEBOOK_DNS_NSUPDATE_TSIG_REQUIRED: 'false',
    };
    service = await startService(env);
    nsd = await startControlledNsd(service.dnsPort);
    await service.must('POST', '/secondaries', { name: 'nsd', address: `127.0.0.1:${nsd.port}` });
    for (const [name, denial] of [
      ['hashed', 'nsec3'],
      ['named', 'nsec'],
    ]) {
      await service.must('POST', '/dnssec-policies', { name, denial });
    }
  });
  afterAll(async () => {
    await nsd[Symbol.asyncDispose]();
    await client[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  });

  const sign = (zone: string, policy = 'hashed') =>
    service.call('POST', `/zones/${zone}/dnssec`, {
      policy_name: policy,
      parent_ns_addrs: ['127.0.0.1:9'],
    });
  const serialOf = async (zone: string) =>
    (await service.must('GET', `/zones/${zone}`)).zone.serial as number;
  const isServed = (zone: string, serial: number) =>
    expect.poll(() => hasNoted(nsd, zone, serial)).toBe(true);

  it('are refused whatever way they come, and the longest that is taken is served', async () => {
    const zone = 'a.example';
    await nsd.add(zone);
    await service.must('POST', '/zones', { name: zone, ...soa });
    expect((await sign(zone)).status).toBe(201);
    await service.must('POST', '/records', { zone_name: zone, ...text('first') });
    const before = await serialOf(zone);
    const many = Array.from({ length: 4000 }, (_, at) => text(`n${at}`));
    const line = ({ name, ttl, value }: ReturnType<typeof text>) => `${name} ${ttl} TXT ${value}\n`;
    const lines = [...many, text(tooLong)].map(line).join('');
    const path = `/zones/${zone}`;
    const asked: readonly (readonly [method: string, path: string, body: object])[] = [
      ['POST', '/records', { zone_name: zone, ...text(tooLong) }],
      ['POST', '/records', { zone_name: zone, ...text(tooLong), dry_run: true }],
      ['POST', '/records/bulk', { zone_name: zone, records: [text('b'), text(tooLong)] }],
      ['POST', '/records/bulk', { zone_name: zone, records: [...many, text(tooLong)] }],
      ['POST', `${path}/import`, { content: line(text(tooLong)), mode: 'append' }],
      ['POST', `${path}/import`, { content: lines, mode: 'append' }],
      [
        'POST',
        '/external-dns/changes',
        { creates: [{ name: `${tooLong}.${zone}`, type: 'TXT', values: ['x'] }] },
      ],
    ];
    for (const [method, to, body] of asked) {
      const { status, body: said } = await service.call(method, to, body);
      expect([to, status, said.code]).toEqual([to, 409, 'RECORD_CONFLICT']);
      expect(said.error).toContain(`${tooLong}.${zone}. has 254 bytes`);
    }
    const update = { port: service.dnsPort, zone: `${zone}.`, key: null };
    const added = ['add', tooLong, 60, 16, '0178'] as never;
    expect(await client.update({ ...update, changes: [added] })).toBe('REFUSED');
    expect(await serialOf(zone)).toBe(before);
    await service.must('POST', '/records', { zone_name: zone, ...text(longest) });
    await isServed(zone, before + 1);
  });

  it('keep a zone from being signed so, and not from NSEC', async () => {
    const zone = 'b.example';
    await nsd.add(zone);
    await service.must('POST', '/zones', { name: zone, ...soa });
    await service.must('POST', '/records', { zone_name: zone, ...text(tooLong) });
    const { status, body } = await sign(zone);
    expect([status, body.code]).toEqual([409, 'RECORD_CONFLICT']);
    expect((await sign(zone, 'named')).status).toBe(201);
    await isServed(zone, await serialOf(zone));
    const changed = await service.call('PUT', `/zones/${zone}/dnssec`, { policy_name: 'hashed' });
    expect([changed.status, changed.body.code]).toEqual([409, 'RECORD_CONFLICT']);
    // Below a delegation no name is hashed.
    const other = 'c.example';
    await nsd.add(other);
    await service.must('POST', '/zones', { name: other, ...soa });
    const cut = { name: tooLong.split('.').at(-1), type: 'NS', value: `${tooLong}.${other}.` };
    await service.must('POST', '/records', { zone_name: other, ...cut });
    const glue = { name: tooLong, type: 'A', value: '192.0.2.1' };
    const { record } = await service.must('POST', '/records', { zone_name: other, ...glue });
    await service.must('POST', '/records', { zone_name: other, ...text('beside') });
    expect((await sign(other)).status).toBe(201);
    await service.must('DELETE', `/records/${record.id}`);
    await service.must('POST', '/records', { zone_name: other, ...glue });
    await isServed(other, await serialOf(other));
    // Nor does it come to be hashed because the delegation goes.
    const path = `/records?zone_name=${other}&name=${cut.name}&type=NS`;
    expect((await service.call('DELETE', path)).body.code).toBe('RECORD_CONFLICT');
    expect(nsd.log).not.toMatch(/exited with status|closed cmd channel/);
  });
});

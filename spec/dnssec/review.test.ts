/** Moments of signing that are easily got wrong, over the HTTP interface in this process. */
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import type { ParentAnswer } from '../../src/dnssec/parent-ds.ts';
import { Reader } from '../../src/query/reader.ts';
import { bySystem } from '../../src/writer/submission.ts';
import { InProcessService } from '../support/in-process.ts';
import { patienceMs } from '../support/patience.ts';

const day = 86_400_000;
const hour = 3_600_000;
const parents = { parent_ns_addrs: ['192.0.2.1'] };
const zone = 'example.com';
let service: InProcessService;

beforeEach(async () => {
  service = new InProcessService();
  service.parents = (_, addresses) => addresses.map((address) => noDs(address));
  await service.createZone(zone);
});

afterEach(() => service.close());

/** A zone is held from when a pass over the whole of it begins. */
const begun = (hold: MockInstance) =>
  vi.waitFor(() => expect(hold).toHaveBeenCalled(), { timeout: patienceMs, interval: 5 });
const noDs = (address: string): ParentAnswer => ({ address, ds: [], ttlSeconds: null });
const dnssec = (method: string, path = '', body?: object) =>
  service.call(method, `/zones/${zone}/dnssec${path}`, body);
const enable = (more: object = {}) => dnssec('POST', '', { ...parents, ...more });
const status = () => dnssec('GET');
const record = (name: string, more: object = {}) =>
  service.call('POST', '/records', {
    zone_name: zone,
    name,
    type: 'A',
    value: '192.0.2.1',
    ...more,
  });
const put = (body: object) => service.call('PUT', `/zones/${zone}`, body);
const exported = async () =>
  (await service.fetch('GET', `/zones/${zone}/export?signed=true`)).text();
const linesOf = async (type: string) =>
  (await exported()).split('\n').filter((line) => line.split(/\s+/)[3] === type);
const ttlsOf = async (type: string) =>
  new Set((await linesOf(type)).map((line) => line.split(/\s+/)[1]));

describe('a way of signing that comes back', () => {
  it('is taken at every owner again: TTL of the denial', async () => {
    await enable();
    for (const name of ['a', 'b', 'c']) await record(name);
    await put({ minimum_ttl: 60 });
    expect(await ttlsOf('NSEC3')).toEqual(new Set(['60']));
    await put({ minimum_ttl: 86_400 });
    expect(await ttlsOf('NSEC3')).toEqual(new Set(['3600']));
  });

  it('is taken at every owner again: another denial and back', async () => {
    await service.call('POST', '/dnssec-policies', { name: 'plain', denial: 'nsec' });
    await enable();
    for (const name of ['a', 'b', 'c']) await record(name);
    await dnssec('PUT', '', { policy_name: 'plain' });
    await dnssec('PUT', '', { policy_name: 'default' });
    expect(await linesOf('NSEC')).toEqual([]);
    expect(await linesOf('NSEC3')).toHaveLength(4);
  });
});

it('signatures made after the scheduler looked are made anew in time', async () => {
  const days = { signature_validity_days: 300, signature_refresh_days: 10 };
  await service.call('POST', '/dnssec-policies', { name: 'long', ...days });
  await enable({ policy_name: 'long' });
  await service.signing.scheduler.runOnce();
  for (let at = 0; at < 20; at++) await record(`n${at}`);
  for (let passed = 0; passed < 60; passed++) {
    service.pass(5 * day);
    await service.signing.scheduler.runOnce();
    expect({ passed, expired: (await status()).expired_signatures }).toEqual({
      passed,
      expired: 0,
    });
  }
});

describe('CDS and CDNSKEY', () => {
  it('wait for what was served shortly before the zone was signed', async () => {
    const { record: long } = await record('long', { ttl: 604_800 });
    await service.call('PUT', `/records/${long.id}`, { ttl: 60 });
    await enable();
    service.pass(6 * day);
    await service.signing.scheduler.runOnce();
    expect(await linesOf('CDS')).toEqual([]);
    service.pass(2 * day);
    await service.signing.scheduler.runOnce();
    expect(await linesOf('CDS')).toHaveLength(1);
  });

  it('of a key that replaces one whose own are not due yet wait as long', async () => {
    await record('long', { ttl: 604_800 });
    await enable();
    await dnssec('POST', '/rollover', {});
    expect(await linesOf('CDS')).toEqual([]);
    service.pass(2 * hour);
    await service.signing.scheduler.runOnce();
    expect(await linesOf('CDS')).toEqual([]);
    service.pass(7 * day);
    await service.signing.scheduler.runOnce();
    expect(await linesOf('CDS')).toHaveLength(2);
    expect(await linesOf('CDNSKEY')).toHaveLength(2);
  });
});

it('a TTL that was lowered before a roll shortens no wait', async () => {
  await put({ default_ttl: 90_000 });
  const { record: long } = await record('long', { ttl: 604_800 });
  await enable();
  await put({ default_ttl: 60, refresh: 300 });
  await service.call('DELETE', `/records/${long.id}`);
  const waitOf = async (
    state: string,
    answer: { keys: { state: string; eligible_at: string }[] },
  ) =>
    (Date.parse(answer.keys.find((key) => key.state === state)!.eligible_at) - service.now()) /
    1000;
  const wait = await waitOf('published', await dnssec('POST', '/rollover', {}));
  expect(wait).toBeGreaterThan(90_200);
  expect(wait).toBeLessThan(90_400);
  service.pass(2 * day);
  const promoted = await dnssec('POST', '/rollover/promote', { skip_ds_check: true });
  expect(await waitOf('retired', promoted)).toBeGreaterThan(604_800);
});

it('a key that is promoted before its time has its DS told', async () => {
  await service.call('POST', '/dnssec-policies', { name: 'edwards', algorithm: 'ed25519' });
  await enable();
  const { ds_records: before } = await dnssec('PUT', '', { policy_name: 'edwards' });
  expect(before.map(({ algorithm }: { algorithm: number }) => algorithm)).toEqual([13]);
  const how = { skip_ds_check: true, skip_holddown: true };
  const { ds_records: after } = await dnssec('POST', '/rollover/promote', how);
  expect(after.map(({ algorithm }: { algorithm: number }) => algorithm)).toEqual([15]);
});

describe('the metrics', () => {
  const counted = async () => {
    const text = await (await service.fetch('GET', '/metrics')).text();
    return text.split('\n').filter((line) => /^zonebook_dnssec_(zones|keys)_total/.test(line));
  };
  const line = (zones: number, [published, active, retired]: readonly number[]) => [
    `zonebook_dnssec_zones_total ${zones}`,
    `zonebook_dnssec_keys_total{state="published"} ${published}`,
    `zonebook_dnssec_keys_total{state="active"} ${active}`,
    `zonebook_dnssec_keys_total{state="retired"} ${retired}`,
  ];

  it('count signed zones and keys through all that happens to them', async () => {
    expect(await counted()).toEqual(line(0, [0, 0, 0]));
    await enable();
    await dnssec('POST', '/rollover', {});
    expect(await counted()).toEqual(line(1, [1, 1, 0]));
    await dnssec('POST', '/rollover/promote', { skip_ds_check: true, skip_holddown: true });
    expect(await counted()).toEqual(line(1, [0, 1, 1]));
    await service.call('DELETE', `/zones/${zone}`);
    expect(await counted()).toEqual(line(0, [0, 0, 0]));
    await service.call('POST', `/zones/${zone}/restore`);
    expect(await counted()).toEqual(line(1, [0, 1, 1]));
    await dnssec('DELETE', '?skip_ds_check=true');
    expect(await counted()).toEqual(line(0, [0, 0, 0]));
  });
});

it('signatures are valid now, even where the journal is ahead of the clock', async () => {
  service.pass(400 * day);
  await record('early');
  service.pass(-400 * day);
  await enable();
  await record('late');
  const now = new Date(service.now()).toISOString().slice(0, 19).replace(/\D/g, '');
  for (const line of await linesOf('RRSIG')) {
    const [expiration, inception] = line.split(/\s+/).slice(8) as [string, string];
    expect(inception < now && now < expiration, line).toBe(true);
  }
});

describe('a zone that is signed as a whole ahead', () => {
  const hosts = (count: number, ttl = 300) =>
    Array.from(
      { length: count },
      (_, at) => `h${at}.${zone}. ${ttl} IN A 10.0.${at >> 8}.${at & 255}`,
    );
  const bring = (lines: readonly string[], mode = 'append') =>
    service.call('POST', `/zones/${zone}/import`, { content: `${lines.join('\n')}\n`, mode });
  const ns = `${zone}. 300 IN NS ns1.${zone}.`;
  /** Every name signed once, by the keys of now, and the tables as a replay has them. */
  const holds = async (names: number) => {
    const nsec3 = await linesOf('NSEC3');
    expect(nsec3).toHaveLength(names);
    const covered = (await linesOf('RRSIG'))
      .map((line) => line.split(/\s+/).slice(0, 5).join(' '))
      .filter((each) => !each.endsWith(' DNSKEY'));
    expect(new Set(covered).size).toBe(covered.length);
    expect(covered.filter((each) => each.endsWith(' NSEC3'))).toHaveLength(names);
    expect(covered.filter((each) => each.endsWith(' A'))).toHaveLength((await linesOf('A')).length);
    expect(await service.verify()).toEqual([]);
  };

  it('takes what comes meanwhile after the pass', async () => {
    await bring(hosts(500));
    const hold = vi.spyOn(service.writer, 'hold');
    const enabling = enable();
    await begun(hold);
    const others = [
      record('one'),
      put({ minimum_ttl: 60 }),
      service.fetch('POST', `/zones/${zone}/dnssec`, parents),
      service.fetch('PUT', `/zones/${zone}`, { name: 'other.test' }),
      record('two'),
    ];
    await enabling;
    const [, , second, renamed] = await Promise.all(others);
    expect((second as Response).status).toBe(409);
    expect((renamed as Response).status).toBe(409);
    await holds(503);
    expect(await ttlsOf('NSEC3')).toEqual(new Set(['60']));
  });

  it('looks at the TTLs of a zone when what was submitted before is done', async () => {
    const hold = service.writer.hold.bind(service.writer);
    const records = [{ name: 'long', type: 'A', value: '192.0.2.1', ttl: 604_800 }];
    let isDone = false;
    vi.spyOn(service.writer, 'hold').mockImplementationOnce((name) => {
      const command = { kind: 'create-records', zoneName: zone, records } as const;
      void service.writer.submit(command, bySystem).then(() => {
        isDone = true;
      });
      return hold(name);
    });
    const { signatures } = Reader.prototype;
    const looks: boolean[] = [];
    const look = vi.spyOn(Reader.prototype, 'signatures').mockImplementation(function (
      this: Reader,
      ...asked
    ) {
      looks.push(isDone);
      return signatures.apply(this, asked);
    });
    await enable().finally(() => look.mockRestore());
    expect(looks[0]).toBe(true);
  });

  it('is deleted after the pass, and comes back signed', async () => {
    await bring(hosts(500));
    const hold = vi.spyOn(service.writer, 'hold');
    const enabling = enable();
    await begun(hold);
    const deleting = service.call('DELETE', `/zones/${zone}`);
    await Promise.all([enabling.catch(() => {}), deleting]);
    service.pass(20 * day);
    await service.call('POST', `/zones/${zone}/restore`);
    expect(await status()).toMatchObject({ enabled: true, expired_signatures: 0 });
    await record('after');
    await holds(502);
  });

  it('notes the TTLs of a large import for the waits of its keys', async () => {
    await enable();
    await bring([ns, ...hosts(3500, 604_800)], 'replace');
    await holds(3501);
    await bring([ns, ...hosts(3500, 300)], 'replace');
    await holds(3501);
    await dnssec('POST', '/rollover', {});
    const how = { skip_ds_check: true, skip_holddown: true };
    const { keys } = await dnssec('POST', '/rollover/promote', how);
    const { eligible_at } = keys.find(({ state }: { state: string }) => state === 'retired');
    expect(Date.parse(eligible_at) - service.now()).toBeGreaterThan(6 * day);
    await holds(3501);
  });

  it('gets the CDS that come due during the pass', async () => {
    await bring(hosts(500));
    await enable();
    expect(await linesOf('CDS')).toHaveLength(0);
    const hold = vi.spyOn(service.writer, 'hold');
    const signing = dnssec('POST', '/sign');
    await begun(hold);
    service.pass(2 * day);
    await signing;
    await service.signing.scheduler.runOnce();
    expect(await linesOf('CDS')).toHaveLength(1);
    await holds(501);
  });

  it('goes back over settings, records and being signed', async () => {
    await bring(hosts(350));
    const { zone: start } = await service.call('GET', `/zones/${zone}`);
    await enable();
    const back = (serial: number) =>
      service.call('POST', `/zones/${zone}/versions/${serial}/rollback`);
    await put({ minimum_ttl: 60, default_ttl: 600 });
    await bring([ns, ...hosts(100)], 'replace');
    const { zone: small } = await service.call('GET', `/zones/${zone}`);
    await holds(101);
    await back(start.serial);
    await holds(351);
    await dnssec('DELETE', '?skip_ds_check=true');
    expect(await linesOf('RRSIG')).toEqual([]);
    await back(small.serial);
    expect(await linesOf('RRSIG')).toEqual([]);
    await enable();
    await holds(101);
    await back(start.serial);
    await holds(351);
  });

  it('takes a step that is too long for a commit, and gives its records ids of their own', async () => {
    await service.createZone('other.test');
    await enable();
    const records = Array.from({ length: 600 }, (_, at) => {
      return { name: `n${at}.sub`, type: 'A', value: '192.0.2.1' };
    });
    const hold = vi.spyOn(service.writer, 'hold');
    const creating = service.call('POST', '/records/bulk', { zone_name: zone, records });
    await begun(hold);
    for (let at = 0; at < 10; at++) await record(`n${at}`, { zone_name: 'other.test' });
    const { records: made } = await creating;
    expect(made.at(-1)).toMatchObject({ name: `n599.sub.${zone}.` });
    const { record: found } = await service.call('GET', `/records/${made.at(-1).id}`);
    expect(found).toMatchObject({ name: `n599.sub.${zone}.` });
    await holds(602);
    hold.mockClear();
    const cut = await record('sub', { type: 'NS', value: 'ns.other.test.' });
    expect(hold).toHaveBeenCalled();
    expect(await linesOf('NSEC3')).toHaveLength(2);
    expect((await linesOf('RRSIG')).filter((line) => /^n/.test(line))).toEqual([]);
    await service.call('DELETE', `/records/${cut.record.id}`);
    await holds(602);
    const serial = await service.serialOf(zone);
    const back = (to: number) => service.call('POST', `/zones/${zone}/versions/${to}/rollback`);
    hold.mockClear();
    await back(2);
    expect(hold).toHaveBeenCalled();
    await holds(1);
    await back(serial);
    await holds(602);
    const again = await service.call('GET', `/records/${made.at(-1).id}`);
    expect(again.record).toEqual(found);
  });
});

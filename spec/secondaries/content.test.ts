/**
 * What secondaries serve, compared with the zone: real servers that follow, and real servers whose zone somebody
 * changed behind our back, under the serial that we have.
 */
import { expect, it } from 'vitest';
import { sampleOf } from '../support/long.ts';
import { needsPeers } from '../support/peers.ts';
import { freePort } from '../support/ports.ts';
import { startPrimary } from '../support/primaries.ts';
import { startSecondary } from '../support/secondaries.ts';
import { type RunningService, startService } from '../support/service.ts';
import { makeTransferKey } from '../support/tsig-keys.ts';

const zone = 'example.com';
const records = [
  ['ns1', 'A', '192.0.2.53'],
  ['www', 'A', '192.0.2.1'],
  ['www', 'A', '192.0.2.2'],
  ['www', 'AAAA', '2001:db8::1'],
  ['mail', 'MX', '10 www.example.com.'],
  ['text', 'TXT', '"one" "Two"'],
  ['*.wild', 'CNAME', 'www'],
  ['_sip._tcp', 'SRV', '1 2 5060 www.example.com.'],
] as const;

async function serviceWithZone(): Promise<RunningService> {
  const service = await startService({ ZONEBOOK_DNS_SERVED_CHECK_INTERVAL_HOURS: '0' });
  await service.must('POST', '/zones', { name: zone, mname: `ns1.${zone}`, rname: 'root@test' });
  const set = records.map(([name, type]) => ({
    name,
    type,
    values: records.filter((row) => row[0] === name && row[1] === type).map((row) => row[2]),
  }));
  const named = new Map(set.map((each) => [`${each.name} ${each.type}`, each]));
  await service.must('POST', '/changes', { zones: [{ name: zone, set: [...named.values()] }] });
  return service;
}

async function sign(service: RunningService): Promise<void> {
  await service.must('POST', `/zones/${zone}/dnssec`, { parent_ns_addrs: ['127.0.0.1:9'] });
}

async function register(service: RunningService, port: number, keyName?: string): Promise<void> {
  const address = `127.0.0.1:${port}`;
  const body = { name: 'peer', address, ...(keyName && { notify_key_name: keyName }) };
  await service.must('POST', '/secondaries', body);
}

const check = (service: RunningService) =>
  service.must('POST', `/secondaries/peer/check?zone=${zone}`);
const serialOf = async (service: RunningService): Promise<number> =>
  (await service.must('GET', `/zones/${zone}`)).zone.serial;
async function shownContent(service: RunningService) {
  const { secondaries } = await service.must('GET', `/zones/${zone}/status`);
  return secondaries[0].content;
}

for (const kind of sampleOf(['named', 'knotd', 'nsd'] as const, 2)) {
  needsPeers(kind)(`content that ${kind} serves`, () => {
    it('is the same where it follows, unsigned and signed', async () => {
      await using service = await serviceWithZone();
      const port = await freePort();
      await service.must('POST', '/secondaries', { name: 'early', address: `127.0.0.1:${port}` });
      await using secondary = await startSecondary(kind, zone, service.dnsPort);
      await secondary.waitForSerial(await serialOf(service));
      await service.must('DELETE', '/secondaries/early');
      await register(service, secondary.port);
      expect(await shownContent(service)).toBe('unknown');
      const plain = await check(service);
      expect(plain).toMatchObject({ zone, content: 'same', serial: await serialOf(service) });
      expect(plain).toMatchObject({ compared: 9, missing: 0, extra: 0, differing: 0, rrsets: [] });
      expect(await shownContent(service)).toBe('same');
      await sign(service);
      await secondary.waitForSerial(await serialOf(service));
      expect(await shownContent(service)).toBe('unknown');
      const signed = await check(service);
      expect(signed).toMatchObject({
        content: 'same',
        serial: await serialOf(service),
        error: null,
      });
      expect(signed.compared).toBeGreaterThan(plain.compared * 2);
    });

    it('differs where its file was changed under the same serial', async () => {
      await using service = await serviceWithZone();
      await sign(service);
      const text: string = await service.must('GET', `/zones/${zone}/export?signed=true`);
      const altered = text
        .replace('192.0.2.2', '192.0.2.3')
        .split('\n')
        .filter((line) => !/\sAAAA\s2001:/.test(line))
        .concat('added 300 IN A 192.0.2.9', '')
        .join('\n');
      await using primary = await startPrimary(kind, zone, altered);
      await primary.waitForSerial(await serialOf(service));
      await register(service, primary.port);
      const found = await check(service);
      expect(found).toMatchObject({
        content: 'differs',
        serial: await serialOf(service),
        missing: 1,
        extra: 1,
        differing: 1,
        rrsets: [
          { name: `added.${zone}.`, type: 'A', difference: 'extra' },
          { name: `www.${zone}.`, type: 'A', difference: 'differing' },
          { name: `www.${zone}.`, type: 'AAAA', difference: 'missing' },
        ],
        refused: false,
        error: null,
      });
      expect(await shownContent(service)).toBe('differs');
      const { content_differs: zones } = await service.must('POST', '/secondaries/peer/check');
      expect(zones).toEqual([zone]);
      const metrics: string = await service.must('GET', '/metrics');
      expect(metrics).toMatch(/^zonebook_secondary_content_differs 1$/m);
    });

    it('is unknown where it sends no zone', async () => {
      await using service = await serviceWithZone();
      const text: string = await service.must('GET', `/zones/${zone}/export`);
      await using primary = await startPrimary(kind, zone, text, { sendsZone: false });
      await primary.waitForSerial(await serialOf(service));
      await register(service, primary.port);
      const found = await check(service);
      expect(found).toMatchObject({ content: 'unknown', serial: null, refused: true });
      expect(found.error).toMatch(/refused the transfer \((REFUSED|NOTAUTH)/);
    });
  });
}

needsPeers('named')('a transfer that is compared', () => {
  it('is signed with the key of the secondary', async () => {
    await using service = await serviceWithZone();
    const key = await makeTransferKey(service, 'mover', [zone]);
    await using secondary = await startSecondary('named', zone, service.dnsPort, key);
    await secondary.waitForSerial(await serialOf(service));
    await register(service, secondary.port, 'mover');
    expect(await check(service)).toMatchObject({ content: 'same', error: null });
  });
});

needsPeers('knotd')('content of an older serial', () => {
  it('is compared with the zone as it was, where it lags behind', async () => {
    await using service = await serviceWithZone();
    await sign(service);
    const serial = await serialOf(service);
    const text: string = await service.must('GET', `/zones/${zone}/export?signed=true`);
    await using primary = await startPrimary('knotd', zone, text);
    await primary.waitForSerial(serial);
    await register(service, primary.port);
    for (const [name, value] of [
      ['new', '192.0.2.7'],
      ['www', '192.0.2.8'],
    ]) {
      await service.must('POST', '/records', { zone_name: zone, name, type: 'A', value });
    }
    await service.must('DELETE', `/records?zone_name=${zone}&name=text&type=TXT`);
    await service.must('PUT', `/zones/${zone}`, { refresh: 777, default_ttl: 60 });
    expect(await serialOf(service)).toBeGreaterThan(serial);
    expect(await check(service)).toMatchObject({ content: 'same', serial, rrsets: [] });
  });
});

it('is unknown where nobody listens', async () => {
  await using service = await serviceWithZone();
  await register(service, await freePort());
  const found = await check(service);
  expect(found).toMatchObject({ content: 'unknown', serial: null, compared: 0, refused: false });
  expect(found.error).toMatch(/ECONNREFUSED|refused the connection|can not be reached/);
});

/** What writes are told of a roll of keys, and that the roll then goes as it was said. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { InProcessService } from '../support/in-process.ts';

// biome-ignore lint/suspicious/noExplicitAny: bodies are looked into.
type Json = any;

const hour = 3_600_000;
const zone = 'example.com';
let service: InProcessService;

beforeEach(async () => {
  service = new InProcessService({ authenticationRequired: true });
  await service.createZone(zone);
  service.parents = (_, addresses) =>
    addresses.map((address) => ({ address, ds: [], ttlSeconds: null }));
  await call('POST', '/dnssec-policies', { name: 'pair', split_keys: true });
});
afterEach(() => service.close());

const call = (method: string, path: string, body?: object, as = 'local') =>
  service.call(method, path, body, undefined, as);
const sign = (policy: string) =>
  call('POST', `/zones/${zone}/dnssec`, {
    policy_name: policy,
    parent_ns_addrs: ['192.0.2.1'],
  });
const roll = (role: string) => call('POST', `/zones/${zone}/dnssec/rollover`, { role });
const keys = async (): Promise<Json[]> => (await call('GET', `/zones/${zone}/dnssec`)).keys;

/** The codes and messages of what a write would be told. */
const warned = ({ warnings }: Json): string[] =>
  warnings.map(({ code, name, type, message }: Json) => `${code} ${name} ${type} ${message}`);

const addA = (ttl: number, dryRun = true, as?: string, name = 'www') => {
  const record = { zone_name: zone, name, type: 'A', value: '192.0.2.9', ttl };
  return call('POST', '/records', { ...record, dry_run: dryRun }, as);
};
const timeOf = (message: string, word: string) => {
  return Date.parse(new RegExp(`${word} (\\S+Z)`).exec(message)?.[1] ?? '');
};

it('nothing, while no key comes or goes', async () => {
  await sign('pair');
  expect(warned(await addA(86_400))).toEqual([]);
});

it('a longer TTL prolongs the roll of a ZSK that has not taken over, as it was said', async () => {
  await sign('pair');
  await roll('zsk');
  const [old] = (await keys()).filter(({ role, state }) => role === 'zsk' && state === 'active');
  expect(warned(await addA(60))).toEqual([]);
  const [said, ...others] = warned(await addA(86_400));
  expect(others).toEqual([]);
  expect(said).toMatch(
    /^TTL_PROLONGS_ROLL www\.example\.com\. A the roll lasts longer: key \d+ \(zsk\)/,
  );
  expect(said).toContain(`key ${old!.key_tag} `);
  expect(timeOf(said!, 'until') - timeOf(said!, 'instead of')).toBe((86_400 - 3600) * 1000);
  // It is as it was said.
  await addA(86_400, false);
  const published = (await keys()).find(({ state }) => state === 'published')!;
  service.pass(Date.parse(published.eligible_at) - service.now());
  await service.signing.scheduler.runOnce();
  const retired = (await keys()).find(({ state }) => state === 'retired')!;
  expect(retired.key_tag).toBe(old!.key_tag);
  expect(Math.abs(Date.parse(retired.eligible_at) - timeOf(said!, 'until'))).toBeLessThan(hour);
  // The wait stands now, whatever comes.
  expect(warned(await addA(604_800, true, undefined, 'later'))).toEqual([]);
});

it('no TTL of records counts while a KSK alone is rolled, but that of its DNSKEY does', async () => {
  await sign('pair');
  await roll('ksk');
  expect(warned(await addA(86_400))).toEqual([]);
  const setting = { default_ttl: 172_800, dry_run: true };
  const said = warned(await call('PUT', `/zones/${zone}`, setting));
  expect(said).toHaveLength(1);
  expect(said[0]).toMatch(/^TTL_PROLONGS_ROLL example\.com\. SOA .*\(ksk\)/);
  expect(warned(await call('PUT', `/zones/${zone}`, { description: 'x' }))).toEqual([]);
});

it('what touches the NS at the apex, or all of the zone, is told which key waits for what', async () => {
  await addA(60, false);
  await sign('pair');
  const { serial } = (await call('GET', `/zones/${zone}`)).zone;
  await call('POST', '/records', { zone_name: zone, name: 'x', type: 'TXT', value: 'x' });
  await roll('ksk');
  const published = (await keys()).find(({ state }) => state === 'published')!;
  const what =
    `key ${published.key_tag} (ksk) is published and waits to take over, ` +
    `until ${published.eligible_at} at least, for its DS at all parents`;
  const ns = { zone_name: zone, name: '@', type: 'NS', value: 'ns2.example.net.', dry_run: true };
  expect(warned(await call('POST', '/records', ns))).toEqual([
    expect.stringContaining(`ZONE_IS_ROLLED example.com. NS the zone is being rolled: ${what}`),
  ]);
  const back = await call('POST', `/zones/${zone}/versions/${serial}/rollback`, {
    dry_run: true,
  });
  expect(warned(back)).toEqual([expect.stringMatching(/^ZONE_IS_ROLLED example\.com\. DNSKEY /)]);
  const content = '$ORIGIN example.com.\n@ 3600 NS ns1.example.net.\nwww 60 A 192.0.2.9\n';
  const given = { content, mode: 'replace', dry_run: true };
  const replaced = await call('POST', `/zones/${zone}/import`, given);
  expect(warned(replaced)).toContainEqual(expect.stringContaining('ZONE_IS_ROLLED'));
  service.pass(3 * hour);
  expect(warned(await call('POST', '/records', ns))[0]).toContain(
    'waits to take over, for its DS at all parents; a name server that is new',
  );
});

it('only who may read how the zone is signed', async () => {
  await sign('pair');
  await roll('zsk');
  const actions = ['zone:read', 'record:read', 'record:create'];
  const blind = await service.tokenOf('blind', [{ actions }]);
  const seeing = await service.tokenOf('seeing', [{ actions: [...actions, 'dnssec:read'] }]);
  expect(warned(await addA(86_400, true, blind))).toEqual([]);
  expect(warned(await addA(86_400, true, seeing))).toHaveLength(1);
});

it('all that a key signs counts while a CSK is replaced by one of another algorithm', async () => {
  await call('POST', '/dnssec-policies', { name: 'other', algorithm: 'ed25519' });
  await sign('default');
  await call('PUT', `/zones/${zone}/dnssec`, { policy_name: 'other' });
  const said = warned(await addA(604_800));
  expect(said).toEqual([expect.stringMatching(/TTL_PROLONGS_ROLL .*\(csk\)/)]);
  const promote = '/rollover/promote?skip_ds_check=true&skip_holddown=true';
  await call('POST', `/zones/${zone}/dnssec${promote}`);
  // No parent has a DS of it, so that only caches keep it.
  await call('POST', `/zones/${zone}/dnssec/check-ds`);
  expect(warned(await addA(604_800))).toEqual([]);
  const longer = { default_ttl: 604_800, dry_run: true };
  expect(warned(await call('PUT', `/zones/${zone}`, longer))).toEqual([
    expect.stringMatching(/^TTL_PROLONGS_ROLL example\.com\. SOA .*\(csk\)/),
  ]);
  expect(warned(await call('PUT', `/zones/${zone}`, { description: 'x' }))).toEqual([]);
});

it('what is planned aside tells the same: a large import, bulk and rollback', async () => {
  await sign('pair');
  const { serial } = (await call('GET', `/zones/${zone}`)).zone;
  await roll('zsk');
  const numbers = Array.from({ length: 4000 }, (_, index) => index);
  const lines = numbers.map((index) => `h${index} ${index === 7 ? 604_800 : 60} TXT x`);
  const content = ['$ORIGIN example.com.', '@ 3600 NS ns1.example.net.', ...lines].join('\n');
  const longer = expect.stringContaining('TTL_PROLONGS_ROLL h7.example.com. TXT');
  const rolled = expect.stringContaining('ZONE_IS_ROLLED');
  const given = { content, mode: 'replace', dry_run: true };
  const replaced = warned(await call('POST', `/zones/${zone}/import`, given));
  expect(replaced).toEqual([rolled, longer]);
  const records = numbers.map((index) => {
    return { name: `h${index}`, type: 'TXT', value: 'x', ttl: index === 7 ? 604_800 : 60 };
  });
  expect(warned(await call('POST', '/records/bulk', { zone_name: zone, records }))).toEqual([
    longer,
  ]);
  const back = `/zones/${zone}/versions/${serial}/rollback`;
  expect(warned(await call('POST', back, { dry_run: true }))).toEqual([rolled]);
});

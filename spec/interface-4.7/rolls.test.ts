/** Key rolls, DS checks, signing anew and CDS withdrawal (interface 3, 4.7 and 7.4; decisions 10). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { InProcessService } from '../support/in-process.ts';
import { foreignDs, SignedZoneDesk, serves } from '../support/signing.ts';

let service: InProcessService;
beforeAll(async () => {
  service = new InProcessService();
  await service.call('POST', '/dnssec-policies', { name: 'split', split_keys: true }, 201);
});
afterAll(async () => {
  // All of it is journalled: replay gives the same.
  expect(await service.verify()).toEqual([]);
  await service.close();
});

const signed = (name: string, policy?: string) => SignedZoneDesk.signed(service, name, policy);
const hourMs = 3_600_000;

describe('check-ds', () => {
  it('tells what every server says, with digests computed again', async () => {
    const desk = await signed('checked.example');
    const { ds_records, keys } = await desk.status();
    const [ds] = ds_records;
    desk.say(serves([ds], 3600, 'a:53'), serves([ds], 7200, 'b:53'));
    const { delegation } = await desk.post('/check-ds');
    expect(delegation).toEqual({
      checked_at: expect.stringMatching(/^20/),
      parent_has_name: true,
      ds_state: 'published',
      ds_key_tags: [ds.key_tag],
      ds_ttl: 7200,
      parent_ns_addrs: ['192.0.2.1:53'],
      keys: [
        {
          id: keys[0].id,
          key_tag: ds.key_tag,
          role: 'csk',
          state: 'active',
          ds_published: true,
          ds_digest_unsupported: false,
          ds_missing: null,
          eligible_at: null,
        },
      ],
      servers: [
        { address: 'a:53', ds_key_tags: [ds.key_tag], error: null },
        { address: 'b:53', ds_key_tags: [ds.key_tag], error: null },
      ],
    });
    expect((await desk.status()).delegation).toBeNull();
    const forged = foreignDs(ds);
    desk.say(serves([forged]));
    const other = (await desk.post('/check-ds')).delegation;
    expect(other).toMatchObject({ ds_state: 'published', keys: [{ ds_published: false }] });
    desk.say(serves([]));
    const none = (await desk.post('/check-ds')).delegation;
    expect(none).toMatchObject({ ds_state: 'hidden', ds_key_tags: [], ds_ttl: null });
  });

  it('decisions 4: names the server that fails', async () => {
    const desk = await signed('failing.example');
    desk.say(serves([], 0, 'a:53'), { address: 'b:53', failure: 'REFUSED' });
    await desk.refused('POST', '/check-ds', undefined, 'DNSSEC_DS_UNVERIFIED', 'b:53');
  });
});

describe('a roll of a CSK', () => {
  it('pre-publishes a key of the same algorithm that signs no zone data', async () => {
    const desk = await signed('rolled.example');
    const before = await desk.status();
    const status = await desk.post('/rollover');
    expect(status.keys).toMatchObject([
      { key_tag: before.keys[0].key_tag, state: 'active' },
      { state: 'published', role: 'csk', algorithm: 'ecdsap256sha256' },
    ]);
    expect(status.ds_records).toHaveLength(2);
    expect(status.serial).toBe(before.serial + 1);
    const wait = Date.parse(status.keys[1].eligible_at) - service.now();
    // DNSKEY TTL and SOA refresh.
    expect(Math.round(wait / 1000)).toBeGreaterThan(3890);
    expect(Math.round(wait / 1000)).toBeLessThanOrEqual(3900);
    expect(status.next_steps).toContainEqual({
      action: 'promote',
      at: status.keys[1].eligible_at,
      key_tags: [status.keys[1].key_tag],
      awaits: 'ds_at_all_parents',
      waiting_since: null,
      secondaries_behind: [],
      blocked_by: null,
    });
    expect(await desk.typesSignedBy(status.keys[1].key_tag)).toEqual(['DNSKEY']);
    await desk.refused('POST', '/rollover', {}, 'DNSSEC_ROLLOVER_IN_PROGRESS', 'published');
  });

  it('takes csk as the role or none, and no other', async () => {
    const desk = await signed('roles.example');
    for (const role of ['zsk', 'ksk', 'other']) {
      await desk.refused('POST', '/rollover', { role }, 'INVALID_INPUT', 'role');
    }
    expect((await desk.post('/rollover', { role: 'csk' })).keys).toHaveLength(2);
  });

  it('is promoted when the wait is over and every parent serves the DS', async () => {
    const desk = await signed('promoted.example');
    const { keys, ds_records } = await desk.post('/rollover');
    const refused = (code: string, says: string) =>
      desk.refused('POST', '/rollover/promote', undefined, code, says);
    // Time comes before the DS: nobody is asked.
    desk.say({ address: 'a:53', failure: 'no answer' });
    await refused('INVALID_INPUT', keys[1].eligible_at);
    service.pass(2 * hourMs);
    await refused('DNSSEC_DS_UNVERIFIED', 'a:53');
    desk.say(serves([ds_records[0]], 3600, 'a:53'));
    await refused('DNSSEC_DS_NOT_PUBLISHED', String(keys[1].key_tag));
    desk.say(serves(ds_records, 3600, 'a:53'), serves([ds_records[0]], 3600, 'b:53'));
    await refused('DNSSEC_DS_NOT_PUBLISHED', 'b:53');
    desk.say(serves([{ ...ds_records[1], digest_type: 250 }], 3600, 'a:53'));
    await refused('DNSSEC_DS_UNVERIFIED', 'digest type');
    desk.say(serves(ds_records, 3600, 'a:53'), serves(ds_records, 3600, 'b:53'));
    const promoted = await desk.post('/rollover/promote');
    expect(promoted.keys).toMatchObject([
      { key_tag: keys[0].key_tag, state: 'retired', eligible_at: expect.any(String) },
      { key_tag: keys[1].key_tag, state: 'active', eligible_at: null },
    ]);
    expect(promoted.ds_records).toMatchObject([{ key_tag: keys[1].key_tag }]);
    // What the parents said is in the answer, and nowhere after it.
    expect(promoted.delegation).toMatchObject({
      ds_state: 'published',
      ds_key_tags: expect.arrayContaining([keys[0].key_tag, keys[1].key_tag]),
      servers: [
        { address: 'a:53', error: null },
        { address: 'b:53', error: null },
      ],
    });
    expect((await desk.status()).delegation).toBeNull();
    await refused('DNSSEC_NO_ROLLOVER_IN_PROGRESS', "'promoted.example'");
    expect(await desk.typesSignedBy(keys[0].key_tag)).toEqual(['DNSKEY']);
  });

  it.each([
    ['promote', 'query'],
    ['ds-seen', 'body'],
  ])('skips time and DS by %s when the %s says so', async (action, where) => {
    const desk = await signed(`skip-${action}.example`);
    await desk.post('/rollover');
    desk.say({ address: 'a:53', failure: 'no answer' });
    const path = `/rollover/${action}`;
    const both = { skip_ds_check: true, skip_holddown: true };
    await desk.refused('POST', path, { skip_ds_check: true }, 'INVALID_INPUT');
    await desk.refused('POST', path, { skip_holddown: true }, 'DNSSEC_DS_UNVERIFIED');
    const query = '?skip_ds_check=true&skip_holddown=true';
    const status =
      where === 'query' ? await desk.post(`${path}${query}`) : await desk.post(path, both);
    expect(status.keys).toMatchObject([{ state: 'retired' }, { state: 'active' }]);
    expect(status.delegation).toBeNull();
  });
});

describe('a roll of a split zone', () => {
  it('needs the role', async () => {
    const desk = await signed('split.example', 'split');
    for (const body of [undefined, {}, { role: null }, { role: 'csk' }]) {
      await desk.refused('POST', '/rollover', body, 'INVALID_INPUT', 'role');
    }
    const { keys, ds_records } = await desk.post('/rollover', { role: 'ksk' });
    expect(keys.map(({ role }: { role: string }) => role)).toEqual(['ksk', 'zsk', 'ksk']);
    expect(ds_records).toHaveLength(2);
  });

  it('of a ZSK is promoted by the scheduler, not by hand', async () => {
    const desk = await signed('zsk.example', 'split');
    const { keys, ds_records } = await desk.post('/rollover', { role: 'zsk' });
    expect(ds_records).toHaveLength(1);
    const both = { skip_ds_check: true, skip_holddown: true };
    await desk.refused('POST', '/rollover/promote', both, 'INVALID_INPUT', 'ZSK');
    service.pass(Date.parse(keys[2].eligible_at) - service.now() + 1000);
    await service.signing.scheduler.runOnce();
    expect((await desk.status()).keys).toMatchObject([
      { role: 'ksk', state: 'active' },
      { role: 'zsk', state: 'retired' },
      { role: 'zsk', state: 'active' },
    ]);
  });
});

describe('sign', () => {
  it('makes every signature anew, in one step', async () => {
    const desk = await signed('again.example');
    const before = await desk.derived('RRSIG');
    service.pass(hourMs);
    const { message } = await desk.post('/sign');
    expect(message).toMatch(/'again\.example'/);
    const after = await desk.derived('RRSIG');
    expect(after).toHaveLength(before.length);
    expect(after.filter((line) => before.includes(line))).toEqual([]);
    expect(await desk.status()).toMatchObject({ serial: 3, expired_signatures: 0 });
  });
});

describe('withdraw', () => {
  it('replaces CDS and CDNSKEY by the delete pair, and brings them back', async () => {
    const desk = await signed('withdrawn.example');
    service.pass(48 * hourMs);
    await service.signing.scheduler.runOnce();
    const cds = await desk.derived('CDS');
    expect(cds).toHaveLength(1);
    await desk.refused('DELETE', '/withdraw', undefined, 'INVALID_INPUT');
    const withdrawing = await desk.post('/withdraw');
    expect(withdrawing).toMatchObject({ withdrawing: true, enabled: true });
    expect(withdrawing.ds_records).toHaveLength(1);
    expect(await desk.derived('CDS')).toEqual(['withdrawn.example. 0 0 0 00']);
    expect(await desk.derived('CDNSKEY')).toEqual(['withdrawn.example. 0 3 0 AA==']);
    await desk.refused('POST', '/withdraw', undefined, 'INVALID_INPUT', 'already');
    const back = await service.call('DELETE', `${desk.path}/withdraw`, undefined, 200);
    expect(back.withdrawing).toBe(false);
    expect(await desk.derived('CDS')).toEqual(cds);
  });
});

describe('who may', () => {
  it('read with dnssec:read in the zone, do with dnssec:manage there', async () => {
    const guarded = new InProcessService({ authenticationRequired: true });
    await guarded.createZone('own.example');
    await guarded.createZone('other.example');
    const zone_name = 'own.example';
    const reader = await guarded.tokenOf('reader', [{ zone_name, actions: ['dnssec:read'] }]);
    const writer = await guarded.tokenOf('writer', [{ zone_name, actions: ['dnssec:manage'] }]);
    const path = `/zones/${zone_name}/dnssec`;
    const body = { parent_ns_addrs: ['192.0.2.1'] };
    await guarded.refused('POST', path, body, 'FORBIDDEN', 'dnssec:manage', reader);
    await guarded.refused('GET', path, undefined, 'FORBIDDEN', 'dnssec:read', writer);
    await guarded.call('POST', path, body, 201, writer);
    await guarded.call('GET', path, undefined, 200, reader);
    await guarded.refused('POST', `${path}/check-ds`, undefined, 'FORBIDDEN', '', writer);
    const other = '/zones/other.example/dnssec';
    await guarded.refused('GET', other, undefined, 'ZONE_NOT_FOUND', '', reader);
    await guarded.refused('POST', other, body, 'ZONE_NOT_FOUND', '', writer);
    const { changed_by } = (
      await guarded.call('GET', `/zones/${zone_name}/versions`, undefined, 200, 'local')
    ).items[0];
    expect(changed_by).toEqual({ kind: 'token', name: 'writer' });
    await guarded.close();
  });
});

it('the history tells what was done to which key', async () => {
  const told = new InProcessService();
  const name = 'told.example';
  const path = `/zones/${name}/dnssec`;
  await told.createZone(name);
  await told.call('POST', path, { parent_ns_addrs: ['192.0.2.1'] }, 201);
  const [first] = (await told.call('GET', path)).keys;
  await told.call('POST', `${path}/rollover`, {}, undefined);
  const keys = (await told.call('GET', path)).keys as { key_tag: number }[];
  const second = keys.find(({ key_tag }) => key_tag !== first.key_tag)!;
  const record = { zone_name: name, name: 'a', type: 'A', value: '192.0.2.1' };
  await told.call('POST', '/records', record);
  await told.call('POST', `${path}/sign`, {});
  const { items } = await told.call('GET', `/zones/${name}/history`);
  const signing = items.map((item: { signing: unknown }) => item.signing).reverse();
  expect(signing).toEqual([
    null,
    { reason: 'enabled', key_tags: [first.key_tag] },
    { reason: 'key-published', key_tags: [second.key_tag] },
    null,
    { reason: 're-signed', key_tags: [] },
  ]);
  await told.close();
});

/** The guard of a zone: what it holds back by every interface, and what lets it through. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NameKey } from '../../src/dns/name.ts';
import { InProcessService } from '../support/in-process.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely.
type Json = any;

let service: InProcessService;
beforeAll(() => {
  service = new InProcessService({ authenticationRequired: true });
  service.writer.configure({
    guardDefaults: { maxDeletePercent: 30, maxDeletes: 1000, minRecords: 20 },
  });
});
afterAll(() => service.close());

let made = 0;

/** A zone with its NS and hosts h0, h1 ... */
async function zoneOf(hosts: number): Promise<string> {
  const zone = `g${++made}.example`;
  await service.createZone(zone);
  const records = Array.from({ length: hosts }, (_, at) => {
    return { name: `h${at}`, type: 'A', value: `10.0.${at >> 8}.${at % 256}`, ttl: 60 };
  });
  await service.call('POST', `/zones/${zone}/records/bulk`, { records }, 201, 'local');
  return zone;
}

const call = (method: string, path: string, body?: object): Promise<Json> =>
  service.call(method, path, body, undefined, 'local');

async function send(method: string, path: string, body?: object, allow?: number, as?: string) {
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (allow !== undefined) headers['zonebook-allow-deletes'] = String(allow);
  headers.authorization = `Bearer ${as ?? boss}`;
  const init = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await service.request(path, { method, headers, ...init });
  return { status: response.status, body: (await response.json()) as Json };
}

let boss: string;
beforeAll(async () => {
  boss = await service.tokenOf('boss', 'admin');
});

/** What a dry run says that guards would hold back. */
async function warnedOf(method: string, path: string, body: object): Promise<readonly string[]> {
  const dry = await send(method, path, { ...body, dry_run: true });
  expect([path, dry.status]).toEqual([path, 200]);
  const warnings = [dry.body, ...(dry.body.zones ?? [])].flatMap((one) => one.warnings ?? []);
  return warnings.flatMap(({ code, message }: Json) => (code === 'GUARDED' ? [message] : []));
}

const fileOf = (hosts: number, zone = `g${made}.example`) =>
  [
    `@ 3600 IN NS ns1.${zone}.`,
    ...Array.from({ length: hosts }, (_, at) => `h${at} 60 IN A 10.0.${at >> 8}.${at % 256}`),
    '',
  ].join('\n');

const countOf = async (zone: string) =>
  (await call('GET', `/records?zone_name=${zone}&limit=1`)).pagination.total;

/** Held, named in a dry run, and let through with exactly that number. */
async function heldThenThrough(
  [method, path, body]: readonly [string, string, object],
  guarded: object,
): Promise<void> {
  const events = service.events();
  const held = await send(method, path, body);
  expect(held).toMatchObject({ status: 409, body: { code: 'GUARDED', guarded } });
  const { deleted } = held.body.guarded;
  const dry = await send(method, path, { ...body, dry_run: true });
  expect(dry.status).toBe(200);
  expect(dry.body.warnings).toContainEqual(
    expect.objectContaining({ code: 'GUARDED', message: expect.stringContaining(`: ${deleted} `) }),
  );
  for (const wrong of deleted < 1000 ? [deleted - 1, deleted + 1] : [deleted - 1]) {
    expect((await send(method, path, body, wrong)).body.code).toBe('GUARDED');
  }
  expect(service.events()).toBe(events);
  const through = await send(method, path, body, deleted);
  expect([through.status, through.body.code]).toEqual([200, undefined]);
  expect(service.events()).toBe(events + 1);
}

describe.each([
  ['by one command', 99],
  ['beside the zone', 3100],
] as const)('a change %s', (_, hosts) => {
  it('by import', async () => {
    const zone = await zoneOf(hosts);
    const body = { mode: 'replace', content: fileOf(Math.floor(hosts / 2)) };
    const deleted = Math.ceil(hosts / 2);
    const limit = Math.min(1000, Math.floor(((hosts + 1) * 30) / 100));
    await heldThenThrough(['POST', `/zones/${zone}/import`, body], {
      deleted,
      of: hosts + 1,
      limit,
    });
    expect(await countOf(zone)).toBe(hosts + 1 - deleted);
  });

  it('by rollback, by revert of a bulk', async () => {
    const zone = await zoneOf(hosts);
    const guarded = { deleted: hosts, of: hosts + 1 };
    await heldThenThrough(['POST', `/zones/${zone}/rollback`, { serial: 1 }], guarded);
    await call('POST', `/zones/${zone}/rollback`, { serial: 2 });
    const { items } = await call('GET', `/events?zone=${zone}&order=asc`);
    await heldThenThrough(['POST', `/events/${items[1].seq}/revert`, {}], guarded);
  });
});

it('by ExternalDNS, over all zones of a sync', async () => {
  const zones = [await zoneOf(40), await zoneOf(40)];
  const deletes = zones.flatMap((zone) =>
    Array.from({ length: 20 }, (_, at) => {
      return { name: `h${at}.${zone}`, type: 'A', values: [`10.0.0.${at}`] };
    }),
  );
  const one = await send('POST', '/external-dns/changes', { deletes: deletes.slice(0, 20) });
  expect(one).toMatchObject({ status: 409, body: { code: 'GUARDED', guarded: { deleted: 20 } } });
  const both = await send('POST', '/external-dns/changes', { deletes });
  expect(both).toMatchObject({ status: 409, body: { code: 'GUARDED', guarded: { deleted: 40 } } });
  // Every item that is held back is named, with what who may set the guard does about it.
  expect(both.body.errors).toHaveLength(40);
  expect(both.body.errors[39]).toEqual({
    pointer: '/deletes/39',
    list: 'deletes',
    index: 39,
    code: 'GUARDED',
    message: expect.stringContaining(`; zonebook zone guard ${zones[1]} --max-deletes 20 `),
  });
  expect((await send('POST', '/external-dns/changes', { deletes }, 20)).status).toBe(409);
  for (const zone of zones) expect(await countOf(zone)).toBe(41);
  expect((await send('POST', '/external-dns/changes', { deletes }, 40)).status).toBe(200);
  for (const zone of zones) expect(await countOf(zone)).toBe(21);
});

it('by ExternalDNS, over all parts of a sync', async () => {
  const zone = await zoneOf(40);
  const item = (at: number, ttl?: number) => {
    return { name: `h${at}.${zone}`, type: 'A', values: [`10.0.0.${at}`], ttl };
  };
  const part = { deletes: [item(0), item(1)], creates: [item(2, 600)] };
  const apply = (more: object) => send('POST', '/external-dns/changes', { ...part, ...more });
  const counted = [{ zone_name: zone, count: 2 }];
  const dry = await apply({ dry_run: true });
  // Another TTL is no deletion.
  expect(dry.body).toMatchObject({ added: 1, deleted: 3, deletions: counted });
  expect(await countOf(zone)).toBe(41);
  const deletions = [{ zone_name: `${zone.toUpperCase()}.`, count: 13 }];
  const held = await apply({ deletions });
  expect(held.body).toMatchObject({ code: 'GUARDED', guarded: { deleted: 13, of: 41, limit: 12 } });
  expect(held.body.errors).toHaveLength(3);
  // Creations alone wait with the rest of the sync in their zone.
  const create = { creates: [item(50)], deletes: [], deletions };
  expect((await apply(create)).body.code).toBe('GUARDED');
  expect((await apply({ dry_run: true, deletions })).body.warnings).toContainEqual(
    expect.objectContaining({ code: 'GUARDED' }),
  );
  const less = await apply({ deletions: [{ zone_name: zone, count: 12 }] });
  expect(less).toMatchObject({ status: 200, body: { deletions: counted } });
  expect(await countOf(zone)).toBe(39);
  const again = await apply({});
  expect(again).toMatchObject({ status: 200, body: { added: 0, deleted: 0 } });
  expect(again.body.deletions).toBeUndefined();
});

it('lets updates, few deletions, small zones and new ones alone', async () => {
  const zone = await zoneOf(40);
  await send('POST', `/zones/${zone}/import`, { mode: 'replace', content: fileOf(29) });
  expect(await countOf(zone)).toBe(30);
  const content = fileOf(29).replaceAll(' 60 ', ' 90 ');
  expect((await send('POST', `/zones/${zone}/import`, { mode: 'replace', content })).status).toBe(
    200,
  );
  const small = await zoneOf(18);
  const one = { mode: 'replace', content: fileOf(1) };
  expect((await send('POST', `/zones/${small}/import`, one)).status).toBe(200);
  expect((await send('DELETE', `/zones/${zone}`)).status).toBe(200);
});

it.each([
  ['by one command', 39],
  ['beside the zone', 3100],
] as const)('counts no record that only gets another value, %s', async (_, hosts) => {
  const zone = await zoneOf(hosts);
  const values = (shift: number) => fileOf(hosts).replace(/ A 10\./g, ` A ${10 + shift}.`);
  const replace = (content: string) =>
    send('POST', `/zones/${zone}/import`, { mode: 'replace', content });
  expect((await replace(values(1))).status).toBe(200);
  expect((await send('POST', `/zones/${zone}/rollback`, { serial: 2 })).status).toBe(200);
  const names = Array.from({ length: 39 }, (__, at) => `h${at}`);
  const set = names.map((name) => ({ name, type: 'A', values: ['192.0.2.1', '192.0.2.2'] }));
  expect((await send('POST', '/changes', { zones: [{ name: zone, set }] })).status).toBe(200);
  const of = (name: string, ...targets: string[]) => {
    return { name: `${name}.${zone}`, type: 'A', values: targets };
  };
  const updates = names.map((name) => {
    return { old: of(name, '192.0.2.1', '192.0.2.2'), new: of(name, '192.0.2.3', '192.0.2.4') };
  });
  expect((await send('POST', '/external-dns/changes', { updates })).status).toBe(200);
  if (hosts > 39) return;
  // Of two that go one has a successor, and another type is none.
  const fewer = names.map((name) => ({ name, type: 'A', values: ['192.0.2.5'] }));
  const held = await send('POST', '/changes', { zones: [{ name: zone, set: fewer }] });
  expect(held.body).toMatchObject({ code: 'GUARDED', guarded: { deleted: 39, of: 79 } });
  const other = `${values(1).replaceAll(' IN A ', ' IN TXT ')}`;
  expect((await replace(other)).body).toMatchObject({ code: 'GUARDED', guarded: { deleted: 78 } });
});

it('is set by an event of its own, judged, shown, and kept by rollbacks', async () => {
  const zone = await zoneOf(4);
  const guard = {
    max_delete_percent: 10,
    max_deletes: 1,
    protect: [{ name: 'h0', type: 'a' }, { name: '@' }],
  };
  const set = await call('PUT', `/zones/${zone}`, { guard });
  expect(set.zone.guard).toEqual({
    ...guard,
    protect: [
      { name: 'h0', type: 'A' },
      { name: '@', type: null },
    ],
  });
  const { items } = await call('GET', '/events?order=desc&limit=1');
  expect(items[0]).toMatchObject({ kind: 'zone.guard-set', settings_changed: ['guard'] });
  // A small zone is held to no percentage, but to a number of its own, and to what is protected.
  const one = { mode: 'replace', content: fileOf(1) };
  expect((await send('POST', `/zones/${zone}/import`, one)).body).toMatchObject({
    code: 'GUARDED',
    guarded: { deleted: 3, of: 5, limit: 1 },
  });
  expect((await send('DELETE', `/records?zone_name=${zone}&name=h1`)).status).toBe(200);
  const held = await send('DELETE', `/records?zone_name=${zone}&name=h0`);
  expect(held.body).toMatchObject({
    code: 'GUARDED',
    guarded: { deleted: 1, names: [{ name: `h0.${zone}.`, type: 'A' }] },
  });
  const h0 = (await call('GET', `/records?zone_name=${zone}&name=h0`)).items[0].id;
  expect((await send('PUT', `/records/${h0}`, { ttl: 90 })).body.code).toBe('GUARDED');
  expect((await send('PUT', `/records/${h0}`, { ttl: 90 }, 0)).status).toBe(200);
  expect((await send('DELETE', `/records?zone_name=${zone}&name=h0`, undefined, 1)).status).toBe(
    200,
  );
  await call('POST', `/zones/${zone}/rollback`, { serial: 2 });
  const { zone: now } = await call('GET', `/zones/${zone}`);
  expect(now.guard).toEqual(set.zone.guard);
  expect((await call('PUT', `/zones/${zone}`, { guard: {} })).zone.guard).toBeNull();
  await call('POST', `/events/${items[0].seq}/revert`, { dry_run: true });
});

it('locks a zone until a time', async () => {
  const zone = await zoneOf(4);
  const locked_until = new Date(service.now() + 60_000).toISOString();
  await call('PUT', `/zones/${zone}`, { guard: { locked_until, lock_reason: 'freeze' } });
  for (const [method, path, body] of [
    ['POST', '/records', { zone_name: zone, name: 'x', type: 'A', value: '192.0.2.1' }],
    ['PUT', `/zones/${zone}`, { refresh: 777 }],
    ['DELETE', `/zones/${zone}`],
  ] as const) {
    const held = await send(method, path, body, 0);
    expect(held.body).toMatchObject({
      code: 'GUARDED',
      error: expect.stringContaining('freeze'),
      guarded: { locked_until, lock_reason: 'freeze' },
    });
  }
  expect(
    (await send('POST', `/zones/${zone}/dnssec`, { parent_ns_addrs: ['192.0.2.53'] })).status,
  ).toBe(201);
  // Its undo lifts it as PUT does, while a setting beside it keeps both locked.
  const newest = async () => (await call('GET', '/events?limit=1&kind=zone.guard-set')).items[0];
  const { seq } = await newest();
  const undo = (of: number) => send('POST', `/events/${of}/revert`, {});
  expect((await undo(seq)).body).toMatchObject({ settings_changed: ['guard'] });
  expect((await send('PUT', `/zones/${zone}`, { refresh: 778 })).status).toBe(200);
  const both = { refresh: 779, guard: { locked_until } };
  expect((await send('PUT', `/zones/${zone}`, both)).status).toBe(200);
  const [last] = (await call('GET', '/events?limit=1')).items;
  expect((await undo(last.seq)).body).toMatchObject({ code: 'GUARDED' });
  service.pass(61_000);
  expect((await send('PUT', `/zones/${zone}`, { refresh: 777 })).status).toBe(200);
});

it('names the field that is wrong', async () => {
  const zone = await zoneOf(1);
  for (const [guard, says] of [
    [{ max_delete_percent: 101 }, 'max_delete_percent'],
    [{ max_deletes: -1 }, 'max_deletes'],
    [{ protect: [{ name: 'a..b' }] }, 'protect'],
    [{ protect: [{ name: 'www.example.' }] }, 'relative'],
    [{ protect: [{ name: 'a', type: 'NOPE' }] }, 'no type'],
    [{ locked_until: 'soon' }, 'locked_until'],
  ] as const) {
    await service.refused('PUT', `/zones/${zone}`, { guard }, 'INVALID_ZONE_FIELD', says, 'local');
  }
  for (const allowed of ['all', '', ' ']) {
    const headers = { 'zonebook-allow-deletes': allowed, authorization: `Bearer ${boss}` };
    const answer = await service.request(`/zones/${zone}`, { method: 'DELETE', headers });
    expect(answer.status).toBe(400);
    expect(((await answer.json()) as Json).error).toContain('Zonebook-Allow-Deletes');
  }
});

it('names nothing that the caller may not read', async () => {
  const zone = await zoneOf(40);
  const token = await service.tokenOf(`blind-${made}`, [
    { zone_name: zone, actions: ['record:create', 'record:delete', 'zone:update'] },
  ]);
  const body = { mode: 'replace', content: fileOf(2) };
  const held = await send('POST', `/zones/${zone}/import`, body, undefined, token);
  // Nor how many records there are.
  expect(held.body).toMatchObject({
    code: 'GUARDED',
    error: expect.stringMatching(
      /^it deletes 38 records of zone '\S+', more than its guard allows;/,
    ),
    guarded: { deleted: 38, of: null, limit: null, names: [] },
  });
});

it('shows what it protects to who may read that, and all of it to who may set it', async () => {
  const zone = await zoneOf(4);
  const protect = [
    { name: 'h0', type: 'A' },
    { name: 'h0', type: 'TXT' },
    { name: 'secret', type: null },
    { name: 'h0', type: null },
  ];
  await call('PUT', `/zones/${zone}`, { guard: { protect } });
  const reads = { zone_name: zone, actions: ['record:read'], record_name_pattern: 'h0' };
  const reader = await service.tokenOf(`reader-${made}`, [{ ...reads, record_types: 'A' }]);
  const setter = await service.tokenOf(`setter-${made}`, [
    { zone_name: zone, actions: ['zone:update'] },
  ]);
  const seenBy = async (token: string) => {
    const one = (await send('GET', `/zones/${zone}`, undefined, undefined, token)).body.zone;
    const { items } = (await send('GET', '/zones', undefined, undefined, token)).body;
    expect(items).toEqual([one]);
    return one.guard.protect;
  };
  expect(await seenBy(reader)).toEqual([protect[0], protect[3]]);
  expect(await seenBy(setter)).toEqual(protect);
});

it('warns in a dry run of changes, in each zone that is held back', async () => {
  const zones = [await zoneOf(30), await zoneOf(30), await zoneOf(30)];
  const deleted = (count: number) => Array.from({ length: count }, (_, at) => ({ name: `h${at}` }));
  const body = {
    zones: zones.map((name, at) => ({ name, delete: deleted([15, 2, 12][at]!) })),
  };
  const dry = await send('POST', '/changes', { ...body, dry_run: true });
  const codes = dry.body.zones.map(({ warnings }: Json) => warnings.map((one: Json) => one.code));
  expect(codes).toEqual([['GUARDED'], [], ['GUARDED']]);
  expect(dry.body.zones[2].warnings[0].message).toContain('Zonebook-Allow-Deletes: 27 ');
  const planned = { ...body, plan_hash: dry.body.plan_hash };
  expect((await send('POST', '/changes', planned)).body.guarded).toMatchObject({ deleted: 27 });
  expect((await send('POST', '/changes', planned, 27)).status).toBe(200);
});

describe('in a zone that allows no deletion', () => {
  type Way = readonly [method: string, path: string, body: object];
  const large = 3100;

  /** A zone with two addresses at h0, how `values` become those of h0 by each interface, and large ways besides. */
  async function destinationsTo(values: readonly string[]) {
    const zone = await zoneOf(large);
    const second = { zone_name: zone, name: 'h0', type: 'A', value: '192.0.2.2', ttl: 60 };
    await call('POST', '/records', second);
    const before = ['10.0.0.0', '192.0.2.2'];
    const gone = before.filter((value) => !values.includes(value));
    const come = values.filter((value) => !before.includes(value));
    const ns = `@ 3600 IN NS ns1.${zone}.\n`;
    const own = values.map((value) => `h0 60 IN A ${value}\n`).join('');
    const others = fileOf(large).split('\n').slice(2).join('\n');
    const rrset = { name: 'h0', type: 'A', ttl: 60 };
    const changes = (change: object) => ({ zones: [{ name: zone, ...change }] });
    const external = { name: `h0.${zone}`, type: 'A', ttl: 60 };
    const ways: Record<string, Way> = {
      upsert: ['POST', `/zones/${zone}/import`, { mode: 'upsert', content: own }],
      replace: ['POST', `/zones/${zone}/import`, { mode: 'replace', content: ns + own + others }],
      set: ['POST', '/changes', changes({ set: [{ ...rrset, values }] })],
      'delete and add': [
        'POST',
        '/changes',
        changes({
          delete: gone.map((value) => ({ name: 'h0', type: 'A', value })),
          add: come.length === 0 ? [] : [{ ...rrset, values: come }],
        }),
      ],
      desired: ['POST', `/zones/${zone}/desired?owner=shop`, { content: own }],
      external: [
        'POST',
        '/external-dns/changes',
        { updates: [{ old: { ...external, values: before }, new: { ...external, values } }] },
      ],
    };
    return { zone, ways };
  }

  const protectAll = (zone: string) =>
    call('PUT', `/zones/${zone}`, { guard: { max_deletes: 0, max_delete_percent: 0 } });
  const valuesOf = async (zone: string) =>
    (await call('GET', `/records?zone_name=${zone}&name=h0`)).items.map(({ value }: Json) => value);

  it('another value is let through by every interface, and back by rollback and undo', async () => {
    const { zone, ways } = await destinationsTo(['192.0.2.8', '192.0.2.9']);
    await protectAll(zone);
    for (const [way, [method, path, body]] of Object.entries(ways)) {
      const before = (await call('GET', `/zones/${zone}`)).zone.serial;
      const done = await send(method, path, body);
      expect([way, done.status, done.body.code]).toEqual([way, 200, undefined]);
      expect([way, await valuesOf(zone)]).toEqual([way, ['192.0.2.8', '192.0.2.9']]);
      const { items } = await call('GET', `/events?zone=${zone}&order=desc&limit=1`);
      const [undone, serial] = [await send('POST', `/events/${items[0].seq}/revert`, {}), before];
      expect([way, undone.status, undone.body.code]).toEqual([way, 200, undefined]);
      await call('POST', `/zones/${zone}/rollback`, { serial: serial + 1 });
      expect((await send('POST', `/zones/${zone}/rollback`, { serial })).status).toBe(200);
      expect([way, await valuesOf(zone)]).toEqual([way, ['10.0.0.0', '192.0.2.2']]);
    }
    const { items } = await call('GET', `/records?zone_name=${zone}&name=h0`);
    const path = `/records/${items[0].id}`;
    expect((await send('PUT', path, { value: '192.0.2.7' })).status).toBe(200);
    const all = fileOf(large).replaceAll(' 10.0.', ' 10.9.');
    const import_ = { mode: 'replace', content: `${all}h0 60 IN A 192.0.2.2\n` };
    const imported = await send('POST', `/zones/${zone}/import`, import_);
    expect(imported.body.summary).toMatchObject({ deleted: large });
  });

  it('a value less is one deletion by every interface', async () => {
    const { zone, ways } = await destinationsTo(['192.0.2.9']);
    await protectAll(zone);
    const names = [{ name: `h0.${zone}.`, type: 'A' }];
    for (const [way, [method, path, body]] of Object.entries(ways)) {
      const held = await send(method, path, body);
      expect([way, held.body]).toMatchObject([
        way,
        { code: 'GUARDED', guarded: { deleted: 1, names } },
      ]);
    }
    const { items } = await call('GET', `/records?zone_name=${zone}&name=h0`);
    const record = `/records/${items[0].id}`;
    expect((await send('DELETE', record)).body.guarded).toMatchObject({ deleted: 1, names });
    // The old name has one less, whatever the new one gets.
    for (const moved of [{ name: 'other' }, { type: 'TXT', value: 'moved' }]) {
      expect((await send('PUT', record, moved)).body.guarded).toMatchObject({ deleted: 1, names });
    }
  });
});

describe('what is protected and stands', () => {
  const hosts = 3100;
  const rogue = '192.0.2.66';
  const large = Array.from({ length: hosts }, (_, at) => {
    return { name: `m${at}`, type: 'A', value: `10.1.${at >> 8}.${at % 256}`, ttl: 60 };
  });
  const ways = (zone: string) => {
    const record = { name: 'h0', type: 'A', value: rogue, ttl: 60 };
    const line = `h0 60 IN A ${rogue}\n`;
    const lines = large.map(({ name, value }) => `${name} 60 IN A ${value}\n`).join('');
    const [importPath, bulk] = [`/zones/${zone}/import`, '/records/bulk'];
    const create = { name: `h0.${zone}`, type: 'A', values: [rogue], ttl: 60 };
    const add = [{ name: 'h0', type: 'A', values: [rogue] }];
    return {
      create: ['POST', '/records', { zone_name: zone, ...record }],
      bulk: ['POST', bulk, { zone_name: zone, records: [record] }],
      'large bulk': ['POST', bulk, { zone_name: zone, records: [...large, record] }],
      changes: ['POST', '/changes', { zones: [{ name: zone, add }] }],
      append: ['POST', importPath, { mode: 'append', content: line }],
      'large append': ['POST', importPath, { mode: 'append', content: `${lines}${line}` }],
      desired: ['POST', `/zones/${zone}/desired?owner=x`, { content: `${line}h0 60 A 10.0.0.0\n` }],
      external: ['POST', '/external-dns/changes', { creates: [create] }],
    } as const;
  };

  it('gets no record by any way, and by all with the number', async () => {
    const zone = await zoneOf(4);
    const guard = { protect: [{ name: 'h0', type: 'A' }, { name: '@' }, { name: 'new' }] };
    await call('PUT', `/zones/${zone}`, { guard });
    const names = [{ name: `h0.${zone}.`, type: 'A' }];
    const before = await countOf(zone);
    for (const [way, [method, path, body]] of Object.entries(ways(zone))) {
      const held = await send(method, path, body);
      expect([way, held.body]).toMatchObject([
        way,
        { code: 'GUARDED', guarded: { deleted: 0, names } },
      ]);
      expect(held.body.error).toContain(`it changes what zone '${zone}' protects`);
      expect([way, await warnedOf(method, path, body)]).toEqual([way, [held.body.error]]);
    }
    const ns = { zone_name: zone, name: '@', type: 'NS', value: 'rogue.example.' };
    expect((await send('POST', '/records', ns)).body.code).toBe('GUARDED');
    // A record that moves to it, and one that an undo would bring back.
    const { items } = await call('GET', `/records?zone_name=${zone}&name=h1`);
    const moved = { name: 'h0' };
    expect((await send('PUT', `/records/${items[0].id}`, moved)).body.code).toBe('GUARDED');
    expect(await countOf(zone)).toBe(before);
    for (const [way, [method, path, body]] of Object.entries(ways(zone))) {
      const dry = 'external' === way ? {} : { dry_run: true };
      const through = await send(method, path, { ...body, ...dry }, 0);
      expect([way, through.body.code, through.status < 300]).toEqual([way, undefined, true]);
    }
    expect(await countOf(zone)).toBe(before + 1);
    const { items: events } = await call('GET', `/events?zone=${zone}&order=desc&limit=1`);
    const undo = `/events/${events[0].seq}/revert`;
    expect((await send('POST', undo, {})).body.code).toBe('GUARDED');
  });

  it('is not what is not there yet', async () => {
    const zone = await zoneOf(4);
    await call('PUT', `/zones/${zone}`, { guard: { protect: [{ name: '@' }, { name: 'new' }] } });
    for (const [name, type, value] of [
      ['new', 'A', '192.0.2.1'],
      ['@', 'TXT', 'first'],
    ]) {
      const record = { zone_name: zone, name, type, value };
      expect((await send('POST', '/records', record)).status).toBe(201);
      const second = { ...record, value: type === 'A' ? '192.0.2.2' : 'second' };
      expect((await send('POST', '/records', second)).body.code).toBe('GUARDED');
    }
  });
});

it('an UPDATE, which can not say a number, is told of the command that sets the guard', async () => {
  const zoneName = await zoneOf(3);
  await call('PUT', `/zones/${zoneName}`, {
    guard: { max_deletes: 1, protect: [{ name: 'h0', type: null }] },
  });
  const remove = (...names: string[]) => {
    const steps = names.map((name) => {
      return { kind: 'delete-name', owner: `${name}\0` as NameKey } as const;
    });
    const command = {
      kind: 'dynamic-update',
      zoneName,
      prerequisites: [],
      operations: steps,
    } as const;
    const options = { source: 'nsupdate', actor: null, requestId: null, dryRun: false } as const;
    return service.writer.submit(command, options);
  };
  const guard = `zonebook zone guard ${zoneName}`;
  await expect(remove('h1', 'h2')).rejects.toThrow(
    `it deletes 2 of 4 records of zone '${zoneName}', more than 1; ${guard} --max-deletes 2 `,
  );
  await expect(remove('h0')).rejects.toThrow(
    `protects; ${guard} with all but this under --protect lets it through`,
  );
});

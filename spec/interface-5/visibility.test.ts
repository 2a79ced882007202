/** Hidden things answer like missing ones; rows outside the grants are neither shown nor counted. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { InProcessService } from '../support/in-process.ts';
import { input } from '../support/record-desk.ts';

let service: InProcessService;
const ids = new Map<string, number>();

beforeAll(async () => {
  service = new InProcessService({ authenticationRequired: true });
  for (const zone of ['one.example', 'two.example']) {
    await service.createZone(zone);
    const records = [
      input('www', 'A', '192.0.2.1'),
      input('www', 'TXT', 'hidden words'),
      input('sub', 'A', '192.0.2.2'),
      input('a.sub', 'A', '192.0.2.3'),
      input('b.a.sub', 'TXT', 'deep'),
      input('suba', 'A', '192.0.2.4'),
    ];
    const body = { zone_name: zone, records };
    const made = await service.call('POST', '/records/bulk', body, 201, 'local');
    for (const { name, type, id } of made.records) ids.set(`${name} ${type}`, id);
  }
});
afterAll(() => service.close());

let made = 0;
const tokenOf = (...grants: object[]) => service.tokenOf(`t${++made}`, grants);
const get = (path: string, as: string) => service.call('GET', path, undefined, 200, as);

/** What a caller sees of a list of records, which must count just that. */
async function seen(as: string, query = ''): Promise<string[]> {
  const { items, pagination } = await get(`/records?limit=1000${query}`, as);
  expect(pagination.total).toBe(items.length);
  return items.map(({ name, type }: { name: string; type: string }) => `${name} ${type}`);
}

describe('records', () => {
  const read = { actions: ['record:read'] };

  it('are shown row by row, by zone, name, subtree and type', async () => {
    const zone_name = 'one.example';
    const exact = await tokenOf({ ...read, zone_name, record_name_pattern: 'WWW' });
    expect(await seen(exact)).toEqual(['www.one.example. A', 'www.one.example. TXT']);
    const apex = await tokenOf({ ...read, zone_name, record_name_pattern: '@' });
    expect(await seen(apex)).toEqual(['one.example. NS']);
    const subtree = await tokenOf({ ...read, zone_name, record_name_pattern: '*.sub' });
    expect(await seen(subtree)).toEqual([
      'sub.one.example. A',
      'a.sub.one.example. A',
      'b.a.sub.one.example. TXT',
    ]);
    const types = await tokenOf({ ...read, record_types: 'TXT,NS' });
    expect(await seen(types)).toHaveLength(6);
    const mixed = await tokenOf(
      { ...read, zone_name, record_name_pattern: 'www', record_types: 'TXT' },
      { ...read, zone_name: 'two.example', record_name_pattern: '@' },
      { actions: ['record:create'], zone_name: 'two.example' },
    );
    expect(await seen(mixed)).toEqual(['www.one.example. TXT', 'two.example. NS']);
    expect(await seen(mixed, '&zone_name=two.example')).toEqual(['two.example. NS']);
    expect(await seen(mixed, '&sort=created_at&order=desc')).toHaveLength(2);
  });

  it('can not be found out by filters', async () => {
    const token = await tokenOf({ ...read, record_types: 'A', zone_name: 'one.example' });
    for (const query of ['&search=hidden', '&value=words', '&type=TXT', '&name=b.a.sub']) {
      expect(await seen(token, query)).toEqual([]);
    }
    expect(await seen(token, '&search=www')).toEqual(['www.one.example. A']);
  });

  it('of a zone without any grant are no zone at all', async () => {
    const token = await tokenOf({ ...read, zone_name: 'one.example' });
    const list = (zone: string) =>
      service.refused('GET', `/records?zone_name=${zone}`, undefined, 'ZONE_NOT_FOUND', '', token);
    const hidden = await list('two.example');
    const missing = await list('six.example');
    expect(hidden.status).toBe(404);
    expect(hidden.body.error.replace('two', 'six')).toBe(missing.body.error);
    // Seen, but without record:read, it has nothing to show.
    const blind = await tokenOf({ actions: ['zone:update'], zone_name: 'one.example' });
    expect(await seen(blind, '&zone_name=one.example')).toEqual([]);
  });

  it('that are reached but not readable are FORBIDDEN, else missing', async () => {
    const id = ids.get('www.one.example. A')!;
    const token = await tokenOf({
      actions: ['record:update'],
      zone_name: 'one.example',
      record_name_pattern: 'www',
      record_types: 'A',
    });
    const blind = await service.refused(
      'GET',
      `/records/${id}`,
      undefined,
      'FORBIDDEN',
      "action 'record:read' is needed on www.one.example. A",
      token,
    );
    expect(blind.status).toBe(403);
    const other = ids.get('www.one.example. TXT')!;
    const none = ids.size + 1000;
    const hidden = await service.refused(
      'GET',
      `/records/${other}`,
      undefined,
      'RECORD_NOT_FOUND',
      '',
      token,
    );
    const missing = await service.refused(
      'GET',
      `/records/${none}`,
      undefined,
      'RECORD_NOT_FOUND',
      '',
      token,
    );
    expect(hidden.body.error.replace(String(other), String(none))).toBe(missing.body.error);
  });

  it('carry the actions that are held on them', async () => {
    const token = await tokenOf(
      { ...read, zone_name: 'one.example' },
      { actions: ['record:update', 'record:create'], record_types: 'A' },
      { actions: ['record:delete'], record_name_pattern: '*.sub' },
    );
    const { items } = await get('/records?zone_name=one.example', token);
    const held = Object.fromEntries(
      items.map(({ name, type, actions }: Record<string, unknown>) => [`${name} ${type}`, actions]),
    );
    expect(held).toEqual({
      'one.example. NS': ['record:read'],
      'sub.one.example. A': ['record:read', 'record:update', 'record:delete'],
      'a.sub.one.example. A': ['record:read', 'record:update', 'record:delete'],
      'b.a.sub.one.example. TXT': ['record:read', 'record:delete'],
      'suba.one.example. A': ['record:read', 'record:update'],
      'www.one.example. A': ['record:read', 'record:update'],
      'www.one.example. TXT': ['record:read'],
    });
  });

  it('are updated without record:read only when every field is given', async () => {
    const id = ids.get('suba.one.example. A')!;
    const token = await tokenOf({ actions: ['record:update'], zone_name: 'one.example' });
    const put = (body: object) =>
      service.fetch('PUT', `/records/${id}`, { ...body, dry_run: true }, token);
    const partly = await put({ value: '192.0.2.5' });
    expect(partly.status).toBe(403);
    expect(await partly.text()).toContain('name, type, ttl');
    const whole = { name: 'suba', type: 'A', value: '192.0.2.5', ttl: 3600 };
    expect((await put(whole)).status).toBe(200);
  });

  it('are deleted by a filter only when the grant covers all of it', async () => {
    const path = '/records?zone_name=one.example&dry_run=true&name=';
    const token = await tokenOf({
      actions: ['record:delete'],
      record_name_pattern: 'www',
      record_types: 'A',
    });
    const refused = (filter: string) =>
      service.refused('DELETE', path + filter, undefined, 'FORBIDDEN', '', token);
    await refused('www');
    await refused('www&type=TXT');
    await refused('nothing-there');
    const allowed = await service.call('DELETE', `${path}www&type=A`, undefined, 200, token);
    // Who may not read what it deletes is told how many, not what.
    expect(allowed).toMatchObject({ deleted: 1, records: [], diff: { entries: [] } });
  });
});

describe('zones', () => {
  it('are listed and counted where any grant reaches them', async () => {
    const names = async (token: string, query = '') => {
      const { items, pagination } = await get(`/zones${query}`, token);
      expect(pagination.total).toBe(items.length);
      return items.map(({ name }: { name: string }) => name);
    };
    const one = await tokenOf({ actions: ['zone:transfer'], zone_name: 'one.example' });
    expect(await names(one)).toEqual(['one.example']);
    expect(await names(one, '?search=two')).toEqual([]);
    expect(await names(one, '?name=two.example')).toEqual([]);
    const all = await tokenOf({ actions: ['secondary:read'] });
    expect(await names(all)).toEqual(['one.example', 'two.example']);
    expect(await names(await tokenOf())).toEqual([]);
  });

  it('that are hidden answer every request as missing ones do', async () => {
    const token = await tokenOf({ actions: ['zone:read'], zone_name: 'one.example' });
    const body = input('www', 'A', '192.0.2.1');
    for (const [method, path, given] of [
      ['GET', '/zones/ZONE', undefined],
      ['PUT', '/zones/ZONE', {}],
      ['DELETE', '/zones/ZONE', undefined],
      ['POST', '/zones/ZONE/notify', undefined],
      ['POST', '/zones/ZONE/notify?bump_serial=true', undefined],
      ['POST', '/notify/zones', { zone_name: 'ZONE' }],
      ['POST', '/records', { ...body, zone_name: 'ZONE' }],
      ['POST', '/zones/ZONE/records/bulk', { records: [body] }],
      ['DELETE', '/records?zone_name=ZONE&name=www', undefined],
    ] as const) {
      const answers = [];
      for (const zone of ['two.example', 'six.example']) {
        const text = JSON.stringify(given)?.replace('ZONE', zone);
        const response = await service.fetch(
          method,
          path.replace('ZONE', zone),
          text === undefined ? undefined : JSON.parse(text),
          token,
        );
        answers.push([response.status, (await response.text()).replaceAll(zone, 'ZONE')]);
      }
      expect(answers[0]).toEqual(answers[1]);
      expect(answers[0]![0]).toBe(404);
    }
  });

  it('are renamed with zone:update on them and zone:create in all zones', async () => {
    const update = { actions: ['zone:update'], zone_name: 'one.example' };
    const body = { name: 'new.example', dry_run: true };
    const one = await tokenOf(update);
    const path = '/zones/one.example';
    await service.refused('PUT', path, body, 'FORBIDDEN', "'zone:create'", one);
    await service.call('PUT', path, body, 200, await tokenOf(update, { actions: ['zone:create'] }));
  });

  it('and the catalog are notified with zone:update in all zones', async () => {
    const path = '/zones/catalog.invalid/notify';
    const one = await tokenOf({ actions: ['zone:update'], zone_name: 'one.example' });
    await service.refused('POST', path, undefined, 'ZONE_NOT_FOUND', '', one);
    const reader = await tokenOf({ actions: ['zone:read'] });
    await service.refused('POST', path, undefined, 'FORBIDDEN', "'zone:update'", reader);
    const all = await tokenOf({ actions: ['zone:update'] });
    await service.call('POST', path, undefined, 200, all);
    await service.refused('POST', '/notify', undefined, 'FORBIDDEN', 'in all zones', one);
    await service.call('POST', '/notify', undefined, 200, all);
    expect(service.notified).toEqual(['catalog.invalid', undefined]);
  });
});

describe('secondaries', () => {
  it('are hidden without secondary:read or secondary:manage', async () => {
    await service.call('POST', '/secondaries', { name: 'ns2', address: '192.0.2.2' }, 201, 'local');
    const reader = await tokenOf({ actions: ['secondary:read'] });
    expect((await get('/secondaries', reader)).pagination.total).toBe(1);
    const path = '/secondaries/ns2';
    await service.refused('PUT', path, { enabled: false }, 'FORBIDDEN', '', reader);
    await service.refused('DELETE', path, undefined, 'FORBIDDEN', '', reader);
    const manager = await tokenOf({ actions: ['secondary:manage'] });
    expect((await get('/secondaries', manager)).pagination.total).toBe(1);
    await get(path, manager);
    const other = await tokenOf({ actions: ['zone:read', 'access:manage'] });
    const list = await get('/secondaries', other);
    expect(list).toEqual({
      items: [],
      pagination: { limit: 50, offset: 0, total: 0 },
      next_cursor: null,
    });
    await service.refused('GET', path, undefined, 'SECONDARY_NOT_FOUND', "'ns2'", other);
  });
});

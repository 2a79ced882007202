import { afterAll, beforeAll, expect, it } from 'vitest';
import { actions } from '../../src/base/action.ts';
import { InProcessService } from '../support/in-process.ts';
import { jsonOf } from '../support/json.ts';

let service: InProcessService;
let admin: string;
beforeAll(async () => {
  service = new InProcessService({ authenticationRequired: true });
  admin = await service.tokenOf('boss', 'admin');
  await post('/roles', { name: 'ci' });
  await service.createZone('example.com');
  await service.createZone('example.net');
});
afterAll(() => service.close());

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
const get = (path: string, as: string) => service.call('GET', path, undefined, 200, as);
const post = (path: string, body: object) => service.call('POST', path, body, 201, admin);
const recordActions = ['record:read', 'record:create', 'record:update', 'record:delete'];

it('are made with a secret that is shown once', async () => {
  await post('/roles', { name: 'builds' });
  const made = await post('/tokens', { name: ' CI ', role_name: 'Builds', description: 'build' });
  expect(made).toEqual({
    secret: expect.stringMatching(/^zb_[A-Za-z0-9]{40}$/),
    token: {
      id: expect.any(Number),
      name: 'ci',
      description: 'build',
      role_name: 'builds',
      created_at: time,
      expires_at: null,
      last_used_at: null,
      last_used_from: null,
    },
  });
  const self = await get('/tokens/self', made.secret);
  expect(self).toEqual({ token: { ...made.token, last_used_at: time } });
  const listed = await get('/tokens?role_name=builds', admin);
  expect(listed).toEqual({
    items: [self.token],
    pagination: { limit: 50, offset: 0, total: 1 },
    next_cursor: null,
  });
});

it('have secrets of even letters and digits, no two alike', async () => {
  const { makeTokenSecret } = await import('../../src/http/secret.ts');
  const secrets = Array.from({ length: 2000 }, makeTokenSecret);
  expect(new Set(secrets).size).toBe(secrets.length);
  const counts = new Map<string, number>();
  for (const secret of secrets) {
    for (const character of secret.slice(3)) {
      counts.set(character, (counts.get(character) ?? 0) + 1);
    }
  }
  expect(counts.size).toBe(62);
  const even = (2000 * 40) / 62;
  for (const count of counts.values()) expect(Math.abs(count - even)).toBeLessThan(even / 4);
});

it('may expire, to the millisecond', async () => {
  const body = { name: 'short', role_name: 'ci', expires_in_days: 1 };
  const { secret, token } = await post('/tokens', body);
  const lifeMs = Date.parse(token.expires_at) - Date.parse(token.created_at);
  expect(lifeMs).toBe(86_400_000);
  await get('/tokens/self', secret);
  service.pass(lifeMs);
  await service.refused('GET', '/tokens/self', undefined, 'INVALID_TOKEN', '', secret);
  for (const expires_in_days of [0, -1, 36_501, 1e12]) {
    const bad = { name: 'bad', role_name: 'ci', expires_in_days };
    await service.refused('POST', '/tokens', bad, 'INVALID_INPUT', 'expires_in_days', admin);
  }
  const half = { name: 'bad', role_name: 'ci', expires_in_days: 1.5 };
  await service.refused('POST', '/tokens', half, 'INVALID_JSON_BODY', '', admin);
  const long = await post('/tokens', { name: 'long', role_name: 'ci', expires_in_days: 36_500 });
  expect(Date.parse(long.token.expires_at)).toBeGreaterThan(Date.parse('2120-01-01'));
});

it('have one name each and a role that exists', async () => {
  await post('/tokens', { name: 'single', role_name: 'ci' });
  const refused = (name: string, role_name: string, code: string) =>
    service.refused('POST', '/tokens', { name, role_name }, code, '', admin);
  await refused('Single', 'ci', 'TOKEN_CONFLICT');
  await refused('fresh', 'nobody', 'ROLE_NOT_FOUND');
  for (const name of ['', 'a b', 'x'.repeat(65)]) await refused(name, 'ci', 'INVALID_INPUT');
  const unknown = '/tokens?role_name=nobody';
  await service.refused('GET', unknown, undefined, 'ROLE_NOT_FOUND', "'nobody'", admin);
});

it('are refused from the request after their deletion on', async () => {
  const { secret } = await post('/tokens', { name: 'gone', role_name: 'ci' });
  await get('/permissions', secret);
  const deleted = await service.call('DELETE', '/tokens/GONE', undefined, 200, admin);
  expect(deleted).toEqual({ message: "token 'gone' deleted" });
  await service.refused('GET', '/permissions', undefined, 'INVALID_TOKEN', '', secret);
  await service.refused('DELETE', '/tokens/gone', undefined, 'TOKEN_NOT_FOUND', '', admin);
  const again = await post('/tokens', { name: 'gone', role_name: 'ci' });
  await service.refused('GET', '/permissions', undefined, 'INVALID_TOKEN', '', secret);
  await get('/permissions', again.secret);
});

it('may not be called self, whose path means the token of the call by every method', async () => {
  const body = { name: ' Self', role_name: 'ci' };
  await service.refused('POST', '/tokens', body, 'INVALID_INPUT', "name: 'self'", admin);
  expect((await get('/tokens/self', admin)).token.name).toBe('boss');
  await service.refused('DELETE', '/tokens/self', undefined, 'METHOD_NOT_ALLOWED', 'GET', admin);
  expect((await get('/tokens/self', admin)).token.name).toBe('boss');
});

it('are stamped when they are used, at most once a minute', async () => {
  const secret = await service.tokenOf('stamped', []);
  const lastUsed = async () => (await get('/tokens/self', secret)).token.last_used_at as string;
  const first = await lastUsed();
  service.pass(30_000);
  expect(await lastUsed()).toBe(first);
  service.pass(30_000);
  const second = await lastUsed();
  expect(Date.parse(second) - Date.parse(first)).toBeGreaterThanOrEqual(60_000);
  expect(await lastUsed()).toBe(second);
});

it('show their own grants, and nothing of themselves without a token', async () => {
  const grant = { actions: ['record:read'], zone_name: 'example.com', record_types: 'A' };
  const secret = await service.tokenOf('owner', [grant, { actions: ['zone:read'] }]);
  const { items, pagination } = await get('/tokens/self/grants?limit=1&offset=1', secret);
  expect(pagination).toEqual({ limit: 1, offset: 1, total: 2 });
  expect(items).toMatchObject([{ role_name: 'owner', zone_name: null, actions: ['zone:read'] }]);
  expect((await get('/tokens/self/grants', admin)).items).toEqual([]);
  for (const path of ['/tokens/self', '/tokens/self/grants']) {
    const refused = await service.refused('GET', path, undefined, 'UNAUTHORIZED', '', 'local');
    expect(refused.status).toBe(401);
  }
  const open = new InProcessService();
  await open.refused('GET', '/tokens/self', undefined, 'UNAUTHORIZED');
  await open.refused('GET', '/tokens/self/grants', undefined, 'UNAUTHORIZED');
  await open.close();
});

it('tell what they may do', async () => {
  const reason_required = false;
  const all = {
    reason_required,
    all_zones: { actions: [...actions], whole_zone: recordActions },
    zones: [],
  };
  expect(await get('/permissions', admin)).toEqual(all);
  expect(await get('/permissions', 'local')).toEqual(all);
  const none = { reason_required, all_zones: { actions: [], whole_zone: [] }, zones: [] };
  expect(await get('/permissions', await service.tokenOf('nothing', []))).toEqual(none);

  const secret = await service.tokenOf('mixed', [
    { actions: ['zone:read', 'record:read'], record_types: 'A' },
    { actions: ['zone:read'], zone_name: 'example.net' },
    { actions: ['record:read', 'record:create'], zone_name: 'example.com' },
    { actions: ['record:delete'], zone_name: 'example.com', record_name_pattern: 'www' },
  ]);
  expect(await get('/permissions', secret)).toEqual({
    reason_required,
    all_zones: { actions: ['zone:read', 'record:read'], whole_zone: [] },
    // example.net holds what all zones hold, so it is left out.
    zones: [
      {
        zone_name: 'example.com',
        actions: ['zone:read', 'record:read', 'record:create', 'record:delete'],
        whole_zone: ['record:read', 'record:create'],
      },
    ],
  });
});

it('name their bearer in what they change', async () => {
  const secret = await service.tokenOf('writer', [{ actions: ['record:create', 'record:read'] }]);
  const body = { zone_name: 'example.com', name: 'x', type: 'A', value: '192.0.2.1' };
  const { record } = await jsonOf(service.fetch('POST', '/records', body, secret));
  expect(record.actions).toEqual(['record:read']);
  expect(service.lastEvent()).toMatchObject({
    changeSource: 'api',
    actorKind: 'token',
    actorName: 'writer',
  });
});

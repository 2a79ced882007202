import { afterAll, beforeAll, expect, it } from 'vitest';
import { InProcessService } from '../support/in-process.ts';

let service: InProcessService;
beforeAll(async () => {
  service = new InProcessService();
  await service.createZone('example.com');
});
afterAll(() => service.close());

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
const role = (name: string) => service.call('POST', '/roles', { name }, 201);
const grant = (name: string, body: object) =>
  service.call('POST', `/roles/${name}/grants`, body, 201).then(({ role_grant }) => role_grant);

it('has admin from the start, built in', async () => {
  const { role: admin } = await service.call('GET', '/roles/Admin');
  expect(admin).toMatchObject({ name: 'admin', builtin: true, grant_count: 0, token_count: 0 });
  await service.refused('DELETE', '/roles/admin', undefined, 'INVALID_INPUT', 'built in');
  const body = { actions: ['zone:read'] };
  await service.refused('POST', '/roles/admin/grants', body, 'INVALID_INPUT', 'built in');
  await service.refused('POST', '/roles', { name: 'ADMIN' }, 'ROLE_CONFLICT');
});

it('creates roles without grants, under normalised names', async () => {
  const made = await service.call('POST', '/roles', { name: ' Ops.1_x ', description: 'd' }, 201);
  expect(made).toEqual({
    role: {
      id: expect.any(Number),
      name: 'ops.1_x',
      description: 'd',
      builtin: false,
      reason_required: false,
      created_at: time,
      grant_count: 0,
      token_count: 0,
      tsig_key_count: 0,
    },
  });
  expect(await service.call('GET', '/roles/OPS.1_X')).toEqual(made);
  for (const name of ['', 'a b', 'ä', 'x'.repeat(65)]) {
    await service.refused('POST', '/roles', { name }, 'INVALID_INPUT', 'name');
  }
});

it('takes descriptions of 255 characters', async () => {
  const at = { name: 'at', description: '🦊'.repeat(255) };
  expect((await service.call('POST', '/roles', at, 201)).role.description).toBe(at.description);
  const over = { name: 'over', description: 'x'.repeat(256) };
  await service.refused('POST', '/roles', over, 'INVALID_INPUT', 'description');
  const broken = { name: 'over', description: '\ud800' };
  await service.refused('POST', '/roles', broken, 'INVALID_INPUT', 'surrogate');
  const nulled = await service.call('POST', '/roles', { name: 'nulled', description: null }, 201);
  expect(nulled.role.description).toBeNull();
});

it('lists roles by name with what hangs on them', async () => {
  await role('counted');
  await grant('counted', { actions: ['zone:read'] });
  await service.call('POST', '/tokens', { name: 'counted', role_name: 'counted' }, 201);
  await service.call('POST', '/tsig-keys', { name: 'counted', role_name: 'counted' }, 201);
  const { items, pagination } = await service.call('GET', '/roles?limit=1000');
  const names = items.map(({ name }: { name: string }) => name);
  expect(names).toEqual([...names].sort());
  expect(pagination.total).toBe(names.length);
  expect(items.find(({ name }: { name: string }) => name === 'counted')).toMatchObject({
    grant_count: 1,
    token_count: 1,
    tsig_key_count: 1,
  });
});

it('deletes a role with its grants, not while anything authenticates into it', async () => {
  await role('used');
  await grant('used', { actions: ['zone:read'] });
  await service.call('POST', '/tokens', { name: 'user', role_name: 'used' }, 201);
  await service.call('POST', '/tsig-keys', { name: 'user.example', role_name: 'used' }, 201);
  const deleteUsed = () =>
    service.refused('DELETE', '/roles/used', undefined, 'ROLE_IN_USE', "'user");
  expect((await deleteUsed()).status).toBe(409);
  await service.call('DELETE', '/tokens/user');
  await deleteUsed();
  await service.call('DELETE', '/tsig-keys/user.example');
  expect(await service.call('DELETE', '/roles/USED')).toEqual({ message: "role 'used' deleted" });
  await service.refused('GET', '/roles/used/grants', undefined, 'ROLE_NOT_FOUND', "'used'");
  await role('used');
  expect((await service.call('GET', '/roles/used/grants')).items).toEqual([]);
});

it('grants actions in storage order, in all zones or one', async () => {
  await role('grantee');
  const wide = await grant('Grantee', {
    actions: ['record:delete', 'zone:read', 'record:delete', 'access:manage'],
    zone_name: null,
    record_name_pattern: null,
    record_types: null,
  });
  expect(wide).toEqual({
    id: expect.any(Number),
    role_name: 'grantee',
    zone_name: null,
    actions: ['zone:read', 'record:delete', 'access:manage'],
    record_name_pattern: '*',
    record_types: '*',
    created_at: time,
  });
  const narrow = await grant('grantee', {
    actions: ['record:create'],
    zone_name: 'Example.COM.',
    record_name_pattern: '*.Dyn',
    record_types: 'txt, a,TXT',
  });
  expect(narrow).toMatchObject({
    zone_name: 'example.com',
    record_name_pattern: '*.dyn',
    record_types: 'TXT,A',
  });
  const listed = await service.call('GET', '/roles/grantee/grants');
  expect(listed).toEqual({
    items: [wide, narrow],
    pagination: { limit: 50, offset: 0, total: 2 },
    next_cursor: null,
  });
});

it('refuses grants that make no sense', async () => {
  await role('strict');
  const refused = (body: object, code = 'INVALID_INPUT', says = '') =>
    service.refused('POST', '/roles/strict/grants', body, code, says);
  const read = ['record:read'];
  await refused({ actions: [] }, 'INVALID_INPUT', 'actions');
  await refused({ actions: ['record:write'] }, 'INVALID_INPUT', "'record:write'");
  await refused({ actions: read, record_name_pattern: 'a..b' });
  await refused({ actions: read, record_name_pattern: 'www.example.com.' });
  for (const record_name_pattern of ['**', 'a.**.b', '*.a.**']) {
    const rule = `'${record_name_pattern}' has ** elsewhere than at its end`;
    await refused({ actions: read, record_name_pattern }, 'INVALID_INPUT', rule);
  }
  await refused({ actions: read, record_types: 'NOPE' }, 'INVALID_INPUT', "'NOPE'");
  await refused({ actions: read, record_types: 'RRSIG' });
  await refused({ actions: ['zone:update'], record_name_pattern: 'www' });
  await refused({ actions: ['zone:update'], record_types: 'A' });
  for (const action of ['zone:create', 'secondary:read', 'secondary:manage', 'access:manage']) {
    await refused({ actions: [action], zone_name: 'example.com' }, 'INVALID_INPUT', action);
  }
  await refused({ actions: read, zone_name: 'nowhere.example' }, 'ZONE_NOT_FOUND', 'nowhere');
  await refused({ actions: 'record:read' }, 'INVALID_JSON_BODY', "'actions'");
  await refused({ zone_name: 'example.com' }, 'INVALID_JSON_BODY', "'actions' is required");
  const nobody = { actions: read };
  await service.refused('POST', '/roles/nobody/grants', nobody, 'ROLE_NOT_FOUND', "'nobody'");
  expect((await service.call('GET', '/roles/strict/grants')).pagination.total).toBe(0);
});

it('revokes grants by id, of the named role only', async () => {
  await role('one');
  await role('two');
  const { id } = await grant('one', { actions: ['zone:read'] });
  const gone = 'ROLE_GRANT_NOT_FOUND';
  await service.refused('DELETE', `/roles/two/grants/${id}`, undefined, gone);
  await service.refused('DELETE', `/roles/one/grants/${id + 1000}`, undefined, gone);
  await service.refused('DELETE', '/roles/one/grants/first', undefined, 'INVALID_INPUT');
  expect(await service.call('DELETE', `/roles/ONE/grants/${id}`)).toEqual({
    message: `grant ${id} of role 'one' deleted`,
  });
  await service.refused('DELETE', `/roles/one/grants/${id}`, undefined, gone);
  const next = await grant('one', { actions: ['zone:read'] });
  expect(next.id).toBeGreaterThan(id);
});

it('grants follow a rename of their zone and go with it', async () => {
  await service.createZone('moving.example');
  await role('mover');
  await grant('mover', { actions: ['zone:read'], zone_name: 'moving.example' });
  await service.call('PUT', '/zones/moving.example', { name: 'moved.example' });
  const { items } = await service.call('GET', '/roles/mover/grants');
  expect(items[0].zone_name).toBe('moved.example');
  await service.call('DELETE', '/zones/moved.example');
  expect((await service.call('GET', '/roles/mover/grants')).items).toEqual([]);
  await service.createZone('moved.example');
  expect((await service.call('GET', '/roles/mover')).role.grant_count).toBe(0);
});

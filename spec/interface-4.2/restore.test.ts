/** Deleted zones: listed, and brought back (decisions 2 and 16). */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { InProcessService } from '../support/in-process.ts';
import { makeHistory } from '../support/versioned-zone.ts';

let service: InProcessService;
beforeAll(() => {
  service = new InProcessService();
});
afterAll(() => service.close());

it('brings a zone back with its records, ids and history, above its last serial', async () => {
  const name = 'back.example';
  await makeHistory(service, name);
  const { items } = await service.call('GET', `/records?zone_name=${name}`);
  const { zone } = await service.call('GET', `/zones/${name}`);
  await service.call('DELETE', `/zones/${name}`);
  await service.refused('GET', `/zones/${name}`, undefined, 'ZONE_NOT_FOUND');
  service.changes();
  const restored = await service.call('POST', `/zones/${name}/restore`, undefined, 200);
  expect(restored).toEqual({ warnings: [], zone: { ...zone, serial: 7 } });
  expect(service.changes()).toHaveLength(1);
  expect((await service.call('GET', `/records?zone_name=${name}`)).items).toEqual(items);
  const versions = await service.call('GET', `/zones/${name}/versions`);
  expect(versions.pagination.total).toBe(7);
  const history = await service.call('GET', `/zones/${name}/history?limit=2`);
  expect(history.items).toMatchObject([
    { kind: 'zone.restored', serial: 7 },
    { kind: 'zone.deleted', serial: null },
  ]);
  const { diff } = await service.call('GET', `/zones/${name}/versions/diff?from=2`);
  expect(diff.summary).toEqual({ added: 1, changed: 0, removed: 1 });
  await service.call('POST', `/zones/${name}/versions/2/rollback`);
  expect(await service.serialOf(name)).toBe(8);
});

it('lists what can be brought back, the last deleted first', async () => {
  await service.createZone('first.gone');
  await service.createZone('second.gone');
  const first = await service.call('DELETE', '/zones/first.gone');
  service.pass(1000);
  await service.call('DELETE', '/zones/second.gone');
  const { items, pagination } = await service.call('GET', '/zones?deleted=true&search=.gone');
  expect(pagination).toEqual({ limit: 50, offset: 0, total: 2 });
  expect(items.map(({ name }: { name: string }) => name)).toEqual(['second.gone', 'first.gone']);
  expect(items[1]).toMatchObject({ ...first.zone, deleted_at: expect.stringMatching(/Z$/) });
  const page = await service.call('GET', '/zones?deleted=true&limit=1&offset=1&search=gone');
  expect(page.items).toMatchObject([{ name: 'first.gone' }]);
  const stored = await service.call('GET', '/zones?deleted=false&search=.gone');
  expect(stored.pagination.total).toBe(0);
  for (const query of ['name=first.gone', 'sort=serial', 'order=desc', 'enabled=true']) {
    const path = `/zones?deleted=true&${query}`;
    await service.refused('GET', path, undefined, 'INVALID_INPUT', "'deleted'");
  }
});

it('chooses among several zones of one name by id, else the last deleted', async () => {
  const name = 'twice.example';
  const one = await service.createZone(name, { description: 'one' });
  await service.call('DELETE', `/zones/${name}`);
  service.pass(1000);
  const two = await service.createZone(name, { description: 'two' });
  await service.call('DELETE', `/zones/${name}`);
  const older = await service.call('POST', `/zones/${name}/restore?id=${one.id}`);
  expect(older.zone).toMatchObject({ id: one.id, description: 'one', serial: two.serial + 1 });
  await service.refused('POST', `/zones/${name}/restore`, undefined, 'ZONE_CONFLICT', name);
  await service.call('DELETE', `/zones/${name}`);
  const wrong = `/zones/other.example/restore?id=${two.id}`;
  await service.refused('POST', wrong, undefined, 'ZONE_NOT_FOUND');
  const newest = await service.call('POST', `/zones/${name}/restore`);
  expect(newest.zone).toMatchObject({ id: one.id });
});

it('refuses names without a deleted zone', async () => {
  const path = '/zones/never.example/restore';
  await service.refused('POST', path, undefined, 'ZONE_NOT_FOUND', 'never.example');
  await service.refused('POST', path, { id: 1 }, 'INVALID_JSON_BODY', "'id'");
  await service.refused('POST', `${path}?id=x`, undefined, 'INVALID_INPUT', "'id'");
});

it('lists the roles whose grants went with a zone, and the keys that it comes back with', async () => {
  const guarded = new InProcessService({ authenticationRequired: true });
  const name = 'lost.example';
  await guarded.createZone(name);
  const parents = { parent_ns_addrs: ['192.0.2.9'] };
  guarded.parents = () => [{ address: '192.0.2.9:53', ds: [], ttlSeconds: null }];
  const at = `/zones/${name}/dnssec`;
  const { keys } = await guarded.call('POST', at, parents, 201, 'local');
  const here = { zone_name: name, actions: ['record:read'] };
  await guarded.tokenOf('ops', [here, { ...here, record_types: 'A' }, { actions: ['zone:read'] }]);
  await guarded.tokenOf('ci', [here]);
  const boss = await guarded.tokenOf('boss', 'admin');
  const creator = await guarded.tokenOf('creator', [{ actions: ['zone:create'] }]);
  const listed = async (as: string) => {
    await guarded.call('DELETE', `/zones/${name}`, undefined, 200, 'local');
    const { items } = await guarded.call('GET', '/zones?deleted=true', undefined, 200, as);
    await guarded.call('POST', `/zones/${name}/restore`, undefined, 200, 'local');
    return items;
  };
  const ds_key_tags = [keys[0].key_tag];
  const [first] = await listed(boss);
  expect(first).toMatchObject({ name, roles_lost: ['ci', 'ops'], ds_key_tags });
  expect(first.restoring.join(' ')).toMatch(
    /do not come back\. Roles that had some: ci, ops\..* signed again with key \d+: the parent needs the DS/,
  );
  await guarded.call('POST', '/roles/ci/grants', here, 201, 'local');
  const [second] = await listed(creator);
  expect(second).toMatchObject({ name, roles_lost: null, ds_key_tags });
  expect(second.restoring.join(' ')).toContain('Who has access:manage sees which roles had any.');
  await guarded.call('DELETE', `${at}?skip_ds_check=true`, undefined, 200, 'local');
  const [last] = await listed(boss);
  expect(last).toMatchObject({ name, roles_lost: [], ds_key_tags: [] });
  expect(last.restoring.slice(1)).toEqual([
    'No grant named only this zone: none is lost.',
    'It was not signed: the parent must have no DS for it.',
  ]);
  await guarded.close();
});

it('is for those who may create zones anywhere, the list too', async () => {
  const guarded = new InProcessService({ authenticationRequired: true });
  await guarded.createZone('kept.example');
  await guarded.createZone('gone.example');
  await guarded.call('DELETE', '/zones/gone.example', undefined, 200, 'local');
  const reader = await guarded.tokenOf('reader', [{ actions: ['zone:read', 'zone:delete'] }]);
  const creator = await guarded.tokenOf('creator', [{ actions: ['zone:create'] }]);
  const list = '/zones?deleted=true';
  await guarded.refused('GET', list, undefined, 'FORBIDDEN', 'zone:create', reader);
  for (const name of ['gone.example', 'never.example']) {
    const path = `/zones/${name}/restore`;
    await guarded.refused('POST', path, undefined, 'FORBIDDEN', 'zone:create', reader);
  }
  const { items } = await guarded.call('GET', list, undefined, 200, creator);
  expect(items).toMatchObject([{ name: 'gone.example' }]);
  await guarded.call('POST', '/zones/gone.example/restore', undefined, 200, creator);
  await guarded.close();
});

/** Tags: names for serials of a zone, taken wherever a moment is. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { InProcessService } from '../support/in-process.ts';
import { makeHistory } from '../support/versioned-zone.ts';

const name = 'tagged.example';
let service: InProcessService;
let boss: string;
beforeAll(async () => {
  service = new InProcessService({ authenticationRequired: true });
  boss = await service.tokenOf('boss', 'admin');
  await makeHistory(service, name, 'local');
});
afterAll(() => service.close());

const path = `/zones/${name}/tags`;
const tag = (body: object, as = boss) => service.call('POST', path, body, 201, as);
const serialOf = async (zone: string) =>
  (await service.call('GET', `/zones/${zone}`, undefined, 200, boss)).zone.serial;
const textOf = async (query: string) =>
  (await service.fetch('GET', `/zones/${name}/${query}`, undefined, boss)).text();

it('names serials, moves names and takes them away, and the zone takes no step', async () => {
  const zone = 'moving.example';
  const own = `/zones/${zone}/tags`;
  const times = await makeHistory(service, zone, 'local');
  const tag = (body: object) => service.call('POST', own, body, 201, boss);
  expect(await tag({ name: ' First ', serial: 2 })).toEqual({
    applied: true,
    dry_run: false,
    unchanged: false,
    name: 'first',
    serial: 2,
  });
  expect((await tag({ name: 'noon', at: times[4] })).serial).toBe(4);
  expect((await tag({ name: 'noon', at: 'tag:first' })).serial).toBe(2);
  expect((await tag({ name: 'now' })).serial).toBe(6);
  const dry = { name: 'first', serial: 5, dry_run: true };
  const moved = { applied: false, unchanged: false };
  expect(await service.call('POST', own, dry, 200, boss)).toMatchObject(moved);
  const same = { ...dry, serial: 2 };
  expect(await service.call('POST', own, same, 200, boss)).toMatchObject({ unchanged: true });
  const { items, pagination } = await service.call('GET', own, undefined, 200, boss);
  expect(items.map((one: { name: string; serial: number }) => [one.name, one.serial])).toEqual([
    ['first', 2],
    ['noon', 2],
    ['now', 6],
  ]);
  expect(items[0].created_by).toEqual({ kind: 'token', name: 'boss' });
  expect(pagination.total).toBe(3);
  const second = await service.call('GET', `${own}?limit=1&offset=1`, undefined, 200, boss);
  expect(second.items[0].name).toBe('noon');
  await service.call('DELETE', `${own}/noon`, undefined, 200, boss);
  await service.refused('DELETE', `${own}/noon`, undefined, 'VERSION_NOT_FOUND', 'noon', boss);
  expect(await serialOf(zone)).toBe(6);
  const events = await service.call('GET', `/events?zone=${zone}&limit=1`, undefined, 200, boss);
  expect(events.items[0]).toMatchObject({
    kind: 'zone.tagged',
    serial: null,
    actor: { kind: 'token', name: 'boss' },
    details: { tag: { name: 'noon', serial: null } },
  });
});

it.each(['versions?at=', 'versions/diff?to_at=6&at=', 'export?at=', 'blame?at='])(
  '%s takes a tag as it takes its serial',
  async (query) => {
    await tag({ name: 'third', serial: 3 });
    expect(await textOf(`${query}tag:third`)).toBe(await textOf(`${query}3`));
  },
);

it('goes back to a tag, and refuses what is none', async () => {
  const zone = 'back.example';
  await makeHistory(service, zone, 'local');
  await service.call('POST', `/zones/${zone}/tags`, { name: 'good', serial: 4 }, 201, boss);
  const body = { at: 'tag:good', dry_run: true };
  const { target_serial } = await service.call('POST', `/zones/${zone}/rollback`, body, 200, boss);
  expect(target_serial).toBe(4);
  const refused = (given: object, code: string, says: string) =>
    service.refused('POST', path, given, code, says, boss);
  await refused({ name: 'x', serial: 7 }, 'VERSION_NOT_FOUND', '7');
  await refused({ name: 'x', serial: 0 }, 'VERSION_NOT_FOUND', '0');
  await refused({ name: 'x', at: 'tag:none' }, 'VERSION_NOT_FOUND', "no tag 'none'");
  await refused({ name: 'x', at: 'y' }, 'INVALID_INPUT', 'at: must be');
  await refused({ name: 'x', serial: 1, at: '1' }, 'INVALID_INPUT', 'serial or at');
  await refused({ name: 'a b', serial: 1 }, 'INVALID_INPUT', 'name');
  const at = `/zones/${name}/export?at=tag:none`;
  await service.refused('GET', at, undefined, 'VERSION_NOT_FOUND', "no tag 'none'", boss);
});

it('needs zone:update to tag and zone:read to see tags', async () => {
  const grant = { zone_name: name, actions: ['zone:read', 'record:read'] };
  const reader = await service.tokenOf('reader', [grant]);
  await service.call('GET', path, undefined, 200, reader);
  await service.refused('POST', path, { name: 'x' }, 'FORBIDDEN', 'zone:update', reader);
  await service.refused('DELETE', `${path}/x`, undefined, 'FORBIDDEN', 'zone:update', reader);
  const stranger = await service.tokenOf('stranger', []);
  await service.refused('POST', path, { name: 'x' }, 'ZONE_NOT_FOUND', '', stranger);
});

it('keeps tags through deletion, retention and a rebuild, until the zone is purged', async () => {
  const own = new InProcessService({ authenticationRequired: true });
  const zone = 'kept.example';
  const local = (method: string, to: string, body?: object) =>
    own.call(method, to, body, undefined, 'local');
  await makeHistory(own, zone, 'local');
  await local('POST', `/zones/${zone}/tags`, { name: 'last', serial: 6 });
  await local('POST', `/zones/${zone}/tags`, { name: 'old', serial: 2 });
  own.pass(60_000);
  const before = new Date(own.now()).toISOString();
  await local('POST', `/zones/${zone}/forget-history`, { before });
  const { items } = await local('GET', `/zones/${zone}/versions?at=tag:last`);
  expect(items.map(({ serial }: { serial: number }) => serial)).toEqual([6]);
  await own.refused(
    'GET',
    `/zones/${zone}/export?at=tag:old`,
    undefined,
    'VERSION_NOT_FOUND',
    '2',
    'local',
  );
  await local('DELETE', `/zones/${zone}`);
  await local('POST', `/zones/${zone}/restore`);
  expect((await local('GET', `/zones/${zone}/tags`)).pagination.total).toBe(2);
  expect(await own.verify()).toEqual([]);
  await local('DELETE', `/zones/${zone}`);
  await local('POST', `/zones/${zone}/purge`);
  expect(await own.verify()).toEqual([]);
  await own.close();
});

it('is taken wherever a serial is', async () => {
  await tag({ name: 'everywhere', serial: 3 });
  const own = `/zones/${name}`;
  const get = (rest: string) => service.call('GET', `${own}/${rest}`, undefined, 200, boss);
  for (const rest of ['versions/@', 'versions/@?summary=true', 'versions/@?limit=1']) {
    expect(await get(rest.replace('@', 'tag:everywhere'))).toEqual(
      await get(rest.replace('@', '3')),
    );
  }
  for (const query of ['from=@', 'from=1&to=@', 'from=@&to=@']) {
    const tagged = await get(`versions/diff?${query.replaceAll('@', 'tag:everywhere')}`);
    expect(tagged).toEqual(await get(`versions/diff?${query.replaceAll('@', '3')}`));
  }
  expect(await textOf('export?serial=tag:everywhere')).toBe(await textOf('export?serial=3'));
  expect((await get('propagation?serial=tag:everywhere')).serial).toBe(3);
  const rollback = `${own}/versions/tag:everywhere/rollback?dry_run=true`;
  expect((await service.call('POST', rollback, undefined, 200, boss)).target_serial).toBe(3);
  for (const rest of [
    'versions/tag:none',
    'versions/diff?from=tag:none',
    'export?serial=tag:none',
  ]) {
    await service.refused('GET', `${own}/${rest}`, undefined, 'VERSION_NOT_FOUND', 'none', boss);
  }
  for (const rest of ['versions/tag:', 'versions/diff?from=2026-01-31T12:00:00Z']) {
    await service.refused('GET', `${own}/${rest}`, undefined, 'INVALID_INPUT', '', boss);
  }
});

/** What lets history go for good: purge of deleted zones, and of old versions (decisions 12 and 16). */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { InProcessService } from '../support/in-process.ts';

let service: InProcessService;
beforeAll(() => {
  service = new InProcessService();
});
afterAll(() => service.close());

const time = (addMs = 0) => new Date(Date.now() + passedMs + addMs).toISOString();
let passedMs = 0;
function pass(milliseconds: number): void {
  service.pass(milliseconds);
  passedMs += milliseconds;
}

const add = (zone_name: string, name: string) =>
  service.call('POST', '/records', { zone_name, name, type: 'A', value: '192.0.2.1' });

it('purges a deleted zone: neither listed nor restored any more, its name goes on above its serial', async () => {
  const name = 'purged.example';
  const { id } = await service.createZone(name);
  await add(name, 'www');
  await service.refused('POST', `/zones/${name}/purge`, undefined, 'ZONE_NOT_FOUND', 'no deleted');
  await service.call('DELETE', `/zones/${name}`);
  const would = await service.call('POST', `/zones/${name}/purge?dry_run=true`, undefined, 200);
  const what = { records_deleted: 2, versions_deleted: 2, zone: { id, name, serial: 2 } };
  expect(would).toMatchObject({ applied: false, dry_run: true, ...what });
  service.changes();
  const answer = await service.call('POST', `/zones/${name}/purge`, undefined, 200);
  expect(answer).toMatchObject({ applied: true, dry_run: false, ...what });
  // Nothing that secondaries would have to hear of.
  expect(service.changes()).toEqual([]);
  expect(service.lastEvent()).toMatchObject({ kind: 'zone.purged', stream: id, serial: null });
  const { items } = await service.call('GET', '/zones?deleted=true&search=purged');
  expect(items).toEqual([]);
  for (const verb of ['purge', 'restore']) {
    await service.refused('POST', `/zones/${name}/${verb}`, undefined, 'ZONE_NOT_FOUND');
  }
  expect(await service.createZone(name)).toMatchObject({ serial: 3 });
});

it('purges one of several deleted zones of a name by id', async () => {
  const name = 'several.example';
  const one = await service.createZone(name);
  await service.call('DELETE', `/zones/${name}`);
  pass(1000);
  const two = await service.createZone(name);
  await service.call('DELETE', `/zones/${name}`);
  await service.call('POST', `/zones/${name}/purge?id=${one.id}`);
  const listed = await service.call('GET', '/zones?deleted=true&search=several');
  expect(listed.items).toMatchObject([{ id: two.id }]);
  const { zone } = await service.call('POST', `/zones/${name}/restore`);
  expect(zone.id).toBe(two.id);
});

it('purges the deletion that is meant by its serial, and no later one', async () => {
  const name = 'anew.example';
  const { id } = await service.createZone(name);
  await service.call('DELETE', `/zones/${name}`);
  const [seen] = (await service.call('GET', '/zones?deleted=true&search=anew')).items;
  await service.call('POST', `/zones/${name}/restore`);
  await add(name, 'www');
  await service.call('DELETE', `/zones/${name}`);
  const path = `/zones/${name}/purge?id=${id}&serial=`;
  for (const dry of ['', '&dry_run=true']) {
    const url = `${path}${seen.serial}${dry}`;
    await service.refused('POST', url, undefined, 'ZONE_CONFLICT', 'serial: deleted zone');
  }
  const { zone } = await service.call('POST', `/zones/${name}/purge?dry_run=true`, undefined, 200);
  expect(zone.serial).toBeGreaterThan(seen.serial);
  await service.call('POST', `${path}${zone.serial}`, undefined, 200);
});

it('forgets versions that were replaced before a time, and nothing after it', async () => {
  const name = 'forgotten.example';
  await service.createZone(name);
  await add(name, 'a');
  pass(10_000);
  const before = time(-5000);
  await add(name, 'b');
  await add(name, 'c');
  const path = `/zones/${name}/forget-history`;
  const two = await service.call('GET', `/zones/${name}/versions/2`);
  const would = await service.call('POST', path, { before, dry_run: true }, 200);
  expect(would).toMatchObject({ applied: false, versions_forgotten: 1, oldest_serial: 2 });
  expect((await service.call('GET', `/zones/${name}/versions`)).pagination.total).toBe(4);
  const events = service.events();
  service.changes();
  const answer = await service.call('POST', path, { before }, 200);
  expect(answer).toEqual({ ...would, applied: true, dry_run: false });
  expect(service.changes()).toEqual([]);
  expect(service.events()).toBe(events + 2);
  expect(service.lastEvent()).toMatchObject({
    kind: 'zone.history-forgotten',
    changeSource: 'api',
  });
  const { items } = await service.call('GET', '/events?limit=1');
  expect(items[0]).toMatchObject({
    kind: 'zone.history-forgotten',
    zone: { name },
    details: { forgotten: { versions: 1, oldest_serial: 2 } },
  });
  const versions = await service.call('GET', `/zones/${name}/versions`);
  expect(versions.items.map(({ serial }: { serial: number }) => serial)).toEqual([4, 3, 2]);
  expect(await service.call('GET', `/zones/${name}/versions/2`)).toEqual(two);
  const { diff } = await service.call('GET', `/zones/${name}/versions/diff?from=2&to=4`);
  expect(diff.summary).toEqual({ added: 2, changed: 0, removed: 0 });
  for (const gone of ['versions/1', 'versions/diff?from=1&to=4']) {
    await service.refused('GET', `/zones/${name}/${gone}`, undefined, 'VERSION_NOT_FOUND');
  }
  await service.refused(
    'POST',
    `/zones/${name}/versions/1/rollback`,
    undefined,
    'VERSION_NOT_FOUND',
  );
  const history = await service.call('GET', `/zones/${name}/history`);
  expect(history.items.map(({ serial }: { serial: number }) => serial)).toEqual([4, 3]);
  // Once more there is nothing to do.
  for (const dry_run of [true, false]) {
    const again = await service.call('POST', path, { before, dry_run });
    expect(again).toMatchObject({ unchanged: true, versions_forgotten: 0 });
  }
  expect(service.events()).toBe(events + 2);
  await service.call('POST', `/zones/${name}/versions/2/rollback`);
  expect(await service.serialOf(name)).toBe(5);
  // All of it: the version of now is told by the zone itself.
  pass(10);
  const all = await service.call('POST', path, { before: time() });
  expect(all).toMatchObject({ versions_forgotten: 3, oldest_serial: 5 });
  expect((await service.call('GET', `/zones/${name}/versions/5`)).records).toHaveLength(2);
  expect((await service.call('GET', `/zones/${name}/versions`)).pagination.total).toBe(1);
  // What was said of the first deletion does not go with the second.
  const said = await service.call('GET', `/events?zone=${name}&kind=zone.history-forgotten`);
  expect(said.items.map(({ details }: { details: unknown }) => details)).toEqual([
    { forgotten: { versions: 3, oldest_serial: 5 } },
    { forgotten: { versions: 1, oldest_serial: 2 } },
  ]);
});

it('tells before that the content of the only version goes, which is not counted', async () => {
  const name = 'once.example';
  await service.createZone(name);
  pass(10);
  const path = `/zones/${name}/forget-history`;
  const before = time();
  for (const dry_run of [true, false]) {
    const answer = await service.call('POST', path, { before, dry_run });
    expect(answer).toMatchObject({ unchanged: false, versions_forgotten: 0 });
  }
  expect(await service.call('POST', path, { before })).toMatchObject({ unchanged: true });
});

it('refuses times that are none or yet to come, and zones that are not there', async () => {
  await service.createZone('times.example');
  const path = '/zones/times.example/forget-history';
  await service.refused('POST', path, { before: 'yesterday' }, 'INVALID_INPUT', "'before' must be");
  await service.refused('POST', path, { before: time(60_000) }, 'INVALID_INPUT', 'yet to come');
  await service.refused('POST', path, {}, 'INVALID_JSON_BODY', 'before');
  const missing = '/zones/missing.example/forget-history';
  await service.refused('POST', missing, { before: time() }, 'ZONE_NOT_FOUND');
});

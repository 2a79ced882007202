/** Rollback on both paths: what comes back, what stays, what it refuses (decisions 16). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { InProcessService } from '../support/in-process.ts';
import { makeHistory } from '../support/versioned-zone.ts';

let service: InProcessService;
beforeAll(() => {
  service = new InProcessService();
});
afterAll(() => service.close());

let made = 0;
async function fresh(): Promise<string> {
  const name = `r${++made}.example`;
  await makeHistory(service, name);
  service.changes();
  return name;
}
const records = async (name: string, serial: number) =>
  (await service.call('GET', `/zones/${name}/versions/${serial}`)).records;

/** The same rollback by each path. */
const paths = {
  'POST /zones/{name}/versions/{serial}/rollback': (name: string, serial: number, dry?: boolean) =>
    service.call(
      'POST',
      `/zones/${name}/versions/${serial}/rollback`,
      dry === undefined ? undefined : { dry_run: dry },
      200,
    ),
  'POST /zones/{name}/rollback': (name: string, serial: number, dry?: boolean) =>
    service.call('POST', `/zones/${name}/rollback`, { serial, dry_run: dry ?? null }, 200),
};

describe.each(Object.entries(paths))('%s', (_, rollback) => {
  it('returns records and SOA in one step (case 94)', async () => {
    const name = await fresh();
    expect(await rollback(name, 2)).toEqual({
      applied: true,
      dry_run: false,
      warnings: [],
      target_serial: 2,
      new_serial: 7,
      summary: { added: 1, deleted: 1, unchanged: 1, soa_changed: true },
      diff: { entries: expect.any(Array), summary: { added: 1, changed: 0, removed: 1 } },
    });
    expect(await records(name, 7)).toEqual(await records(name, 2));
    const { zone } = await service.call('GET', `/zones/${name}`);
    expect(zone).toMatchObject({ name, serial: 7, refresh: 300, default_ttl: 3600 });
    expect(service.changes().map(({ kind }) => kind)).toEqual(['changed']);
  });

  it('changes nothing in a dry run, and says the serial it would get', async () => {
    const name = await fresh();
    const events = service.events();
    expect(await rollback(name, 5, true)).toEqual({
      applied: false,
      dry_run: true,
      warnings: [],
      target_serial: 5,
      new_serial: 7,
      summary: { added: 1, deleted: 0, unchanged: 2, soa_changed: false },
      diff: { entries: expect.any(Array), summary: { added: 1, changed: 0, removed: 0 } },
    });
    expect(service.events()).toBe(events);
    expect(await service.serialOf(name)).toBe(6);
  });
});

it('takes dry_run in the query too', async () => {
  const name = await fresh();
  for (const [path, body] of [
    [`/zones/${name}/versions/2/rollback?dry_run=true`, undefined],
    [`/zones/${name}/rollback?dry_run=true`, { serial: 2 }],
  ] as const) {
    expect(await service.call('POST', path, body)).toMatchObject({ applied: false, dry_run: true });
  }
  expect(await service.serialOf(name)).toBe(6);
});

it('brings records back under their ids', async () => {
  const name = await fresh();
  const list = () => service.call('GET', `/records?zone_name=${name}`);
  await service.call('POST', `/zones/${name}/versions/5/rollback`);
  const { items } = await list();
  await service.call('POST', `/zones/${name}/versions/6/rollback`);
  await service.call('POST', `/zones/${name}/versions/5/rollback`);
  expect((await list()).items).toEqual(items);
});

it('of a rollback is ordinary, also back to the state before it (case 94)', async () => {
  const name = await fresh();
  await service.call('POST', `/zones/${name}/versions/1/rollback`);
  await service.call('POST', `/zones/${name}/versions/6/rollback`);
  expect(await records(name, 8)).toEqual(await records(name, 6));
  expect((await service.call('GET', `/zones/${name}`)).zone).toMatchObject({ refresh: 900 });
});

it('leaves name, description and enabled, also across a rename (case 94)', async () => {
  const name = await fresh();
  const renamed = `renamed-${name}`;
  const body = { name: renamed, description: 'kept', enabled: false };
  await service.call('PUT', `/zones/${name}`, body);
  await service.call('POST', `/zones/${renamed}/versions/3/rollback`);
  const { zone } = await service.call('GET', `/zones/${renamed}`);
  expect(zone).toMatchObject({ ...body, refresh: 300 });
  expect((await records(renamed, zone.serial)).at(-1)).toMatchObject({ name: 'www', ttl: 600 });
});

it('moves nothing when there is nothing to do', async () => {
  const name = 'same.example';
  await service.createZone(name);
  await service.call('PUT', `/zones/${name}`, { description: 'only this' });
  const events = service.events();
  expect(await service.call('POST', `/zones/${name}/versions/1/rollback`)).toMatchObject({
    applied: true,
    new_serial: 2,
    summary: { added: 0, deleted: 0, unchanged: 1, soa_changed: false },
  });
  expect(service.events()).toBe(events);
});

it('refuses targets that are no older version', async () => {
  const name = await fresh();
  const refused = (serial: number | string, code: string) =>
    service.refused('POST', `/zones/${name}/versions/${serial}/rollback`, undefined, code);
  for (const serial of [0, 6, 7, 'x', -1]) await refused(serial, 'INVALID_INPUT');
  const path = `/zones/${name}/rollback`;
  await service.refused('POST', path, { serial: 6 }, 'INVALID_INPUT', 'serial');
  await service.refused('POST', path, {}, 'INVALID_INPUT', 'one of them');
  const high = 'high.example';
  await service.createZone(high, { serial: 100 });
  const unknown = `/zones/${high}/versions/99/rollback`;
  await service.refused('POST', unknown, undefined, 'VERSION_NOT_FOUND', '99');
  expect(await service.serialOf(name)).toBe(6);
});

it('goes through while the zone is changed all the time', async () => {
  const name = await fresh();
  const writes = Array.from({ length: 20 }, (_, index) =>
    service.call('POST', '/records', {
      zone_name: name,
      name: `n${index}`,
      type: 'A',
      value: '192.0.2.9',
    }),
  );
  const [answer] = await Promise.all([
    service.call('POST', `/zones/${name}/versions/5/rollback`),
    ...writes,
  ]);
  const restored = await records(name, answer.new_serial);
  expect(restored).toEqual(await records(name, 5));
});

it('takes only some names or types, and leaves the settings then', async () => {
  const name = await fresh();
  const part = { names: ['www'], types: ['a'] };
  const dry = await service.call('POST', `/zones/${name}/rollback`, {
    serial: 2,
    ...part,
    dry_run: true,
  });
  expect(dry.diff.entries).toMatchObject([{ change: 'added', name: `www.${name}.`, type: 'A' }]);
  expect(dry.summary).toEqual({ added: 1, deleted: 0, unchanged: 2, soa_changed: false });
  await service.call('POST', `/zones/${name}/versions/2/rollback`, part);
  const { zone } = await service.call('GET', `/zones/${name}`);
  expect(zone).toMatchObject({ serial: 7, refresh: 900 });
  expect((await records(name, 7)).map((one: { name: string }) => one.name)).toEqual([
    '@',
    'text',
    'www',
  ]);
  const none = { serial: 2, types: ['MX'] };
  expect(await service.call('POST', `/zones/${name}/rollback`, none)).toMatchObject({
    new_serial: 7,
    diff: { entries: [] },
  });
});

it('goes to what was current at a time', async () => {
  const name = `r${++made}.example`;
  const times = await makeHistory(service, name);
  const answer = await service.call('POST', `/zones/${name}/rollback`, { at: times[2] });
  expect(answer).toMatchObject({ target_serial: 2, new_serial: 7 });
  await service.refused('POST', `/zones/${name}/rollback`, {}, 'INVALID_INPUT', 'serial');
  const both = { at: times[2], serial: 2 };
  await service.refused('POST', `/zones/${name}/rollback`, both, 'INVALID_INPUT', 'at');
});

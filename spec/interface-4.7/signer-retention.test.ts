/** What is told of a signed zone when steps that only signed it are let go of (decisions 10, 15, 16). */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { InProcessService } from '../support/in-process.ts';
import { SignedZoneDesk } from '../support/signing.ts';

const zone = '/zones/kept.example';
const dayMs = 86_400_000;
let service: InProcessService;
let desk: SignedZoneDesk;

beforeEach(async () => {
  service = new InProcessService({}, { days: 0, signerDays: 30 });
  desk = await SignedZoneDesk.signed(service, 'kept.example');
  // 1 is the zone, 2 signs it, 4 and 5 sign it anew.
  const body = { zone_name: 'kept.example', name: 'www', type: 'A', value: '192.0.2.1' };
  service.pass(dayMs);
  await service.call('POST', '/records', body, 201);
  for (const _ of [4, 5]) {
    service.pass(dayMs);
    await desk.post('/sign');
  }
});
afterEach(() => service.close());

/** Lets the steps go that only signed. */
async function letGo(): Promise<void> {
  service.pass(87 * dayMs);
  await service.retention.run();
}

const serials = async (query: string) => {
  const { items } = await service.call('GET', `${zone}/versions${query}`);
  return items.map(({ serial }: { serial: number }) => serial);
};
const read = (path: string) => service.call('GET', `${zone}${path}`, undefined, 200);
const exported = async (serial: number) => {
  const path = `${zone}/export?signed=true&serial=${serial}`;
  const response = await service.fetch('GET', path);
  expect(response.status).toBe(200);
  return response.text();
};
const missing = (path: string) =>
  service.refused('GET', `${zone}${path}`, undefined, 'VERSION_NOT_FOUND');

it('nothing goes in its time', async () => {
  service.pass(27 * dayMs);
  const events = service.events();
  await service.retention.run();
  expect(service.events()).toBe(events);
});

it('versions of users stay as they were, with their diffs; steps that signed are gone', async () => {
  const before = [await read('/versions/1'), await read('/versions/3')];
  const diff = await read('/versions/diff?from=1&to=3');
  const file = await exported(5);
  expect(await serials('?include_signer_serials=true')).toEqual([5, 4, 3, 2, 1]);
  await letGo();
  expect(await serials('?include_signer_serials=true')).toEqual([5, 3, 1]);
  expect(await serials('')).toEqual([5, 3, 1]);
  expect([await read('/versions/1'), await read('/versions/3')]).toEqual(before);
  expect(await read('/versions/diff?from=1&to=3')).toEqual(diff);
  expect(await exported(5)).toBe(file);
  for (const gone of ['/versions/2', '/versions/4', '/versions/diff?from=4&to=5']) {
    await missing(gone);
  }
  for (const serial of [1, 3, 4]) await missing(`/export?signed=true&serial=${serial}`);
  const plain = await service.fetch('GET', `${zone}/export?serial=3`);
  expect(await plain.text()).toContain('192.0.2.1');
  const { versions_deleted } = await service.call('DELETE', `${zone}?dry_run=true`);
  expect(versions_deleted).toBe(3);
  expect(await service.verify()).toEqual([]);
});

it('at a time between, the version of users is found that was in force', async () => {
  await letGo();
  const at = new Date(service.now() - 89.5 * dayMs).toISOString();
  expect(await serials(`?at=${at}`)).toEqual([1]);
  const { items } = await service.call('GET', `${zone}/history`);
  expect(items.map(({ serial }: { serial: number }) => serial)).toEqual([5, 3, 1]);
});

it('a rollback to before them is signed', async () => {
  await letGo();
  const rolled = await service.call('POST', `${zone}/versions/1/rollback`);
  expect(rolled).toMatchObject({ new_serial: 6, summary: { deleted: 1 } });
  expect((await read('/versions/diff?from=1&to=6')).diff.entries).toEqual([]);
  const lines = (await exported(6)).split('\n');
  expect(lines.some((line) => line.includes('\tRRSIG\t'))).toBe(true);
  expect(await service.verify()).toEqual([]);
});

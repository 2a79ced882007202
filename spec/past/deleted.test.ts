/** What is kept of deleted zones, by their id: versions, differences, history, blame and zone files. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { InProcessService } from '../support/in-process.ts';
import { makeHistory } from '../support/versioned-zone.ts';

const name = 'gone.example';
const reads = [
  'versions?limit=10',
  'versions/2',
  'versions/diff?from=2&to=6',
  'versions/diff?at=3',
  'history?name=www',
  'blame',
  'blame?at=3&name=www',
  'export',
  'export?serial=2',
  'export?signed=true',
];
const withId = (read: string, id: number) =>
  `${read}${read.includes('?') ? '&' : '?'}deleted_id=${id}`;
const day = 86_400_000;

let service: InProcessService;
let boss: string;
let id = 0;
const before = new Map<string, string>();
const textOf = async (read: string, as: string) =>
  (await service.fetch('GET', `/zones/${name}/${read}`, undefined, as)).text();

beforeAll(async () => {
  service = new InProcessService({ authenticationRequired: true }, { days: 30, signerDays: 30 });
  boss = await service.tokenOf('boss', 'admin');
  await makeHistory(service, name, 'local');
  service.parents = () => [{ address: '192.0.2.9:53', ds: [], ttlSeconds: null }];
  const parents = { parent_ns_addrs: ['192.0.2.9'] };
  await service.call('POST', `/zones/${name}/dnssec`, parents, undefined, 'local');
  id = (await service.call('GET', `/zones/${name}`, undefined, 200, boss)).zone.id;
  for (const read of reads) before.set(read, await textOf(read, boss));
  const headers = {
    authorization: `Bearer ${boss}`,
    'zonebook-reason': 'moved away',
    'zonebook-reference': 'OPS-9',
  };
  const { status } = await service.request(`/zones/${name}`, { method: 'DELETE', headers });
  expect(status).toBe(200);
  // Another one of the name, which is not to be mistaken for it.
  await service.createZone(name, { mname: `ns2.${name}` });
});
afterAll(() => service.close());

it('lists who deleted it, when and why, what is kept and until when', async () => {
  const path = `/zones?deleted=true&search=${name}`;
  const { items } = await service.call('GET', path, undefined, 200, boss);
  expect(items).toHaveLength(1);
  expect(items[0]).toMatchObject({
    id,
    name,
    deleted_by: { kind: 'token', name: 'boss' },
    deleted_reason: 'moved away',
    deleted_reference: 'OPS-9',
    records: 2,
    versions: 7,
    ds_key_tags: [expect.any(Number)],
    roles_lost: [],
    restoring: [
      expect.stringMatching(/^Its 2 records and its history come back, with a serial above \d+\.$/),
      'No grant named only this zone: none is lost.',
      expect.stringMatching(/^It was signed, .* the parent needs the DS of that key\.$/),
      expect.stringContaining('where no DS fits they find it bogus'),
    ],
  });
  const { deleted_at, purge_at } = items[0];
  expect(Date.parse(purge_at) - Date.parse(deleted_at)).toBe(30 * day);
});

it.each(reads)('answers %s as before the deletion', async (read) => {
  const found = await textOf(withId(read, id), boss);
  expect(found).toBe(before.get(read));
});

it('keeps it apart from a zone that has the name since, and from what is missing', async () => {
  expect(await textOf(withId('export', id), boss)).toBe(before.get('export'));
  expect(await textOf('export', boss)).toContain(`ns2.${name}.`);
  const other = await service.createZone('other.example');
  const refused = (zone: string, of: number) =>
    service.refused(
      'GET',
      `/zones/${zone}/${withId('blame', of)}`,
      undefined,
      'ZONE_NOT_FOUND',
      `no deleted zone '${zone}' with id ${of} exists`,
      boss,
    );
  await refused(name, 999);
  await refused('other.example', id);
  await refused('other.example', other.id);
});

it('shows only what grants in all zones reach', async () => {
  const grant = { actions: ['record:read'], record_types: 'TXT' };
  const reader = await service.tokenOf('reader', [grant]);
  const path = (read: string) => `/zones/${name}/${withId(read, id)}`;
  const { items } = await service.call('GET', path('blame'), undefined, 200, reader);
  expect(items.map(({ type }: { type: string }) => type)).toEqual(['TXT']);
  await service.call('GET', path('export'), undefined, 403, reader);
  const elsewhere = [{ zone_name: name, actions: ['record:read', 'zone:read'] }];
  const stranger = await service.tokenOf('stranger', elsewhere);
  for (const read of reads) {
    await service.refused('GET', path(read), undefined, 'ZONE_NOT_FOUND', 'no deleted', stranger);
  }
});

it('has no version of the time since, and nothing after a purge', async () => {
  const later = new Date(service.now() + 1000).toISOString();
  await service.refused(
    'GET',
    `/zones/${name}/${withId(`blame?at=${later}`, id)}`,
    undefined,
    'VERSION_NOT_FOUND',
    '',
    boss,
  );
  const short = await service.createZone('short.example');
  await service.call('DELETE', '/zones/short.example', undefined, 200, boss);
  const path = `/zones/short.example/${withId('export', short.id)}`;
  await service.fetch('GET', path, undefined, boss);
  await service.call('POST', '/zones/short.example/purge', undefined, 200, boss);
  await service.refused('GET', path, undefined, 'ZONE_NOT_FOUND', '', boss);
});

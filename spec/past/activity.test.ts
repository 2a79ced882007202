/** How much changed in a zone over time. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { InProcessService } from '../support/in-process.ts';
import { makeHistory } from '../support/versioned-zone.ts';

const name = 'active.example';
let service: InProcessService;
let times: string[];
beforeAll(async () => {
  service = new InProcessService({ authenticationRequired: true });
  times = await makeHistory(service, name, 'local');
});
afterAll(() => service.close());

const ask = (query: string) =>
  service.call('GET', `/zones/${name}/activity?${query}`, undefined, 200, 'local');

it('counts changes, records and sources in spans', async () => {
  // Serials 2 to 5; the sixth comes when the range has ended. A slow host makes each later, none earlier.
  const end = new Date(Date.parse(times[2]!) + 238_000).toISOString();
  const { items, to } = await ask(`from=${times[2]}&to=${end}&buckets=2`);
  expect(to).toBe(end);
  expect(items).toEqual([
    { at: times[2], changes: 2, signing: 0, added: 2, removed: 1, by_source: { cli: 2 } },
    { at: items[1].at, changes: 2, signing: 0, added: 1, removed: 0, by_source: { cli: 2 } },
  ]);
  const middle = (Date.parse(times[2]!) + Date.parse(end)) / 2;
  expect(Date.parse(items[1].at)).toBe(Math.floor(middle));
});

it('is about all of its life when no range is given', async () => {
  const { items } = await ask('buckets=1');
  expect(items).toEqual([
    { at: times[1], changes: 6, signing: 0, added: 4, removed: 2, by_source: { cli: 6 } },
  ]);
  expect((await ask('')).items).toHaveLength(50);
});

it('refuses ranges that are none, and who may not read all records', async () => {
  const path = (query: string) => `/zones/${name}/activity?${query}`;
  const refused = (query: string, says: string) =>
    service.refused('GET', path(query), undefined, 'INVALID_INPUT', says, 'local');
  await refused(`from=${times[3]}&to=${times[3]}`, 'from: must be before to');
  await refused('buckets=0', 'buckets');
  await refused('buckets=401', 'buckets');
  const narrow = { zone_name: name, actions: ['record:read', 'zone:read'], record_types: 'A' };
  const reader = await service.tokenOf('reader', [narrow]);
  await service.refused('GET', path(''), undefined, 'FORBIDDEN', 'record:read', reader);
});

/** A zone and its records as they were, by a serial or by a time. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { InProcessService } from '../support/in-process.ts';
import { makeHistory } from '../support/versioned-zone.ts';

const name = 'moments.example';
let service: InProcessService;
let times: string[];
beforeAll(async () => {
  service = new InProcessService();
  times = await makeHistory(service, name);
});
afterAll(() => service.close());

const records = (query: string) => service.call('GET', `/records?zone_name=${name}&${query}`);
const shown = (items: readonly Record<string, unknown>[]) =>
  items.map((item) => `${String(item.name).replace(`.${name}.`, '.')} ${item.ttl} ${item.type}`);

describe('GET /records?at=', () => {
  it('lists the records of a serial and of a time, with their ids', async () => {
    const { items, pagination } = await records('at=4');
    expect(shown(items)).toEqual(['moments.example. 3600 NS', 'text. 300 TXT', 'www. 600 A']);
    expect(pagination).toEqual({ limit: 50, offset: 0, total: 3 });
    expect(await records(`at=${times[4]}`)).toMatchObject({ items, pagination });
    expect(shown((await records('at=2')).items)).toEqual([
      'moments.example. 3600 NS',
      'www. 300 A',
    ]);
    expect((await records('at=6')).items).toEqual((await records('')).items);
  });

  it('filters, sorts and pages as it does now', async () => {
    expect(shown((await records('at=4&name=www')).items)).toEqual(['www. 600 A']);
    expect(shown((await records('at=4&name=none')).items)).toEqual([]);
    expect(shown((await records('at=4&below=www')).items)).toEqual(['www. 600 A']);
    expect((await records('at=4&below=none')).pagination.total).toBe(0);
    expect(shown((await records('at=4&type=TXT')).items)).toEqual(['text. 300 TXT']);
    expect(shown((await records('at=4&search=192.0')).items)).toEqual(['www. 600 A']);
    expect(shown((await records('at=4&sort=ttl')).items)).toEqual([
      'text. 300 TXT',
      'www. 600 A',
      'moments.example. 3600 NS',
    ]);
    const page = await records('at=4&order=desc&limit=2&offset=1');
    expect(shown(page.items)).toEqual(['text. 300 TXT', 'moments.example. 3600 NS']);
    expect(page.pagination.total).toBe(3);
    const sorted = await records('at=4&sort=ttl&order=desc&limit=1&offset=2');
    expect(shown(sorted.items)).toEqual(['text. 300 TXT']);
  });

  it('needs a zone, and a version that was there', async () => {
    const refused = (query: string, code: string, says = '') =>
      service.refused('GET', `/records?${query}`, undefined, code, says);
    await refused('at=4', 'INVALID_INPUT', 'zone_name');
    await refused(`zone_name=${name}&at=7`, 'VERSION_NOT_FOUND', '7');
    await refused(`zone_name=${name}&at=2000-01-01T00:00:00Z`, 'VERSION_NOT_FOUND');
    for (const at of ['x', '-1', '2147483648', '2h ago', '2026-02-30T00:00:00Z']) {
      const query = `zone_name=${name}&at=${encodeURIComponent(at)}`;
      await refused(query, 'INVALID_INPUT', 'must be a serial or a time');
    }
  });
});

describe('GET /zones/{name}?at=', () => {
  it('shows the settings of then', async () => {
    const { zone } = await service.call('GET', `/zones/${name}?at=4`);
    expect(zone).toMatchObject({ name, serial: 4, refresh: 300, default_ttl: 3600 });
    const later = await service.call('GET', `/zones/${name}?at=${times[5]}`);
    expect(later.zone).toMatchObject({ name, serial: 5, refresh: 900, default_ttl: 7200 });
    await service.refused('GET', `/zones/${name}?at=7`, undefined, 'VERSION_NOT_FOUND');
  });
});

it('shows and counts only what the caller may read', async () => {
  const guarded = new InProcessService({ authenticationRequired: true });
  const write = (path: string, body: object) => guarded.call('POST', path, body, 201, 'local');
  await write('/zones', { name, mname: `ns1.${name}`, rname: `hostmaster@${name}` });
  await write('/records', { zone_name: name, name: 'www', type: 'A', value: '192.0.2.1' });
  const grant = { zone_name: name, actions: ['record:read'], record_types: 'A' };
  const reader = await guarded.tokenOf('reader', [grant]);
  const read = (path: string, status: number) =>
    guarded.call('GET', path, undefined, status, reader);
  const { items, pagination } = await read(`/records?zone_name=${name}&at=2`, 200);
  expect(shown(items)).toEqual(['www. 3600 A']);
  expect(pagination.total).toBe(1);
  expect((await read(`/records?zone_name=${name}&at=1`, 200)).pagination.total).toBe(0);
  await read(`/zones/${name}`, 200);
  await read(`/zones/${name}?at=2`, 403);
  await guarded.close();
});

it.each(['versions?at=', 'versions/diff?to_at=6&at=', 'export?at='])(
  '%s takes a serial as it takes a time',
  async (path) => {
    const answer = (at: string) => service.fetch('GET', `/zones/${name}/${path}${at}`);
    const [bySerial, byTime] = [await answer('3'), await answer(times[3]!)];
    expect(bySerial.status).toBe(200);
    expect(await bySerial.text()).toBe(await byTime.text());
  },
);

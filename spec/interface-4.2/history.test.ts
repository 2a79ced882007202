/** The history of zones and records: who changed what, when, from what to what. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { InProcessService } from '../support/in-process.ts';
import { makeHistory } from '../support/versioned-zone.ts';

const name = 'past.example';
let service: InProcessService;
let times: string[];
beforeAll(async () => {
  service = new InProcessService();
  times = await makeHistory(service, name);
});
afterAll(() => service.close());

const serials = (answer: { items: { serial: number }[] }) =>
  answer.items.map(({ serial }) => serial);
const www = (ttl: number) => [{ value: '192.0.2.1', ttl, priority: null }];

describe('GET /zones/{name}/history', () => {
  it('tells every step, the newest first', async () => {
    const answer = await service.call('GET', `/zones/${name}/history`);
    expect(serials(answer)).toEqual([6, 5, 4, 3, 2, 1]);
    expect(answer.pagination).toEqual({ limit: 50, offset: 0, total: 6 });
    expect(answer.items[3]).toEqual({
      serial: 3,
      created_at: times[3],
      kind: 'records.changed',
      change_source: 'api',
      changed_by: null,
      actor: null,
      request_id: expect.any(String),
      reason: null,
      reference: null,
      signing: null,
      diff: {
        entries: [
          { change: 'changed', name: `www.${name}.`, type: 'A', from: www(300), to: www(600) },
        ],
        summary: { added: 0, changed: 1, removed: 0 },
      },
      diff_left_out: false,
      records_added: 1,
      records_removed: 1,
      settings_changed: [],
    });
    expect(answer.items[1]).toMatchObject({
      kind: 'zone.updated',
      settings_changed: ['default_ttl', 'refresh'],
      diff: { entries: [] },
    });
    expect(answer.items[5]).toMatchObject({ kind: 'zone.created', records_added: 1 });
  });

  it('narrows to a name and a type, of deleted records too', async () => {
    const of = async (query: string) =>
      serials(await service.call('GET', `/zones/${name}/history?${query}`));
    expect(await of('name=www')).toEqual([6, 3, 2]);
    expect(await of(`name=www.${name}.&type=a`)).toEqual([6, 3, 2]);
    expect(await of('name=www&type=TXT')).toEqual([]);
    expect(await of('type=TXT')).toEqual([4]);
    expect(await of('name=@')).toEqual([1]);
    expect(await of('name=&type=')).toEqual([6, 5, 4, 3, 2, 1]);
    expect(await of('name=www&limit=1&offset=1')).toEqual([3]);
  });

  it('refuses names and types that can not be', async () => {
    const refused = (query: string, code: string) =>
      service.refused('GET', `/zones/${name}/history?${query}`, undefined, code);
    await refused('name=www.other.example.', 'INVALID_RECORD_NAME');
    await refused('type=NONSENSE', 'INVALID_INPUT');
    await refused('type=RRSIG', 'INVALID_INPUT');
    await service.refused('GET', '/zones/none.example/history', undefined, 'ZONE_NOT_FOUND');
  });

  it('leaves out the diff of a step that is too long, and counts it', async () => {
    const zone_name = 'bulk.example';
    await service.createZone(zone_name);
    const records = Array.from({ length: 1500 }, (_, index) => ({
      name: `host${index}`,
      type: 'A',
      value: '192.0.2.1',
    }));
    await service.call('POST', '/records/bulk', { zone_name, records }, 201);
    const { items } = await service.call('GET', `/zones/${zone_name}/history?limit=1`);
    expect(items[0]).toMatchObject({
      diff: { entries: [] },
      diff_left_out: true,
      records_added: 1500,
    });
  });
});

describe('GET /records/{id}/history', () => {
  it('tells of one record, deleted or not', async () => {
    const { items } = await service.call('GET', `/zones/${name}/history?name=www`);
    expect(items[0].diff.entries[0]).toMatchObject({ change: 'removed', from: www(600), to: [] });
    const zone_name = 'one.example';
    await service.createZone(zone_name);
    const body = { zone_name, name: 'a', type: 'A', value: '192.0.2.1' };
    const { record } = await service.call('POST', '/records', body);
    await service.call('POST', '/records', { ...body, value: '192.0.2.2' });
    await service.call('PUT', `/records/${record.id}`, { value: '192.0.2.3' });
    const path = `/records/${record.id}/history`;
    const there = await service.call('GET', path);
    expect(serials(there)).toEqual([4, 2]);
    await service.call('DELETE', `/records/${record.id}`);
    const gone = await service.call('GET', path);
    expect(serials(gone)).toEqual([5, 4, 2]);
    expect(gone.items[1].diff.entries).toMatchObject([
      { change: 'changed', from: [{ value: '192.0.2.1' }], to: [{ value: '192.0.2.3' }] },
    ]);
    expect(serials(await service.call('GET', `${path}?limit=1&offset=2`))).toEqual([2]);
  });

  it('refuses ids that never were', async () => {
    await service.refused('GET', '/records/999999/history', undefined, 'RECORD_NOT_FOUND');
    await service.refused('GET', '/records/x/history', undefined, 'INVALID_INPUT');
  });
});

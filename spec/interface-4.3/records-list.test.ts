import { beforeEach, describe, expect, it } from 'vitest';
import { input, RecordDesk } from '../support/record-desk.ts';

const desk = RecordDesk.open();
const { bulk, rows, brief } = desk;

describe('listing records', () => {
  beforeEach(() =>
    bulk([
      input('b', 'A', '192.0.2.10', { ttl: 60 }),
      input('a', 'TXT', '100% of under_score', { ttl: 300 }),
      input('a.b', 'MX', 'm.example.', { priority: 5, ttl: 300 }),
      input('a.b', 'MX', 'n.example.', { priority: 20, ttl: 300 }),
    ]),
  );

  it('sorts canonically by name at first, and by the other keys, ties by id', async () => {
    const names = async (query: string) =>
      (await brief(query)).map((row) => row.split(' ', 2).join(' '));
    expect(await names('')).toEqual([' NS', 'a. TXT', 'b. A', 'a.b. MX', 'a.b. MX']);
    expect(await names('&order=desc')).toEqual(['a.b. MX', 'a.b. MX', 'b. A', 'a. TXT', ' NS']);
    expect(await names('&sort=type')).toEqual(['b. A', 'a.b. MX', 'a.b. MX', ' NS', 'a. TXT']);
    expect(await names('&sort=ttl')).toEqual(['b. A', 'a. TXT', 'a.b. MX', 'a.b. MX', ' NS']);
    const priorities = (await rows('&sort=priority&order=desc')).map(
      ({ priority }: { priority: number | null }) => priority,
    );
    expect(priorities.slice(0, 2)).toEqual([20, 5]);
    const ids = (await rows('&sort=created_at')).map(({ id }: { id: number }) => id);
    expect(ids).toEqual([...ids].sort((x, y) => x - y));
  });

  it('filters by every field', async () => {
    for (const [query, count] of [
      ['', 5],
      ['&name=', 5],
      ['&name=A', 1],
      ['&name=@', 1],
      ['&name=a.b', 2],
      [`&name=a.b.${desk.zone}.`, 2],
      ['&below=B', 3],
      ['&below=a.b', 2],
      ['&below=b&name=a', 0],
      ['&below=b&type=mx&value=n.', 1],
      ['&below=@', 5],
      ['&below=', 5],
      [`&name=a.b.${desk.zone}`, 2],
      ['&type=mx', 2],
      ['&type=AAAA', 0],
      ['&value=192.0', 1],
      ['&value=M.EXAMPLE', 1],
      ['&ttl=300', 3],
      ['&min_ttl=61&max_ttl=300', 3],
      ['&priority=5', 1],
      ['&min_priority=6', 1],
      ['&max_priority=20', 2],
      ['&search=under_', 1],
      ['&search=0%25', 1],
      ['&search=n_d', 0],
      [`&search=a.b.${desk.zone}`, 2],
      ['&search=', 5],
      ['&changed_by=', 5],
      ['&changed_by=nobody', 0],
      ['&changed_since=2020-01-01T00:00:00Z', 5],
      ['&changed_since=2100-01-01T00:00:00Z', 0],
      ['&signed=false', 5],
      ['&signed=true', 5],
      ['&signed=true&type=RRSIG', 0],
    ] as const) {
      const page = await desk.service.call('GET', `/records?zone_name=${desk.zone}${query}`);
      expect([query, page.items.length, page.pagination.total]).toEqual([query, count, count]);
    }
  });

  it('without a zone takes names as requests in each zone would', async () => {
    await bulk([input('only.here', 'A', '192.0.2.1')]);
    for (const [name, count] of [
      [`a.b.${desk.zone}.`, 2],
      [`A.B.${desk.zone}`, 2],
      ['only.Here', 1],
      ['only.here.', 0],
    ] as const) {
      const { items } = await desk.service.call('GET', `/records?name=${name}`);
      expect([name, items.length]).toEqual([name, count]);
    }
    const apexes = await desk.service.call('GET', '/records?name=@');
    const zones = await desk.service.call('GET', '/zones');
    expect(apexes.pagination.total).toBe(zones.pagination.total);
    const { items } = await desk.service.call(
      'GET',
      `/records?search=b.${desk.zone}&limit=1&offset=1`,
    );
    expect(items).toHaveLength(1);
  });

  it('pages, and counts all', async () => {
    const page = await desk.service.call('GET', `/records?zone_name=${desk.zone}&limit=2&offset=4`);
    expect(page.items).toHaveLength(1);
    expect(page.pagination).toEqual({ limit: 2, offset: 4, total: 5 });
  });
});

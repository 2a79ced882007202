import { describe, expect, it } from 'vitest';
import type { Client, QueryValues } from './client.ts';
import { fetchPages, moreLine } from './page.ts';

/** A service with `total` numbered items, which remembers what it was asked. */
function holding(total: number) {
  const asked: QueryValues[] = [];
  const client = {
    get: async (_: string, query: QueryValues) => {
      asked.push(query);
      const { limit, offset = 0, cursor } = query as Readonly<Record<string, number>>;
      const items = [];
      const start = Number(cursor ?? offset);
      const end = Math.min(total, start + limit!);
      for (let at = start; at < end; at++) items.push(at);
      const next_cursor = end < total ? end : null;
      return { items, pagination: { limit, offset, total }, next_cursor };
    },
  } as unknown as Client;
  return { client, asked };
}

const page = { limit: undefined, offset: undefined, cursor: undefined, all: undefined };

describe('pages', () => {
  it('are one of a thousand unless more is asked for', async () => {
    const { client, asked } = holding(2500);
    const listing = await fetchPages<number>(client, '/zones', { search: 'x' }, page);
    expect(listing.items).toHaveLength(1000);
    expect(listing.pagination).toEqual({ limit: 1000, offset: 0, total: 2500 });
    expect(asked).toEqual([{ search: 'x', limit: 1000, offset: 0 }]);
    expect(moreLine(listing)).toContain('1500 more: --offset 1000');
  });

  it('are walked by --all, from the offset on', async () => {
    const { client, asked } = holding(2500);
    const listing = await fetchPages<number>(client, '/x', {}, { ...page, all: true, offset: 10 });
    expect(listing.items).toHaveLength(2490);
    expect(listing.items.at(-1)).toBe(2499);
    expect(asked.map(({ offset, cursor }) => [offset, cursor])).toEqual([
      [10, undefined],
      [undefined, 1010],
      [undefined, 2010],
    ]);
    expect(moreLine(listing)).toBe('');
  });

  it('go on behind a cursor, in place of an offset', async () => {
    const { client, asked } = holding(30);
    const first = await fetchPages<number>(client, '/x', {}, { ...page, cursor: '10', limit: 5 });
    expect(asked).toEqual([{ limit: 5, cursor: '10' }]);
    expect(moreLine(first, '10')).toContain('more: --cursor 15 shows the next');
    const rest = await fetchPages<number>(client, '/x', {}, { ...page, cursor: '15', all: true });
    expect(rest.items).toHaveLength(15);
    expect(moreLine(rest, '15')).toBe('');
    const both = fetchPages<number>(client, '/x', {}, { ...page, cursor: '1', offset: 1 });
    await expect(both).rejects.toThrow('--offset and --cursor exclude each other');
  });

  it('are as many as a limit needs', async () => {
    const { client, asked } = holding(5000);
    const listing = await fetchPages<number>(client, '/x', {}, { ...page, limit: 1500 });
    expect(listing.items).toHaveLength(1500);
    expect(asked.map(({ limit }) => limit)).toEqual([1000, 500]);
    const none = await fetchPages<number>(holding(0).client, '/x', {}, { ...page, all: true });
    expect(none.items).toEqual([]);
  });
});

/** GET /events/{seq}: all that an event changed, page by page, as far as the caller may read it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { InProcessService } from '../support/in-process.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely.
type Json = any;

const name = 'large.example';
let service: InProcessService;
let boss: string;
let narrow: string;
beforeAll(async () => {
  service = new InProcessService({ authenticationRequired: true });
  boss = await service.tokenOf('boss', 'admin');
  await service.createZone(name);
  const reads = { zone_name: name, actions: ['record:read'] };
  narrow = await service.tokenOf('narrow', [
    { ...reads, record_name_pattern: 'h1' },
    { ...reads, record_name_pattern: '*.h1' },
  ]);
});
afterAll(() => service.close());

/** The number of the event that made some hosts. */
async function made(hosts: readonly string[]): Promise<number> {
  const records = hosts.map((host) => ({ name: host, type: 'A', value: '192.0.2.1', ttl: 60 }));
  await service.call('POST', `/zones/${name}/records/bulk`, { records }, 201, boss);
  return (await service.call('GET', '/events?limit=1', undefined, 200, boss)).items[0].seq;
}

/** The names of all pages, and what the last page says of the event. */
async function walk(seq: number, limit: number, as = boss) {
  const names: string[] = [];
  for (let cursor: string | null = ''; ; ) {
    const after: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const path: string = `/events/${seq}?limit=${limit}${after}`;
    const page: Json = await service.call('GET', path, undefined, 200, as);
    const { diff, diff_truncated: isTruncated } = page.event;
    expect(diff.entries.length).toBeLessThanOrEqual(limit);
    expect(diff.summary).toEqual({ added: diff.entries.length, changed: 0, removed: 0 });
    expect(isTruncated).toBe(page.next_cursor !== null);
    names.push(...diff.entries.map((entry: { name: string }) => entry.name.split('.')[0]!));
    cursor = page.next_cursor;
    if (cursor === null) return names;
  }
}

const hostsOf = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, at) => `${prefix}${at}`);

describe.each([3, 150, 1500])('an event that made %i hosts', (count) => {
  it('is told whole, in canonical order, whatever changed since', async () => {
    const hosts = hostsOf(count, `p${count}-`);
    const seq = await made(hosts);
    const gone = `/records?zone_name=${name}&name=${hosts[0]}`;
    await service.call('DELETE', gone, undefined, 200, boss);
    for (const limit of [2, 100, 1000]) {
      if (count / limit < 100) expect(await walk(seq, limit)).toEqual(hosts.toSorted());
    }
  });
});

it('shows nobody what may not be read', async () => {
  const seq = await made([...hostsOf(1100, 'x'), 'a.h1', 'h1', 'z.h1']);
  expect(await walk(seq, 2, narrow)).toEqual(['h1', 'a', 'z']);
});

it('says the same in every list and by itself of records that went while others stayed', async () => {
  const zone = 'pairs.example';
  await service.createZone(zone);
  const hosts = hostsOf(120, 'p').toSorted();
  const records = hosts.flatMap((host) =>
    ['192.0.2.1', '192.0.2.2'].map((value) => ({ name: host, type: 'A', value, ttl: 60 })),
  );
  await service.call('POST', `/zones/${zone}/records/bulk`, { records }, 201, boss);
  const del = (names: readonly string[]) =>
    names.map((each) => ({ name: each, type: 'A', value: '192.0.2.2' }));
  const latest = async () =>
    (await service.call('GET', '/events?order=desc&limit=1', undefined, 200, boss)).items[0];
  const historyOf = async () => {
    const path = `/zones/${zone}/history?limit=1`;
    return (await service.call('GET', path, undefined, 200, boss)).items[0].diff;
  };
  for (const some of [hosts.slice(0, 1), hosts.slice(1)]) {
    const change = { name: zone, delete: del(some) };
    const { zones } = await service.call('POST', '/changes', { zones: [change] }, 200, boss);
    expect(zones[0].diff.summary).toEqual({ added: 0, changed: some.length, removed: 0 });
    const event = await latest();
    expect(event.summary).toEqual({ added: 0, removed: some.length, changed: some.length });
    const entries: Json[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const path: string = `/events/${event.seq}?limit=50${cursor && `&cursor=${cursor}`}`;
      const page: Json = await service.call('GET', path, undefined, 200, boss);
      entries.push(...page.event.diff.entries);
      cursor = page.next_cursor;
    }
    const from = [{ value: '192.0.2.2', ttl: 60, priority: null }];
    const expected = some.map((host) => {
      return { change: 'removed', name: `${host}.${zone}.`, type: 'A', from, to: [] };
    });
    expect(entries).toEqual(expected);
    expect(event.diff.entries).toEqual(expected.slice(0, 100));
    expect((await historyOf()).entries).toEqual(expected);
  }
});

it('has what a large change removed and added side by side', async () => {
  const zone = 'mixed.example';
  await service.createZone(zone);
  const before = hostsOf(700, 'm').map((host) => `${host} 60 A 192.0.2.1`);
  const path = `/zones/${zone}/import`;
  await service.call('POST', path, { content: `${before.join('\n')}\n` }, 200, boss);
  // Some change, some go and some come.
  const after = hostsOf(1000, 'm')
    .slice(200)
    .map((host) => `${host} 60 A 192.0.2.2`);
  const headers = { content: `@ 60 NS ns.example.net.\n${after.join('\n')}\n`, mode: 'replace' };
  await service.call('POST', path, headers, 200, boss);
  const { items } = await service.call('GET', '/events?limit=1', undefined, 200, boss);
  const changes = new Map<string, string>();
  for (let cursor: string | null = ''; cursor !== null; ) {
    const at: string = `/events/${items[0].seq}?limit=333${cursor && `&cursor=${cursor}`}`;
    const page: Json = await service.call('GET', at, undefined, 200, boss);
    for (const { name: owner, type, change } of page.event.diff.entries) {
      expect(changes.has(`${owner} ${type}`)).toBe(false);
      changes.set(`${owner} ${type}`, change);
    }
    cursor = page.next_cursor;
  }
  const counted = Map.groupBy(changes.values(), (change) => change);
  const counts = ['added', 'changed', 'removed'].map((change) => counted.get(change)?.length);
  expect(counts).toEqual([300, 501, 200]);
});

it('is told of a zone that was deleted since, and refuses what is no page', async () => {
  const other = 'gone.example';
  await service.createZone(other);
  const records = hostsOf(120, 'd').map((host) => ({ name: host, type: 'A', value: '192.0.2.1' }));
  await service.call('POST', `/zones/${other}/records/bulk`, { records }, 201, boss);
  const { items } = await service.call('GET', '/events?limit=1', undefined, 200, boss);
  await service.call('DELETE', `/zones/${other}`, undefined, 200, boss);
  expect(await walk(items[0].seq, 50)).toHaveLength(120);
  for (const query of ['limit=0', 'limit=1001', 'cursor=x', 'offset=1']) {
    const path = `/events/${items[0].seq}?${query}`;
    await service.refused('GET', path, undefined, 'INVALID_INPUT', '', boss);
  }
});

it('has times of administration in the form of all times', async () => {
  const { event } = await service.call('GET', '/events/1', undefined, 200, boss);
  expect(event.details.role.created_at).toBe(event.at);
});

/** Events: all of them, in order, once; every filter against a plain search through all of them. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { eventKinds } from '../../src/base/event-kind.ts';
import { InProcessService } from '../support/in-process.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely.
type Event = any;

let service: InProcessService;
let all: Event[];
let boss: string;
let tokens: Record<'narrow' | 'zoneOnly' | 'none' | 'secondaries', string>;
const zones = ['a.example', 'b.example', 'c.example'];

const get = (path: string, as = boss) => service.call('GET', path, undefined, 200, as);

/** Every event that a caller sees of what it asks for, page after page. */
async function walk(query: string, order: 'asc' | 'desc', limit: number, as = boss) {
  const found: Event[] = [];
  for (let next: number | null | undefined; next !== null; ) {
    const from = next === undefined ? '' : `&${order === 'asc' ? 'after' : 'before'}=${next}`;
    const page = await get(`/events?order=${order}&limit=${limit}${from}${query}`, as);
    expect(page.items.length).toBeLessThanOrEqual(limit);
    found.push(...page.items);
    next = order === 'asc' ? page.next_after : page.next_before;
  }
  return found;
}

beforeAll(async () => {
  service = new InProcessService({ authenticationRequired: true });
  boss = await service.tokenOf('boss', 'admin');
  const editor = await service.tokenOf('editor', [
    { actions: ['record:create', 'record:read', 'record:delete', 'zone:read'] },
  ]);
  for (const name of zones) await service.createZone(name);
  const write = async (as: string, headers: Record<string, string>, body: object) => {
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${as}`, ...headers },
      body: JSON.stringify(body),
    };
    expect((await service.request('/records', init)).status).toBe(201);
  };
  for (let round = 0; round < 12; round++) {
    const zone_name = zones[round % 3]!;
    const as = round % 2 === 0 ? boss : editor;
    const reasons = round % 4 === 0 ? { 'zonebook-reason': `Move ${round}` } : {};
    await write(as, reasons, { zone_name, name: `n${round}`, type: 'A', value: '192.0.2.1' });
  }
  await write(boss, {}, { zone_name: zones[0], name: 'n0', type: 'TXT', value: 'text' });
  await service.call('PUT', `/zones/${zones[0]}`, { retry: 1234 }, 200, boss);
  await service.call('DELETE', `/zones/${zones[2]}`, undefined, 200, boss);
  await service.call('POST', `/zones/${zones[2]}/restore`, undefined, 200, boss);
  await service.call('DELETE', `/zones/${zones[1]}`, undefined, 200, boss);
  const secondary = { name: 'ns2', address: '192.0.2.53' };
  await service.call('POST', '/secondaries', secondary, 201, boss);
  const zone_name = 'a.example';
  const reads = { zone_name, actions: ['record:read'], record_types: 'TXT' };
  tokens = {
    narrow: await service.tokenOf('narrow', [reads]),
    zoneOnly: await service.tokenOf('zone-only', [{ zone_name, actions: ['zone:read'] }]),
    none: await service.tokenOf('none', []),
    secondaries: await service.tokenOf('watch', [{ actions: ['secondary:read'] }]),
  };
  all = await walk('', 'asc', 1000);
});
afterAll(() => service.close());

describe('GET /events', () => {
  it('tells all of them, each with the hash of the one before it', async () => {
    expect(all.map(({ seq }) => seq)).toEqual(all.map((_, index) => index + 1));
    for (const [index, event] of all.entries()) {
      if (index > 0) expect(event.prev_hash).toBe(all[index - 1]!.hash);
    }
    expect(all.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['role.created', 'token.created', 'zone.restored', 'zone.deleted']),
    );
    const moved = all.find(({ reason }) => reason === 'Move 4');
    expect(moved).toMatchObject({
      kind: 'records.changed',
      zone: { name: 'b.example', deleted: true },
      actor: { kind: 'token', name: 'boss' },
      source: 'api',
      summary: { added: 1, removed: 0, changed: 1 },
      diff: {
        entries: [{ change: 'added', name: 'n4.b.example.', type: 'A' }],
        summary: { added: 1, changed: 0, removed: 0 },
      },
      redacted: false,
    });
    expect(all.find(({ kind }) => kind === 'zone.updated')).toMatchObject({
      settings_changed: ['retry'],
      diff: { entries: [] },
    });
    expect(all.find(({ kind }) => kind === 'secondary.registered')).toMatchObject({
      zone: null,
      details: { secondary: { name: 'ns2' } },
    });
  });

  it('comes in pages of any size, in both orders, the same', async () => {
    for (const limit of [1, 3, 7]) {
      expect(await walk('', 'asc', limit)).toEqual(all);
      expect(await walk('', 'desc', limit)).toEqual(all.toReversed());
      for (const zone of [...new Set(all.flatMap((event) => event.zone?.id ?? []))]) {
        const ofZone = all.filter((event) => event.zone?.id === zone);
        expect(await walk(`&zone_id=${zone}`, 'asc', limit)).toEqual(ofZone);
        expect(await walk(`&zone_id=${zone}`, 'desc', limit)).toEqual(ofZone.toReversed());
      }
    }
  });

  it('passes what every filter asks for, alone and together', async () => {
    const times = all.map(({ at }) => Date.parse(at));
    const time = fc.constantFrom(...times).chain((ms) => fc.constantFrom(ms - 1, ms, ms + 1));
    const filters = fc.record(
      {
        zone: fc.constantFrom('a.example', 'c.example'),
        actor: fc.constantFrom('boss', 'editor', 'nobody'),
        source: fc.constantFrom('api', 'cli', 'system'),
        kind: fc.constantFrom('records.changed', 'zone.created', 'role.created'),
        since: time,
        until: time,
        reason: fc.constantFrom('move', 'MOVE 4', 'never'),
        after: fc.nat(all.length),
        before: fc.nat(all.length + 1),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(filters, fc.constantFrom('asc', 'desc'), async (filter, order) => {
        const expected = all.filter(
          (event) =>
            (filter.zone === undefined || event.zone?.name === filter.zone) &&
            (filter.actor === undefined || event.actor?.name === filter.actor) &&
            (filter.source === undefined || event.source === filter.source) &&
            (filter.kind === undefined || event.kind === filter.kind) &&
            (filter.since === undefined || Date.parse(event.at) >= filter.since) &&
            (filter.until === undefined || Date.parse(event.at) <= filter.until) &&
            (filter.reason === undefined ||
              (event.reason ?? '').toLowerCase().includes(filter.reason.toLowerCase())) &&
            (filter.after === undefined || event.seq > filter.after) &&
            (filter.before === undefined || event.seq < filter.before),
        );
        const query = Object.entries(filter)
          .map(([name, value]) => {
            const isTime = name === 'since' || name === 'until';
            return `&${name}=${encodeURIComponent(isTime ? new Date(value as number).toISOString() : value)}`;
          })
          .join('');
        const { items } = await get(`/events?limit=1000&order=${order}${query}`);
        expect(items).toEqual(order === 'asc' ? expected : expected.toReversed());
      }),
      { numRuns: 150 },
    );
  });

  it('finds changes of a name and a type, whatever zone they were in', async () => {
    const kinds = async (query: string) =>
      (await get(`/events?order=asc&${query}`)).items.map((event: Event) => event.diff.entries);
    expect(await kinds('name=n0.a.example')).toHaveLength(2);
    expect(await kinds('name=n0&zone=a.example')).toHaveLength(2);
    expect(await kinds('name=n0.a.example&type=TXT')).toMatchObject([[{ type: 'TXT' }]]);
    expect(await kinds('type=TXT')).toHaveLength(1);
    expect(await kinds('name=n4.b.example')).toHaveLength(1);
    expect(await kinds('name=nothing.example')).toEqual([]);
  });

  it('follows a zone and an owner in it through renames, and an absolute name through none', async () => {
    const own = new InProcessService();
    onTestFinished(() => own.close());
    await own.createZone('old.example');
    const add = (zone_name: string, name: string, value: string) =>
      own.call('POST', '/records', { zone_name, name, type: 'A', value });
    await add('old.example', 'www', '192.0.2.1');
    await add('old.example', 'mail', '192.0.2.1');
    await own.call('PUT', '/zones/old.example', { name: 'new.example' });
    await add('new.example', 'www', '192.0.2.2');
    const names = async (query: string) => {
      const { items } = await own.call('GET', `/events?order=asc&${query}`);
      return items.flatMap(({ diff }: Event) => diff.entries.map((one: Event) => one.name));
    };
    const both = ['www.old.example.', 'www.new.example.'];
    expect(await names('zone=new.example&name=www')).toEqual(both);
    expect(await names('zone=new.example&name=www.new.example.&type=A')).toEqual(both);
    expect(await names('name=www.old.example')).toEqual(both.slice(0, 1));
    expect(await names('name=www.new.example&zone_id=1')).toEqual(both.slice(1));
    const headers = { accept: 'application/x-ndjson' };
    const last = (await own.call('GET', '/events?limit=1')).items[0].seq;
    const path = `/events/stream?zone=new.example&name=www&after=0&before=${last + 1}`;
    const stream = await own.request(path, { headers });
    const lines = (await stream.text()).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).diff.entries[0].name)).toEqual(both);
  });

  it('shows each caller what its grants reach, and says when there was more', async () => {
    const zone_name = 'a.example';
    const { narrow, zoneOnly, none, secondaries } = tokens;
    const seen = await walk('', 'asc', 2, narrow);
    expect(seen).toMatchObject([
      {
        zone: { name: 'a.example' },
        summary: { added: 1, removed: 0, changed: 1 },
        redacted: true,
        settings_changed: [],
      },
    ]);
    expect(seen[0]!.diff.entries).toMatchObject([{ type: 'TXT' }]);
    const headers = await walk('', 'desc', 2, zoneOnly);
    expect(headers.length).toBeGreaterThan(4);
    for (const event of headers) {
      expect(event).toMatchObject({
        zone: { name: zone_name },
        summary: { added: 0, removed: 0, changed: 0 },
      });
      expect(event.diff.entries).toEqual([]);
    }
    expect(headers.some(({ redacted }) => redacted)).toBe(true);
    expect(await walk('', 'asc', 50, none)).toEqual([]);
    expect((await walk('', 'asc', 50, secondaries)).map(({ kind }) => kind)).toEqual([
      'secondary.registered',
    ]);
    await service.refused('GET', '/events?zone=a.example', undefined, 'ZONE_NOT_FOUND', '', none);
  });

  it('knows every kind there is, and refuses any other', async () => {
    for (const kind of eventKinds) await get(`/events?kind=${kind}&limit=1`);
    const says = "'kind' must be one of zone.created, ";
    for (const path of ['/events', '/events/stream']) {
      const query = `${path}?kind=record.changed`;
      await service.refused('GET', query, undefined, 'INVALID_INPUT', says, boss);
    }
  });

  it('has one event by its number, for who sees it', async () => {
    expect((await get('/events/5')).event).toEqual(all[4]);
    await service.refused('GET', '/events/100000', undefined, 'EVENT_NOT_FOUND', '100000', boss);
    await service.refused('GET', '/events/5', undefined, 'EVENT_NOT_FOUND', 'event 5', tokens.none);
    await service.refused('GET', '/events/x', undefined, 'INVALID_INPUT', '', boss);
  });
});

it('GET /events?mine=true without tokens is what callers did, and nothing of the service itself', async () => {
  const open = new InProcessService({ authenticationRequired: false });
  try {
    const zone = { name: 'a.example', mname: 'ns1.test', rname: 'h@test' };
    await open.call('POST', '/zones', zone, 201);
    const kinds = async (query: string) =>
      (await open.call('GET', `/events${query}`)).items.map(({ kind }: Event) => kind);
    expect(await kinds('?mine=true')).toEqual(['zone.created']);
    expect(await kinds('')).toContain('policy.created');
  } finally {
    await open.close();
  }
});

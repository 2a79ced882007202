/** Streams of events: each reader gets what the list has for it, in order and once, and by the grants of the moment. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { limits } from '../../src/base/limits.ts';
import { EventIds } from '../../src/query/event-ids.ts';
import { StreamReader } from '../support/event-stream.ts';
import { InProcessService } from '../support/in-process.ts';

let service: InProcessService;
let boss: string;
const open: StreamReader[] = [];

beforeEach(async () => {
  service = new InProcessService({ authenticationRequired: true });
  boss = await service.tokenOf('boss', 'admin');
  await service.createZone('a.example');
});
afterEach(async () => {
  for (const reader of open.splice(0)) await reader.close();
  await service.close();
});

async function follow(query = '', as = boss): Promise<StreamReader> {
  const headers = { authorization: `Bearer ${as}`, accept: 'application/x-ndjson' };
  const response = await service.request(`/events/stream${query}`, { headers });
  expect(response.status).toBe(200);
  expect(response.headers.get('x-accel-buffering')).toBe('no');
  const reader = new StreamReader(response);
  open.push(reader);
  return reader;
}

const add = (name: string, type = 'A', value = '192.0.2.1') =>
  service.call('POST', '/records', { zone_name: 'a.example', name, type, value }, 201, boss);
const list = async (query = '', as = boss) =>
  (await service.call('GET', `/events?limit=1000&order=asc${query}`, undefined, 200, as)).items;

it('begins with the next event, or behind a number, and has what the list has', async () => {
  const live = await follow();
  const whole = await follow('?after=0');
  await add('one');
  await add('two');
  const all = await list();
  await live.has(2);
  await whole.has(all.length);
  expect(whole.events).toEqual(all);
  expect(live.events).toEqual(all.slice(-2));
});

it('speaks server-sent events, from Last-Event-ID on rather than `after`', async () => {
  const all = await list();
  const get = (headers: Record<string, string>) =>
    service.request(`/events/stream?after=0&before=${all.length + 1}`, {
      headers: { authorization: `Bearer ${boss}`, ...headers },
    });
  const response = await get({ 'last-event-id': '2' });
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const texts = all.slice(2).map((event: { seq: number }) => {
    return `id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`;
  });
  expect(await response.text()).toBe(`retry: 1000\nid: 2\n\n${texts.join('')}`);
  for (const [id, code] of [
    ['x', 'INVALID_INPUT'],
    ['1-x', 'INVALID_INPUT'],
    ['-1', 'INVALID_INPUT'],
    ['1-99999', 'EVENT_NOT_FOUND'],
    ['99999', 'EVENT_NOT_FOUND'],
  ] as const) {
    expect(await (await get({ 'last-event-id': id })).json()).toMatchObject({ code });
  }
});

it('ends at `before`, also of events that are yet to come, and at `until`', async () => {
  const last = (await list()).at(-1).seq;
  const bounded = await follow(`?before=${last + 2}`);
  await add('one');
  await add('two');
  expect(await bounded.ended).toBeUndefined();
  expect(bounded.seqs).toEqual([last + 1]);
  const past = await follow(`?after=0&until=${new Date(service.now() - 3_600_000).toISOString()}`);
  expect(await past.ended).toBeUndefined();
  expect(past.events).toEqual([]);
});

it('goes through a long past a page at a time, filtered, without the records of others', async () => {
  for (let round = 0; round < 150; round++)
    await add(`n${round}`, round % 2 ? 'A' : 'TXT', '192.0.2.1');
  const grants = [{ zone_name: 'a.example', actions: ['record:read'], record_types: 'TXT' }];
  const narrow = await service.tokenOf('narrow', grants);
  const texts = await follow('?after=0', narrow);
  const typed = await follow('?after=0&type=A&name=n3.a.example');
  const expected = await list('', narrow);
  expect(expected).toHaveLength(75);
  await texts.has(75);
  await typed.has(1);
  expect(texts.events).toEqual(expected);
  await add('n3', 'A', '192.0.2.9');
  await typed.has(2);
  expect(typed.events).toEqual(await list('&type=A&name=n3.a.example'));
  expect(texts.events).toHaveLength(75);
});

it('goes by the grants of the moment, and ends with the token', async () => {
  const token = await service.tokenOf('reader', []);
  const reader = await follow('', token);
  const grant = { zone_name: 'a.example', actions: ['record:read'] };
  const path = '/roles/reader/grants';
  const { role_grant } = await service.call('POST', path, grant, 201, boss);
  await add('shown');
  await reader.has(1);
  await service.call('DELETE', `${path}/${role_grant.id}`, undefined, 200, boss);
  await add('hidden');
  await service.call('POST', path, { ...grant, record_types: 'TXT' }, 201, boss);
  await add('last', 'TXT', 'words');
  await reader.has(2);
  expect(reader.events.map(({ diff }) => diff.entries[0].name)).toEqual([
    'shown.a.example.',
    'last.a.example.',
  ]);
  await service.call('DELETE', '/tokens/reader', undefined, 200, boss);
  expect(await reader.ended).toBeUndefined();
});

it('ends when the token has expired, before anything more is sent', async () => {
  const token = await service.tokenOf('short', 'admin', { expires_in_days: 1 });
  const reader = await follow('', token);
  await add('before');
  await reader.has(1);
  service.pass(2 * 86_400_000);
  await add('after');
  expect(await reader.ended).toBeUndefined();
  expect(reader.events).toHaveLength(1);
});

/** Streams that are open, by the metrics. */
async function streamsOpen(): Promise<string | undefined> {
  const text = await (await service.fetch('GET', '/metrics')).text();
  return /^zonebook_event_streams (\d+)$/m.exec(text)?.[1];
}

it('is counted while it is open, which it is not for HEAD', async () => {
  const headers = { authorization: `Bearer ${boss}` };
  const head = await service.request('/events/stream', { method: 'HEAD', headers });
  expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  expect(await streamsOpen()).toBe('0');
  const reader = await follow();
  expect(await streamsOpen()).toBe('1');
  await reader.close();
  expect(await streamsOpen()).toBe('0');
});

it('takes no place where the epochs can not be read', async () => {
  const error = Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_READ' });
  const failing = vi.spyOn(EventIds.prototype, 'ofNumbers').mockImplementationOnce(() => {
    throw error;
  });
  await service.refused('GET', '/events/stream', undefined, 'STORAGE_UNAVAILABLE', '', boss);
  failing.mockRestore();
  expect(await streamsOpen()).toBe('0');
});

it('a client that takes nothing is cut off', async () => {
  const headers = { authorization: `Bearer ${boss}` };
  const slow = await service.request('/events/stream', { headers });
  const quick = await follow();
  const text = 'x'.repeat(50_000);
  for (let round = 0; round < 30; round++) await add(`n${round}`, 'TXT', text.slice(round));
  await quick.has(30);
  // More than may waits for it, or will: the next event that is for it finds so.
  let more = 0;
  const streamsLeft = async () => {
    await add(`more-${more++}`);
    return streamsOpen();
  };
  await expect.poll(streamsLeft).toBe('1');
  await quick.close();
  // What was read of it by then is there, and the rest is not.
  const got = await slow.text();
  expect(got.length).toBeLessThan(2 * limits.eventStreamBytes);
});

it('no more streams than may are open, and one caller has half of them at most', async () => {
  const [reader, other] = [await service.tokenOf('reader', []), await service.tokenOf('other', [])];
  const refused = (by: string, words: string) =>
    service.refused('GET', '/events/stream', undefined, 'OVERLOADED', words, by);
  const halfOf = (by: string) =>
    Promise.all(Array.from({ length: limits.eventStreams / 2 }, () => follow('', by)));
  const blind = await halfOf(reader);
  await refused(reader, 'streams of this caller');
  const most = await halfOf(boss);
  await refused(boss, '256 streams');
  await refused(other, '256 streams');
  await add('for-all');
  await Promise.all(most.map((each) => each.has(1)));
  await most[0]!.close();
  await refused(reader, 'streams of this caller');
  await follow('', other);
  await Promise.all([blind[0]!.close(), blind[1]!.close()]);
  await follow();
  await follow('', reader);
});

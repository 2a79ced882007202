import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, it, type MockInstance, vi } from 'vitest';
import { InProcessService } from '../../spec/support/in-process.ts';
import { limits } from '../base/limits.ts';
import { AnswerRoom } from './answer-room.ts';

const service = new InProcessService();
const zone = 'long.example';
/** 1000 bytes. */
const value = Array.from('abcd', (letter) => letter.repeat(250));
const names = Array.from({ length: 600 }, (_, index) => `h${index}`);
/** A list of events shows so many RRsets of each. */
const shown = 100;
const bulk = (more: string) => ({
  zone_name: zone,
  records: names.map((name) => ({ name: `${name}${more}`, type: 'TXT', value })),
});

let hold: MockInstance<AnswerRoom['hold']>;
beforeEach(() => {
  hold = vi.spyOn(AnswerRoom.prototype, 'hold');
});
const somebody = () => new EventEmitter() as unknown as ServerResponse;

async function ask(method: string, path: string, body?: object, via?: 'local'): Promise<number> {
  const headers = { 'content-type': 'application/json' };
  const init = body === undefined ? { method } : { method, headers, body: JSON.stringify(body) };
  const more = { outgoing: somebody(), ...(via && { via }) };
  const response = await service.request(path, init, more);
  await response.text();
  return response.status;
}

beforeAll(async () => {
  await service.createZone(zone);
  await service.call('POST', '/records/bulk', bulk(''));
});
afterAll(() => service.close());

it.each([
  ['GET', `/records?zone_name=${zone}&limit=1000`],
  ['GET', `/zones/${zone}/versions/2?limit=1000`],
  ['GET', `/zones/${zone}/versions/2?type=TXT`],
  ['GET', `/zones/${zone}/history`],
  ['GET', '/events'],
  ['POST', `/zones/${zone}/rollback`, { serial: 1, dry_run: true }],
  ['POST', '/records/bulk', { ...bulk('.new'), dry_run: true }],
  [
    'POST',
    `/zones/${zone}/desired?owner=web`,
    {
      content: names
        .slice(-shown)
        .map((name) => `${name}.new TXT ${value.join(' ')}\n`)
        .join(''),
      dry_run: true,
    },
  ],
  [
    'POST',
    '/changes',
    {
      zones: [{ name: zone, delete: names.map((name) => ({ name, type: 'TXT' })) }],
      dry_run: true,
    },
  ],
])('%s %s counts the records that its answer is made of', async (method, path, body?: object) => {
  expect(await ask(method, path, body)).toBe(200);
  const [answer] = hold.mock.lastCall!;
  expect(answer.body).not.toBeTypeOf('string');
  expect(answer.heldBytes).toBeGreaterThan(shown * 1000);
});

it.each(['/openapi.json', '/openapi.yaml', '/docs/swagger-ui-bundle.js'])(
  '%s is made once, and counts nothing',
  async (path) => {
    for (let time = 0; time < 2; time++) expect(await ask('GET', path)).toBe(200);
    const [first, second] = hold.mock.calls.slice(-2).map(([answer]) => answer);
    expect(first!.body === second!.body).toBe(true);
    expect([typeof first!.body, first!.heldBytes]).toEqual(['object', undefined]);
  },
);

it('refuses only large answers to reads and dry runs while the room is full', async () => {
  const large = `/zones/${zone}/versions/2?limit=1000`;
  expect(await ask('GET', large)).toBe(200);
  const room = hold.mock.contexts.at(-1) as AnswerRoom;
  const outgoing = somebody();
  const answer = { status: 200, mediaType: '', body: [], heldBytes: limits.answersBytes };
  room.hold(answer, { owner: 'others', outgoing, canBeRefused: true });
  expect(await ask('GET', large)).toBe(503);
  expect(await ask('POST', '/records/bulk', { ...bulk('.new'), dry_run: true })).toBe(503);
  expect(await ask('POST', '/records/bulk', bulk('.full'))).toBe(201);
  expect(await ask('GET', `/zones/${zone}`)).toBe(200);
  for (const path of ['/health', '/metrics']) expect(await ask('GET', path)).toBe(200);
  expect(await ask('GET', large, undefined, 'local')).toBe(200);
  outgoing.emit('close');
  expect(await ask('GET', large)).toBe(200);
});

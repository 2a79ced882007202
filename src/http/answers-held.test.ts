import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { InProcessService } from '../../spec/support/in-process.ts';
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
  const hold = vi.spyOn(AnswerRoom.prototype, 'hold');
  const headers = { 'content-type': 'application/json' };
  const init = body === undefined ? { method } : { method, headers, body: JSON.stringify(body) };
  const outgoing = new EventEmitter() as unknown as ServerResponse;
  const response = await service.request(path, init, outgoing);
  const text = await response.text();
  expect([response.status, text.slice(0, 200)]).toEqual([200, expect.any(String)]);
  const [[answer]] = hold.mock.calls as [Parameters<AnswerRoom['hold']>];
  hold.mockRestore();
  expect(answer.body).not.toBeTypeOf('string');
  expect(answer.heldBytes).toBeGreaterThan(shown * 1000);
});

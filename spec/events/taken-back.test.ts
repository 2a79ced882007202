/** Streams over a database that was taken back: who has an id of before gets what follows the last shared event. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { noneSeen } from '../../src/domain/epoch.ts';
import { InProcessService } from '../support/in-process.ts';
import { jsonOf } from '../support/json.ts';

const bySystem = { source: 'system', actor: null, requestId: null, dryRun: false } as const;
let service: InProcessService;

beforeEach(() => {
  service = new InProcessService();
});
afterEach(() => service.close());

/** The number of the newest event; two were made by the start. */
const last = () => service.events() + 2;

/** Changes until the newest event has this number. */
async function changeUpTo(seq: number): Promise<void> {
  while (last() < seq) await service.createZone(`z${last()}.example`);
}

/** What a restore of a backup that ends here leads to: the next event begins the epoch. */
async function takeBack(epoch: number): Promise<number> {
  await service.writer.submit(
    { kind: 'begin-epoch', epoch, reason: 'restore', seen: noneSeen },
    bySystem,
  );
  return last();
}

async function ask(place: { readonly lastId?: string; readonly after?: string }) {
  const { lastId, after } = place;
  const bounds = `before=${last() + 1}${after === undefined ? '' : `&after=${after}`}`;
  const headers: Record<string, string> = lastId === undefined ? {} : { 'last-event-id': lastId };
  return service.request(`/events/stream?${bounds}`, { headers });
}

/** The ids that a stream gives, of where it begins first. */
async function idsBehind(place: Parameters<typeof ask>[0]): Promise<string[]> {
  const answer = await ask(place);
  expect(answer.status).toBe(200);
  return [...(await answer.text()).matchAll(/^id: (.*)$/gm)].map(([, id]) => id!);
}

const ids = (epoch: number, from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) =>
    epoch === 1 ? `${from + index}` : `${epoch}-${from + index}`,
  );

it('goes on behind the last event that both have, whatever number the client has', async () => {
  await changeUpTo(6);
  expect(await takeBack(2)).toBe(7);
  await changeUpTo(16);
  for (const had of ['12', '6', '40', '1-12', '1-6', '1-40']) {
    expect([had, ...(await idsBehind({ lastId: had }))]).toEqual([had, '6', ...ids(2, 7, 16)]);
  }
  expect(await idsBehind({ after: '1-12' })).toEqual(['6', ...ids(2, 7, 16)]);
  for (const lastId of ['4', '1-4']) {
    expect(await idsBehind({ lastId })).toEqual([...ids(1, 4, 6), ...ids(2, 7, 16)]);
  }
  expect(await idsBehind({ lastId: '2-12' })).toEqual(ids(2, 12, 16));
  // The number of an event as the list has it.
  expect(await idsBehind({ after: '12' })).toEqual(ids(2, 12, 16));
});

it('says where it begins, so that a client without any event goes on over a restore', async () => {
  await changeUpTo(12);
  expect(await idsBehind({ after: '12' })).toEqual(['12']);
  await service.close();
  service = new InProcessService();
  await changeUpTo(6);
  await takeBack(2);
  await changeUpTo(16);
  expect(await idsBehind({ lastId: '12' })).toEqual(['6', ...ids(2, 7, 16)]);
});

it('knows all epochs that the database had, and no other', async () => {
  await changeUpTo(6);
  await takeBack(2);
  await changeUpTo(9);
  // A backup of epoch 2 is put back when epoch 3 was served.
  expect(await takeBack(4)).toBe(10);
  await changeUpTo(12);
  expect(await idsBehind({ lastId: '11' })).toEqual(['6', ...ids(2, 7, 9), ...ids(4, 10, 12)]);
  expect(await idsBehind({ lastId: '2-11' })).toEqual(['2-9', ...ids(4, 10, 12)]);
  for (const place of [{ lastId: '3-11' }, { after: '3-2' }]) {
    const answer = await ask(place);
    const { code, error } = await jsonOf(answer);
    expect([answer.status, code]).toEqual([410, 'EVENTS_TAKEN_BACK']);
    expect(error).toContain('begin behind 9');
  }
});

it('has numbers alone while no database was taken back', async () => {
  await changeUpTo(6);
  for (const place of [{ lastId: '4' }, { lastId: '1-4' }, { after: '4' }, { after: '1-4' }]) {
    expect(await idsBehind(place)).toEqual(ids(1, 4, 6));
  }
  expect((await ask({ lastId: '7' })).status).toBe(404);
  const { error } = await jsonOf(await ask({ lastId: '2-3' }));
  expect(error).toContain('begin behind 0');
  await service.refused('GET', '/events/stream?after=1-', undefined, 'INVALID_INPUT', "'after'");
});

import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { decode } from 'dns-packet';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openOutbound } from '../../spec/support/destination.ts';
import { makeZone } from '../../spec/support/memory-zones.ts';
import { freePort } from '../../spec/support/ports.ts';
import { soaAnswer } from '../../spec/support/soa-answer.ts';
import { catalogZone } from '../domain/catalog.ts';
import type { Zone } from '../domain/zone.ts';
import { SecondaryWatch } from './secondary-watch.ts';

let socket: Socket;
let port: number;
const served = new Map<string, number>();
const zones = new Map<string, Zone>();
const logged: unknown[] = [];
const again: unknown[] = [];
/** Names of the zones that the secondary was asked for. */
const asked: string[] = [];
let now = 0;
let outbound: ReturnType<typeof openOutbound>;
let watch: SecondaryWatch;

beforeEach(async () => {
  port = await freePort();
  socket = createSocket('udp4');
  socket.on('message', (request, from) => {
    const name = decode(request).questions?.[0]?.name ?? '';
    asked.push(name);
    const serial = served.get(name);
    socket.send(soaAnswer(request, serial), from.port, from.address);
  });
  socket.bind(port, '127.0.0.1');
  await once(socket, 'listening');
  const address = `127.0.0.1:${port}`;
  const secondary = { id: 1, name: 'ns2', address, enabled: true, notifyKeyName: null };
  outbound = openOutbound();
  watch = new SecondaryWatch({
    secondaries: { enabled: () => [{ ...secondary, createdAt: 0 }] },
    zones: { byName: (name) => zones.get(name), inOrder: () => zones.values() },
    catalog: () => catalogZone('catalog.invalid', { serial: 5, memberCount: 0 }),
    outbound,
    notifier: { notifyAgain: (...told) => void again.push(told) },
    clock: () => now,
    log: {
      info: (event) => void logged.push(event),
      warn: (event, fields) => void logged.push([event, fields]),
    },
  });
});
afterEach(() => {
  socket.close();
  void watch.stop();
  for (const map of [served, zones]) map.clear();
  logged.length = 0;
  again.length = 0;
  asked.length = 0;
});

it('remembers what each secondary was seen with, and since when it is behind or silent', async () => {
  for (const name of ['a', 'b', 'c']) zones.set(name, makeZone(name, { serial: 10 }));
  const ns2 = { address: `127.0.0.1:${port}` };
  const { address } = ns2;
  expect(watch.seen(ns2)).toEqual({
    ...{ askedAt: null, inSync: null, behind: 0, silence: null, lag: null },
  });
  served.set('a', 10).set('b', 9).set('c', 12).set('catalog.invalid', 5);
  now = 100;
  await watch.runOnce();
  now = 200;
  await watch.runOnce();
  expect(watch.seen(ns2)).toMatchObject({ askedAt: 200, inSync: 2, behind: 1, silence: null });
  expect(watch.behindWith(ns2, 'b')).toEqual({ serial: 9, since: 100 });
  expect(watch.since(ns2, 'b')).toBe(100);
  expect(watch.zonesBehind([ns2], 9)).toEqual(['b']);
  expect(watch.zonesBehind([ns2], 0)).toEqual([]);
  watch.noteAnswer(address, 'silent');
  now = 300;
  watch.noteAnswer(address, 'silent still');
  expect(watch.seen(ns2).silence).toEqual({ error: 'silent still', since: 200 });
  expect(watch.since(ns2, 'a')).toBe(200);
  watch.noteAnswer(address, null);
  expect(watch.since(ns2, 'a')).toBeUndefined();
  zones.delete('b');
  expect(watch.zonesBehind([ns2], 9)).toEqual([]);
  await watch.runOnce();
  expect(watch.seen(ns2)).toMatchObject({ inSync: 2, behind: 0 });
});

it('tells no time to come where the clock was ahead when a secondary fell behind or silent', () => {
  zones.set('a', makeZone('a', { serial: 10 }));
  const ns2 = { address: `127.0.0.1:${port}` };
  now = 1_000_000;
  watch.note('a', ns2.address, 9);
  watch.noteAnswer(ns2.address, 'silent');
  now = 1000;
  watch.note('a', ns2.address, 9);
  watch.noteAnswer(ns2.address, 'silent');
  now = 2000;
  watch.note('a', ns2.address, 9);
  watch.noteAnswer(ns2.address, 'silent');
  expect(watch.behindWith(ns2, 'a')).toEqual({ serial: 9, since: 1000 });
  expect(watch.seen(ns2).silence).toEqual({ error: 'silent', since: 1000 });
});

it('asks one that served nothing again when somebody looks, for some zones at first', async () => {
  const names = Array.from({ length: 150 }, (_, at) => `z${at}`);
  for (const name of names) zones.set(name, makeZone(name, { serial: 10 }));
  const ns2 = { address: `127.0.0.1:${port}` };
  const look = async () => {
    asked.length = 0;
    await watch.look();
    return new Set(asked).size;
  };
  now = 1000;
  // The catalog is one of them.
  expect(await look()).toBe(101);
  expect(watch.seen(ns2)).toMatchObject({ askedAt: 1000, inSync: 0, silence: null });
  for (const name of names) served.set(name, 10);
  now += 29_999;
  expect(await look()).toBe(0);
  now += 1;
  expect(await look()).toBe(151);
  expect(watch.seen(ns2)).toMatchObject({ askedAt: 31_000, inSync: 150, silence: null });
  // One that serves something waits for the next round.
  now += 600_000;
  expect(await look()).toBe(0);
});

it('keeps what one is behind with when it is asked again for some zones', async () => {
  const names = Array.from({ length: 102 }, (_, at) => `z${at}`);
  for (const name of names) zones.set(name, makeZone(name, { serial: 10 }));
  watch.note('z101', `127.0.0.1:${port}`, 9);
  watch.note('z100', `127.0.0.1:${port}`, 9);
  zones.set('z100', makeZone('z100', { serial: 10, enabled: false }));
  await watch.look();
  expect([...watch.behind()]).toEqual(['z101']);
});

it('counts and logs what secondaries serve ahead of us, until we are past it', async () => {
  for (const name of ['a', 'b', 'c']) zones.set(name, makeZone(name, { serial: 10 }));
  served.set('a', 10).set('b', 12).set('catalog.invalid', 6);
  await watch.runOnce();
  expect(watch.count()).toBe(2);
  expect(logged).toEqual([
    [
      'secondary.ahead',
      {
        secondary: 'ns2',
        zones: 2,
        zone: expect.any(String),
        serial: expect.any(Number),
        ours: expect.any(Number),
      },
    ],
  ]);
  zones.set('b', makeZone('b', { serial: 13 }));
  expect(watch.count()).toBe(1);
  served.set('catalog.invalid', 5);
  await watch.runOnce();
  expect(watch.count()).toBe(0);
  // What was ahead is behind now, and nothing is ahead.
  expect(logged.slice(1)).toEqual(['secondary.behind']);
});

it('tells secondaries again of what they are behind with', async () => {
  for (const name of ['a', 'b', 'c', 'd']) zones.set(name, makeZone(name, { serial: 10 }));
  // Of the last it serves nothing.
  served.set('a', 10).set('b', 9).set('c', 0xffff_ffff).set('catalog.invalid', 4);
  await watch.runOnce();
  expect(again.toSorted()).toEqual([
    ['b', 'ns2'],
    ['c', 'ns2'],
    ['catalog.invalid', 'ns2'],
  ]);
  expect(logged).toEqual(['secondary.behind']);
  expect(watch.count()).toBe(0);
});

it('takes in what others see', () => {
  zones.set('a', makeZone('a', { serial: 10 }));
  expect(watch.note('a', `127.0.0.1:${port}`, 11)).toBe(true);
  expect(watch.count()).toBe(1);
  expect(watch.note('a', `127.0.0.1:${port}`, 10)).toBe(false);
  expect(watch.note('gone', `127.0.0.1:${port}`, 99)).toBe(false);
  // Of a secondary that is not asked any more.
  expect(watch.note('a', '192.0.2.1:53', 11)).toBe(true);
  expect(watch.count()).toBe(0);
});

it('knows which zones a secondary is behind with, until it has them', () => {
  const address = `127.0.0.1:${port}`;
  for (const name of ['a', 'b', 'c', 'd']) zones.set(name, makeZone(name, { serial: 10 }));
  // Of one with two addresses, the newest and the oldest.
  watch.note('a', address, 10, 9);
  for (const name of ['b', 'c', 'd']) watch.note(name, address, 8);
  watch.note('b', '192.0.2.1:53', 8);
  expect([...watch.behind()]).toEqual(['a', 'b', 'c', 'd']);
  watch.note('b', address, 10);
  watch.transferred({ zoneName: 'a', address: '127.0.0.1', result: 'failed', serial: null });
  watch.transferred({ zoneName: 'c', address: '127.0.0.1', result: 'ok', serial: 9 });
  watch.transferred({ zoneName: 'd', address: '127.0.0.1', result: 'ok', serial: 10 });
  expect([...watch.behind()]).toEqual(['a', 'c']);
});

it('lets no answer say that a secondary is behind which has transferred since it was asked', async () => {
  const ns2 = { address: `127.0.0.1:${port}` };
  for (const name of ['a', 'b', 'c']) zones.set(name, makeZone(name, { serial: 10 }));
  served.set('a', 9).set('b', 9).set('c', 10).set('catalog.invalid', 5);
  const round = watch.runOnce();
  await once(socket, 'message');
  // The answers of the round are read when all are there.
  watch.transferred({ zoneName: 'a', address: '127.0.0.1', result: 'ok', serial: 10 });
  await round;
  expect([...watch.behind()]).toEqual(['b']);
  expect(again).toEqual([['b', 'ns2']]);
  served.set('a', 8);
  await watch.runOnce();
  expect(watch.behindWith(ns2, 'a')).toMatchObject({ serial: 8 });
});

it('takes no bad news from a question that is older than what is known', async () => {
  const ns2 = { address: `127.0.0.1:${port}` };
  const { address } = ns2;
  zones.set('a', makeZone('a', { serial: 10 }));
  const from = performance.now();
  watch.note('a', address, 10, 10, from + 200);
  watch.note('a', address, 9, 9, from + 100);
  expect(watch.behindWith(ns2, 'a')).toBeUndefined();
  watch.note('a', address, 9, 9, from + 300);
  expect(watch.behindWith(ns2, 'a')).toMatchObject({ serial: 9 });
  // It serves ours, whenever it was asked.
  watch.note('a', address, 10, 10, from + 250);
  expect(watch.behindWith(ns2, 'a')).toBeUndefined();
  watch.noteAnswer(address, null, from + 200);
  watch.noteAnswer(address, 'silent', from + 100);
  expect(watch.seen(ns2).silence).toBeNull();
  watch.noteAnswer(address, 'silent', from + 300);
  expect(watch.seen(ns2).silence).toMatchObject({ error: 'silent' });
  watch.noteAnswer(address, null, from + 250);
  expect(watch.seen(ns2).silence).toBeNull();
});

it('takes none either where a round has begun since', async () => {
  const ns2 = { address: `127.0.0.1:${port}` };
  zones.set('a', makeZone('a', { serial: 10 }));
  const from = performance.now();
  watch.transferred({ zoneName: 'a', address: '127.0.0.1', result: 'ok', serial: 10 });
  const round = watch.runOnce();
  watch.note('a', ns2.address, 9, 9, from - 1);
  expect(watch.behindWith(ns2, 'a')).toBeUndefined();
  await round;
});

it('lets no round say that a secondary is silent which has answered since it began', async () => {
  const ns2 = { address: `127.0.0.1:${port}` };
  served.set('catalog.invalid', 5);
  const asking = vi.spyOn(outbound, 'destinationsOf');
  const look = () => watch.look().then(() => watch.seen(ns2));
  const gone = Promise.withResolvers<never>();
  asking.mockReturnValueOnce(gone.promise);
  const round = watch.runOnce();
  watch.noteAnswer(ns2.address, null);
  gone.reject(new Error('not found'));
  await round;
  expect(watch.seen(ns2)).toMatchObject({ inSync: null, silence: null });
  // Somebody looks while a round waits.
  const late = Promise.withResolvers<never>();
  asking.mockReturnValueOnce(late.promise);
  const next = watch.runOnce();
  expect(await look()).toMatchObject({ inSync: 1, silence: null });
  late.reject(new Error('not found'));
  await next;
  expect(watch.seen(ns2)).toMatchObject({ inSync: 1, silence: null });
  asking.mockRejectedValueOnce(new Error('not found'));
  await watch.runOnce();
  const error = expect.stringContaining('not found');
  expect(watch.seen(ns2)).toMatchObject({ inSync: 0, silence: { error } });
});

it('takes in what a round learns beyond what was seen when somebody looked meanwhile', async () => {
  const ns2 = { address: `127.0.0.1:${port}` };
  for (const name of ['a', 'b']) zones.set(name, makeZone(name, { serial: 10 }));
  const reached = await outbound.destinationsOf(ns2.address, 'private');
  const held = Promise.withResolvers<typeof reached>();
  vi.spyOn(outbound, 'destinationsOf').mockReturnValueOnce(held.promise);
  const round = watch.runOnce();
  await watch.look();
  expect(watch.seen(ns2)).toMatchObject({ inSync: 0, behind: 0 });
  served.set('a', 9).set('b', 11);
  held.resolve(reached);
  await round;
  expect(watch.seen(ns2)).toMatchObject({ inSync: 0, behind: 1 });
  expect([watch.count(), again]).toEqual([1, [['a', 'ns2']]]);
});

it('keeps for a day how far behind each was, until it is asked no more', async () => {
  const minute = 60_000;
  for (const name of ['a', 'b']) zones.set(name, makeZone(name, { serial: 10 }));
  served.set('a', 10).set('b', 10).set('catalog.invalid', 5);
  now = 600 * minute;
  const ns2 = { address: `127.0.0.1:${port}` };
  const lag = () => watch.seen(ns2).lag?.behindMs.slice(-3);
  expect(lag()).toBeUndefined();
  await watch.runOnce();
  now += 15 * minute;
  expect(lag()).toEqual([null, 0, 0]);
  zones.set('b', makeZone('b', { serial: 11 }));
  await watch.runOnce();
  now += 12 * minute;
  watch.transferred({ zoneName: 'b', address: '127.0.0.1', result: 'ok', serial: 11 });
  now += 4 * minute;
  expect(lag()).toEqual([5 * minute, 12 * minute, 0]);
  watch.noteAnswer(ns2.address, 'silent');
  now += 30 * minute;
  expect(lag()).toEqual([null, null, null]);
  expect(watch.seen(ns2).lag?.countedSince).toBe(600 * minute);
  // What others saw of one that is not enabled.
  watch.note('a', '192.0.2.1:53', 9);
  expect(watch.seen({ address: '192.0.2.1:53' }).lag?.behindMs.at(-1)).toBe(0);
  await watch.runOnce();
  expect(watch.seen({ address: '192.0.2.1:53' }).lag).toBeNull();
});

import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { destinationOf, openOutbound } from '../../spec/support/destination.ts';
import { makeZone } from '../../spec/support/memory-zones.ts';
import { freePortAt } from '../../spec/support/ports.ts';
import { soaAnswer } from '../../spec/support/soa-answer.ts';
import { catalogZone } from '../domain/catalog.ts';
import type { Secondary } from '../domain/secondary.ts';
import { noTransfers } from '../query/transfer-queries.ts';
import { NotifyAnswers } from './notify-answers.ts';
import { Prober } from './prober.ts';

const addresses = ['127.0.0.1', '127.0.0.2'];
const sockets: Socket[] = [];
let port: number;
/** Serials by address; null refuses, undefined is silent. */
let serials: Map<string, number | null>;

beforeEach(async () => {
  serials = new Map();
  port = await freePortAt(addresses);
  for (const address of addresses) {
    const socket = createSocket('udp4');
    socket.on('message', (request, from) => {
      const serial = serials.get(address);
      if (serial === undefined) return;
      socket.send(soaAnswer(request, serial ?? undefined), from.port, from.address);
    });
    socket.bind(port, address);
    await once(socket, 'listening');
    sockets.push(socket);
  }
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.close();
});

function proberOf(hosts: Record<string, string[]>) {
  const secondary = (id: number, host: string): Secondary => {
    const address = `${host}:${port}`;
    return { id, name: host, address, enabled: true, notifyKeyName: null, createdAt: 0 };
  };
  const list = Object.keys(hosts).map((host, index) => secondary(index + 1, host));
  const asked: (readonly string[])[] = [];
  const silent: (string | null)[] = [];
  const askedMs: number[] = [];
  const prober = new Prober({
    secondaries: { enabled: () => list },
    outbound: openOutbound(async (host) => hosts[host] ?? []),
    transfers: {
      latest: (given) => {
        asked.push(given);
        return undefined;
      },
      summary: async () => noTransfers,
    },
    notifier: { tell: () => Promise.reject(new Error("TSIG key 'gone' is not available")) },
    notifyAnswers: new NotifyAnswers(() => 7),
    watch: {
      note: (_zone, _address, serial, _oldest, at) => {
        askedMs.push(at ?? 0);
        return serial > 5;
      },
      noteAnswer: (_address, error) => silent.push(error) > 0,
      since: () => undefined,
      behind: () => new Set(),
      behindWith: () => undefined,
      zonesBehind: () => [],
      seen: () => ({ askedAt: 7, inSync: 1, behind: 0, silence: null, lag: null }),
      look: async () => {},
    },
    listens: { address: '127.0.0.1', port },
    catalog: () => catalogZone('catalog.invalid', { serial: 5, memberCount: 0 }),
    listener: destinationOf('127.0.0.1', port),
  });
  return { prober, list, asked, silent, askedMs };
}

const zone = makeZone('example.com', { serial: 5 });

it('takes the oldest serial that any address serves', async () => {
  const { prober, asked } = proberOf({ 'both.test': addresses });
  const [first, second] = addresses as [string, string];
  const status = async () => (await prober.status(zone))[0]!;
  serials.set(first, 5).set(second, 5);
  expect(await status()).toEqual({
    address: `both.test:${port}`,
    status: 'in_sync',
    visibleSerial: 5,
    error: null,
    lastTransfer: null,
  });
  expect(asked).toEqual([addresses]);
  serials.set(second, 4);
  expect(await status()).toMatchObject({ status: 'lagging', visibleSerial: 4 });
  // Who refuses at one address and serves at the other is seen by what it serves, with the complaint.
  serials.set(first, null).set(second, 6);
  expect(await status()).toMatchObject({
    status: 'ahead',
    visibleSerial: 6,
    error: `${first}:${port} answered REFUSED`,
  });
  serials.delete(second);
  expect(await status()).toMatchObject({
    status: 'reachable',
    error: `${first}:${port} answered REFUSED; ${second}:${port} did not answer within 2 s`,
  });
});

it('says of each whether it answers at all', async () => {
  const { prober, silent } = proberOf({ 'both.test': addresses, 'none.test': [] });
  serials.set('127.0.0.1', null);
  await prober.status(zone);
  expect(silent.toSorted()).toEqual(['none.test has no address', null]);
});

it('tells when it asked, and not when it was answered', async () => {
  const { prober, askedMs } = proberOf({ 'one.test': addresses.slice(0, 1) });
  serials.set('127.0.0.1', 5);
  const times = [performance.now()];
  sockets[0]!.on('message', () => times.push(performance.now()));
  await prober.status(zone);
  expect([...times, ...askedMs].toSorted((one, other) => one - other)).toEqual([
    times[0],
    askedMs[0],
    times[1],
  ]);
});

it('asks all secondaries at once, and hosts without address not at all', async () => {
  const mute = Array.from({ length: 8 }, (_, at) => [`mute${at}.test`, addresses]);
  const { prober } = proberOf({ 'none.test': [], ...Object.fromEntries(mute) });
  const started = performance.now();
  const probes = await prober.status(zone);
  // Two tries of 2 s each; one after the other they would take 32 s.
  expect(performance.now() - started).toBeLessThan(25_000);
  expect(probes.map(({ status }) => status)).toEqual(Array(9).fill('unreachable'));
  expect(probes[0]!.error).toBe('none.test has no address');
});

it('finds out everything that is wrong', async () => {
  const { prober, list } = proberOf({ 'both.test': addresses });
  serials.set('127.0.0.2', 5);
  const check = await prober.check(list[0]!);
  expect(check).toMatchObject({
    addresses,
    resolveError: null,
    catalogSerial: 5,
    catalog: { status: 'in_sync', error: expect.stringContaining('did not answer') },
    notifies: [{ address: `both.test:${port}`, error: "TSIG key 'gone' is not available" }],
    // Nobody listens over TCP there, and over UDP it keeps silent.
    listenerError: expect.stringMatching(/^127\.0\.0\.1:\d+ can not be reached over TCP/),
  });
});

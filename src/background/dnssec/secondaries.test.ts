/** What secondaries are asked, and which of their answers counts. */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openOutbound } from '../../../spec/support/destination.ts';
import { freePortAt } from '../../../spec/support/ports.ts';
import { soaAnswer } from '../../../spec/support/soa-answer.ts';
import type { SecondaryAnswer } from '../../dnssec/secondary-serials.ts';
import type { Secondary } from '../../domain/secondary.ts';
import { askerOfRun, askSecondaries } from './secondaries.ts';

const addresses = ['127.0.0.1', '127.0.0.2'] as const;
const sockets: Socket[] = [];
let port: number;
/** Serials by address; null refuses, undefined is silent. */
let serials: Map<string, number | null | 'SERVFAIL'>;

beforeEach(async () => {
  serials = new Map();
  port = await freePortAt(addresses);
  for (const address of addresses) {
    const socket = createSocket('udp4');
    socket.on('message', (request, from) => {
      const serial = serials.get(address);
      if (serial === undefined) return;
      const answer =
        serial === 'SERVFAIL'
          ? soaAnswer(request, undefined, { servfail: true })
          : soaAnswer(request, serial ?? undefined);
      socket.send(answer, from.port, from.address);
    });
    socket.bind(port, address);
    await once(socket, 'listening');
    sockets.push(socket);
  }
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.close();
});

async function asked(hosts: readonly string[]): Promise<SecondaryAnswer[]> {
  const list = hosts.map((name, id): Secondary => {
    const address = `${name}:${port}`;
    return { id, name, address, enabled: true, notifyKeyName: null, createdAt: 0 };
  });
  const outbound = openOutbound(async (host) => (host === 'both' ? addresses : []));
  return askSecondaries('example.com', { secondaries: { enabled: () => list }, outbound });
}

it('takes the oldest serial of all addresses that answer', async () => {
  serials.set(addresses[0], 5).set(addresses[1], 4);
  const address = `both:${port}`;
  expect(await asked(['both'])).toEqual([{ name: 'both', address, serial: 4 }]);
  serials.set(addresses[1], null);
  expect(await asked(['both'])).toEqual([{ name: 'both', address, serial: 5 }]);
  serials.set(addresses[0], null);
  expect(await asked(['both'])).toEqual([{ name: 'both', address, serial: null }]);
});

it('takes SERVFAIL for no answer about the zone, unless another address gives a serial', async () => {
  serials.set(addresses[0], 'SERVFAIL').set(addresses[1], null);
  const who = { name: 'both', address: `both:${port}` };
  const failure = `${addresses[0]}:${port} answered SERVFAIL`;
  expect(await asked(['both'])).toEqual([{ ...who, failure, hasAnswered: true }]);
  serials.set(addresses[1], 4);
  expect(await asked(['both'])).toEqual([{ ...who, serial: 4 }]);
});

it('knows who is silent, or not to be found', async () => {
  serials.set(addresses[1], 4);
  const answers = await asked(['both', addresses[0], 'nowhere']);
  expect(answers).toEqual([
    { name: 'both', address: `both:${port}`, serial: 4 },
    { name: addresses[0], address: `${addresses[0]}:${port}`, failure: expect.any(String) },
    { name: 'nowhere', address: `nowhere:${port}`, failure: 'nowhere has no address' },
  ]);
});

it('asks a silent one for no more than a few zones of a run', async () => {
  const skips: string[][] = [];
  let isSilent = true;
  const ask = askerOfRun(async (_zone, skipped = new Set()) => {
    skips.push([...skipped]);
    const who = { name: 'ns2', address: '192.0.2.2:53' };
    return [isSilent ? { ...who, failure: 'no answer' } : { ...who, serial: 1 }];
  });
  for (const zone of ['a', 'b', 'c', 'd']) await ask(zone);
  expect(skips).toEqual([[], [], [], ['ns2']]);
  isSilent = false;
  await ask('e');
  await ask('f');
  expect(skips.at(-1)).toEqual([]);
});

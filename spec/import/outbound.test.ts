/**
 * What an import contacts because a caller named it (from_server): the policy is judged where the connection is made,
 * and who may name public servers only learns nothing of others.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import type { Problem } from '../../src/base/problem.ts';
import { parseAbsoluteName } from '../../src/dns/name.ts';
import type { Reach } from '../../src/domain/reach.ts';
import { denyWords, type OutboundRules } from '../../src/outbound/policy.ts';
import { fetchZone } from '../../src/outbound/zone-fetch.ts';
import { openOutbound, openPolicy } from '../support/destination.ts';
import { ixfrSoa, transferMessage, wireRecord } from '../support/dns-messages.ts';
import { InProcessService } from '../support/in-process.ts';
import { patienceMs } from '../support/patience.ts';
import { freePort } from '../support/ports.ts';

const timeoutMs = 400;
const zone = 'tenant.example';
const closing: (() => void)[] = [];
/** Ports of listeners on all addresses, with what they do; each connection is counted. */
const ports = { closed: 0, silent: 0, wrong: 0, gone: 0 };
const connections = new Map<number, number>();

beforeEach(() => connections.clear());
beforeAll(async () => {
  ports.closed = await freePort();
  ports.silent = await listen(() => {});
  ports.wrong = await listen((socket) => void socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'));
  ports.gone = await listen((socket) => socket.destroy());
});
afterAll(() => {
  for (const close of closing) close();
});

async function listen(answer: (socket: Socket, request: Buffer) => void): Promise<number> {
  const server: Server = createServer((socket) => {
    connections.set(port, (connections.get(port) ?? 0) + 1);
    socket.on('error', () => {});
    closing.push(() => socket.destroy());
    socket.once('data', (request: Buffer) => answer(socket, request));
  });
  server.listen(0, '::');
  await once(server, 'listening');
  closing.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  return port;
}

/** Why a transfer fails for those who reach so far, and after how many milliseconds. */
async function failure(
  rules: Partial<OutboundRules>,
  reach: Reach,
  server: string,
  waitsMs = timeoutMs,
) {
  const outbound = openOutbound(undefined, { deny: denyWords, ...rules });
  const apex = parseAbsoluteName(zone);
  const bounds = { timeoutMs: waitsMs, totalMs: patienceMs, maxRecords: 10, maxBytes: 10_000 };
  const options = { server, apex, ...bounds, outbound, reach };
  const startedAt = performance.now();
  try {
    for await (const part of fetchZone(options)) expect(part).toBeUndefined();
    throw new Error('the zone came');
  } catch (error) {
    const waited = performance.now() - startedAt;
    const [, named, text] = /^from_server: (\S+:\d+): (.*)$/s.exec((error as Problem).message)!;
    return { code: (error as Problem).code, named, text: text!, waited };
  }
}

it('case 112: a caller for one zone reaches no address of this host or its networks', async () => {
  const own = await listen(() => {});
  const listeners = [{ address: '0.0.0.0', port: own }];
  const [first, ...others] = await Promise.all(
    [
      `127.0.0.1:${ports.closed}`,
      `127.0.0.1:${ports.silent}`,
      `127.0.0.1:${ports.wrong}`,
      `127.0.0.1:${own}`,
      `[::1]:${ports.silent}`,
      `[::ffff:127.0.0.1]:${ports.silent}`,
      `[::ffff:7f00:1]:${ports.wrong}`,
      `[64:ff9b::127.0.0.1]:${ports.silent}`,
      `0.0.0.0:${ports.silent}`,
      `[::]:${ports.silent}`,
      `localhost:${ports.silent}`,
      '169.254.169.254:80',
      '10.255.255.1:53',
      'no-such-host.invalid:53',
    ].map((server) => failure({ listeners }, 'public', server)),
  );
  expect(first).toMatchObject({ code: 'INVALID_INPUT', text: expect.stringMatching(/^no answer/) });
  for (const { code, text } of others) expect([code, text]).toEqual([first!.code, first!.text]);
  // Told at the same time too: when all are over.
  for (const { waited } of [first!, ...others])
    expect(waited).toBeGreaterThanOrEqual(timeoutMs - 5);
  expect([...connections]).toEqual([]);
});

it('case 112: refused, silent and wrong look alike to that caller where it may ask', async () => {
  const found = [];
  for (const port of [ports.closed, ports.silent, ports.wrong, ports.gone]) {
    found.push(await failure({ allow: ['127.0.0.1'] }, 'public', `127.0.0.1:${port}`));
  }
  expect(new Set(found.map(({ text }) => text)).size).toBe(1);
  for (const { waited } of found) expect(waited).toBeGreaterThanOrEqual(timeoutMs - 5);
  // They were asked, all the same.
  for (const port of [ports.silent, ports.wrong, ports.gone]) expect(connections.get(port)).toBe(1);
});

it('case 112: who runs the service reaches private addresses and is told why, but not all of them', async () => {
  const own = await listen(() => {});
  const listeners = [{ address: '127.0.0.1', port: own }];
  const says = async (server: string, waitsMs = patienceMs) =>
    (await failure({ listeners }, 'private', server, waitsMs)).text;
  expect(await says(`127.0.0.1:${ports.closed}`)).toBe('the server refused the connection');
  expect(await says(`127.0.0.1:${ports.silent}`, timeoutMs)).toContain('sent nothing for');
  expect(await says(`127.0.0.1:${ports.gone}`)).toContain('closed the connection');
  for (const server of [
    `127.0.0.1:${own}`,
    `[::ffff:127.0.0.1]:${own}`,
    `[64:ff9b::7f00:1]:${own}`,
  ]) {
    expect(await says(server)).toContain('is a listener of the service itself');
  }
  for (const [address, kind] of [
    ['169.254.169.254', 'link-local'],
    ['[fe80::1]', 'link-local'],
    ['0.0.0.0', 'unspecified'],
    ['[::]', 'unspecified'],
    ['224.0.0.1', 'multicast'],
    ['255.255.255.255', 'broadcast'],
  ]) {
    expect(await says(`${address}:${ports.silent}`)).toContain(`(outbound.deny: ${kind})`);
  }
  expect(connections.get(own)).toBeUndefined();
  expect(connections.get(ports.silent)).toBe(1);
});

it('case 112: how far a caller reaches follows from its grants', async () => {
  const outbound = { policy: openPolicy({ deny: denyWords }), timeoutMs: 5000 };
  const service = new InProcessService({ authenticationRequired: true }, undefined, outbound);
  await service.createZone(zone);
  const write = ['zone:read', 'record:read', 'record:create'];
  const own = await service.tokenOf('own', [{ actions: write, zone_name: zone }]);
  const wide = await service.tokenOf('wide', [{ actions: [...write, 'zone:create'] }]);
  const said = async (as: string) => {
    const body = { from_server: `127.0.0.1:${ports.closed}`, mode: 'append' };
    return (await service.call('POST', `/zones/${zone}/import`, body, 400, as)).error;
  };
  expect(await said(own)).toContain('no answer');
  expect(await said(wide)).toContain('the server refused the connection');
  await service.close();
});

it('what is imported is judged once more when the zone has come', async () => {
  const service = new InProcessService({ authenticationRequired: true });
  await service.createZone(zone);
  const boss = await service.tokenOf('boss', 'admin');
  const gone = await service.tokenOf('gone', goneHolds);
  let goOn: (() => void) | undefined;
  const port = await listen((socket, request) => {
    socket.write(transferMessage(zone, request, [ixfrSoa(zone, 1)]));
    const host = wireRecord(`www.${zone}`, 'A', Buffer.from([192, 0, 2, 1]));
    goOn = () => void socket.write(transferMessage(zone, request, [host, ixfrSoa(zone, 1)]));
  });
  const body = { from_server: `127.0.0.1:${port}`, mode: 'append' };
  const asked = service.call('POST', `/zones/${zone}/import`, body, 404, gone);
  await expect.poll(() => goOn).toBeDefined();
  await takeGrants(service, 'gone', boss);
  goOn!();
  expect((await asked).code).toBe('ZONE_NOT_FOUND');
  const path = `/zones/${zone}`;
  expect((await service.call('GET', path, undefined, 200, boss)).zone.serial).toBe(1);
  await service.close();
});

it('what waits for its turn reads as far as its caller may by then', async () => {
  const service = new InProcessService({ authenticationRequired: true });
  for (const name of [zone, 'held.example']) await service.createZone(name);
  const boss = await service.tokenOf('boss', 'admin');
  const gone = await service.tokenOf('gone', goneHolds);
  const send = (path: string, fields: object, status: number, as: string) =>
    service.call('POST', path, { content, ...fields }, status, as);
  const content = Array.from(
    { length: 2500 },
    (_, at) => `a${at} 300 IN TXT "${'x'.repeat(30)}"`,
  ).join('\n');
  // As many as are read at once: their changes wait.
  const release = await service.writer.hold('held.example');
  const submit = vi.spyOn(service.writer, 'submit');
  const first = [0, 1].map(() => send('/zones/held.example/import', { mode: 'upsert' }, 200, boss));
  await expect.poll(() => submit.mock.calls.length).toBe(2);
  const waiting = [
    send(`/zones/${zone}/import`, { mode: 'append' }, 404, gone),
    send(`/zones/${zone}/diff`, {}, 404, gone),
  ];
  await takeGrants(service, 'gone', boss);
  release();
  for (const { code } of await Promise.all(waiting)) expect(code).toBe('ZONE_NOT_FOUND');
  await Promise.all(first);
  await service.close();
});

const goneHolds = [
  { actions: ['zone:read', 'record:read', 'record:create'], zone_name: zone },
  { actions: ['zone:create'] },
];

/** Deletes all grants of a role. */
async function takeGrants(service: InProcessService, role: string, as: string): Promise<void> {
  const { items } = await service.call('GET', `/roles/${role}/grants`, undefined, 200, as);
  for (const { id } of items as { id: number }[]) {
    await service.call('DELETE', `/roles/${role}/grants/${id}`, undefined, 200, as);
  }
}

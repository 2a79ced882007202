/**
 * What an import contacts because a caller named it (from_server): the policy is judged where the connection is made,
 * and who may name public servers only learns nothing of others.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Problem } from '../../src/base/problem.ts';
import { parseAbsoluteName } from '../../src/dns/name.ts';
import type { Reach } from '../../src/domain/reach.ts';
import { denyWords, type OutboundRules } from '../../src/outbound/policy.ts';
import { fetchZone } from '../../src/outbound/zone-fetch.ts';
import { openOutbound, openPolicy } from '../support/destination.ts';
import { InProcessService } from '../support/in-process.ts';
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

async function listen(answer: (socket: Socket) => void): Promise<number> {
  const server: Server = createServer((socket) => {
    connections.set(port, (connections.get(port) ?? 0) + 1);
    socket.on('error', () => {});
    closing.push(() => socket.destroy());
    socket.once('data', () => answer(socket));
  });
  server.listen(0, '::');
  await once(server, 'listening');
  closing.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  return port;
}

/** Why a transfer fails for those who reach so far, and after how many milliseconds. */
async function failure(rules: Partial<OutboundRules>, reach: Reach, server: string) {
  const outbound = openOutbound(undefined, { deny: denyWords, ...rules });
  const apex = parseAbsoluteName(zone);
  const options = { server, apex, timeoutMs, maxRecords: 10, outbound, reach };
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
  const says = async (server: string) => (await failure({ listeners }, 'private', server)).text;
  expect(await says(`127.0.0.1:${ports.closed}`)).toBe('the server refused the connection');
  expect(await says(`127.0.0.1:${ports.silent}`)).toContain('sent nothing for');
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
  const outbound = { policy: openPolicy({ deny: denyWords }), timeoutMs };
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

it('an import that waits for its turn reaches, and reads, as far as its caller may by then', async () => {
  const outbound = { policy: openPolicy({ deny: denyWords }), timeoutMs: 3000 };
  const service = new InProcessService({ authenticationRequired: true }, undefined, outbound);
  await service.createZone(zone);
  const write = ['zone:read', 'record:read', 'record:create'];
  const holds = [{ actions: write, zone_name: zone }, { actions: ['zone:create'] }];
  const boss = await service.tokenOf('boss', 'admin');
  const less = await service.tokenOf('less', holds);
  const gone = await service.tokenOf('gone', holds);
  const path = `/zones/${zone}/import`;
  const ask = (port: number, status: number, as: string) =>
    service.call('POST', path, { from_server: `127.0.0.1:${port}`, mode: 'append' }, status, as);
  // As many as are read at once.
  const first = [ask(ports.silent, 400, boss), ask(ports.silent, 400, boss)];
  await expect.poll(() => connections.get(ports.silent)).toBe(2);
  const content = 'www 300 IN A 192.0.2.1\n';
  const waiting = [
    ask(ports.wrong, 400, less),
    ask(ports.wrong, 404, gone),
    service.call('POST', `/zones/${zone}/diff`, { content }, 404, gone),
  ];
  for (const role of ['less', 'gone']) {
    const { items } = await service.call('GET', `/roles/${role}/grants`, undefined, 200, boss);
    for (const { id, zone_name: narrow } of items as { id: number; zone_name: string | null }[]) {
      if (role === 'less' && narrow !== null) continue;
      await service.call('DELETE', `/roles/${role}/grants/${id}`, undefined, 200, boss);
    }
  }
  const [lessAnswer, ...goneAnswers] = await Promise.all(waiting);
  await Promise.all(first);
  expect(lessAnswer!.error).toContain('no answer');
  expect(goneAnswers.map(({ code }) => code)).toEqual(['ZONE_NOT_FOUND', 'ZONE_NOT_FOUND']);
  expect(connections.get(ports.wrong)).toBeUndefined();
  await service.close();
});

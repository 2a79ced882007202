/**
 * Servers that take their time with a zone, and that send much of it: an import holds nothing that others need, a
 * caller has half of the room for transfers, and a transfer ends with whoever asked for it.
 */
import { once } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Server, Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { limits } from '../../src/base/limits.ts';
import { openPolicy } from '../support/destination.ts';
import { ixfrSoa, transferMessage, wireRecord } from '../support/dns-messages.ts';
import { jsonType } from '../support/http-door.ts';
import { InProcessService } from '../support/in-process.ts';

const zone = 'slow.example';
/** Eight shares of 128 KiB. */
const maxBytes = 1024 * 1024;
const half = limits.importTransfers / 2;
/** The largest zone has 17 records of so many bytes. */
const largeBytes = 60_000;

interface Primary {
  readonly address: string;
  readonly sockets: Socket[];
}

let service: InProcessService;
const servers: { server: Server; sockets: Socket[] }[] = [];
afterEach(async () => {
  for (const { server, sockets } of servers.splice(0)) {
    server.close();
    for (const socket of sockets) socket.destroy();
  }
  await service.close();
});

async function open(authenticationRequired = false): Promise<InProcessService> {
  const outbound = { policy: openPolicy(), timeoutMs: 120_000, maxBytes };
  service = new InProcessService({ authenticationRequired }, undefined, outbound);
  await service.createZone(zone);
  return service;
}

/** A server that sends so many large records of the zone, and then its end unless it is slow. */
async function primary(count: number, isSlow: boolean): Promise<Primary> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    socket.once('data', (request: Buffer) => {
      const send = (record: Buffer) => socket.write(transferMessage(zone, request, [record]));
      send(ixfrSoa(zone, 1));
      for (let index = 0; index < count; index++) {
        send(wireRecord(`r${index}.${zone}`, 'TYPE65280', Buffer.alloc(largeBytes)));
      }
      if (!isSlow) send(ixfrSoa(zone, 1));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  servers.push({ server, sockets });
  return { address: `127.0.0.1:${(server.address() as AddressInfo).port}`, sockets };
}

const path = `/zones/${zone}/import`;
const bodyOf = ({ address }: Primary, dryRun: boolean) => {
  return { from_server: address, mode: 'append', dry_run: dryRun };
};

/** The status of a dry run, and what its answer says. */
async function tried(from: Primary, as?: string) {
  const response = await service.fetch('POST', path, bodyOf(from, true), as);
  const { code, error } = (await response.json()) as { code?: string; error?: string };
  return { status: response.status, again: response.headers.get('retry-after'), code, error };
}

const overloaded = { status: 503, again: '5', code: 'OVERLOADED' };

it.each([true, false])('others go on while servers are slow (dry_run=%s)', async (dryRun) => {
  const made = await open();
  await made.createZone('large.example');
  const slow = await primary(0, true);
  const imports = [0, 1].map(() => made.fetch('POST', path, bodyOf(slow, dryRun)));
  await expect.poll(() => slow.sockets.length).toBe(2);
  const lines = (name: string) =>
    Array.from({ length: 4000 }, (_, at) => `${name}${at} 300 IN A 10.0.${at >> 8}.${at & 255}`);
  const [content, other] = [lines('host').join('\n'), lines('other').join('\n')];
  await made.call('POST', '/zones/large.example/import', { content, mode: 'append' }, 200);
  const compared = await made.call('POST', '/zones/large.example/diff', { content: other }, 200);
  expect(compared.to_serial).toBeNull();
  const back = await made.call('POST', '/zones/large.example/versions/1/rollback', {}, 200);
  expect(back.summary).toMatchObject({ added: 0, deleted: 4000 });
  for (const socket of slow.sockets) socket.destroy();
  for (const { status } of await Promise.all(imports)) expect(status).toBe(400);
});

it('a caller has half of the transfers', async () => {
  const made = await open(true);
  const grants = [{ actions: ['zone:read', 'zone:create', 'record:read', 'record:create'] }];
  const [one, other] = [await made.tokenOf('one', grants), await made.tokenOf('other', grants)];
  const slow = await primary(0, true);
  const quick = await primary(1, false);
  const held = Array.from({ length: half }, () => tried(slow, one));
  await expect.poll(() => slow.sockets.length).toBe(half);
  expect(await tried(quick, one)).toMatchObject({
    ...overloaded,
    error: 'too many imports of this caller from servers are in flight',
  });
  expect(quick.sockets).toEqual([]);
  expect(await tried(quick, other)).toMatchObject({ status: 200 });
  for (const socket of slow.sockets) socket.destroy();
  for (const { status } of await Promise.all(held)) expect(status).toBe(400);
  expect(await tried(quick, one)).toMatchObject({ status: 200 });
});

it('a large zone counts for several', async () => {
  await open();
  const slow = await primary(8, true);
  const largest = await primary(17, false);
  expect(await tried(largest)).toMatchObject({ status: 200 });
  const held = tried(slow);
  // Half of the largest has come, and with the largest it would be more than a caller has.
  await expect.poll(() => tried(largest)).toMatchObject(overloaded);
  await expect.poll(() => largest.sockets.every(({ closed }) => closed)).toBe(true);
  expect(await tried(await primary(1, false))).toMatchObject({ status: 200 });
  slow.sockets[0]!.destroy();
  expect(await held).toMatchObject({ status: 400 });
  expect(await tried(largest)).toMatchObject({ status: 200 });
});

it('a zone of more bytes than are taken is refused', async () => {
  await open();
  const tooLarge = await primary(18, true);
  expect(await tried(tooLarge)).toMatchObject({
    status: 400,
    error: `from_server: ${tooLarge.address}: the server sent more than ${maxBytes} bytes`,
  });
});

it.each(['its caller leaves', 'the service stops'])('a transfer ends when %s', async (end) => {
  const made = await open();
  const slow = await primary(1, true);
  const outgoing = new ServerResponse(new IncomingMessage(new Socket()));
  const stop = new AbortController();
  const init = { method: 'POST', headers: jsonType, body: JSON.stringify(bodyOf(slow, false)) };
  const asked = made.request(path, init, { outgoing, stopping: stop.signal });
  await expect.poll(() => slow.sockets.length).toBe(1);
  // A reset is an end too, and an error for who waits by `once`.
  const closed = new Promise<void>((done) => slow.sockets[0]!.once('close', () => done()));
  if (end === 'the service stops') stop.abort();
  else outgoing.destroy();
  await closed;
  expect((await asked).status).toBe(503);
  expect(await made.serialOf(zone)).toBe(1);
});

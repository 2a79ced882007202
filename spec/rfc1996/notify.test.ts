/**
 * NOTIFY of the running service (RFC 1996, interface 6, case 56): one per request and secondary,
 * never holding up the HTTP answer; and the notify operation, which waits.
 */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { printAbsoluteName } from '../../src/dns/name.ts';
import { decodeMessage } from '../../src/dns/wire/decode.ts';
import { type RunningService, startService } from '../support/service.ts';

let service: RunningService;
let socket: Socket;
let serials: number[];
let catalogSerials: number[];
/** RCODE of the answers; undefined keeps silent. */
let answerWith: number | undefined;

beforeEach(async () => {
  serials = [];
  catalogSerials = [];
  answerWith = 0;
  socket = createSocket('udp4');
  socket.on('message', (request, from) => {
    const { opcode, authoritative, questions, answers } = decodeMessage(request);
    // Before a bump it is asked which serial it serves: none, it says.
    if (opcode === 0) {
      const refused = Buffer.from(request);
      refused[2]! |= 0x80;
      refused[3] = 5;
      socket.send(refused, from.port, from.address);
      return;
    }
    expect({ opcode, authoritative, type: questions[0]!.type }).toEqual({
      opcode: 4,
      authoritative: true,
      type: 6,
    });
    const { rdata } = answers[0]!;
    const isCatalog = printAbsoluteName(questions[0]!.name) === 'catalog.invalid.';
    (isCatalog ? catalogSerials : serials).push(rdata.readUInt32BE(rdata.length - 20));
    if (answerWith === undefined) return;
    const answer = Buffer.from(request);
    answer[2]! |= 0x80;
    answer[3] = answerWith;
    socket.send(answer, from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  service = await startService({
    ZONEBOOK_DNS_NOTIFY_RETRIES: '1',
    ZONEBOOK_DNS_NOTIFY_TIMEOUT_SECS: '1',
  });
  const address = `127.0.0.1:${socket.address().port}`;
  await service.must('POST', '/secondaries', { name: 'ns2', address });
  await service.must('POST', '/zones', {
    name: 'example.com',
    mname: 'ns1.example.com',
    rname: 'hostmaster@example.com',
  });
});

afterEach(async () => {
  socket.close();
  await service[Symbol.asyncDispose]();
});

async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`serials told: ${serials.join(' ')}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

it('tells the serial of every change, once for many records', async () => {
  await until(() => serials.length === 1);
  const records = Array.from({ length: 50 }, (_, at) => ({
    name: `h${at}`,
    type: 'A',
    value: '192.0.2.1',
  }));
  await service.must('POST', '/records/bulk', { zone_name: 'example.com', records });
  await until(() => serials.length === 2);
  await service.must('PUT', '/zones/example.com', { refresh: 777 });
  await until(() => serials.length === 3);
  expect(serials).toEqual([1, 2, 3]);
  const dry = {
    zone_name: 'example.com',
    name: 'dry',
    type: 'A',
    value: '192.0.2.1',
    dry_run: true,
  };
  await service.must('POST', '/records', dry);
  await service.must('PUT', '/secondaries/ns2', { enabled: false });
  await service.must('PUT', '/zones/example.com', { refresh: 778 });
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(serials).toEqual([1, 2, 3]);
});

it('does not hold up the answer to a change when nobody answers', async () => {
  await until(() => serials.length === 1);
  answerWith = undefined;
  const started = performance.now();
  for (let round = 0; round < 50; round++) {
    await service.must('PUT', '/zones/example.com', { refresh: 1000 + round });
  }
  // Each would have taken the second that an answer may take.
  expect(performance.now() - started).toBeLessThan(40_000);
  // The newest serial is told in the end; between, a new one replaces another ten times a second.
  await until(() => serials.at(-1) === 51);
  expect(serials.length).toBeLessThan(5 + (performance.now() - started) / 100);
});

it('waits in the notify operation, and names the secondary that failed', async () => {
  await until(() => serials.length === 1);
  expect(catalogSerials).toEqual([2]);
  expect((await service.call('POST', '/zones/catalog.invalid/notify')).status).toBe(200);
  expect(catalogSerials).toEqual([2, 2]);
  const bump = await service.call('POST', '/zones/catalog.invalid/notify?bump_serial=true');
  expect(bump).toMatchObject({ status: 400, body: { code: 'INVALID_INPUT' } });
  expect((await service.call('POST', '/zones/example.com/notify')).status).toBe(200);
  expect(serials).toEqual([1, 1]);
  expect((await service.call('POST', '/zones/example.com/notify?bump_serial=true')).status).toBe(
    200,
  );
  await until(() => serials.includes(2));
  answerWith = 5;
  const refused = await service.call('POST', '/notify');
  expect(refused.status).toBe(500);
  expect(refused.body.error).toContain('ns2');
  expect(refused.body.error).toContain('REFUSED');
  answerWith = undefined;
  const silent = await service.call('POST', '/zones/example.com/notify');
  expect(silent.status).toBe(500);
  expect(silent.body.error).toContain('did not answer');
});

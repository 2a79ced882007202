import { type IncomingMessage, request as httpRequest, type RequestOptions } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { fakeServices } from '../../spec/support/fake-services.ts';
import { limits } from '../base/limits.ts';
import { createApp } from './app.ts';

const services = fakeServices();
const server = createAdaptorServer({ fetch: createApp(services).fetch });
let port = 0;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => {
  'closeAllConnections' in server && server.closeAllConnections();
  server.close();
});

interface Reply {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

/** Sends pieces of a body, without a length unless the headers say one. */
function send(options: RequestOptions, pieces: Iterable<string | Buffer> = []): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest({ host: '127.0.0.1', port, ...options }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const { statusCode, headers } = response;
        resolve({ status: statusCode!, headers, text: Buffer.concat(chunks).toString() });
      });
    });
    outgoing.on('error', reject);
    for (const piece of pieces) outgoing.write(piece);
    outgoing.end();
  });
}

const json = { 'content-type': 'application/json' };
const record = { zone_name: 'example.com', name: 'www', type: 'A', value: '192.0.2.1' };
const post = (path: string, headers: Record<string, string> = json) => ({
  method: 'POST',
  path,
  headers,
});

it('takes chunks that turn out to be nothing for no body', async () => {
  const chunked = { 'transfer-encoding': 'chunked' };
  const path = '/records/7';
  expect((await send({ method: 'DELETE', path, headers: chunked })).status).toBe(200);
  expect((await send({ method: 'DELETE', path, headers: chunked }, ['{}'])).status).toBe(415);
});

it('reads a body that comes in pieces', async () => {
  const text = JSON.stringify(record);
  const reply = await send(post('/records'), [text.slice(0, 10), text.slice(10)]);
  expect([reply.status, reply.headers['content-type']]).toEqual([201, 'application/json']);
  expect(reply.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  expect(Number(reply.headers['content-length'])).toBe(Buffer.byteLength(reply.text));
  expect(JSON.parse(reply.text).record.name).toBe('www.example.com.');
});

it('tells no body, an empty one and one without media type apart', async () => {
  const empty = { ...json, 'content-length': '0' };
  expect((await send(post('/records', empty))).status).toBe(400);
  expect((await send(post('/notify', empty))).status).toBe(200);
  expect((await send(post('/records'), [])).status).toBe(400);
  expect((await send(post('/records', {}), [JSON.stringify(record)])).status).toBe(415);
  expect((await send({ method: 'GET', path: '/zones', headers: json })).status).toBe(200);
  const chunked = { ...json, 'transfer-encoding': 'chunked' };
  const remove = { method: 'DELETE', path: '/records/7', headers: chunked };
  const dry = await send(remove, ['{"dry_run":true}']);
  expect([dry.status, JSON.parse(dry.text).code]).toEqual([400, 'INVALID_JSON_BODY']);
});

it('takes the slash of an RFC 2317 name as %2F', async () => {
  const reply = await send({ path: '/zones/0%2F25.2.0.192.in-addr.arpa' });
  expect(JSON.parse(reply.text).zone.name).toBe('0/25.2.0.192.in-addr.arpa');
});

it('refuses by the declared length before the body is sent', async () => {
  const reply = await new Promise<string>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(
        'POST /records HTTP/1.1\r\nHost: [::1]\r\nContent-Type: application/json\r\n' +
          `Content-Length: ${limits.bodyBytes + 1}\r\n\r\n`,
      );
    });
    socket.once('data', (data) => {
      resolve(data.toString());
      socket.destroy();
    });
    socket.once('error', reject);
  });
  expect(reply).toMatch(/^HTTP\/1\.1 413 /);
  expect(reply).toContain('PAYLOAD_TOO_LARGE');
});

it('refuses a body without length once it passes the limit', async () => {
  const piece = Buffer.alloc(64 * 1024, 0x20);
  const reply = await send(post('/records'), Array(40).fill(piece));
  expect([reply.status, JSON.parse(reply.text).code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  expect((await send({ path: '/health' })).status).toBe(200);
});

it('survives a client that leaves in the middle', async () => {
  for (const bytes of [10, limits.inlineBodyBytes + 10]) {
    const before = services.lines.length;
    await new Promise<void>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.write(
          'POST /records HTTP/1.1\r\nHost: [::1]\r\nContent-Type: application/json\r\n' +
            `Content-Length: ${limits.bodyBytes}\r\n\r\n`,
        );
        socket.write(Buffer.alloc(bytes, 0x20), () => setTimeout(() => socket.destroy(), 50));
      });
      socket.on('close', () => resolve());
    });
    await expect.poll(() => services.lines.length).toBeGreaterThan(before);
    expect(services.lines.at(-1)).toMatchObject({ event: 'http.request', status: 400 });
  }
  expect((await send(post('/records'), [JSON.stringify(record)])).status).toBe(201);
});

it('parses and answers a bulk of 20 MB without holding others up for long', async () => {
  const records: string[] = [];
  for (let index = 0; index < 250_000; index++) {
    const value = `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`;
    records.push(`{"name":"host-${index}.sub","type":"A","value":"${value}","ttl":300}`);
  }
  const text = `{"zone_name":"example.com","records":[${records.join(',')}]}`;
  expect(text.length).toBeGreaterThan(16_000_000);
  // The writer's own work is not the door's: it gives the commands back unread.
  const { submit } = services.writer;
  services.writer.submit = async (command, options) => {
    expect((command as unknown as { records: unknown[] }).records).toHaveLength(250_000);
    return submit({ ...command, records: [] } as typeof command, options);
  };
  const parse = vi.spyOn(JSON, 'parse');
  const reply = await send(post('/records/bulk'), [text]);
  const parsedHere = parse.mock.calls.map(([given]) => String(given).length);
  parse.mockRestore();
  services.writer.submit = submit;
  expect(reply.status).toBe(201);
  // Parsing it here would hold others up for some 200 ms: this thread parses nothing large at once.
  expect(Math.max(0, ...parsedHere)).toBeLessThan(1_048_576);
});

it('sends an answer of many records as it is made', async () => {
  const many = Array.from({ length: 30_000 }, (_, index) => ({
    name: `host-${index}`,
    type: 'A',
    value: '192.0.2.1',
  }));
  const body = JSON.stringify({ zone_name: 'example.com', records: many });
  const reply = await send(post('/records/bulk'), [body]);
  expect(reply.headers['transfer-encoding']).toBe('chunked');
  const answer = JSON.parse(reply.text);
  expect([answer.added, answer.records.length]).toEqual([30_000, 30_000]);
  expect(answer.diff.entries).toHaveLength(30_000);
});

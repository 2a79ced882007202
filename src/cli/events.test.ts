/** `events` against a fake service, and `events --follow` against one that breaks off. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { run, serveApp } from '../../spec/support/command-line.ts';
import { fakeServices } from '../../spec/support/fake-services.ts';

const folder = mkdtempSync(join(tmpdir(), 'zonebook-cli-'));
let server: Server;

beforeAll(async () => {
  server = await serveApp(fakeServices(), join(folder, 'zonebook.sock'));
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
  rmSync(folder, { recursive: true });
});

it('lists events with who and why', async () => {
  const { code, out } = await run(['events', '-o', 'table'], { dataDir: folder });
  expect(code).toBe(0);
  expect(out.split('\n').map((line) => line.replace(/ {2,}/g, ' | '))).toEqual([
    'SEQ | AT | ZONE | SERIAL | KIND | BY | RECORDS | REASON',
    expect.stringMatching(
      /^7 \| 20\S+Z \| example.com \| 2 \| zone.serial-bumped \| root \(cli\) \| - \| new rack$/,
    ),
    '',
  ]);
  const json = await run(['events', '--kind', 'zone.serial-bumped', '-o', 'json'], {
    dataDir: folder,
  });
  expect(JSON.parse(json.out)).toMatchObject({ items: [{ seq: 7 }], next_after: null });
});

it('shows one event with what it changed, and takes no filter beside its number', async () => {
  const one = await run(['events', '7'], { dataDir: folder });
  expect(one.code).toBe(0);
  expect(one.out).toMatch(/^seq +7\n/);
  expect(one.out).toMatch(/^reason +new rack$/m);
  const json = await run(['events', '7', '-o', 'json'], { dataDir: folder });
  expect(JSON.parse(json.out)).toMatchObject({ event: { seq: 7 }, next_cursor: null });
  const { code, err } = await run(['events', '7', '--zone', 'example.com'], { dataDir: folder });
  expect([code, err]).toEqual([2, expect.stringContaining('excludes every filter')]);
  const all = await run(['events', '--all'], { dataDir: folder });
  expect([all.code, all.err]).toEqual([2, expect.stringContaining('goes with the number')]);
});

it('takes times in words, and refuses what is no time', async () => {
  const events = (...words: string[]) => run(['events', ...words], { dataDir: folder });
  expect((await events('--since', '2 days ago', '--until', 'yesterday 14:00')).code).toBe(0);
  const { code, err } = await events('--since', 'someday');
  expect([code, err]).toEqual([1, expect.stringContaining('since')]);
});

it('refuses what does not go together', async () => {
  const { code, err } = await run(['events', '--follow', '--limit', '3'], { dataDir: folder });
  expect([code, err]).toEqual([2, expect.stringContaining('--follow excludes --limit')]);
});

/** Follows a service that gives these answers, one to each request, and is told what it was asked. */
async function followed(answers: RequestListener[]) {
  const asked: string[] = [];
  const breaking = createServer((request, response) => {
    asked.push(request.url!);
    response.setHeader('content-type', 'application/json');
    answers.shift()!(request, response);
  });
  await new Promise<void>((resolve) => breaking.listen(0, '127.0.0.1', resolve));
  const { port } = breaking.address() as AddressInfo;
  const words = ['events', '--follow', '--zone', 'example.com', '-o', 'json'];
  const ended = await run([...words, '--url', `http://127.0.0.1:${port}`]);
  breaking.close();
  return { ...ended, asked };
}

const newest: RequestListener = (_, response) =>
  response.end(JSON.stringify({ items: [{ seq: 4 }], next_before: 4 }));
const refusing: RequestListener = (_, response) =>
  response.writeHead(401).end('{"error":"the token is unknown","code":"INVALID_TOKEN"}');

it('follows events over lost connections: each once, from the last that it has', async () => {
  const line = (seq: number) => `${JSON.stringify({ seq, kind: 'zone.created', zone: null })}\n`;
  const sent = (id: string) => `id: ${id}\ndata: ${line(Number(id.split('-').at(-1)))}\n`;
  const answers: RequestListener[] = [
    newest,
    (_, response) => {
      response.write('retry: 1000\n\n', () => response.destroy());
    },
    (_, response) => {
      const cut = sent('7').slice(0, 20);
      response.write(`${sent('5')}:\n\n${sent('6')}${cut}`, () => response.destroy());
    },
    (request, response) => {
      expect(request.headers.accept).toBe('text/event-stream');
      // The service was restored meanwhile: events that this client has are none of its any more.
      response.end(`retry: 1000\n\n${sent('2-6')}${sent('2-7')}`);
    },
    refusing,
  ];
  const { code, out, err, asked } = await followed(answers);
  expect(out).toBe([5, 6, 6, 7].map(line).join(''));
  expect(code).toBe(5);
  expect(err).toContain('the connection is lost; asking again\n');
  expect(asked).toEqual([
    '/events?zone=example.com&limit=1',
    ...[4, 4, '1-6', '2-7'].map((after) => `/events/stream?zone=example.com&after=${after}`),
  ]);
});

it('follows events when a proxy has no service behind it, and when the storage is away', async () => {
  const { code, err, asked } = await followed([
    newest,
    (_, response) => response.writeHead(502, { 'content-type': 'text/html' }).end('<p>no</p>'),
    (_, response) =>
      response.writeHead(503).end('{"error":"no room","code":"STORAGE_UNAVAILABLE"}'),
    refusing,
  ]);
  expect([code, asked.length]).toEqual([5, 4]);
  expect(err).toMatch(/^the connection is lost; asking again\n\{"error":"the token is unknown"/);
});

/** `zone guard`: what it is not told to change stays. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { run } from '../support/command-line.ts';
import { InProcessService } from '../support/in-process.ts';

const name = 'guarded.example';
const locked = { locked_until: '2099-01-01T00:00:00Z', lock_reason: 'freeze' };
const protect = [{ name: 'www', type: 'A' }];

let service: InProcessService;
let server: Server;
let url: string;
/** Done once after a zone was read. */
let afterRead: (() => Promise<unknown>) | undefined;

beforeAll(async () => {
  service = new InProcessService();
  await service.createZone(name);
  server = createServer(async (request, response) => {
    const chunks = await request.toArray();
    const { method = '', url: path = '', headers } = request;
    const sent = Object.entries(headers).filter(([, value]) => typeof value === 'string');
    const body = chunks.length === 0 ? {} : { body: Buffer.concat(chunks) };
    const init = { method, headers: sent as [string, string][], ...body };
    const answer = await service.request(path, init);
    const text = await answer.text();
    if (method === 'GET') await afterRead?.();
    afterRead = undefined;
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.close();
  server.closeAllConnections();
  await service.close();
});

const set = (guard: object) => service.call('PUT', `/zones/${name}`, { guard }, 200);
const cli = (options: string) =>
  run(['--url', url, 'zone', 'guard', name, ...options.split(' ').filter((word) => word !== '')]);
const guardNow = async () => (await service.call('GET', `/zones/${name}`)).zone.guard;

beforeEach(() => set({ max_deletes: 5, protect, ...locked }));

it('changes what it is given', async () => {
  expect((await cli('--max-deletes 50')).code).toBe(0);
  expect(await guardNow()).toEqual({ max_deletes: 50, protect, ...locked });
  expect((await cli('--unlock --protect mail/MX,@')).code).toBe(0);
  const others = [
    { name: 'mail', type: 'MX' },
    { name: '@', type: null },
  ];
  expect(await guardNow()).toEqual({ max_deletes: 50, protect: others });
  expect((await cli('--locked-until 2098-01-01T00:00:00Z --dry-run')).code).toBe(0);
  expect(await guardNow()).toEqual({ max_deletes: 50, protect: others });
});

it('sets the whole with --default', async () => {
  expect((await cli('--default --max-deletes 7')).code).toBe(0);
  expect(await guardNow()).toEqual({ max_deletes: 7 });
  expect((await cli('--default')).code).toBe(0);
  expect(await guardNow()).toBeNull();
});

it('sets nothing where somebody else sets it meanwhile', async () => {
  await set({ max_deletes: 5 });
  afterRead = () => set({ max_deletes: 5, ...locked });
  const { code, err } = await cli('--max-deletes 50');
  expect(code).not.toBe(0);
  expect(err).toContain('PRECONDITION_FAILED');
  expect(await guardNow()).toEqual({ max_deletes: 5, ...locked });
});

it('is told what to do, and what is possible', async () => {
  const none = await cli('');
  expect(none.err).toContain('say what it holds back, --unlock or --default');
  const both = await cli('--unlock --lock-reason why');
  expect(both.err).toContain('--unlock goes with no other lock');
});

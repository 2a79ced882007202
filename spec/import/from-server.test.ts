/**
 * Import from another server (interface 4.2.1, decisions 7): a zone moves in by AXFR from named, knotd and
 * nsd as it is, signed too; a source that stops half way changes nothing. 20,000 records; `npm run test:long`
 * takes 100,000.
 */

import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isLong } from '../support/long.ts';
import { needsPeers } from '../support/peers.ts';
import { type PrimaryKind, startPrimary } from '../support/primaries.ts';
import { type RunningService, startService } from '../support/service.ts';

const records = isLong ? 100_000 : 20_000;
/** Each of a name of its own: one that was served before goes on above its serials. */
const textOf = (zone: string) =>
  [
    `$ORIGIN ${zone}.`,
    `@ 60 IN SOA ns1.${zone}. hostmaster.${zone}. 42 7200 900 1209600 300`,
    `@ 3600 IN NS ns1.${zone}.`,
    'ns1 3600 IN A 192.0.2.53',
    'text 60 IN TXT "two" "strings"',
    `mail 300 IN MX 5 mx.${zone}.`,
    ...Array.from(
      { length: records - 4 },
      (_, index) =>
        `host-${index} 300 IN A 10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`,
    ),
  ].join('\n');

let service: RunningService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());

const kinds: PrimaryKind[] = ['named', 'knotd', 'nsd'];

const soa = { mname: 'ns1.example.net', rname: 'h@example.net' };

describe('import from a server', () => {
  for (const kind of kinds) {
    needsPeers(kind, 'dig')(kind, () => {
      it('gives a zone as it is', () => takeOver(kind));
    });
  }

  it('applies nothing when the source stops half way, and says which and why', async () => {
    const server = await stoppingServer();
    const { port } = server.address() as AddressInfo;
    await service.must('POST', '/zones', { name: 'half.example', ...soa });
    const body = { from_server: `127.0.0.1:${port}`, mode: 'replace' };
    const reply = await service.call('POST', '/zones/half.example/import', body);
    server.close();
    expect(reply.status).toBe(400);
    expect(reply.body.code).toBe('INVALID_INPUT');
    expect(reply.body.error).toContain(`127.0.0.1:${port}`);
    const { zone: still } = await service.must('GET', '/zones/half.example');
    expect(still.serial).toBe(1);
  });

  it('refuses an address, and a key, that are none', async () => {
    await service.must('POST', '/zones', { name: 'none.example', ...soa });
    const attempt = (fields: object) =>
      service.call('POST', '/zones/none.example/import', { mode: 'append', ...fields });
    expect(await attempt({ from_server: 'not a host' })).toMatchObject({
      status: 400,
      body: { code: 'INVALID_INPUT' },
    });
    expect(await attempt({ from_server: '127.0.0.1', tsig_key_name: 'none' })).toMatchObject({
      status: 404,
      body: { code: 'TSIG_KEY_NOT_FOUND' },
    });
  });
});

async function takeOver(kind: PrimaryKind): Promise<void> {
  const zone = `${kind}.example`;
  await using primary = await startPrimary(kind, zone, `${textOf(zone)}\n`);
  const fromServer = `127.0.0.1:${primary.port}`;
  const body = { from_server: fromServer, create: true };
  const answer = await service.must('POST', `/zones/${zone}/import`, body);
  expect(answer).toMatchObject({ applied: true, summary: { parsed: records, added: records } });
  expect(answer.diff.summary.added).toBe(answer.diff.entries.length);
  const { zone: made } = await service.must('GET', `/zones/${zone}`);
  expect(made).toMatchObject({ serial: 42, mname: `ns1.${zone}`, refresh: 7200, default_ttl: 60 });
  // Once more there is nothing to do.
  const again = { from_server: fromServer, mode: 'replace' };
  const second = await service.must('POST', `/zones/${zone}/import`, again);
  expect(second.summary).toMatchObject({ unchanged: records, added: 0, deleted: 0 });
  expect((await service.must('GET', `/zones/${zone}`)).zone.serial).toBe(42);
}

/** Sends an SOA and one record of the zone, then hangs up. */
async function stoppingServer(): Promise<Server> {
  const server = createServer((socket) => {
    socket.once('data', (request: Buffer) => {
      const question = request.subarray(14);
      const apex = Buffer.from([0xc0, 12]);
      const soaData = Buffer.concat([apex, apex, Buffer.alloc(20, 1)]);
      const soa = Buffer.concat([apex, Buffer.from([0, 6, 0, 1, 0, 0, 0, 60, 0, 24]), soaData]);
      const host = Buffer.concat([
        Buffer.from([1, 0x61, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 1]),
      ]);
      const header = Buffer.from([request[2]!, request[3]!, 0x84, 0, 0, 1, 0, 2, 0, 0, 0, 0]);
      const message = Buffer.concat([header, question, soa, host]);
      const length = Buffer.from([message.length >> 8, message.length & 255]);
      socket.end(Buffer.concat([length, message]));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

/**
 * Clients that ask for transfers and do not read them (RFC 7766 6.2.3, 10; case 42): what waits for
 * them is no memory of ours, and the others are served as before.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readAnswer, requestMessage } from '../support/dns-messages.ts';
import { askByUdp } from '../support/exchanges.ts';
import { TcpClient } from '../support/memory-server.ts';
import { type RunningService, startService } from '../support/service.ts';

/** Longer than any run, so that none of those who read nothing is cut while others are served. */
const patientSeconds = 3600;
/** Enough for any client that reads, however busy its host. */
const idleSeconds = 10;
const records = 60_000;
const megabyte = 1024 * 1024;
/** Bytes of the zone as it is sent: each record has 200 bytes of text and some 30 beside it. */
const zoneBytes = records * 230;

let service: RunningService;
const clients: TcpClient[] = [];

beforeAll(async () => {
  service = await startService();
  await service.must('POST', '/secondaries', { name: 'here', address: '127.0.0.1:9' });
  await service.must('POST', '/zones', {
    name: 'large.test',
    mname: 'ns1.large.test',
    rname: 'hostmaster@large.test',
  });
  const perChunk = 10_000;
  for (let start = 0; start < records; start += perChunk) {
    const chunk = Array.from({ length: perChunk }, (_, at) => ({
      name: `host-${start + at}`,
      type: 'TXT',
      value: 'x'.repeat(200),
    }));
    await service.must('POST', '/records/bulk', { zone_name: 'large.test', records: chunk });
  }
});
afterAll(async () => {
  for (const client of clients) client.end();
  await service[Symbol.asyncDispose]();
});

/** From here on the service cuts who reads nothing for so long. */
async function restart(seconds: number): Promise<void> {
  await service.end();
  const settings = { ZONEBOOK_DNS_TCP_IDLE_TIMEOUT_SECS: String(seconds) };
  service = await startService(settings, { dataDir: service.dataDir });
}

const axfr = (id: number) => requestMessage({ id, name: 'large.test', type: 'AXFR' });
const soa = requestMessage({ id: 1, name: 'large.test', type: 'SOA' });

/** Bytes of the service's memory that are its own. */
function memoryBytes(): number {
  const status = readFileSync(`/proc/${service.pid}/status`, 'utf8');
  return Number(/^RssAnon:\s+(\d+) kB/m.exec(status)![1]) * 1024;
}

/** Connections that are open on the side of the service. */
function openConnections(): number {
  const port = service.dnsPort.toString(16).toUpperCase().padStart(4, '0');
  const established = new RegExp(`^\\s*\\d+: [0-9A-F]+:${port} [0-9A-F]+:[0-9A-F]{4} 01 `, 'gm');
  const tables = ['tcp', 'tcp6'].map((name) =>
    readFileSync(`/proc/${service.pid}/net/${name}`, 'utf8'),
  );
  return tables.reduce((sum, table) => sum + [...table.matchAll(established)].length, 0);
}

/** Connections whose client asks for several transfers and reads nothing. */
async function stall(connections: number, transfers: number): Promise<TcpClient[]> {
  const stalled: TcpClient[] = [];
  for (let count = 0; count < connections; count++) {
    const client = await TcpClient.open(service.dnsPort);
    clients.push(client);
    client.socket.pause();
    client.send(...Array.from({ length: transfers }, (_, id) => axfr(id)));
    stalled.push(client);
  }
  return stalled;
}

async function wholeTransfer(): Promise<number> {
  const client = await TcpClient.open(service.dnsPort);
  clients.push(client);
  client.send(axfr(99));
  const sent = (messages: readonly Buffer[]) =>
    messages.reduce((sum, message) => sum + message.readUInt16BE(6), 0);
  await client.until((messages) => sent(messages) >= records + 3);
  client.end();
  return sent(client.messages);
}

it('hold no memory and nobody else up', async () => {
  await restart(patientSeconds);
  // The first transfer warms what every later one uses.
  expect(await wholeTransfer()).toBe(records + 3);
  const before = memoryBytes();
  // More than there are snapshots, and some clients that ask for much at once.
  const stalled = [...(await stall(36, 2)), ...(await stall(4, 16))];
  await sleep(1000);
  expect(readAnswer(await askByUdp(service.dnsPort, soa)).rcode).toBe('NOERROR');
  expect(await wholeTransfer()).toBe(records + 3);
  // None of them has been cut; the one that was served has ended.
  await expect.poll(openConnections).toBe(stalled.length);
  // At most 64 snapshots are open, each with its cache and the part of the zone it reads: a fifth
  // of the 136 zones asked for.
  const bound = 64 * 5 * megabyte;
  expect(memoryBytes() - before).toBeLessThan(bound);
  expect(136 * zoneBytes).toBeGreaterThan(5 * bound);
  for (const client of stalled) client.end();
  await expect.poll(openConnections).toBe(0);
});

it('are cut after the idle time', async () => {
  await restart(idleSeconds);
  const stalled = [...(await stall(36, 2)), ...(await stall(4, 16))];
  // Only a client that reads sees that the connection is gone.
  await expect.poll(openConnections, { interval: 500 }).toBe(0);
  for (const client of stalled) client.socket.resume();
  for (const client of stalled) await client.untilClosed();
  for (const client of stalled) {
    const bytes = client.messages.reduce((sum, message) => sum + message.length, 0);
    expect(bytes).toBeLessThan(zoneBytes);
  }
  expect(await wholeTransfer()).toBe(records + 3);
});

/**
 * The service is stopped while hundreds of kept-alive clients write, some of them slowly: what was
 * acknowledged is there after the next start, and nothing is begun once the stop has.
 */
import { expect, it } from 'vitest';
import { isLong } from '../support/long.ts';
import { headOf, RawConnection } from '../support/raw-http.ts';
import { type RunningService, startService } from '../support/service.ts';

const writers = isLong ? 500 : 200;
const stops = isLong ? 10 : 1;
const slowClients = 20;
const zone = 'stopped.example';

interface Writer {
  readonly acknowledged: string[];
  /** Sent and never answered. */
  unanswered: string | undefined;
  /** What the head of its last answer said. */
  lastHead: string;
}

/** Makes records one after the other until the connection ends. */
async function write(port: number, client: string, seen: Writer): Promise<void> {
  const connection = new RawConnection(port);
  for (let count = 0; !connection.ended; count++) {
    const name = `${client}-${count}`;
    const record = { zone_name: zone, name, type: 'A', value: '192.0.2.1' };
    const body = JSON.stringify(record);
    seen.unanswered = name;
    connection.write(headOf('POST', '/records', { length: body.length }) + body);
    const answer = await connection.answer();
    if (answer === undefined) return;
    expect(answer.status).toBe(201);
    expect(seen.lastHead).not.toContain('connection: close');
    seen.lastHead = answer.head;
    seen.acknowledged.push(name);
    seen.unanswered = undefined;
  }
}

async function namesIn(service: RunningService): Promise<Set<string>> {
  const names = new Set<string>();
  for (let offset = 0; ; offset += 1000) {
    const path = `/records?zone_name=${zone}&type=A&limit=1000&offset=${offset}`;
    const { items } = await service.must('GET', path);
    for (const { name } of items) names.add(name.slice(0, -`.${zone}.`.length));
    if (items.length < 1000) return names;
  }
}

/** Lines of the log, one object each. */
function linesOf(output: string): { event: string; status?: number; graceful?: boolean }[] {
  const lines = output.split('\n').filter((line) => line.startsWith('{'));
  return lines.map((line) => JSON.parse(line));
}

async function stopUnderLoad(service: RunningService, round: number): Promise<void> {
  const from = service.output.length;
  const before = await namesIn(service);
  const seen: Writer[] = [];
  const running = Array.from({ length: writers }, (_, client) => {
    const writer: Writer = { acknowledged: [], unanswered: undefined, lastHead: '' };
    seen.push(writer);
    return write(service.apiPort, `r${round}-c${client}`, writer);
  });
  const slow = Array.from({ length: slowClients }, (_, client) => {
    const connection = new RawConnection(service.apiPort);
    const head = headOf('POST', '/records', { length: 500 });
    connection.write(client % 2 === 0 ? head.slice(0, 30) : `${head}{"zone_name":`);
    return connection;
  });
  const acknowledged = () => seen.reduce((sum, each) => sum + each.acknowledged.length, 0);
  await expect.poll(acknowledged).toBeGreaterThan(writers * 3);

  expect(await service.end('SIGTERM')).toBe(0);
  await Promise.all(running);
  const log = linesOf(service.output.slice(from));
  expect(log.at(-1)).toMatchObject({ event: 'service.stopped', graceful: true, requestsCut: 0 });
  const stopping = log.findIndex(({ event }) => event === 'service.stopping');
  const after = log.slice(stopping).filter(({ event }) => event === 'http.request');
  // One in work on each connection, no more; a body that never came whole is no work.
  expect(after.filter(({ status }) => status === 201).length).toBeLessThanOrEqual(writers);
  expect(new Set(after.map(({ status }) => status)).difference(new Set([201, 503]))).toEqual(
    new Set(),
  );
  for (const connection of slow) {
    const answer = await connection.answer();
    // One that did not send its request in time was refused before the stop.
    if (answer !== undefined) expect([408, 503]).toContain(answer.status);
    await connection.closed;
  }

  await service.start();
  const there = await namesIn(service);
  const lost = seen.flatMap((each) => each.acknowledged.filter((name) => !there.has(name)));
  expect(lost).toEqual([]);
  const known = new Set([...before, ...seen.flatMap((each) => each.acknowledged)]);
  for (const { unanswered } of seen) if (unanswered !== undefined) known.add(unanswered);
  expect(there.difference(known)).toEqual(new Set());
}

it('case 115: a stop under load is graceful, and nothing that was acknowledged is lost', async () => {
  await using service = await startService({ ZONEBOOK_LOGGING_FORMAT: 'json' });
  const soa = { mname: 'ns1.example.net', rname: 'h@example.net' };
  await service.must('POST', '/zones', { name: zone, ...soa });
  for (let round = 0; round < stops; round++) await stopUnderLoad(service, round);
});

/**
 * Clients that write the mix over HTTP, as a process of its own so that it shares no thread with what it measures.
 * Prints one line of JSON.
 *
 * Usage: node scripts/bench/load.ts JOB   (a LoadJob as JSON)
 */
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { mixFor } from './mix.ts';

export interface LoadJob {
  readonly port: number;
  readonly zone: string;
  readonly seed: number;
  readonly clients: number;
  /** The numbers of the records: from the first on, so many, or as many as come in these seconds. */
  readonly first: number;
  readonly count: number;
  readonly seconds?: number;
  /** Records of one request: 1 is POST /records, more are POST /records/bulk. */
  readonly chunk: number;
  readonly token?: string;
}

export interface LoadResult {
  readonly records: number;
  readonly perSecond: number;
  readonly failed: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const job = JSON.parse(process.argv[2]!) as LoadJob;
const record = mixFor(job.zone, job.seed);
const deadlineMs = performance.now() + (job.seconds ?? Number.POSITIVE_INFINITY) * 1000;
const latenciesMs: number[] = [];
let next = 0;
let written = 0;
let failed = 0;

/** The numbers of the records of the next request; undefined when there are no more. */
function take(): { start: number; end: number } | undefined {
  if (next >= job.count || performance.now() > deadlineMs) return undefined;
  const start = next;
  next = Math.min(job.count, start + job.chunk);
  return { start: job.first + start, end: job.first + next };
}

function note(startedMs: number, isCreated: boolean, records: number): void {
  if (isCreated) written += records;
  else failed++;
  latenciesMs.push(performance.now() - startedMs);
}

/** Single creates by one client, over a socket of its own: little is read of an answer. */
function createSingly(): Promise<void> {
  const authorization = job.token === undefined ? '' : `Authorization: Bearer ${job.token}\r\n`;
  return new Promise((resolve, reject) => {
    const socket = connect({ port: job.port, host: '127.0.0.1', noDelay: true });
    let received = '';
    let startedMs = 0;
    const send = () => {
      const taken = take();
      if (taken === undefined) {
        socket.end();
        resolve();
        return;
      }
      const body = JSON.stringify({ zone_name: job.zone, ...record(taken.start) });
      const head = `POST /records HTTP/1.1\r\nHost: 127.0.0.1:${job.port}\r\n${authorization}`;
      const about = `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}`;
      startedMs = performance.now();
      socket.write(`${head}${about}\r\n\r\n${body}`);
    };
    socket.on('connect', send);
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      const headEnd = received.indexOf('\r\n\r\n');
      if (headEnd < 0) return;
      const length = /content-length: (\d+)/i.exec(received.slice(0, headEnd));
      if (length === null || received.length < headEnd + 4 + Number(length[1])) return;
      note(startedMs, received.startsWith('HTTP/1.1 201'), 1);
      received = '';
      send();
    });
  });
}

const agent = new Agent({ keepAlive: true, maxSockets: job.clients });

/** Bodies are made before the clock of their request starts; answers are read to their end. */
async function createInBulk(): Promise<void> {
  for (let taken = take(); taken !== undefined; taken = take()) {
    const { start, end } = taken;
    const records = Array.from({ length: end - start }, (_, offset) => record(start + offset));
    const body = JSON.stringify({ zone_name: job.zone, records });
    const startedMs = performance.now();
    note(startedMs, await postBulk(body), end - start);
  }
}

function postBulk(body: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const headers = {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
      ...(job.token !== undefined && { Authorization: `Bearer ${job.token}` }),
    };
    const where = { agent, port: job.port, host: '127.0.0.1', path: '/records/bulk' };
    const call = request({ ...where, method: 'POST', headers }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode === 201));
      response.on('error', reject);
    });
    call.on('error', reject);
    call.end(body);
  });
}

const startedMs = performance.now();
await Promise.all(
  Array.from({ length: job.clients }, job.chunk === 1 ? createSingly : createInBulk),
);
const seconds = (performance.now() - startedMs) / 1000;
agent.destroy();
latenciesMs.sort((a, b) => a - b);
const percentile = (share: number) => latenciesMs[Math.floor(latenciesMs.length * share)] ?? 0;
const result: LoadResult = {
  records: written,
  perSecond: written / seconds,
  failed,
  p50Ms: percentile(0.5),
  p99Ms: percentile(0.99),
};
process.stdout.write(`${JSON.stringify(result)}\n`);

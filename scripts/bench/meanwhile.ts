/**
 * Asks a service again and again while something else goes on, in a process of its own: what the
 * benchmark itself is busy with does not count. Ends with its input, and prints what it saw as JSON.
 *
 * Usage: node meanwhile.ts API-PORT DNS-PORT PID
 */
import { createSocket } from 'node:dgram';
import { readdirSync, readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';

export interface Seen {
  /** Milliseconds of each answer. */
  readonly read: readonly number[];
  readonly create: readonly number[];
  readonly health: readonly number[];
  readonly query: readonly number[];
  /** Most that was resident at once. */
  readonly residentMb: number;
  /** Processor time meanwhile: of the main thread, and of all others together. */
  readonly mainCpuMs: number;
  readonly otherCpuMs: number;
}

/** Milliseconds between two samples of each kind. */
const sampleEveryMs = 20;
/** Milliseconds of one tick in /proc. */
const tickMs = 10;

const [apiPort, dnsPort, pid] = process.argv.slice(2).map(Number);
const agent = new Agent({ keepAlive: true });
const socket = createSocket('udp4');
let isStopped = false;
let residentMb = 0;
let created = 0;

async function repeat(once: () => Promise<unknown>, everyMs: number): Promise<number[]> {
  const times: number[] = [];
  while (!isStopped) {
    const startedMs = performance.now();
    await once();
    times.push(performance.now() - startedMs);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
  return times;
}

function call(method: string, path: string, body?: string): Promise<void> {
  const headers = body === undefined ? {} : { 'Content-Type': 'application/json' };
  return new Promise((resolve, reject) => {
    const asked = { agent, port: apiPort, host: '127.0.0.1', path, method, headers };
    const outgoing = request(asked, (response) => {
      response.resume().on('end', resolve).on('error', reject);
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

function createOne(): Promise<void> {
  const record = { name: `m${created++}`, type: 'A', value: '192.0.2.1' };
  return call('POST', '/records', JSON.stringify({ zone_name: 'meanwhile.example', ...record }));
}

const question = Buffer.concat([
  Buffer.from([7, 7, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]),
  Buffer.from('\x09meanwhile\x07example\0', 'latin1'),
  Buffer.from([0, 6, 0, 1]),
]);

function ask(): Promise<void> {
  return new Promise((resolve) => {
    socket.once('message', () => resolve());
    socket.send(question, dnsPort, '127.0.0.1');
  });
}

/** Ticks of each thread; those of a thread that has ended stay. */
const ticks = new Map<number, { first: number; last: number }>();

async function look(): Promise<void> {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const resident = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
  residentMb = Math.max(residentMb, resident);
  for (const thread of readdirSync(`/proc/${pid}/task`).map(Number)) {
    const spent = ticksOf(thread);
    const known = ticks.get(thread);
    if (known !== undefined) known.last = spent;
    else ticks.set(thread, { first: isFirstLook ? spent : 0, last: spent });
  }
  isFirstLook = false;
}
let isFirstLook = true;

function ticksOf(thread: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'latin1');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return Number(fields[11]) + Number(fields[12]);
  } catch {
    // It has ended since the folder was read.
    return ticks.get(thread)?.last ?? 0;
  }
}

process.stdin.resume().on('end', () => {
  isStopped = true;
});
const [read, create, query, health] = await Promise.all([
  repeat(() => call('GET', '/zones/meanwhile.example'), sampleEveryMs),
  repeat(createOne, sampleEveryMs),
  repeat(ask, sampleEveryMs),
  repeat(() => call('GET', '/health'), sampleEveryMs),
  repeat(look, 5 * sampleEveryMs),
]);
await look();
const spentMs = (isMain: boolean) => {
  let sum = 0;
  for (const [thread, { first, last }] of ticks)
    if ((thread === pid) === isMain) sum += last - first;
  return sum * tickMs;
};
const seen: Seen = {
  read: read!,
  create: create!,
  query: query!,
  health: health!,
  residentMb,
  mainCpuMs: spentMs(true),
  otherCpuMs: spentMs(false),
};
process.stdout.write(JSON.stringify(seen));
socket.close();
agent.destroy();

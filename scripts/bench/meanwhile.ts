/**
 * Asks a service again and again while something else goes on, in a process of its own: what the
 * benchmark itself is busy with does not count. Ends with its input, and prints what it saw as JSON.
 *
 * Usage: node scripts/bench/meanwhile.ts JOB   (a SampleJob as JSON)
 */
import { createSocket } from 'node:dgram';
import { Agent, request } from 'node:http';
import { residentMb } from './cpu.ts';

/**
 * What is asked: a DNS query for the SOA, GET of the zone, POST /records into it, or GET /health, on a connection that
 * is kept or, as a newcomer, on a new one each time.
 */
type Asked = 'query' | 'read' | 'create' | 'health' | 'newcomer';

export interface Sample {
  readonly name: string;
  readonly asks: Asked;
  /** Of any zone where it asks for the service's health. */
  readonly zone: string;
  readonly everyMs: number;
}

export interface SampleJob {
  readonly apiPort: number;
  readonly dnsPort: number;
  readonly pid: number;
  readonly samples: readonly Sample[];
}

export interface Seen {
  /** Milliseconds of each answer, by the names of the samples. */
  readonly times: Readonly<Record<string, readonly number[]>>;
  /** Max that was resident at once. */
  readonly residentMb: number;
}

/** A datagram that got no answer in this time counts as one that took it. */
const lostMs = 10_000;
const residentEveryMs = 100;

const { apiPort, dnsPort, pid, samples } = JSON.parse(process.argv[2]!) as SampleJob;
const agent = new Agent({ keepAlive: true });
let isStopped = false;
let maxResidentMb = 0;
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

function call(
  method: string,
  path: string,
  body?: string,
  by: Agent | false = agent,
): Promise<void> {
  const headers = body === undefined ? {} : { 'Content-Type': 'application/json' };
  return new Promise((resolve, reject) => {
    const asked = { agent: by, port: apiPort, host: '127.0.0.1', path, method, headers };
    const outgoing = request(asked, (response) => {
      response.resume().on('end', resolve).on('error', reject);
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** What sends one question and waits for its answer. */
function asker(zone: string): () => Promise<void> {
  const socket = createSocket('udp4');
  socket.unref();
  const labels = zone.split('.').flatMap((label) => [label.length, ...Buffer.from(label)]);
  const question = Buffer.from([7, 7, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, ...labels, 0, 0, 6, 0, 1]);
  return () =>
    new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        socket.off('message', done);
        resolve();
      };
      const timer = setTimeout(done, lostMs);
      socket.on('message', done);
      socket.send(question, dnsPort, '127.0.0.1');
    });
}

function workOf({ asks, zone }: Sample): () => Promise<void> {
  switch (asks) {
    case 'query':
      return asker(zone);
    case 'read':
      return () => call('GET', `/zones/${zone}`);
    case 'health':
      return () => call('GET', '/health');
    case 'newcomer':
      return () => call('GET', '/health', undefined, false);
    case 'create':
      return () => {
        const record = { name: `beside-${created++}.bench`, type: 'A', value: '192.0.2.1' };
        return call('POST', '/records', JSON.stringify({ zone_name: zone, ...record }));
      };
  }
}

process.stdin.resume().on('end', () => {
  isStopped = true;
});
const look = async () => {
  maxResidentMb = Math.max(maxResidentMb, residentMb(pid));
};
const [, ...all] = await Promise.all([
  repeat(look, residentEveryMs),
  ...samples.map((sample) => repeat(workOf(sample), sample.everyMs)),
]);
const times = Object.fromEntries(samples.map(({ name }, index) => [name, all[index]!]));
process.stdout.write(JSON.stringify({ times, residentMb: maxResidentMb } satisfies Seen));
agent.destroy();

/**
 * A load of bulk inserts over keep-alive connections, as a process of its own; the bodies are made
 * before the clock starts, and answers are read to their end.
 *
 * Usage: node bulk-load.ts PORT CONNECTIONS RECORDS CHUNK ZONE; prints one line of JSON.
 */
import { Agent, request } from 'node:http';

const [port, connections, records, chunk, zone] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string,
];
const bodies: string[] = [];
for (let start = 0; start < Number(records); start += Number(chunk)) {
  const count = Math.min(Number(chunk), Number(records) - start);
  const rows = Array.from({ length: count }, (_, offset) => {
    const index = start + offset;
    const value = `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`;
    return { name: `host-${index}`, type: 'A', value };
  });
  bodies.push(JSON.stringify({ zone_name: zone, records: rows }));
}

const agent = new Agent({ keepAlive: true, maxSockets: Number(connections) });
let failed = 0;
let answeredOctets = 0;

function send(body: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
    };
    const options = {
      agent,
      port: Number(port),
      host: '127.0.0.1',
      path: '/records/bulk',
      headers,
    };
    const call = request({ ...options, method: 'POST' }, (response) => {
      if (response.statusCode !== 201) failed++;
      response.on('data', (part: Buffer) => {
        answeredOctets += part.length;
      });
      response.on('end', () => resolve());
      response.on('error', reject);
    });
    call.on('error', reject);
    call.end(body);
  });
}

async function run(): Promise<void> {
  for (let body = bodies.shift(); body !== undefined; body = bodies.shift()) await send(body);
}

const startedMs = performance.now();
await Promise.all(Array.from({ length: Number(connections) }, run));
const seconds = (performance.now() - startedMs) / 1000;
agent.destroy();
process.stdout.write(
  `${JSON.stringify({ perSecond: Number(records) / seconds, failed, answeredOctets })}\n`,
);

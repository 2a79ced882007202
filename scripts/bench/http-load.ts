/**
 * A load of HTTP requests over keep-alive connections, as a process of its own so that it does not
 * share a thread with what it measures.
 *
 * Usage: node http-load.ts PORT CONNECTIONS REQUESTS ZONE PREFIX [TOKEN]
 * Each request creates one record of its own; prints one line of JSON.
 */
import { connect } from 'node:net';

const [port, connections, requests, zone, prefix, token] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string,
  string | undefined,
];
const authorization = token === undefined ? '' : `Authorization: Bearer ${token}\r\n`;
const total = Number(requests);
let next = 0;
let failed = 0;
const latenciesMs: number[] = [];

function requestOf(index: number): string {
  const value = `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`;
  const body = JSON.stringify({ zone_name: zone, name: `${prefix}${index}`, type: 'A', value });
  return `POST /records HTTP/1.1\r\nHost: bench\r\n${authorization}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

function run(): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port: Number(port), host: '127.0.0.1', noDelay: true });
    let received = '';
    let startedMs = 0;
    const send = () => {
      if (next >= total) {
        socket.end();
        return resolve();
      }
      startedMs = performance.now();
      socket.write(requestOf(next++));
    };
    socket.on('connect', send);
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      const headEnd = received.indexOf('\r\n\r\n');
      if (headEnd < 0) return;
      const length = /content-length: (\d+)/i.exec(received.slice(0, headEnd));
      if (length === null || received.length < headEnd + 4 + Number(length[1])) return;
      if (!received.startsWith('HTTP/1.1 201')) failed++;
      received = '';
      latenciesMs.push(performance.now() - startedMs);
      send();
    });
  });
}

const startedMs = performance.now();
await Promise.all(Array.from({ length: Number(connections) }, run));
const seconds = (performance.now() - startedMs) / 1000;
latenciesMs.sort((a, b) => a - b);
const percentile = (share: number) => latenciesMs[Math.floor(latenciesMs.length * share)] ?? 0;
process.stdout.write(
  `${JSON.stringify({
    perSecond: total / seconds,
    failed,
    p50Ms: percentile(0.5),
    p99Ms: percentile(0.99),
  })}\n`,
);

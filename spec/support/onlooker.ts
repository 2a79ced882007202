/**
 * A thread that asks a service for its health and a SOA again and again, and tells how long each took: beside a
 * crowd of clients it has a loop of its own, so that what it measures is the service.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** Milliseconds that each answer took, in the order of asking. */
export interface Waits {
  readonly health: readonly number[];
  readonly query: readonly number[];
  /** Queries that were sent again, because no answer came within 2 s. */
  readonly sentAgain: number;
  /** Statuses of health other than 200, and RCODEs other than NOERROR. */
  readonly wrong: readonly string[];
}

/** What the thread runs. A datagram may be lost where very many come: whoever asks by UDP asks again. */
const code = `
const { parentPort, workerData } = require('node:worker_threads');
const { get } = require('node:http');
const { createSocket } = require('node:dgram');
const { apiPort, dnsPort, query } = workerData;
const waits = { health: [], query: [], sentAgain: 0, wrong: [] };
let over = false;
parentPort.once('message', () => { over = true; });
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
function health() {
  return new Promise((resolve) => {
    get({ port: apiPort, host: '127.0.0.1', path: '/health', agent: false }, (response) => {
      response.resume().once('end', () => resolve(String(response.statusCode)));
    }).once('error', (error) => resolve(error.message));
  });
}
function ask() {
  return new Promise((resolve) => {
    const socket = createSocket('udp4');
    const send = () => socket.send(query, dnsPort, '127.0.0.1');
    const again = setInterval(() => { waits.sentAgain++; send(); }, 2000);
    socket.once('message', (answer) => {
      clearInterval(again);
      socket.close();
      resolve(answer[3] & 15);
    });
    send();
  });
}
async function timed(list, act, right) {
  const began = performance.now();
  const said = await act();
  list.push(performance.now() - began);
  if (said !== right) waits.wrong.push(String(said));
}
(async () => {
  while (!over) {
    await timed(waits.health, health, '200');
    await timed(waits.query, ask, 0);
    await pause(100);
  }
  parentPort.postMessage(waits);
})();
`;

export class Onlooker {
  readonly #worker: Worker;

  constructor(ports: { readonly apiPort: number; readonly dnsPort: number }, query: Buffer) {
    const { apiPort, dnsPort } = ports;
    const workerData = { apiPort, dnsPort, query: Uint8Array.from(query) };
    this.#worker = new Worker(code, { eval: true, workerData });
  }

  async end(): Promise<Waits> {
    this.#worker.postMessage('end');
    const [waits] = (await once(this.#worker, 'message')) as [Waits];
    return waits;
  }
}

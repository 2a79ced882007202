/**
 * The row about waiting for secondaries: how much later than the last of named, knotd and nsd serves a change the
 * answer to `Prefer: wait` comes, judged by SOA questions of its own every few milliseconds.
 */
import { createSocket } from 'node:dgram';
import { setTimeout as sleep } from 'node:timers/promises';
import { readAnswer, requestMessage } from '../../spec/support/dns-messages.ts';
import { peer } from '../../spec/support/peers.ts';
import { type RunningSecondary, startSecondary } from '../../spec/support/secondaries.ts';
import { type Bench, type BenchService, median, type Row } from './bench.ts';

const zone = 'example.com';
const kinds = ['named', 'knotd', 'nsd'] as const;
/** An NSD as Debian has it leaves questions unanswered from 200 a second on. */
const everyMs = 10;
const changes = 15;
/** Milliseconds that one of them is stopped: as long as a few pauses. */
const stoppedMs = 3000;
const stops = 3;

/** When each secondary was first seen with each serial. */
class Watch implements Disposable {
  readonly #seen = new Map<string, number>();
  readonly #sockets = kinds.map(() => createSocket('udp4'));
  readonly #timer: NodeJS.Timeout;

  constructor(secondaries: readonly RunningSecondary[]) {
    const question = requestMessage({ name: zone, type: 'SOA', flags: 0 });
    for (const [at, socket] of this.#sockets.entries()) {
      socket.on('message', (bytes) => this.#note(secondaries[at]!, bytes));
    }
    this.#timer = setInterval(() => {
      for (const [at, socket] of this.#sockets.entries()) {
        socket.send(question, secondaries[at]!.port, '127.0.0.1');
      }
    }, everyMs);
  }

  #note({ kind }: RunningSecondary, bytes: Buffer): void {
    const [soa] = readAnswer(bytes).answers;
    const serial = soa && /"serial":(\d+)/.exec(soa)?.[1];
    if (serial === undefined) return;
    const key = `${kind} ${serial}`;
    if (!this.#seen.has(key)) this.#seen.set(key, performance.now());
  }

  /** When the last of them served a serial. */
  async lastMs(serial: number): Promise<number> {
    const keys = kinds.map((kind) => `${kind} ${serial}`);
    while (keys.some((key) => !this.#seen.has(key))) await sleep(everyMs);
    return Math.max(...keys.map((key) => this.#seen.get(key)!));
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    for (const socket of this.#sockets) socket.close();
  }
}

async function propagation(bench: Bench): Promise<void> {
  const missing = kinds.filter((kind) => peer(kind) === undefined);
  if (missing.length > 0) throw new Error(`needs ${missing.join(', ')}`);
  await using service = await bench.service();
  await service.createZone(zone);
  const started: RunningSecondary[] = [];
  await using _all = { [Symbol.asyncDispose]: () => endAll(started) };
  for (const kind of kinds) {
    const secondary = await startSecondary(kind, zone, service.running.dnsPort);
    started.push(secondary);
    const address = `127.0.0.1:${secondary.port}`;
    await service.running.must('POST', '/secondaries', { name: kind, address });
  }
  for (const secondary of started) await secondary.waitForSerial(1);
  using watch = new Watch(started);
  const late: number[] = [];
  for (let number = 0; number < changes; number++) {
    late.push(await lateOf(service, watch, `host-${number}`));
  }
  noteLate(bench, 'all of them up', late);
  for (const stopped of started) {
    const afterStop: number[] = [];
    for (let number = 0; number < stops; number++) {
      await stopped.suspend();
      const waiting = lateOf(service, watch, `${stopped.kind}-${number}`);
      await sleep(stoppedMs);
      stopped.resume();
      afterStop.push(await waiting);
    }
    noteLate(bench, `${stopped.kind} stopped for 3 s`, afterStop);
  }
}

async function endAll(started: readonly RunningSecondary[]): Promise<void> {
  for (const secondary of started) {
    secondary.resume();
    await secondary[Symbol.asyncDispose]();
  }
}

/** Milliseconds from when the last secondary was seen with a change to the answer that all have it. */
async function lateOf({ running }: BenchService, watch: Watch, name: string): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${running.apiPort}/records`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', prefer: 'wait=120' },
    body: JSON.stringify({ zone_name: zone, name, type: 'A', value: '192.0.2.1' }),
  });
  const atMs = performance.now();
  const { propagated } = (await response.json()) as { propagated?: boolean };
  if (propagated !== true) throw new Error(`${name} is not propagated`);
  const { zone: now } = await running.must('GET', `/zones/${zone}`);
  return atMs - (await watch.lastMs(now.serial));
}

function noteLate(bench: Bench, what: string, late: readonly number[]): void {
  const remark = `at most ${Math.max(...late).toFixed(0)} ms, of ${late.length}`;
  bench.note(`answer behind the last secondary, ${what}`, median(late), 'ms', { remark });
}

export const propagationRows: readonly Row[] = [
  {
    name: 'propagation',
    what: 'how soon a write that waits hears that every secondary serves it',
    run: propagation,
  },
];

/**
 * Rows about how much code one request runs through: the functions of src that a POST /records and a signed UPDATE
 * call, in all threads, by V8's precise coverage. What runs anyhow while nothing is asked is subtracted.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { peer } from '../../spec/support/peers.ts';
import type { PeerKey } from '../../spec/support/secondaries.ts';
import { sendUpdate } from '../../spec/support/updaters.ts';
import type { Bench, Row } from './bench.ts';

const zone = 'functions.example';
/** Milliseconds of one look: what a request starts has ended by then. */
const lookMs = 1500;
/** Milliseconds of the look at what runs anyhow: the rarest of what is done again and again is done in it. */
const idleMs = 12_000;
/** Requests before the one that counts, so that nothing of it is done for the first time. */
const warmUps = 5;

/** What one thread's inspector answers. */
interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly functionName: string;
      readonly ranges: readonly { readonly startOffset: number; readonly count: number }[];
    }[];
  }[];
}

type Pending = Map<number, { resolve(result: unknown): void; reject(error: Error): void }>;

/** The inspector of a process, and of its threads beside it. */
class Inspector {
  readonly #socket: WebSocket;
  readonly #pending: Pending = new Map();
  /** By the sessions of threads. */
  readonly #ofThreads = new Map<string, Pending>();
  #lastId = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => this.#take(JSON.parse(String(data))));
  }

  static async open(address: string): Promise<Inspector> {
    const socket = new WebSocket(address);
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve, { once: true });
      socket.addEventListener('error', reject, { once: true });
    });
    const inspector = new Inspector(socket);
    await inspector.#call('NodeWorker.enable', { waitForDebuggerOnStart: false });
    return inspector;
  }

  close(): void {
    this.#socket.close();
  }

  /** Counts calls from now on, in every thread there is. */
  async start(): Promise<void> {
    await this.#everywhere('Profiler.enable');
    await this.#everywhere('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  }

  /** The functions of src that were called since the last look, as `file:offset name`. */
  async look(): Promise<Set<string>> {
    const called = new Set<string>();
    for (const coverage of await this.#everywhere('Profiler.takePreciseCoverage')) {
      for (const { url, functions } of (coverage as Coverage).result) {
        const file = /\/(src\/.*\.ts)$/.exec(url)?.[1];
        if (file === undefined) continue;
        for (const { functionName, ranges } of functions) {
          const [whole] = ranges;
          // Without a name at the start of a file it is the file itself.
          const isModule = functionName === '' && whole!.startOffset === 0;
          if (whole!.count > 0 && !isModule) called.add(`${file}:${whole!.startOffset}`);
        }
      }
    }
    return called;
  }

  #everywhere(method: string, params: object = {}): Promise<unknown[]> {
    const threads = [...this.#ofThreads.keys()];
    const calls = threads.map((session) => this.#callThread(session, method, params));
    return Promise.all([this.#call(method, params), ...calls]);
  }

  #call(method: string, params: object): Promise<unknown> {
    return this.#sent(this.#pending, (id) =>
      this.#socket.send(JSON.stringify({ id, method, params })),
    );
  }

  #callThread(sessionId: string, method: string, params: object): Promise<unknown> {
    return this.#sent(this.#ofThreads.get(sessionId)!, (id) => {
      const message = JSON.stringify({ id, method, params });
      void this.#call('NodeWorker.sendMessageToWorker', { sessionId, message });
    });
  }

  #sent(pending: Pending, send: (id: number) => void): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const id = ++this.#lastId;
      pending.set(id, { resolve, reject });
      send(id);
    });
  }

  // biome-ignore lint/suspicious/noExplicitAny: messages of the inspector have every shape
  #take(message: any): void {
    switch (message.method) {
      case 'NodeWorker.attachedToWorker':
        this.#ofThreads.set(message.params.sessionId, new Map());
        return;
      case 'NodeWorker.detachedFromWorker':
        this.#ofThreads.delete(message.params.sessionId);
        return;
      case 'NodeWorker.receivedMessageFromWorker': {
        const pending = this.#ofThreads.get(message.params.sessionId);
        if (pending !== undefined) answer(pending, JSON.parse(message.params.message));
        return;
      }
      default:
        answer(this.#pending, message);
    }
  }
}

interface Answer {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

function answer(pending: Pending, { id, result, error }: Answer): void {
  if (id === undefined) return;
  const waiting = pending.get(id);
  pending.delete(id);
  if (error === undefined) waiting?.resolve(result);
  else waiting?.reject(new Error(error.message));
}

async function countFunctions(
  bench: Bench,
  what: string,
  prepare: (service: Service) => Promise<(index: number) => Promise<unknown>>,
): Promise<void> {
  await using service = await bench.service({ NODE_OPTIONS: '--inspect=127.0.0.1:0' });
  await service.createZone(zone);
  const request = await prepare(service.running);
  // The program may have begun anew with options of V8: the last is the one that serves.
  const address = service.running.output.match(/ws:\/\/\S+/g)?.at(-1);
  if (address === undefined) throw new Error(`no inspector: ${service.running.output}`);
  const inspector = await Inspector.open(address);
  try {
    for (let index = 0; index < warmUps; index++) await request(index);
    await inspector.start();
    await request(warmUps);
    await sleep(lookMs);
    await inspector.look();
    await sleep(idleMs);
    const idle = await inspector.look();
    await request(warmUps + 1);
    await sleep(lookMs);
    const called = (await inspector.look()).difference(idle);
    const files = new Set([...called].map((each) => each.split(':')[0]));
    bench.note(`functions of ${what}`, called.size, 'functions');
    bench.note(`files of ${what}`, files.size, 'files');
  } finally {
    inspector.close();
  }
}

type Service = Awaited<ReturnType<Bench['service']>>['running'];

function createOf(service: Service): Promise<(index: number) => Promise<unknown>> {
  const record = { zone_name: zone, type: 'A', value: '192.0.2.1' };
  return Promise.resolve((index) =>
    service.must('POST', '/records', { ...record, name: `host-${index}` }),
  );
}

async function updateOf(service: Service): Promise<(index: number) => Promise<unknown>> {
  const key = await updaterKey(service);
  const updater = (['nsupdate', 'knsupdate'] as const).find((each) => peer(each) !== undefined);
  if (updater === undefined) throw new Error('needs nsupdate or knsupdate, and there is neither');
  const target = { port: service.dnsPort, zone, key };
  return async (index) => {
    const rcode = await sendUpdate(updater, target, `add host-${index}.${zone}. 300 A 192.0.2.1`);
    if (rcode !== 'NOERROR') throw new Error(`the update was answered ${rcode}`);
  };
}

async function updaterKey(service: Service): Promise<PeerKey> {
  await service.must('POST', '/roles', { name: 'updaters' });
  const actions = ['record:create', 'record:delete'];
  await service.must('POST', '/roles/updaters/grants', { actions, zone_name: zone });
  const body = { name: 'updater', role_name: 'updaters' };
  const { secret } = await service.must('POST', '/tsig-keys', body);
  return { name: 'updater', algorithm: 'hmac-sha256', secret };
}

export const functionRows: readonly Row[] = [
  {
    name: 'functions-create',
    what: 'functions and files of src that one POST /records runs',
    run: (bench) => countFunctions(bench, 'one POST /records', createOf),
  },
  {
    name: 'functions-update',
    what: 'functions and files of src that one signed UPDATE runs',
    run: (bench) => countFunctions(bench, 'one signed UPDATE', updateOf),
  },
];

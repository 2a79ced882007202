/**
 * The thread of one import, as the main thread has it: questions go in, answers and slices come out.
 *
 * Reading its code takes as long as reading a large file, so one is started as soon as such a file begins
 * to come in, and waits for it.
 */
import type { Worker } from 'node:worker_threads';
import { startThread } from '../../base/thread.ts';
import { errorOf } from '../../base/thread-failure.ts';
import type { StageSlice } from '../../projection/stage-store.ts';
import type {
  FromThread,
  PlanJob,
  PlanReport,
  ReadJob,
  RollbackJob,
  RollbackReport,
  ToThread,
} from './protocol.ts';

/** Milliseconds after which a thread that nobody took is given back. */
const spareMs = 60_000;
/** Pieces of a diff that are asked for ahead. */
const piecesAhead = 2;

/** Threads for the imports of one database. */
export class ImportThreads {
  readonly #file: string;
  readonly #folder: string;
  #spare: ImportThread | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** `folder`: where large diffs are kept until they are sent. */
  constructor(file: string, folder: string) {
    this.#file = file;
    this.#folder = folder;
  }

  /** Starts a thread that will be needed soon. */
  expect(): void {
    if (this.#spare?.isThere) return;
    clearTimeout(this.#timer);
    const spare = new ImportThread(this.#file, this.#folder);
    this.#spare = spare;
    this.#timer = setTimeout(() => this.take().end(), spareMs);
    this.#timer.unref();
  }

  take(): ImportThread {
    clearTimeout(this.#timer);
    const spare = this.#spare?.isThere ? this.#spare : undefined;
    this.#spare = undefined;
    return spare ?? new ImportThread(this.#file, this.#folder);
  }
}

type WriteSlice = (slice: StageSlice) => Promise<void>;
type Read = FromThread & { readonly kind: 'read' };

export class ImportThread {
  readonly #worker: Worker;
  /** False once it has ended, for whatever reason. */
  isThere = true;
  #receive: ((message: FromThread) => void) | undefined;
  #fail: ((error: unknown) => void) | undefined;

  constructor(file: string, folder: string) {
    this.#worker = startThread(new URL('./import-thread.ts', import.meta.url), {
      workerData: { file, folder },
    });
    this.#worker.on('message', (message: FromThread) => {
      if (message.kind !== 'failed') this.#receive?.(message);
      else this.#fail?.(errorOf(message));
    });
    this.#worker.on('error', (error) => this.#fail?.(error));
    this.#worker.on('exit', () => {
      this.isThere = false;
      this.#fail?.(new Error('the import thread ended'));
    });
    // Listeners keep the process; once they are closed nobody waits for a thread. Last, as who hears holds it.
    this.#worker.unref();
  }

  read(job: ReadJob): Promise<Read> {
    const { source } = job;
    const octets = source.kind === 'content' && source.content instanceof Uint8Array;
    const transfer = octets ? [source.content.buffer as ArrayBuffer] : [];
    return new Promise((resolve, reject) => {
      this.#receive = (message) => resolve(message as Read);
      this.#fail = reject;
      this.#post({ kind: 'read', job }, transfer);
    });
  }

  async plan(job: PlanJob, write: WriteSlice): Promise<PlanReport> {
    const planned = await this.#prepare({ kind: 'plan', job }, write);
    return (planned as FromThread & { kind: 'planned' }).report;
  }

  async rollBack(job: RollbackJob, write: WriteSlice): Promise<RollbackReport> {
    const planned = await this.#prepare({ kind: 'roll-back', job }, write);
    return (planned as FromThread & { kind: 'rolled-back' }).report;
  }

  /** Asks for a stage, has its slices written, and resolves with what comes after the last. */
  #prepare(question: ToThread, write: WriteSlice): Promise<FromThread> {
    return new Promise((resolve, reject) => {
      this.#fail = reject;
      this.#receive = (message) => {
        if (message.kind !== 'slice') resolve(message);
        else write(message.slice).then(() => this.#post({ kind: 'taken' }), reject);
      };
      this.#post(question);
    });
  }

  /** The text of the entries; the thread ends when it is sent, or nobody wants the rest. */
  async *diff(): AsyncGenerator<Uint8Array> {
    const come: (Uint8Array | undefined)[] = [];
    let more = () => {};
    let failure: unknown;
    this.#fail = (error) => {
      failure = error;
      more();
    };
    this.#receive = (message) => {
      come.push((message as FromThread & { kind: 'diff' }).piece);
      more();
    };
    try {
      for (let ahead = 0; ahead < piecesAhead; ahead++) this.#post({ kind: 'diff' });
      while (true) {
        while (come.length === 0 && failure === undefined) {
          await new Promise<void>((resolve) => {
            more = resolve;
          });
        }
        if (failure !== undefined) throw failure;
        const piece = come.shift();
        if (piece === undefined) return;
        this.#post({ kind: 'diff' });
        yield piece;
      }
    } finally {
      this.end();
    }
  }

  #post(message: ToThread, transfer: ArrayBuffer[] = []): void {
    this.#worker.postMessage(message, transfer);
  }

  end(): void {
    this.#fail = undefined;
    void this.#worker.terminate();
  }
}

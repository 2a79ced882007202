/**
 * A thread that moves what is in the WAL into the database file, so that commits need not: it copies and
 * syncs while the writer goes on (SQLite's passive checkpoint waits for nobody). It lays the WAL out, too, and
 * empties it after what is deleted for good.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { kindOfCode, stopsWriting } from '../base/storage-problem.ts';
import { yieldToOthers } from '../base/thread.ts';
import { WalEmptier } from './erasure.ts';
import { type Connection, openSqlite } from './sqlite.ts';
import { walProgress } from './wal-progress.ts';
import { layOutWal, walFrameBytes, walPagesFor } from './wal-room.ts';

export interface CheckpointData {
  readonly file: string;
  /** Shared: 1 in its only place while nothing may be copied. */
  readonly held: Int32Array;
  /** Shared: what was deleted for good is counted in its only place (erasure.ts). */
  readonly erasures: Int32Array;
  /** Whether the WAL has nothing that an earlier process has left. */
  readonly isEmptied: boolean;
}

/** A checkpoint that failed; commits may go on without it. */
export interface CheckpointFailure {
  readonly code: string;
  readonly message: string;
}

/** Pages of WAL that are worth a checkpoint, where there is room for them. */
const worthwhilePages = 1000;
const intervalMs = 100;
/** Pages of WAL, a megabyte, after which it is laid out: more may come. */
const busyPages = 256;
/** Milliseconds between two pieces of it, so that others come in between. */
const pauseMs = 5;

/** Busy is nothing to tell of: somebody else is at it, or the file is going away. */
function tell({ code, message }: CheckpointFailure): void {
  const kind = kindOfCode(code);
  if (kind === undefined || !(stopsWriting(kind) || kind === 'damaged')) return;
  parentPort?.postMessage({ code, message } satisfies CheckpointFailure);
}

class CheckpointThread {
  readonly #data: CheckpointData;
  readonly #connection: Connection;
  readonly #emptier: WalEmptier;
  readonly #timer: NodeJS.Timeout;
  #laying: NodeJS.Timeout | undefined;

  constructor(data: CheckpointData) {
    this.#data = data;
    this.#connection = openSqlite(data.file, { timeout: 0 });
    this.#connection.pragma('wal_autocheckpoint = 0');
    this.#emptier = new WalEmptier(this.#connection, data.erasures, data.isEmptied);
    yieldToOthers();
    this.#timer = setInterval(() => this.#checkpoint(), intervalMs);
  }

  #checkpoint(): void {
    if (this.#isHeld) return;
    try {
      this.#emptier.look();
      const { log, checkpointed } = walProgress(this.#connection);
      if (log >= busyPages) this.#laying ??= setTimeout(() => this.#layOut(log), pauseMs);
      const pending = log - checkpointed;
      if (pending < busyPages) return;
      const isWorthIt = pending >= Math.min(worthwhilePages, walPagesFor(this.#data.file) / 2);
      if (isWorthIt) this.#connection.pragma('wal_checkpoint(PASSIVE)');
    } catch (error) {
      tell(error as CheckpointFailure);
    }
  }

  get #isHeld(): boolean {
    return Atomics.load(this.#data.held, 0) === 1;
  }

  #layOut(pages: number): void {
    this.#laying = undefined;
    if (this.#isHeld) return;
    try {
      if (!layOutWal(this.#connection, pages * walFrameBytes)) return;
    } catch (error) {
      // Where there is no room, commits will say so.
      if ((error as { code?: string }).code !== 'SQLITE_BUSY') return;
    }
    this.#laying = setTimeout(() => this.#layOut(pages), pauseMs);
  }

  close(): void {
    clearInterval(this.#timer);
    clearTimeout(this.#laying);
    this.#connection.close();
  }
}

const thread = new CheckpointThread(workerData as CheckpointData);
parentPort?.once('message', () => thread.close());

/**
 * Large request bodies are parsed and checked in a worker thread, so that others do not wait. A body is collected
 * in one piece of memory, which moves to the worker when it is complete.
 *
 * A parsed value must come back into this thread, and a structured clone of it holds this thread up
 * longer than parsing would have. So the worker checks everything and sends long arrays back as
 * slices of JSON text, one whenever this thread asks for it between two turns of its loop. Measured
 * with 300,000 records in 26 MB: parsing here blocks 180 to 220 ms at once, a structured clone 280
 * ms at once, slices 200 ms altogether in pieces of 2 to 3 ms. The file of an import is transferred
 * as bytes, a Uint8Array of UTF-8, without a copy.
 */
import type { Worker } from 'node:worker_threads';
import { startThread } from '../base/thread.ts';
import { errorOf, type ThreadFailure } from '../base/thread-failure.ts';
import type { Route } from '../contract/route.ts';

/** To the worker: a body, or the request for a further slice. */
export type ToWorker =
  | {
      readonly kind: 'parse';
      readonly job: number;
      readonly routeId: string;
      readonly bytes: Uint8Array<ArrayBuffer>;
    }
  | { readonly kind: 'next'; readonly job: number };

/** From the worker: why not, or the body without its long arrays, then these slice by slice. */
export type FromWorker =
  | ({ readonly kind: 'failed'; readonly job: number } & ThreadFailure)
  | {
      readonly kind: 'head';
      readonly job: number;
      readonly body: Record<string, unknown>;
      readonly sliced: readonly string[];
    }
  | {
      readonly kind: 'slice';
      readonly job: number;
      readonly field: string;
      /** A JSON array in UTF-8. */
      readonly items: Uint8Array;
    }
  | { readonly kind: 'done'; readonly job: number };

export interface LargeBody {
  write(chunk: Uint8Array): void;
  /** The checked body, or a Problem. */
  finish(): Promise<unknown>;
}

interface Job {
  body: Record<string, unknown>;
  resolve(body: unknown): void;
  reject(error: unknown): void;
}

/** Milliseconds without a large body after which the worker and its heap are given back. */
const idleMs = 10_000;
const jobs = new Map<number, Job>();
let lastJob = 0;
let worker: Worker | undefined;
let idleTimer: NodeJS.Timeout | undefined;

/** `expectedBytes` is the length that was declared, or what there is so far. */
export function openLargeBody(route: Route, expectedBytes: number): LargeBody {
  // It is ready when the body is.
  runningWorker();
  let collected = new Uint8Array(expectedBytes);
  let length = 0;
  return {
    write(chunk) {
      const needed = length + chunk.length;
      if (needed > collected.length) {
        collected = new Uint8Array(
          collected.buffer.transfer(Math.max(needed, 2 * collected.length)),
        );
      }
      collected.set(chunk, length);
      length = needed;
    },
    finish() {
      const job = ++lastJob;
      const thread = runningWorker();
      const bytes = collected.subarray(0, length);
      return new Promise((resolve, reject) => {
        jobs.set(job, { body: {}, resolve, reject });
        const message: ToWorker = { kind: 'parse', job, routeId: route.id, bytes };
        thread.postMessage(message, [bytes.buffer]);
      });
    },
  };
}

function runningWorker(): Worker {
  restLater();
  if (worker !== undefined) return worker;
  const thread = startThread(new URL('./large-body-worker.ts', import.meta.url));
  thread.on('message', (message: FromWorker) => receive(thread, message));
  thread.on('error', (error) => stop(thread, error));
  thread.on('exit', () => stop(thread, new Error('the body worker ended')));
  // Last, as hearing a thread holds the process.
  thread.unref();
  worker = thread;
  return thread;
}

function receive(thread: Worker, message: FromWorker): void {
  const job = jobs.get(message.job);
  if (job === undefined) return;
  switch (message.kind) {
    case 'failed':
      job.reject(errorOf(message));
      close(message.job);
      return;
    case 'head':
      job.body = message.body;
      for (const field of message.sliced) job.body[field] = [];
      break;
    case 'slice': {
      const { buffer, byteOffset, byteLength } = message.items;
      const items = JSON.parse(Buffer.from(buffer, byteOffset, byteLength).toString());
      const field = job.body[message.field] as unknown[];
      for (const item of items) field.push(item);
      break;
    }
    case 'done':
      job.resolve(job.body);
      close(message.job);
      return;
  }
  const next: ToWorker = { kind: 'next', job: message.job };
  setImmediate(() => thread.postMessage(next));
}

function close(job: number): void {
  jobs.delete(job);
  restLater();
}

/** Gives the worker back when nothing was asked of it for a while. */
function restLater(): void {
  clearTimeout(idleTimer);
  idleTimer = setTimeout(() => {
    if (jobs.size > 0) return;
    const resting = worker;
    // It takes a while to end; a body that comes meanwhile has to get another one.
    worker = undefined;
    void resting?.terminate();
  }, idleMs);
  idleTimer.unref();
}

function stop(thread: Worker, error: unknown): void {
  if (worker !== thread) return;
  worker = undefined;
  for (const job of jobs.values()) job.reject(error);
  jobs.clear();
}

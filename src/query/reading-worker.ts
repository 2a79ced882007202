/** The thread of long reads (reading-thread.ts). Each read is of one committed state. */
import { parentPort, workerData } from 'node:worker_threads';
import { assert } from '../base/problem.ts';
import { failureOf } from '../base/thread-failure.ts';
import { openReader } from '../journal/reader-connection.ts';
import { longReads } from './long-reads.ts';
import type { FromReader, ToReader } from './reading-thread.ts';

const file = workerData as string;
const connection = openReader(file);
const { reads } = longReads(connection);

const port = parentPort;
assert(port !== null, 'this file is the code of a thread');

/** Milliseconds a stream may keep its state open; what is left is then gathered in memory. */
const mostOpenMs = 50_000;

interface OpenStream {
  readonly parts: Iterator<unknown>;
  /** Ends the read; the parts that are left come from memory. */
  close(): void;
}

const streams = new Map<number, OpenStream>();

function openStream({ name, args }: ToReader & { kind: 'stream' }): OpenStream {
  const own = openReader(file);
  own.exec('BEGIN');
  const read = longReads(own).streams[name] as (...args: unknown[]) => Iterable<unknown>;
  const parts = read(...args)[Symbol.iterator]();
  const rest: unknown[] = [];
  const timer = setTimeout(() => {
    for (let part = parts.next(); part.done !== true; part = parts.next()) rest.push(part.value);
    own.close();
  }, mostOpenMs);
  return {
    parts: {
      next: () => (own.open ? parts.next() : { done: rest.length === 0, value: rest.shift() }),
    } as Iterator<unknown>,
    close() {
      clearTimeout(timer);
      if (own.open) own.close();
    },
  };
}

function sendNext(job: number): void {
  const next = streams.get(job)?.parts.next();
  if (next === undefined || next.done === true) {
    endStream(job);
    send({ kind: 'part', job });
  } else {
    const { value } = next;
    // Octets have memory of their own, which is handed over.
    send({ kind: 'part', job, part: value }, value instanceof Uint8Array ? [value.buffer] : []);
  }
}

function endStream(job: number): void {
  streams.get(job)?.close();
  streams.delete(job);
}

function send(message: FromReader, transfer: ArrayBufferLike[] = []): void {
  port!.postMessage(message, transfer as ArrayBuffer[]);
}

function receive(message: ToReader): void {
  switch (message.kind) {
    case 'read': {
      const read = reads[message.name] as (...args: unknown[]) => unknown;
      const result = connection.transaction(() => read(...message.args))();
      send({ kind: 'result', job: message.job, result });
      return;
    }
    case 'stream':
      streams.set(message.job, openStream(message));
      sendNext(message.job);
      return;
    case 'next':
      sendNext(message.job);
      return;
    case 'cancel':
      endStream(message.job);
  }
}

port.on('message', (message: ToReader) => {
  try {
    receive(message);
  } catch (error) {
    endStream(message.job);
    send({ kind: 'failed', job: message.job, ...failureOf(error) });
  }
});

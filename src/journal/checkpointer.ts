/**
 * Keeps the WAL short by a thread (checkpoint-thread.ts), so that no commit has to do it. Where checkpoints
 * are somebody else's there is no thread.
 */
import { once } from 'node:events';
import { startThread } from '../base/thread.ts';
import type { CheckpointData, CheckpointFailure } from './checkpoint-thread.ts';
import type { Connection } from './database.ts';
import { emptyLeftWal } from './erasure.ts';
import { hasOwnCheckpoints } from './writer-settings.ts';

export interface Checkpointer {
  /** Shared: 1 in its first place keeps the thread from copying what may be lost. */
  readonly held: Int32Array | undefined;
  /** Shared: counts in its first place what is deleted for good (erasure.ts). */
  readonly erasures: Int32Array | undefined;
  /** The same, for this thread. */
  hold(isHeld: boolean): void;
  stop(): Promise<void>;
}

/** `failed` hears of checkpoints that the disk refuses. */
export function startCheckpointer(
  connection: Connection,
  failed: (error: Error) => void = () => {},
): Checkpointer {
  if (!hasOwnCheckpoints(connection)) {
    return { held: undefined, erasures: undefined, hold: () => {}, stop: () => Promise.resolve() };
  }
  const held = new Int32Array(new SharedArrayBuffer(4));
  const erasures = new Int32Array(new SharedArrayBuffer(4));
  const isEmptied = emptyLeftWal(connection);
  const workerData: CheckpointData = { file: connection.name, held, erasures, isEmptied };
  const thread = startThread(new URL('./checkpoint-thread.ts', import.meta.url), { workerData });
  thread.unref();
  // Without the thread commits go on as before, with a checkpoint now and then.
  thread.on('error', () => {});
  thread.on('message', ({ code, message }: CheckpointFailure) => {
    failed(Object.assign(new Error(message), { code }));
  });
  return {
    held,
    erasures,
    hold: (isHeld) => void Atomics.store(held, 0, isHeld ? 1 : 0),
    async stop() {
      const ended = once(thread, 'exit');
      thread.ref();
      thread.postMessage('stop');
      if (thread.threadId !== -1) await ended;
    },
  };
}

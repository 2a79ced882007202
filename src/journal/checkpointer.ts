/**
 * Keeps the WAL short by a thread (checkpoint-thread.ts), so that no commit has to do it. Where checkpoints
 * are somebody else's there is no thread.
 */
import { once } from 'node:events';
import { startThread } from '../base/thread.ts';
import type { Connection } from './database.ts';
import { hasOwnCheckpoints, leftPages } from './writer-settings.ts';

export interface Checkpointer {
  stop(): Promise<void>;
}

export function startCheckpointer(connection: Connection): Checkpointer {
  if (!hasOwnCheckpoints(connection)) return { stop: () => Promise.resolve() };
  const thread = startThread(new URL('./checkpoint-thread.ts', import.meta.url), {
    workerData: connection.name,
  });
  thread.unref();
  // Without the thread commits go on as before, with a checkpoint now and then.
  thread.on('error', () => {});
  connection.pragma(`wal_autocheckpoint = ${leftPages}`);
  return {
    async stop() {
      const ended = once(thread, 'exit');
      thread.ref();
      thread.postMessage('stop');
      if (thread.threadId !== -1) await ended;
    },
  };
}

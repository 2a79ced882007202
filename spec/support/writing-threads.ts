/**
 * The threads that write, as a test has had them started, for those that have them die:
 * `vi.mock('../base/thread.ts', async (original) => watchThreads(await original()))`, with this imported inside.
 */
import type { Worker } from 'node:worker_threads';
import type * as threads from '../../src/base/thread.ts';

export const writingThreads: Worker[] = [];

export function watchThreads({ startThread }: typeof threads): typeof threads {
  return {
    startThread: (source, options) => {
      const worker = startThread(source, options);
      if (source.pathname.includes('writer-thread')) writingThreads.push(worker);
      return worker;
    },
  };
}

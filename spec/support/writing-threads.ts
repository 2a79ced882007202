/** The threads that write, as a test has had them started, for those that have them die. */
import type { Worker } from 'node:worker_threads';

export const writingThreads: Worker[] = [];

process.on('worker', (worker) => {
  if (worker.threadName === 'writer-thread') writingThreads.push(worker);
});

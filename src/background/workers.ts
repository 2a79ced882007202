/** The worker pool of the service. */
import { WorkerPool } from '../base/worker-pool.ts';

/** `file`: the database. `folder`: where large answers are kept until they are sent. No worker starts unasked. */
export function openWorkers(file: string, folder: string): WorkerPool {
  return new WorkerPool(new URL('./worker.ts', import.meta.url), { file, folder });
}

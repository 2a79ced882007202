/** The storage of a service (journal/storage.ts), with what it tells in the log and the metrics. */
import type { WritableDatabase } from '../journal/database.ts';
import { type Checkpointer, startCheckpointer } from '../journal/checkpointer.ts';
import { Storage } from '../journal/storage.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';

export interface StorageServices {
  readonly database: WritableDatabase;
  readonly metrics: Pick<Metrics, 'storageFaults'>;
  readonly log: Log;
}

export interface ServiceStorage {
  readonly storage: Storage;
  readonly checkpointer: Checkpointer;
}

export function createStorage({ database, metrics, log }: StorageServices): ServiceStorage {
  const { connection } = database;
  const checkpointer = startCheckpointer(connection, (error) => void storage.failedAside(error));
  const storage = new Storage({
    connection,
    committedBytes: () => database.walLength().bytes,
    holdCheckpoints: (isHeld) => checkpointer.hold(isHeld),
    told: {
      count: (kind) => metrics.storageFaults.inc(kind),
      fault: (kind, error) => log.error('storage.failed', { kind, error }),
      unavailable: (kind, error) => log.error('storage.unavailable', { kind, error }),
      available: (afterMs) => log.warn('storage.available', { afterMs }),
      lost(reason) {
        const whatToDo = 'start it again: what was acknowledged is there';
        log.error('storage.lost', { reason, whatToDo });
        // Nothing may be closed any more: that would copy what is lost into the database.
        process.kill(process.pid, 'SIGKILL');
      },
    },
  });
  return { storage, checkpointer };
}

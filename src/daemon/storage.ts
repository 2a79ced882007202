/** The storage of a service (journal/storage.ts), with what it tells in the log and the metrics. */
import { statSync } from 'node:fs';
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

function codeOf(error: unknown): string | undefined {
  return (error as { code?: string } | undefined)?.code;
}

export function createStorage({ database, metrics, log }: StorageServices): ServiceStorage {
  const { connection } = database;
  warnOfExposed(database.file, log);
  const checkpointer = startCheckpointer(connection, (error) => void storage.failedAside(error));
  const storage = new Storage({
    file: database.file,
    // The thread that writes has done it.
    voidRefused: () => {},
    holdCheckpoints: (isHeld) => checkpointer.hold(isHeld),
    told: {
      count: (kind) => metrics.storageFaults.inc(kind),
      fault: (kind, error) => log.error('storage.failed', { kind, code: codeOf(error), error }),
      unavailable: (kind, error) =>
        log.error('storage.unavailable', { kind, code: codeOf(error), error }),
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

/** Token hashes and all records are in it, though no secret that can be read. */
function warnOfExposed(file: string, log: Log): void {
  const mode = statSync(file).mode & 0o777;
  if ((mode & 0o007) === 0) return;
  const octal = mode.toString(8).padStart(4, '0');
  log.warn('database.exposed', { file, mode: octal, whatToDo: `chmod 600 ${file}` });
}

/**
 * What the service stands on: the database with its lock, the connection that reads, the storage with what it tells in
 * the log and the metrics. Each part is stopped by the stack that it was put on.
 */
import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { watchWal } from '../background/wal-watch.ts';
import { systemClock } from '../base/clock.ts';
import { LastBackup } from '../journal/backup-note.ts';
import { type Checkpointer, startCheckpointer } from '../journal/checkpointer.ts';
import { openDatabase, type WritableDatabase } from '../journal/database.ts';
import { createEpochKeeper, type EpochKeeper } from '../journal/epoch-keeper.ts';
import { Storage } from '../journal/storage.ts';
import { openTurnReader, type TurnReader } from '../journal/turn-reader.ts';
import { Keystore } from '../keystore/keystore.ts';
import type { Log } from '../telemetry/log.ts';
import { createMetrics, type GaugeValues, type Metrics } from '../telemetry/metrics.ts';
import type { Config } from './config.ts';
import { examineEpoch, type PlannedEpoch, reasonAgainstNew, type StartChoice } from './epoch.ts';
import { version } from './version.ts';

export interface Foundation {
  readonly database: WritableDatabase;
  /** Everything that this thread reads is read by it. */
  readonly reader: TurnReader;
  readonly keystore: Keystore;
  readonly metrics: Metrics;
  readonly storage: Storage;
  readonly checkpointer: Checkpointer;
  readonly epochKeeper: EpochKeeper;
  /** An epoch that has to begin before anything is served. */
  readonly plannedEpoch: PlannedEpoch | undefined;
}

export function openFoundation(
  config: Config,
  log: Log,
  choice: StartChoice,
  started: AsyncDisposableStack,
): Foundation {
  const { dataDir } = config;
  const keyFile = config.dnssec.keyEncryptionFile;
  const refuseNew = reasonAgainstNew(dataDir, keyFile, choice);
  const database = openDatabase(dataDir, { ...config.database, refuseNew });
  let mayCheckpoint = () => true;
  started.defer(() => database.close(mayCheckpoint()));
  const { upgrade } = database;
  if (upgrade !== undefined) log.info('database.upgraded', { ...upgrade });
  const plannedEpoch = examineEpoch(dataDir, database.connection, choice);
  // Makes the key file of a new database, or finds that it is another's.
  new Keystore(database.connection, keyFile, choice.insecureKeyFile);
  // From here on only the thread that writes does so; that connection closes the database, and does nothing else.
  const reader = openTurnReader(database.file);
  started.defer(() => reader.close());
  const { connection } = reader;
  const epochKeeper = createEpochKeeper(dataDir, connection, (error) =>
    log.error('epoch.not-written', { error }),
  );
  started.defer(() => epochKeeper.stop());
  const metrics = createMetrics({ version, startedAtMs: systemClock() });
  started.defer(() => metrics.close());
  warnOfExposed(database.file, log);
  const checkpointer = startCheckpointer(
    database.connection,
    (error) => void storage.failedAside(error),
  );
  started.defer(() => checkpointer.stop());
  const storage = createStorage(database.file, checkpointer, metrics, log);
  started.defer(() => storage.stop());
  mayCheckpoint = () => storage.isWritable;
  metrics.collectFrom(() => ({ storageWritable: Number(storage.isWritable) }));
  metrics.collectFrom(() => {
    const { bytes, pendingBytes } = database.walLength();
    return { walBytes: bytes, walPendingBytes: pendingBytes };
  });
  metrics.collectFrom(() => roomOf(database.file));
  const lastBackup = new LastBackup(dataDir, connection);
  metrics.collectFrom(() => backupGauges(lastBackup));
  const walWatch = watchWal({ ...database, connection }, log, config.database);
  started.defer(() => walWatch.stop());
  const keystore = new Keystore(connection, keyFile, choice.insecureKeyFile);
  return { database, reader, keystore, metrics, storage, checkpointer, epochKeeper, plannedEpoch };
}

/** What the database takes of its disk, and what is left there. */
function roomOf(file: string): GaugeValues {
  const { bavail, bsize } = statfsSync(dirname(file));
  return { databaseBytes: statSync(file).size, diskFreeBytes: bavail * bsize };
}

function backupGauges(lastBackup: LastBackup): GaugeValues {
  const note = lastBackup.note();
  return note === undefined ? {} : { backedUpAt: note.at / 1000, backupEvent: note.seq };
}

function createStorage(
  file: string,
  checkpointer: Checkpointer,
  metrics: Metrics,
  log: Log,
): Storage {
  return new Storage({
    file,
    holdCheckpoints: (isHeld) => checkpointer.hold(isHeld),
    reports: {
      count: (kind) => metrics.storageProblems.inc(kind),
      failure: (kind, error) => log.error('storage.failed', { kind, code: codeOf(error), error }),
      unavailable: (kind, error) =>
        log.error('storage.unavailable', { kind, code: codeOf(error), error }),
      available: (afterMs) => log.warn('storage.available', { afterMs }),
      lost(reason) {
        const whatToDo = 'start it again: what was acknowledged is there';
        log.error('storage.lost', { reason, whatToDo });
        log.flush();
        // Nothing may be closed any more: that would copy what is lost into the database.
        process.kill(process.pid, 'SIGKILL');
      },
    },
  });
}

function codeOf(error: unknown): string | undefined {
  return (error as { code?: string } | undefined)?.code;
}

/** Token hashes and all records are in it, though no secret that can be read. */
function warnOfExposed(file: string, log: Log): void {
  const mode = statSync(file).mode & 0o777;
  if ((mode & 0o007) === 0) return;
  const octal = mode.toString(8).padStart(4, '0');
  log.warn('database.exposed', { file, mode: octal, whatToDo: `chmod 600 ${file}` });
}

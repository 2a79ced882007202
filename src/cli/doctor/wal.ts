/**
 * The WAL beside the database: how long it is, and that it is checkpointed by whom the configuration says
 * (`database.checkpoints`). What has waited for a checkpoint for an hour shows that nobody makes any.
 */
import { statSync } from 'node:fs';
import { formatTime, systemClock } from '../../base/clock.ts';
import type { Checkpoints } from '../../journal/checkpoint-owners.ts';
import type { Connection } from '../../journal/database.ts';
import { databaseFileOf } from '../commands/host-database.ts';
import type { LoadedConfig } from '../environment.ts';
import { type CheckResult, type CheckResults, fail, ok, skip } from './check-result.ts';

const check = 'wal';

/** Milliseconds that a change may wait for a checkpoint of somebody else. Litestream makes one a minute. */
const waitMs = 3_600_000;

const externalAdvice =
  "look at the log of the program that replicates the database (Litestream); without one set database.checkpoints to 'own'";

export async function* checkWal(config: LoadedConfig): CheckResults {
  const file = databaseFileOf(config);
  if (statSync(file, { throwIfNoEntry: false }) === undefined) {
    yield skip(check, `there is no database at ${file}`);
    return;
  }
  const { isOurs, openReader } = await import('../../journal/database.ts');
  let connection: Connection | undefined;
  try {
    connection = openReader(file);
    if (isOurs(connection)) yield await findingOf(connection, file, config);
    else yield skip(check, `${file} is no database of zonebook`);
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'SqliteError') throw error;
    yield skip(check, `the database could not be read: ${error.message}`);
  } finally {
    connection?.close();
  }
}

async function findingOf(
  connection: Connection,
  file: string,
  { settings }: LoadedConfig,
): Promise<CheckResult> {
  const { litestreamTraceOf } = await import('../../journal/checkpoints.ts');
  const { walLength } = await import('../../journal/wal-progress.ts');
  const checkpoints = settings['database.checkpoints'] as Checkpoints;
  const trace = litestreamTraceOf(file, connection);
  if (checkpoints === 'own' && trace !== undefined) {
    const message = `database.checkpoints is 'own', but ${trace}: checkpoints by the service make its replica wrong`;
    const advice =
      "set database.checkpoints to 'external' and restart the service, or remove Litestream";
    return fail(check, message, advice);
  }
  const { bytes, pendingBytes } = walLength(connection);
  const warnBytes = Number(settings['database.wal_warn_bytes']);
  const length = `${bytes} bytes are in use, ${pendingBytes} of them wait for a checkpoint`;
  if (bytes >= warnBytes) {
    const isOwn = checkpoints === 'own';
    const advice = isOwn
      ? 'a long reader keeps it from its end: restart the service'
      : externalAdvice;
    return fail(check, `${length}; database.wal_warn_bytes is ${warnBytes}`, advice);
  }
  if (checkpoints === 'external' && pendingBytes > 0) {
    const since = waitingSince(connection, file);
    if (since !== undefined) {
      return fail(check, `${length}; the last one was ${formatTime(since)}`, externalAdvice);
    }
  }
  const who = checkpoints === 'own' ? 'the service' : 'another program';
  return ok(check, `${length} by ${who}`);
}

/**
 * When the last checkpoint was, if a change has waited for the next one for too long. Nothing but a
 * checkpoint writes the database file. Milliseconds since 1970.
 */
function waitingSince(connection: Connection, file: string): number | undefined {
  const lastMs = Math.floor(statSync(file).mtimeMs);
  const at = connection
    .prepare<[number], number>('SELECT at FROM event WHERE at <= ? ORDER BY seq DESC LIMIT 1')
    .pluck()
    .get(systemClock() - waitMs);
  return at !== undefined && at > lastMs ? lastMs : undefined;
}

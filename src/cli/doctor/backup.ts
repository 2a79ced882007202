/** How old the last backup is: a copy of last year brings back last year. */
import { dayMs, formatTime, hourMs, systemClock } from '../../base/clock.ts';
import { type BackupNote, readBackupNote } from '../../journal/backup-note.ts';
import { type Connection, DatabaseError, isOurs, openReader } from '../../journal/database.ts';
import { isThere } from '../../journal/file-access.ts';
import { Journal } from '../../journal/journal.ts';
import { isSqliteError } from '../../journal/pages.ts';
import { counted } from '../changes.ts';
import { checkpointsOf, databaseFileOf } from '../commands/host-database.ts';
import type { LoadedConfig } from '../environment.ts';
import { type CheckResult, ok, skip, warn } from './check-result.ts';

/** How old a backup may be. */
const maxAgeMs = 7 * dayMs;

const advice = "'zonebook backup FILE' makes one; let cron do so each day, and copy it elsewhere";

/** Whoever replicates the database (`database.checkpoints`) needs none. */
export function checkBackup(config: LoadedConfig): CheckResult {
  const file = databaseFileOf(config);
  const hasReplica = checkpointsOf(config) === 'external';
  let connection: Connection | undefined;
  try {
    if (!isThere(file)) return skip('backup', `there is no database at ${file}`);
    connection = openReader(file);
    if (!isOurs(connection)) return skip('backup', `${file} is no database of zonebook`);
    const note = readBackupNote(config.dataDir, connection);
    const { seq } = new Journal(connection).newest();
    return resultOf(note, seq, hasReplica);
  } catch (error) {
    if (!(isSqliteError(error) || error instanceof DatabaseError)) throw error;
    return skip('backup', `the database could not be read: ${error.message}`);
  } finally {
    connection?.close();
  }
}

function resultOf(note: BackupNote | undefined, seq: number, hasReplica: boolean): CheckResult {
  if (note === undefined) {
    const none = 'no backup of this database is known';
    if (!hasReplica) return warn('backup', none, advice);
    return skip('backup', `${none}; database.checkpoints is 'external', so it has a replica`);
  }
  const ageMs = Math.max(0, systemClock() - note.at);
  const since = counted(Math.max(0, seq - note.seq), 'event');
  const message =
    `${note.file} of ${formatTime(note.at)} is ${ageText(ageMs)} old; ` +
    `it ends with event ${note.seq}, and ${since} came since`;
  return ageMs > maxAgeMs && !hasReplica ? warn('backup', message, advice) : ok('backup', message);
}

function ageText(ms: number): string {
  if (ms < hourMs) return 'less than an hour';
  return ms < 2 * dayMs
    ? counted(Math.floor(ms / hourMs), 'hour')
    : counted(Math.floor(ms / dayMs), 'day');
}

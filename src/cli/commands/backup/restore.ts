/** `restore`: puts a backup in the place of the database, which is kept beside it. */
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { formatTime, systemClock } from '../../../base/clock.ts';
import type { Connection } from '../../../journal/database.ts';
import { type Context, defineCommand } from '../../command.ts';
import { CliFailure, exitCode } from '../../exit-code.ts';
import { required } from '../../field.ts';
import { withNote } from '../../progress.ts';
import { counted } from '../change.ts';
import { keyFileOf } from './key-file.ts';

/** Files that SQLite keeps beside a database which was not closed. */
const companions = ['', '-wal', '-shm'];

export const restore = defineCommand({
  usage: 'restore <file>',
  summary: 'Put a backup in the place of the database; the service must be stopped',
  notes:
    'The backup is verified first, and the key file has to be in place that was there when it was made.\n' +
    'The former database stays beside the new one. Serials, tokens and grants go back to those of the\n' +
    'backup: secondaries with greater serials follow again once the zones have passed them.',
  examples: [['zonebook restore /backup/zonebook-2026-01-31.db', 'back to the last of January']],
  positionals: { file: required('file that backup has written') },
  where: 'host',
  async run({ file: given }, context) {
    const source = resolve(given);
    if (!existsSync(source)) throw new CliFailure(exitCode.notFound, `there is no file ${given}`);
    const { databaseFile } = await import('../../../journal/database.ts');
    const { syncFile, takeInWal } = await import('../../../journal/backup.ts');
    const { checkpointsOf } = await import('../journal/shared.ts');
    const config = await context.config();
    const { dataDir } = config;
    using stack = new DisposableStack();
    stack.defer(await lock(dataDir));
    const copy = join(dataDir, `${databaseFile}.restoring`);
    removeAll(copy);
    stack.defer(() => removeAll(copy));
    const { events, head } = await prepare(source, given, copy, keyFileOf(config), context);
    const target = join(dataDir, databaseFile);
    const former = existsSync(target) ? `${target}.before-restore-${timestamp()}` : null;
    // Where checkpoints are somebody else's, the former database keeps its WAL beside it.
    const isOwn = checkpointsOf(config) === 'own';
    if (former !== null) moveAside(target, former, isOwn ? takeInWal : () => {});
    renameSync(copy, target);
    syncFile(dataDir);
    const answer = { file: source, database: target, events, head, former };
    await context.output.show(answer, () => {
      const lines = [`restored ${counted(events, 'event')} to ${target}`, `last hash ${head}`];
      if (former !== null) lines.push(`the former database is ${former}`);
      return lines.join('\n');
    });
  },
});

/** Keeps the service from starting; a failure when it runs. Returns how to let go. */
async function lock(dataDir: string): Promise<() => void> {
  const { DatabaseError, lockFolder } = await import('../../../journal/database.ts');
  try {
    const held = lockFolder(dataDir);
    return () => held.close();
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    throw new CliFailure(exitCode.conflict, error.message, 'stop the service first');
  }
}

/** Copies a backup, brings its tables to those of today, and proves all of it. */
async function prepare(
  source: string,
  given: string,
  copy: string,
  keyFile: string,
  context: Context,
): Promise<{ events: number; head: string }> {
  const { closeSync, openSync } = await import('node:fs');
  const backups = await import('../../../journal/backup.ts');
  const { damageOf } = await import('../../../journal/pages.ts');
  const { DatabaseError, isOurs, migrateDatabase } = await import('../../../journal/database.ts');
  const { dropLitestreamTables } = await import('../../../journal/checkpoints.ts');
  const { verdictOn } = await import('../journal/verdict.ts');
  const refused = (why: string) =>
    new CliFailure(exitCode.failure, `${given} can not be restored: ${why}`, 'nothing was changed');
  closeSync(openSync(copy, 'wx', 0o600));
  let connection: Connection | undefined;
  try {
    const { services } = context;
    await withNote('copying the backup', services, () => backups.copyDatabase(source, copy));
    const opened = backups.openCopy(copy);
    connection = opened;
    const damage = await withNote('looking at every page', services, () => {
      return damageOf(opened);
    });
    if (damage !== undefined) throw refused(damage);
    if (!isOurs(connection)) throw refused('it is no backup of zonebook');
    migrateDatabase(connection);
    dropLitestreamTables(connection);
    const { intact, events, head } = await verdictOn(connection, context.services);
    if (!intact) throw refused('its journal or what was made of it is not intact');
    await checkKeyFile(connection, keyFile);
    backups.closeAsOneFile(connection);
    return { events, head };
  } catch (error) {
    if (error instanceof DatabaseError || isSqliteError(error)) throw refused(error.message);
    throw error;
  } finally {
    connection?.close();
  }
}

/** Refuses a backup whose secrets could not be opened with the key file that is here. */
async function checkKeyFile(connection: Connection, keyFile: string): Promise<void> {
  const { KeyFileError } = await import('../../../keystore/sealing.ts');
  const { checkKeyFileOf } = await import('../../../keystore/keystore.ts');
  try {
    checkKeyFileOf(connection, keyFile);
  } catch (error) {
    if (!(error instanceof KeyFileError)) throw error;
    const hint = 'put the key file in place that belongs to the backup; nothing was changed';
    throw new CliFailure(exitCode.configurationUnusable, error.message, hint);
  }
}

/** A database that was not closed has its latest commits beside it: they are taken in, or go along. */
function moveAside(target: string, former: string, takeInWal: (file: string) => void): void {
  try {
    takeInWal(target);
  } catch {
    // It is damaged, which may be why a backup is restored: it is kept as it is.
  }
  for (const suffix of companions) {
    if (existsSync(`${target}${suffix}`)) renameSync(`${target}${suffix}`, `${former}${suffix}`);
  }
}

function removeAll(file: string): void {
  for (const suffix of [...companions, '-journal']) rmSync(`${file}${suffix}`, { force: true });
}

/** For names of files: no colons, and none within the same millisecond. */
function timestamp(): string {
  return formatTime(systemClock()).replaceAll(':', '-');
}

function isSqliteError(error: unknown): error is Error {
  return error instanceof Error && error.name === 'SqliteError';
}

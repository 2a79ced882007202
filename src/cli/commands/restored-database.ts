/**
 * A backup made into the database of this host: copied, brought to the tables of today, proved, given a new epoch,
 * and put in its place. Loaded by a restore alone.
 */
import {
  existsSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { formatTime, systemClock } from '../../base/clock.ts';
import { storageProblemOf } from '../../base/storage-problem.ts';
import { removeBackupNote } from '../../journal/backup-note.ts';
import {
  closeAsOneFile,
  copyDatabase,
  openCopy,
  takeInWal,
  withFileNamed,
} from '../../journal/backup.ts';
import { dropLitestreamTables } from '../../journal/checkpoints.ts';
import {
  type Connection,
  DatabaseError,
  databaseFile,
  InUseError,
  isOurs,
  lockFile,
  lockFolder,
  migrateDatabase,
} from '../../journal/database.ts';
import { makeFile, syncFile } from '../../journal/data-file.ts';
import { readEpochFile, writeEpochFile } from '../../journal/epoch-file.ts';
import { databaseFilesOf, isThere, requireAccess } from '../../journal/file-access.ts';
import { damageOf, isSqliteError } from '../../journal/pages.ts';
import { sentenceOf } from '../../journal/verify-result.ts';
import { checkKeyFileOf } from '../../keystore/keystore.ts';
import { KeyFileError } from '../../keystore/sealing.ts';
import type { Context } from '../command.ts';
import type { LoadedConfig } from '../environment.ts';
import { CliFailure, exitCode, sentenceOf as systemSentenceOf } from '../failure.ts';
import { type Temporary, temporaryDatabase, temporaryFolder } from '../temporary-files.ts';
import { withNote } from '../terminal.ts';
import { checkDatabase } from './database-check.ts';
import { checkpointsOf, databaseFileOf, keyFileOf } from './host-database.ts';
import { beginRestoredEpoch, type RestoredEpoch } from './restored-epoch.ts';

/** What a restore has done, or would do. */
export interface Restored extends Omit<RestoredEpoch, 'entry'> {
  readonly file: string;
  readonly database: string;
  readonly events: number;
  /** SHA-256 of the last event in hex. */
  readonly head: string;
  /** Where the database is that was there before; null when there was none, and in a trial. */
  readonly former: string | null;
}

/** Restores a backup, or with `isTrial` says what that would do, which a running service does not hinder. */
export async function restoreDatabase(
  given: string,
  context: Context,
  isTrial: boolean,
): Promise<Restored> {
  const source = resolve(given);
  if (!isThere(source)) {
    throw new CliFailure(exitCode.notFound, `there is no file ${given}`);
  }
  if (statSync(source).isDirectory()) {
    const hint = "name the file that 'zonebook backup' has written";
    throw new CliFailure(exitCode.usage, `${given} is a folder`, hint);
  }
  requireAccess(source, 'read', 'let this user read the backup (chown, chmod)');
  const config = await context.config();
  requireServiceFolder(config);
  const { dataDir } = config;
  using stack = new DisposableStack();
  stack.defer(isTrial ? keepAsIs(dataDir) : lock(dataDir, given));
  refuseLeftover(source, given, dataDir);
  const copy = stack.use(isTrial ? trialIn(dataDir) : beside(join(dataDir, databaseFile))).path;
  const { entry, ...prepared } = await prepare(source, given, copy, context);
  const former = isTrial ? null : replaceDatabase(copy, entry, config);
  return { file: source, database: join(dataDir, databaseFile), ...prepared, former };
}

/** A copy that an interrupted restore has left is deleted by the next one, and may have any part of a backup. */
function refuseLeftover(source: string, given: string, dataDir: string): void {
  const folder = existsSync(dataDir) ? realpathSync(dataDir) : dataDir;
  if (!realpathSync(source).startsWith(beginningOf(join(folder, databaseFile)))) return;
  const message = `${given} is what an interrupted restore has left`;
  throw new CliFailure(exitCode.conflict, message, 'name the backup that was to be restored');
}

function beginningOf(database: string): string {
  return `${database}.restoring`;
}

/** Refuses a folder with nothing that a service has left or prepared there, before anything is made in it. */
function requireServiceFolder(config: LoadedConfig): void {
  const keyFile = keyFileOf(config);
  if (isThere(databaseFileOf(config)) || isThere(keyFile)) return;
  throw new CliFailure(
    exitCode.configurationUnusable,
    `there is no database in ${config.dataDir}, and ${keyFile} is missing`,
    'name the configuration of the service with --config or ZONEBOOK_CONFIG, or its folder with ' +
      '--data-dir; on a new host put the key file in place first',
  );
}

/**
 * A reader of a database that nobody has open leaves files of SQLite beside it: they are removed again, unless
 * a service has it. Returns how to end this.
 */
function keepAsIs(dataDir: string): () => void {
  if (!existsSync(join(dataDir, databaseFile))) return () => {};
  try {
    const held = lockFolder(dataDir);
    const files = databaseFilesOf(join(dataDir, databaseFile));
    const absent = files.filter((file) => !existsSync(file));
    return () => {
      for (const file of absent) rmSync(file, { force: true });
      held.close();
    };
  } catch {
    return () => {};
  }
}

/**
 * Keeps the service from starting; a failure when it runs. Returns how to unlock it. It leaves no folder that was made
 * for nothing, also where it fails.
 */
function lock(dataDir: string, given: string): () => void {
  const missing = missingFolders(dataDir);
  const remove = () => {
    if (missing.length === 0 || existsSync(join(dataDir, databaseFile))) return;
    for (const file of databaseFilesOf(join(dataDir, lockFile))) rmSync(file, { force: true });
    for (const folder of missing) if (existsSync(folder)) rmdirSync(folder);
  };
  try {
    const held = lockFolder(dataDir);
    return () => {
      held.close();
      remove();
    };
  } catch (error) {
    // Another one has made the folder meanwhile.
    if (error instanceof InUseError) throw error;
    remove();
    const full = fullDiskOf(error, join(dataDir, lockFile));
    throw full === undefined ? error : refused(given, full);
  }
}

function refused(given: string, why: string): CliFailure {
  const message = `${given} can not be restored: ${why}`;
  return new CliFailure(exitCode.failure, message, 'nothing was changed');
}

/** Which file there is no room for, which is `file` unless the error names one; undefined for any other error. */
function fullDiskOf(error: unknown, file: string): string | undefined {
  const reason = error instanceof DatabaseError ? error.cause : error;
  if (storageProblemOf(reason)?.kind !== 'full') return undefined;
  return systemSentenceOf(withFileNamed(file, reason) as Error);
}

/** A folder and those above it that are not there, itself first. */
function missingFolders(folder: string): readonly string[] {
  return existsSync(folder) ? [] : [folder, ...missingFolders(dirname(folder))];
}

/** Copies a backup, brings its tables to those of today, proves all of it, and begins an epoch in it. */
async function prepare(source: string, given: string, copy: string, context: Context) {
  const { services } = context;
  const config = await context.config();
  const author = context.author();
  let connection: Connection | undefined;
  try {
    makeFile(copy);
    await withNote('copying the backup', services, () => copyDatabase(source, copy));
    const opened = openCopy(copy);
    connection = opened;
    const damage = await withNote('looking at every page', services, () => damageOf(opened));
    if (damage !== undefined) throw refused(given, damage);
    if (!isOurs(opened)) throw refused(given, 'it is no backup of zonebook');
    migrateDatabase(opened);
    dropLitestreamTables(opened);
    const { findings, events, head } = await checkDatabase(opened, services);
    const [first] = findings;
    if (first !== undefined) throw refused(given, `it is not intact: ${sentenceOf(first)}`);
    checkKeyFile(opened, keyFileOf(config));
    const epoch = await withNote('asking the secondaries for their serials', services, () =>
      beginRestoredEpoch(opened, config, author),
    );
    closeAsOneFile(opened);
    return { events, head, ...epoch };
  } catch (error) {
    const full = fullDiskOf(error, copy);
    if (full !== undefined) throw refused(given, full);
    if (error instanceof DatabaseError || isSqliteError(error)) throw refused(given, error.message);
    throw error;
  } finally {
    connection?.close();
  }
}

/** Refuses a backup whose secrets could not be opened with the key file that is here. */
function checkKeyFile(connection: Connection, keyFile: string): void {
  try {
    checkKeyFileOf(connection, keyFile);
  } catch (error) {
    if (!(error instanceof KeyFileError)) throw error;
    const hint = 'put the key file in place that belongs to the backup; nothing was changed';
    throw new CliFailure(exitCode.configurationUnusable, error.message, hint);
  }
}

/**
 * Puts a prepared database in its place and keeps the former one beside it. Until the end the epoch file
 * knows both, so that a start goes on with whichever is there.
 */
function replaceDatabase(
  copy: string,
  entry: RestoredEpoch['entry'],
  config: LoadedConfig,
): string | null {
  const { dataDir } = config;
  const target = join(dataDir, databaseFile);
  // For names of files: no colons, and none within the same millisecond.
  const time = formatTime(systemClock()).replaceAll(':', '-');
  const { size } = statSync(target, { throwIfNoEntry: false }) ?? { size: undefined };
  const former = `${target}.before-restore-${time}`;
  // Without a file a former database that has an epoch is refused, and so it is with this one.
  writeEpochFile(dataDir, { ...(readEpochFile(dataDir) ?? { epoch: 0, seq: 0 }), next: entry });
  // Where checkpoints are somebody else's, the former database keeps its WAL beside it.
  const isOwn = checkpointsOf(config) === 'own';
  // What a database that was put away has left beside it would be read as part of the restored one.
  moveAside(target, former, isOwn && size ? takeInWal : () => {});
  renameSync(copy, target);
  removeBackupNote(dataDir);
  syncFile(dataDir);
  writeEpochFile(dataDir, entry);
  return size === undefined ? null : former;
}

/** A database that was not closed has its latest commits beside it: they are taken in, or go along. */
function moveAside(target: string, former: string, takeIn: (file: string) => void): void {
  try {
    takeIn(target);
  } catch {
    // It is damaged, which may be why a backup is restored: it is kept as it is.
  }
  for (const file of databaseFilesOf(target)) {
    if (existsSync(file)) renameSync(file, `${former}${file.slice(target.length)}`);
  }
}

/** A folder of a new host may not be there yet. */
function trialIn(dataDir: string): Temporary {
  const folder = temporaryFolder(existsSync(dataDir) ? dataDir : tmpdir(), 'restore-');
  return Object.assign(folder, { path: join(folder.path, 'trial.db') });
}

/** In the place of what restores have left that a power cut has ended: none of them has the lock. */
function beside(database: string): Temporary {
  const beginning = beginningOf(database);
  for (const name of readdirSync(dirname(database))) {
    const file = join(dirname(database), name);
    if (file.startsWith(beginning)) rmSync(file, { force: true });
  }
  return temporaryDatabase(beginning);
}

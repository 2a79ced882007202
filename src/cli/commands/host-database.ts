/** The database of this host, for commands that read it without the service. */
import { join } from 'node:path';
import type { Checkpoints } from '../../journal/checkpoint-owners.ts';
import type { Connection } from '../../journal/database.ts';
import type { Context } from '../command.ts';
import type { LoadedConfig } from '../environment.ts';
import { CliFailure, type ExitCode, exitCode } from '../failure.ts';

export interface HostDatabase {
  readonly dataDir: string;
  readonly file: string;
  readonly checkpoints: Checkpoints;
  /** The greatest event that was served by now, as the epoch file has it. */
  readonly served: number | undefined;
}

/** Where the database is, or would be. */
export function databaseFileOf({ dataDir }: Pick<LoadedConfig, 'dataDir'>): string {
  return join(dataDir, 'zonebook.db');
}

/**
 * Where the database is; a failure when there is none, so that nothing creates one, and when its tables
 * are those of another version.
 */
export async function findDatabase(context: Context): Promise<HostDatabase> {
  const config = await context.config();
  const { dataDir } = config;
  const file = databaseFileOf(config);
  const { isThere } = await import('../../journal/file-access.ts');
  if (isThere(file)) {
    await requireReadable(file, keyFileOf(config));
    const { readEpochFile } = await import('../../journal/epoch-file.ts');
    const served = readEpochFile(dataDir)?.seq;
    return { dataDir, file, checkpoints: checkpointsOf(config), served };
  }
  const { absenceOf } = await import('../../journal/unusable.ts');
  const { problem, advice } = absenceOf(file, keyFileOf(config));
  throw new CliFailure(exitCode.notFound, `there is no database at ${file}: ${problem}`, advice);
}

/** Reads the database, whether the service runs or not. */
export async function readDatabase<Made>(
  context: Context,
  read: (connection: Connection) => Made | Promise<Made>,
): Promise<Made> {
  const { openReader } = await import('../../journal/database.ts');
  const { file } = await findDatabase(context);
  const connection = openReader(file);
  try {
    return await read(connection);
  } finally {
    connection.close();
  }
}

async function requireReadable(file: string, keyFile: string): Promise<void> {
  const { AccessError, DatabaseError, isEmpty, openReader, requireSchemaOfToday } = await import(
    '../../journal/database.ts'
  );
  const { blamesFile } = await import('../../journal/pages.ts');
  const { spillBeside } = await import('../../journal/sqlite.ts');
  let connection: Connection | undefined;
  try {
    connection = openReader(file);
    spillBeside(connection);
    if (isEmpty(connection)) {
      const { absenceOf } = await import('../../journal/unusable.ts');
      const { problem, advice } = absenceOf(file, keyFile);
      throw new CliFailure(exitCode.configurationUnusable, `${file}: ${problem}`, advice);
    }
    requireSchemaOfToday(connection);
  } catch (error) {
    if (error instanceof AccessError || error instanceof CliFailure) throw error;
    const failure = (code: ExitCode, hint?: string) =>
      new CliFailure(code, `${file}: ${(error as Error).message}`, hint);
    if (error instanceof DatabaseError) throw failure(exitCode.configurationUnusable);
    if (!blamesFile(error)) throw error;
    throw failure(exitCode.failure, "'zonebook restore' puts a backup in its place");
  } finally {
    connection?.close();
  }
}

export function checkpointsOf({ settings }: LoadedConfig): Checkpoints {
  return settings['database.checkpoints'] as Checkpoints;
}

/** The key file that seals secrets of the database. */
export function keyFileOf({ settings }: LoadedConfig): string {
  return String(settings['dnssec.key_encryption_file']);
}

/** Opens the database for writing; a failure while the service has it, and where it may not checkpoint. */
export async function openStopped({ dataDir, checkpoints }: HostDatabase) {
  const { CheckpointsError, openDatabase } = await import('../../journal/database.ts');
  try {
    return openDatabase(dataDir, { checkpoints });
  } catch (error) {
    if (!(error instanceof CheckpointsError)) throw error;
    throw new CliFailure(exitCode.configurationUnusable, error.message);
  }
}

/** `restore`: puts a backup in the place of the database, which is kept beside it. */
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { formatTime, systemClock } from '../../base/clock.ts';
import type { Connection } from '../../journal/database.ts';
import { type Context, defineCommand } from '../command.ts';
import { CliFailure, exitCode } from '../failure.ts';
import { flag, required } from '../field.ts';
import { withNote } from '../progress.ts';
import type { LoadedConfig } from '../environment.ts';
import { counted, dryRun as dryRunMeaning } from '../changes.ts';
import { keyFileOf } from './host-database.ts';
import type { RestoredEpoch } from './restored-epoch.ts';

/** Files that SQLite keeps beside a database which was not closed. */
const companions = ['', '-wal', '-shm'];

export const restore = defineCommand({
  usage: 'restore <file>',
  summary: 'Put a backup in the place of the database; the service must be stopped',
  notes:
    'The backup is verified first, and the key file has to be in place that was there when it was made.\n' +
    'The former database stays beside the new one. Tokens and grants go back to those of the backup.\n' +
    'Secondaries may hold serials that the backup never saw, so a new epoch begins: when the service\n' +
    'starts, every zone and the catalog go on 65,536 serials beyond all that the former database had\n' +
    'and that enabled secondaries serve (they are asked, for 10 s at most), identifiers likewise;\n' +
    'signatures are renewed, and secondaries transfer whole zones. --dry-run shows it per zone and\n' +
    'secondary, also while the service runs.',
  examples: [
    ['zonebook restore /backup/zonebook-2026-01-31.db', 'back to the last of January'],
    ['zonebook restore /backup/zonebook-2026-01-31.db --dry-run', 'what it would do, by zone'],
  ],
  positionals: { file: required('file that backup has written') },
  options: { dryRun: flag(dryRunMeaning) },
  where: 'host',
  async run({ file: given, dryRun = false }, context) {
    const source = resolve(given);
    if (!existsSync(source)) throw new CliFailure(exitCode.notFound, `there is no file ${given}`);
    const config = await context.config();
    using stack = new DisposableStack();
    if (dryRun) {
      stack.defer(await keepAsIs(config.dataDir));
      const copy = join(mkdtempSync(join(placeForTrial(config.dataDir), 'restore-')), 'trial.db');
      stack.defer(() => rmSync(dirname(copy), { recursive: true, force: true }));
      const prepared = await prepare({ source, given, copy }, config, context);
      const answer = { ...answerOf(prepared, source, config.dataDir), former: null, dry_run: true };
      await context.output.show(answer, () => trialText(context, prepared));
      return;
    }
    stack.defer(await lock(config.dataDir));
    const copy = join(config.dataDir, `${databaseName}.restoring`);
    removeAll(copy);
    stack.defer(() => removeAll(copy));
    const prepared = await prepare({ source, given, copy }, config, context);
    const former = await putInPlace(copy, prepared.epoch, config);
    const answer = { ...answerOf(prepared, source, config.dataDir), former, dry_run: false };
    await context.output.show(answer, () => {
      const lines = [
        `restored ${counted(answer.events, 'event')} to ${answer.database}`,
        `last hash ${answer.head}`,
        `epoch ${answer.epoch} begins: zones go on beyond what secondaries may hold when the service starts`,
      ];
      if (former !== null) lines.push(`the former database is ${former}`);
      return lines.join('\n');
    });
  },
});

/** Its name in a data folder. */
const databaseName = 'zonebook.db';

interface Prepared {
  readonly events: number;
  readonly head: string;
  readonly epoch: RestoredEpoch;
}

function answerOf({ events, head, epoch }: Prepared, file: string, dataDir: string) {
  const { epoch: number, catalog, zones, secondaries } = epoch;
  const database = join(dataDir, databaseName);
  return { file, database, events, head, epoch: number, catalog, zones, secondaries };
}

/**
 * For a trial, which a running service does not hinder. A reader of a database that nobody has open leaves
 * files of SQLite beside it: they go again.
 */
async function keepAsIs(dataDir: string): Promise<() => void> {
  if (!existsSync(dataDir)) return () => {};
  const { lockFolder } = await import('../../journal/database.ts');
  try {
    const held = lockFolder(dataDir);
    const absent = companions
      .map((suffix) => join(dataDir, `${databaseName}${suffix}`))
      .filter((file) => !existsSync(file));
    return () => {
      for (const file of absent) rmSync(file, { force: true });
      held.close();
    };
  } catch {
    return () => {};
  }
}

/** Where there is room for a copy; a folder of a new host may not be there yet. */
function placeForTrial(dataDir: string): string {
  return existsSync(dataDir) ? dataDir : tmpdir();
}

/**
 * Puts a prepared database in its place and keeps the former one beside it. Until the end the epoch file
 * knows both, so that a start goes on with whichever is there.
 */
async function putInPlace(
  copy: string,
  { entry }: RestoredEpoch,
  config: LoadedConfig,
): Promise<string | null> {
  const { dataDir } = config;
  const { checkpointsOf } = await import('./host-database.ts');
  const { syncFile, takeInWal } = await import('../../journal/backup.ts');
  const { readEpochFile, writeEpochFile } = await import('../../journal/epoch-file.ts');
  const target = join(dataDir, databaseName);
  const former = existsSync(target) ? `${target}.before-restore-${timestamp()}` : null;
  // Without a file a former database that has an epoch is refused, and so it is with this one.
  writeEpochFile(dataDir, { ...(readEpochFile(dataDir) ?? { epoch: 0, seq: 0 }), next: entry });
  // Where checkpoints are somebody else's, the former database keeps its WAL beside it.
  const isOwn = checkpointsOf(config) === 'own';
  if (former !== null) moveAside(target, former, isOwn ? takeInWal : () => {});
  renameSync(copy, target);
  syncFile(dataDir);
  writeEpochFile(dataDir, entry);
  return former;
}

/** A table with a column for each secondary. */
function trialText({ output }: Context, { events, epoch }: Prepared): string {
  const { catalog, zones, secondaries } = epoch;
  const names = secondaries.map(({ name }) => name);
  const rows = [...zones, catalog].map((row) => [
    row.zone,
    row.backup_serial,
    row.replaced_serial,
    ...row.secondaries.map(({ serial }) => serial),
    row.next_serial,
  ]);
  const lines = [
    `would restore ${counted(events, 'event')} and begin epoch ${epoch.epoch}; nothing was changed`,
    output.table(['zone', 'in the backup', 'replaced', ...names, 'goes on at'], rows),
  ];
  for (const { name, address, error } of secondaries) {
    if (error !== null) lines.push(`secondary ${name} (${address}): ${error}`);
  }
  return lines.join('\n');
}

/** Keeps the service from starting; a failure when it runs. Returns how to unlock it. */
async function lock(dataDir: string): Promise<() => void> {
  const { DatabaseError, lockFolder } = await import('../../journal/database.ts');
  try {
    const held = lockFolder(dataDir);
    return () => held.close();
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    throw new CliFailure(exitCode.conflict, error.message, 'stop the service first');
  }
}

interface Source {
  readonly source: string;
  /** As it was given. */
  readonly given: string;
  readonly copy: string;
}

/** Copies a backup, brings its tables to those of today, proves all of it, and begins an epoch in it. */
async function prepare(
  { source, given, copy }: Source,
  config: LoadedConfig,
  context: Context,
): Promise<Prepared> {
  const { closeSync, openSync } = await import('node:fs');
  const backups = await import('../../journal/backup.ts');
  const { damageOf } = await import('../../journal/pages.ts');
  const { DatabaseError, isOurs, migrateDatabase } = await import('../../journal/database.ts');
  const { dropLitestreamTables } = await import('../../journal/checkpoints.ts');
  const { checkDatabase } = await import('./database-check.ts');
  const { beginRestoredEpoch } = await import('./restored-epoch.ts');
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
    const { intact, events, head } = await checkDatabase(connection, context.services);
    if (!intact) throw refused('its journal or what was made of it is not intact');
    await checkKeyFile(connection, keyFileOf(config));
    const { dataDir, settings } = config;
    const catalogName = String(settings['dns.catalog_zone_name']);
    const outbound = {
      deny: settings['outbound.deny'] as readonly string[],
      allow: settings['outbound.allow'] as readonly string[],
    };
    const epoch = await withNote('asking the secondaries for their serials', services, () =>
      beginRestoredEpoch(opened, { dataDir, catalogName, outbound }),
    );
    backups.closeAsOneFile(connection);
    return { events, head, epoch };
  } catch (error) {
    if (error instanceof DatabaseError || isSqliteError(error)) throw refused(error.message);
    throw error;
  } finally {
    connection?.close();
  }
}

/** Refuses a backup whose secrets could not be opened with the key file that is here. */
async function checkKeyFile(connection: Connection, keyFile: string): Promise<void> {
  const { KeyFileError } = await import('../../keystore/sealing.ts');
  const { checkKeyFileOf } = await import('../../keystore/keystore.ts');
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

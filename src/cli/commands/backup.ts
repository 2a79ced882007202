/**
 * `backup` and `restore`: a copy of the database in one file, verified before it is given its name, and the way back,
 * on which the former database is kept.
 */
import { closeSync, existsSync, linkSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { systemClock } from '../../base/clock.ts';
import type { BackupNote } from '../../journal/backup-note.ts';
import { counted } from '../changes.ts';
import { type Context, defineCommand } from '../command.ts';
import { CliFailure, exitCode, sentenceOf, usageFailure } from '../failure.ts';
import { converted, type Field, flag, required } from '../field.ts';
import { dryRun } from '../preview.ts';
import { temporaryDatabase } from '../temporary-files.ts';
import { findDatabase, keyFileOf } from './host-database.ts';
import type { Restored } from './restored-database.ts';

/** A database is copied from file to file: - is no standard input or output here, and hardly meant as a name. */
function databaseFile(description: string): Field<string> {
  return converted(required(description), (file, label) => {
    if (file !== '-') return file;
    throw usageFailure(`${label} takes a file, not '-'`, "a file of that name is './-'");
  });
}

export const backup = defineCommand({
  usage: 'backup <file>',
  summary: 'Copy the database to a file, and prove the copy; the service may be running',
  notes:
    'The file holds everything but the key file, which is needed to restore it: keep a copy of that\n' +
    'too, somewhere else. An existing file is not overwritten.',
  examples: [['$0 /backup/zonebook-2026-01-31.db', 'a verified copy, mode 0600']],
  positionals: { file: databaseFile('file to write') },
  where: 'host',
  async run({ file: given }, context) {
    const { closeAsOneFile } = await import('../../journal/backup.ts');
    const { syncFile } = await import('../../journal/data-file.ts');
    const { Journal } = await import('../../journal/journal.ts');
    const { checkCopy } = await import('./database-check.ts');
    const database = await findDatabase(context);
    const keyFile = keyFileOf(await context.config());
    const target = resolve(given);
    if (existsSync(target)) throw exists(given);
    using made = temporaryDatabase(`${target}.partial`);
    const partial = made.path;
    // SQLite copies into the file that is there: nobody else's to read.
    closeSync(openSync(partial, 'wx', 0o600));
    const { services } = context;
    const at = systemClock();
    const { events, head, seq } = await checkCopy(database, partial, services, (check, copy) => {
      if (!check.intact) throw notIntact(database.file);
      const { seq } = new Journal(copy).newest();
      closeAsOneFile(copy);
      return { ...check, seq };
    });
    link(partial, target, given);
    rmSync(partial);
    syncFile(dirname(target));
    const { size } = statSync(target);
    const note = { at, file: target, bytes: size, seq, hash: head };
    await leaveNote(database.dataDir, note, context);
    const answer = { file: target, bytes: size, events, head, key_file: keyFile };
    await context.output.show(answer, () =>
      [
        `wrote ${target}: ${counted(events, 'event')}, ${size} bytes, verified`,
        `last hash ${head}`,
        `the key file ${keyFile} is needed too: keep a copy of it, but not beside this one`,
      ].join('\n'),
    );
  },
});

/** The service and doctor tell by it how old the backup is, which is as good without. */
async function leaveNote(dataDir: string, note: BackupNote, { services }: Context): Promise<void> {
  const { backupNoteName, writeBackupNote } = await import('../../journal/backup-note.ts');
  try {
    writeBackupNote(dataDir, note);
  } catch (error) {
    const path = join(dataDir, backupNoteName);
    const why = `${path} could not be written: ${sentenceOf(error as Error)}`;
    services.stderr.write(`warning: ${why}; the service will not know of this backup\n`);
  }
}

function notIntact(file: string): CliFailure {
  const message = `${file} is not intact; no backup was written`;
  return new CliFailure(exitCode.failure, message, "'zonebook journal verify' tells more");
}

function exists(file: string): CliFailure {
  const hint = 'choose another name, or remove it first';
  return new CliFailure(exitCode.conflict, `${file} already exists`, hint);
}

/** Gives the copy its name, unless somebody else has taken it meanwhile. */
function link(partial: string, target: string, given: string): void {
  try {
    linkSync(partial, target);
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? exists(given) : error;
  }
}

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
    ['$0 /backup/zonebook-2026-01-31.db', 'back to the last of January'],
    ['$0 /backup/zonebook-2026-01-31.db --dry-run', 'what it would do, by zone'],
  ],
  positionals: { file: databaseFile('file that backup has written') },
  options: { dryRun: flag(dryRun) },
  where: 'host',
  journals: () => true,
  async run({ file, dryRun: isDryRun = false }, context) {
    const { restoreDatabase } = await import('./restored-database.ts');
    const restored = await restoreDatabase(file, context, isDryRun);
    const { keysLeftText } = await import('./restored-keys.ts');
    const keys = keysLeftText(restored.keys_left, restored.former ?? 'the replaced database');
    await context.output.show({ ...restored, dry_run: isDryRun }, () =>
      isDryRun ? trialText(context, restored, keys) : restoredText(restored, keys),
    );
    // A new epoch begins even when the backup is what is there.
    context.foresee(true);
  },
});

function restoredText(restored: Restored, keys: readonly string[]): string {
  const { events, database, head, epoch, former } = restored;
  const lines = [
    `restored ${counted(events, 'event')} to ${database}`,
    `last hash ${head}`,
    `epoch ${epoch} begins: zones go on beyond what secondaries may hold when the service starts`,
  ];
  if (former !== null) lines.push(`the former database is ${former}`);
  return [...lines, ...ignoredText(restored), ...keys].join('\n');
}

/** A table with a column for each secondary. */
function trialText({ output }: Context, restored: Restored, keys: readonly string[]): string {
  const { events, epoch, catalog, zones, secondaries } = restored;
  const names = secondaries.map(({ name }) => name);
  const rows = [...zones, catalog].map((row) => [
    row.zone,
    row.backup_serial,
    row.replaced_serial,
    ...row.secondaries.map(({ serial }) => serial),
    row.next_serial,
  ]);
  const lines = [
    `would restore ${counted(events, 'event')} and begin epoch ${epoch}; nothing was changed`,
    output.table(['zone', 'in the backup', 'replaced', ...names, 'goes on at'], rows),
  ];
  for (const { name, address, error } of secondaries) {
    if (error !== null) lines.push(`secondary ${name} (${address}): ${error}`);
  }
  return [...lines, ...ignoredText(restored), ...keys].join('\n');
}

/** A line for each who says serials that are ignored, with the first of them. */
function ignoredText({ ignored_serials: ignored }: Restored): string[] {
  return [...Map.groupBy(ignored, ({ secondary }) => secondary)].map(([secondary, all]) => {
    const who = secondary === null ? 'the replaced database' : `secondary ${secondary}`;
    const { zone, serial } = all[0]!;
    const more = all.length === 1 ? '' : ` and ${all.length - 1} more`;
    return `ignored serial ${serial} of ${zone}${more}, as ${who} says: too few are left after it`;
  });
}

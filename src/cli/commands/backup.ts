/** `backup`: a copy of the database in one file, proved to be whole before it bears its name. */
import { closeSync, existsSync, linkSync, openSync, rmSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { defineCommand } from '../command.ts';
import type { Environment } from '../environment.ts';
import { CliFailure, exitCode } from '../failure.ts';
import { required } from '../field.ts';
import { withNote } from '../progress.ts';
import { counted } from '../changes.ts';
import { findDatabase, keyFileOf } from './host-database.ts';

export const backup = defineCommand({
  usage: 'backup <file>',
  summary: 'Copy the database to a file, and prove the copy; the service may be running',
  notes:
    'The file holds everything but the key file, which is needed to restore it: keep a copy of that\n' +
    'too, somewhere else. An existing file is not overwritten.',
  examples: [['zonebook backup /backup/zonebook-2026-01-31.db', 'a verified copy, mode 0600']],
  positionals: { file: required('file to write') },
  where: 'host',
  async run({ file: given }, context) {
    const journal = await import('../../journal/backup.ts');
    const { readEpochFile } = await import('../../journal/epoch-file.ts');
    const { dataDir, file: database } = await findDatabase(context);
    const served = readEpochFile(dataDir)?.seq;
    const keyFile = keyFileOf(await context.config());
    const target = resolve(given);
    if (existsSync(target)) throw exists(given);
    const partial = `${target}.partial-${process.pid}`;
    try {
      // SQLite copies into the file that is there: nobody else's to read.
      closeSync(openSync(partial, 'wx', 0o600));
      await withNote('copying the database', context.services, () =>
        journal.copyDatabase(database, partial),
      );
      const proved = await prove(partial, database, context.services, served);
      link(partial, target, given);
      rmSync(partial);
      journal.syncFile(dirname(target));
      const { size } = statSync(target);
      const answer = { file: target, octets: size, ...proved, key_file: keyFile };
      await context.output.show(answer, () =>
        [
          `wrote ${target}: ${counted(answer.events, 'event')}, ${size} bytes, verified`,
          `last hash ${answer.head}`,
          `the key file ${keyFile} is needed too: keep a copy of it, but not beside this one`,
        ].join('\n'),
      );
    } finally {
      for (const suffix of ['', '-wal', '-shm', '-journal']) {
        rmSync(`${partial}${suffix}`, { force: true });
      }
    }
  },
});

/** Proves a copy and closes it as one file. */
async function prove(
  copy: string,
  database: string,
  environment: Environment,
  served: number | undefined,
): Promise<{ events: number; head: string }> {
  const { closeAsOneFile, openCopy } = await import('../../journal/backup.ts');
  const { checkDatabase } = await import('./database-check.ts');
  const connection = openCopy(copy);
  try {
    const { intact, events, head } = await checkDatabase(connection, environment, served);
    if (!intact) {
      const message = `${database} is not intact; no backup was written`;
      throw new CliFailure(exitCode.failure, message, "'zonebook journal verify' tells more");
    }
    closeAsOneFile(connection);
    return { events, head };
  } finally {
    connection.close();
  }
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

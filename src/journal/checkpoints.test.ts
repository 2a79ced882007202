/** Who checkpoints: with `external` no connection of ours does, whatever is opened, written and closed. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { copyDatabase } from './backup.ts';
import { startCheckpointer } from './checkpointer.ts';
import { litestreamFolder, litestreamTables } from './checkpoints.ts';
import { CheckpointsError, type Connection, openDatabase, openReader } from './database.ts';
import { knownMigrations } from './migrations.ts';
import { openSqlite } from './sqlite.ts';

const external = { checkpoints: 'external' } as const;
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'zonebook-checkpoints-'));
  folders.push(folder);
  return folder;
}

/** What a checkpoint changes: the bytes of the database file, and the salts of the WAL once it begins again. */
function stateOf(folder: string) {
  const file = join(folder, 'zonebook.db');
  const wal = readFileSync(`${file}-wal`);
  return {
    database: createHash('sha256').update(readFileSync(file)).digest('hex'),
    checkpointNumberAndSalts: wal.subarray(12, 24).toString('hex'),
    walBytes: wal.length,
  };
}

function write(connection: Connection, pages: number): void {
  connection.exec('CREATE TABLE IF NOT EXISTS filling (content BLOB)');
  const insert = connection.prepare('INSERT INTO filling VALUES (zeroblob(40000))');
  for (let written = 0; written < pages; written += 10) insert.run();
}

describe('external checkpoints', () => {
  it('are made by nobody here: not while it is written, nor at the end', async () => {
    const folder = newFolder();
    let database = openDatabase(folder, external);
    const first = stateOf(folder);
    const checkpointer = startCheckpointer(database.connection);
    // More than any of our own checkpoints waits for: 4096 pages of a commit, 1000 of the thread.
    write(database.connection, 5000);
    await checkpointer.stop();
    const { bytes, pendingBytes } = database.walLength();
    expect(pendingBytes).toBe(bytes - 32);
    expect(bytes).toBe(stateOf(folder).walBytes);
    database.close();
    const stopped = stateOf(folder);
    expect(stopped).toEqual({ ...first, walBytes: bytes });
    const reader = openReader(join(folder, 'zonebook.db'));
    reader.prepare('SELECT count(*) FROM filling').get();
    reader.close();
    await copyDatabase(join(folder, 'zonebook.db'), join(folder, 'copy.db'));
    expect(stateOf(folder)).toEqual(stopped);
    database = openDatabase(folder, external);
    write(database.connection, 10);
    database.close();
    expect(stateOf(folder)).toMatchObject({ ...first, walBytes: expect.any(Number) });
    expect(stateOf(folder).walBytes).toBeGreaterThan(bytes);
  });

  it.each([
    ['an error that nobody catches', "throw new Error('unforeseen')"],
    ['an exit in the middle', 'process.exit(3)'],
    ['SIGKILL', "process.kill(process.pid, 'SIGKILL')"],
    [
      'a thread that has the file open',
      "new Worker(thread, { eval: true }).once('message', () => process.exit(3))",
    ],
  ])('are not made when the process ends by %s', (_, end) => {
    const folder = newFolder();
    openDatabase(folder, external).close();
    const before = stateOf(folder);
    const program = `
      import { Worker } from 'node:worker_threads';
      import { openDatabase } from ${JSON.stringify(join(import.meta.dirname, 'database.ts'))};
      const { connection, file } = openDatabase(${JSON.stringify(folder)}, { checkpoints: 'external' });
      const thread = \`import(\${JSON.stringify(${JSON.stringify(join(import.meta.dirname, 'sqlite.ts'))})})
        .then(({ openSqlite }) => {
          globalThis.kept = openSqlite(\${JSON.stringify(file)});
          globalThis.kept.exec('CREATE TABLE ofThread (content)');
          require('node:worker_threads').parentPort.postMessage('ready');
          setInterval(() => {}, 1000);
        })\`;
      connection.exec('CREATE TABLE note (content)');
      ${end};`;
    const { status, signal } = spawnSync(process.execPath, ['--input-type=module', '-e', program]);
    expect([status, signal]).not.toEqual([0, null]);
    const after = stateOf(folder);
    expect(after).toEqual({ ...before, walBytes: expect.any(Number) });
    expect(after.walBytes).toBeGreaterThan(before.walBytes);
  });

  it('are not made by an upgrade, whose copy SQLite writes', () => {
    const folder = newFolder();
    const database = openDatabase(folder, external);
    write(database.connection, 100);
    database.close();
    const before = stateOf(folder);
    const migrations = knownMigrations();
    const sql = ['CREATE TABLE note (text TEXT)'];
    const folderMillis = migrations.at(-1)!.folderMillis + 1;
    migrations.push({ sql, bps: true, folderMillis, hash: 'tomorrow' });
    const upgraded = openDatabase(folder, { ...external, migrations });
    const { copy, fromSchema, toSchema } = upgraded.upgrade!;
    expect(toSchema).toBe(fromSchema + 1);
    upgraded.close();
    expect(stateOf(folder)).toEqual({ ...before, walBytes: expect.any(Number) });
    const kept = openSqlite(copy, { readonly: true });
    expect(kept.prepare('SELECT count(*) FROM filling').pluck().get()).toBe(10);
    kept.close();
    expect(readdirSync(folder).filter((name) => name.endsWith('.partial'))).toEqual([]);
  });
});

describe('own checkpoints', () => {
  it('leave no WAL after a stop', () => {
    const folder = newFolder();
    const database = openDatabase(folder);
    write(database.connection, 100);
    database.close();
    expect(existsSync(join(folder, 'zonebook.db-wal'))).toBe(false);
  });

  it.each(litestreamTables)(
    'are refused, before anything is done, where there is a table %s',
    (table) => {
      const folder = newFolder();
      const database = openDatabase(folder, external);
      database.connection.exec(`CREATE TABLE ${table} (id INTEGER)`);
      database.close();
      const before = stateOf(folder);
      expect(() => openDatabase(folder)).toThrow(CheckpointsError);
      expect(() => openDatabase(folder)).toThrow(
        `zonebook.db: database.checkpoints is 'own', but it has Litestream's table ${table}`,
      );
      expect(stateOf(folder)).toEqual(before);
      openDatabase(folder, external).close();
      expect(stateOf(folder)).toEqual(before);
    },
  );

  it("are refused where Litestream's folder stands beside the file, and none is made", () => {
    const folder = newFolder();
    const file = join(folder, 'zonebook.db');
    mkdirSync(litestreamFolder(file));
    expect(() => openDatabase(folder)).toThrow(
      `zonebook.db: database.checkpoints is 'own', but Litestream's folder ${folder}/.zonebook.db-litestream stands`,
    );
    expect(existsSync(file)).toBe(false);
    openDatabase(folder, external).close();
  });
});

it('a database with nothing but tables of Litestream is as good as an empty one', () => {
  const folder = newFolder();
  const empty = openSqlite(join(folder, 'zonebook.db'));
  empty.exec('CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)');
  empty.exec('CREATE TABLE _litestream_lock (id INTEGER)');
  empty.close();
  const database = openDatabase(folder, external);
  expect(database.upgrade).toBeUndefined();
  database.close();
  openDatabase(folder, external).close();
});

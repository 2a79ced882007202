import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { limits } from '../base/limits.ts';
import { Problem } from '../base/problem.ts';
import { openDatabase, type WritableDatabase } from './database.ts';
import { Storage, type StorageOptions } from './storage.ts';

let folder: string;
let database: WritableDatabase;
let storage: Storage;
let told: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'zonebook-storage-'));
  database = openDatabase(folder);
  database.connection.pragma('wal_autocheckpoint = 0');
  database.connection.exec('CREATE TABLE kept (number INTEGER)');
  told = [];
  storage = new Storage(options());
});
function options(): StorageOptions {
  return {
    file: database.file,
    holdCheckpoints: (isHeld) => void told.push(isHeld ? 'held' : 'let go'),
    reports: {
      failure: (kind) => void told.push(`fault ${kind}`),
      unavailable: (kind) => void told.push(`unavailable ${kind}`),
      available: () => void told.push('available'),
      lost: (reason) => void told.push(`lost: ${reason}`),
      count: (kind) => void told.push(`count ${kind}`),
    },
  };
}
afterEach(async () => {
  await storage.stop();
  database.close();
  rmSync(folder, { recursive: true });
});

const error = (code: string) => new Sqlite.SqliteError('said by SQLite', code);

it('a commit that waits for the disk for long is told once, and when it is done', async () => {
  vi.useFakeTimers();
  try {
    const looking = new Storage(options());
    const returned = vi.fn();
    looking.onReturn(returned);
    Atomics.add(looking.commits, 0, 1);
    await vi.advanceTimersByTimeAsync(limits.storageStallMs);
    // Others are done meanwhile.
    Atomics.add(looking.commits, 0, 2);
    await vi.advanceTimersByTimeAsync(limits.storageStallMs);
    expect([told, looking.isWritable, looking.stall]).toEqual([[], true, undefined]);
    await vi.advanceTimersByTimeAsync(2 * limits.storageLookMs);
    expect([looking.isWritable, looking.problem?.kind]).toEqual([false, 'stalled']);
    expect(looking.stall).toMatchObject({ code: 'STORAGE_UNAVAILABLE', kind: 'stalled' });
    Atomics.add(looking.commits, 0, 1);
    await vi.advanceTimersByTimeAsync(limits.storageLookMs);
    expect([looking.isWritable, looking.stall]).toEqual([true, undefined]);
    expect(told).toEqual(['count stalled', 'unavailable stalled', 'available']);
    expect(returned).toHaveBeenCalledTimes(1);
  } finally {
    vi.useRealTimers();
  }
});

it('a commit that waits for long and then fails is no end of it', async () => {
  vi.useFakeTimers();
  const looking = new Storage(options());
  try {
    const returned = vi.fn();
    looking.onReturn(returned);
    Atomics.add(looking.commits, 0, 1);
    await vi.advanceTimersByTimeAsync(limits.storageStallMs + 2 * limits.storageLookMs);
    Atomics.add(looking.commits, 0, 1);
    looking.failed(error('SQLITE_IOERR_FSYNC'));
    await vi.advanceTimersByTimeAsync(limits.storageLookMs);
    expect([looking.isWritable, looking.problem?.kind]).toEqual([false, 'io']);
    expect([told.includes('available'), returned.mock.calls]).toEqual([false, []]);
    vi.useRealTimers();
    await expect.poll(() => looking.isWritable).toBe(true);
    expect(told.filter((each) => each === 'available')).toHaveLength(1);
    expect(returned).toHaveBeenCalledTimes(1);
  } finally {
    vi.useRealTimers();
    await looking.stop();
  }
});

it.each([
  ['SQLITE_FULL', 'full'],
  ['SQLITE_IOERR_FSYNC', 'io'],
  ['SQLITE_READONLY', 'readonly'],
])('%s stops all writes until the disk can be written', async (code, kind) => {
  const returned: boolean[] = [];
  storage.onReturn(() => returned.push(storage.isWritable));
  const fault = storage.failed(error(code));
  expect(fault).toMatchObject({ code: 'STORAGE_UNAVAILABLE', kind, retryAfterSeconds: 5 });
  expect([storage.isWritable, storage.problem?.kind]).toEqual([false, kind]);
  expect(storage.writeProblem).toMatchObject({ kind });
  // Those who meet it meanwhile, or are told of it, begin nothing anew and are not counted again.
  storage.failed(error(code));
  expect(storage.reportRead(fault)).toBe(true);
  expect(storage.reportRead(storage.writeProblem)).toBe(true);
  await expect.poll(() => storage.isWritable).toBe(true);
  expect(returned).toEqual([true]);
  expect(storage.problem).toBeUndefined();
  expect(told).toEqual([
    `count ${kind}`,
    'held',
    `unavailable ${kind}`,
    `count ${kind}`,
    `fault ${kind}`,
    'let go',
    'available',
  ]);
});

it.each([
  ['SQLITE_CORRUPT_INDEX', 'damaged'],
  ['SQLITE_BUSY', 'busy'],
  ['SQLITE_NOMEM', 'memory'],
])('%s is told, and stops nobody else', (code, kind) => {
  expect(storage.failed(error(code))).toMatchObject({ kind });
  expect([storage.isWritable, storage.problem]).toEqual([true, undefined]);
  storage.failed(error(code));
  expect(told).toEqual([`count ${kind}`, `fault ${kind}`, `count ${kind}`]);
});

it('a read that failed is told of by health, and stops no write', () => {
  expect(storage.reportRead(error('SQLITE_IOERR_READ'))).toBe(true);
  expect([storage.isWritable, storage.problem?.kind]).toEqual([true, 'io']);
});

it('what is no fault of the storage passes as it is', () => {
  for (const other of [new TypeError('a bug'), new Problem('ZONE_NOT_FOUND', 'no'), 'text']) {
    expect(storage.failed(other)).toBe(other);
    expect(storage.reportRead(other)).toBe(false);
  }
  expect(told).toEqual([]);
  expect([storage.isWritable, storage.problem]).toEqual([true, undefined]);
});

it('commits that are lost from the WAL end it', async () => {
  for (let number = 0; number < 20; number++) {
    database.connection.prepare('INSERT INTO kept VALUES (?)').run(number);
  }
  const file = openSync(`${database.file}-wal`, 'r+');
  writeSync(file, Buffer.alloc(64, 0x5a), 0, 64, database.walLength().bytes - 2000);
  closeSync(file);
  storage.failed(error('SQLITE_IOERR_FSYNC'));
  await expect.poll(() => told.at(-1)).toMatch(/^lost: the frame at \d+ of the WAL is lost$/);
  expect(storage.isWritable).toBe(false);
});

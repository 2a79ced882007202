/** Warnings about the WAL: once an hour, and only where something is wrong. */
import { hourMs } from '../base/clock.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase, type WritableDatabase } from '../journal/database.ts';
import { createLog } from '../telemetry/log.ts';
import { walLook } from './wal-watch.ts';

let folder: string;
let database: WritableDatabase;
let now = 0;
let lines: { event: string; [field: string]: unknown }[] = [];

const log = createLog({
  level: 'debug',
  format: 'json',
  destination: { write: (line) => void lines.push(JSON.parse(line)) },
});
const told = () => {
  const events = lines.map(({ event }) => event);
  lines = [];
  return events;
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'zonebook-watch-'));
  database = openDatabase(folder, { checkpoints: 'external' });
  lines = [];
  now = 0;
});
afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('the watch on the WAL', () => {
  it('warns of a long one, once an hour as long as it is', () => {
    const { bytes, pendingBytes } = database.walLength();
    const options = { checkpoints: 'external', walWarnBytes: bytes + 1 } as const;
    const look = walLook(database, log, options, () => now);
    look();
    expect(told()).toEqual([]);
    database.connection.exec('CREATE TABLE filling (content)');
    look();
    expect(lines).toMatchObject([
      {
        event: 'database.wal-long',
        level: 'warn',
        walWarnBytes: bytes + 1,
        checkpoints: 'external',
      },
    ]);
    expect(lines[0]!.pendingBytes).toBeGreaterThan(pendingBytes);
    lines = [];
    now = hourMs - 1;
    look();
    expect(told()).toEqual([]);
    now = hourMs;
    look();
    expect(told()).toEqual(['database.wal-long']);
    // A checkpoint by another program, and the WAL begins again with the next change.
    database.connection.pragma('wal_checkpoint(TRUNCATE)');
    now = 2 * hourMs;
    look();
    expect(told()).toEqual([]);
  });

  it('tells of Litestream that came while the service checkpoints by itself', () => {
    const options = { checkpoints: 'own', walWarnBytes: 2 ** 40 } as const;
    const look = walLook(database, log, options, () => now);
    look();
    expect(told()).toEqual([]);
    database.connection.exec('CREATE TABLE _litestream_lock (id INTEGER)');
    look();
    look();
    expect(lines).toMatchObject([
      {
        event: 'database.replica-unsafe',
        level: 'error',
        key: 'database.checkpoints',
        trace: "it has Litestream's table _litestream_lock",
      },
    ]);
  });

  it('says nothing of a database that does not answer', () => {
    database.close();
    walLook(database, log, { checkpoints: 'own', walWarnBytes: 65_536 }, () => now)();
    expect(told()).toEqual([]);
  });
});

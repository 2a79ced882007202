import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { copyDatabase, openCopy } from './backup.ts';
import { openDatabase } from './database.ts';

const folder = mkdtempSync(join(tmpdir(), 'zonebook-backup-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('a copy of the database', () => {
  it('holds what is committed, while another connection writes', async () => {
    const database = openDatabase(join(folder, 'data'));
    database.connection.exec('CREATE TABLE t (n INTEGER) STRICT; INSERT INTO t VALUES (1), (2)');
    const copying = copyDatabase(database.file, join(folder, 'copy.db'));
    database.connection.exec('INSERT INTO t VALUES (3)');
    database.connection.exec('BEGIN; INSERT INTO t VALUES (4)');
    await copying;
    database.connection.exec('ROLLBACK');
    const copy = openCopy(join(folder, 'copy.db'));
    const { n } = copy.prepare('SELECT count(*) AS n FROM t').get() as { n: number };
    expect([2, 3]).toContain(n);
    expect(copy.pragma('integrity_check', { simple: true })).toBe('ok');
    copy.exec('INSERT INTO t VALUES (5)');
    copy.close();
    const live = database.connection.prepare('SELECT max(n) AS n FROM t').get();
    expect(live).toEqual({ n: 3 });
    database.close();
  });
});

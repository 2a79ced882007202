import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { openDatabase } from '../journal/database.ts';
import { TokenUse } from './token-use.ts';

const folder = mkdtempSync(join(tmpdir(), 'zonebook-test-'));
const database = openDatabase(folder);
const { connection } = database;
afterAll(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

beforeEach(() => {
  connection.exec('DELETE FROM token; DELETE FROM token_use');
  const put = connection.prepare(
    "INSERT INTO token (id, name, role_id, created_at) VALUES (?, ? || '', 1, 0)",
  );
  for (const id of [1, 2]) put.run(id, id);
});

const stored = () => connection.prepare('SELECT * FROM token_use ORDER BY token_id').raw().all();

it('writes with the flush, the last stamp of each minute only', () => {
  const use = new TokenUse(connection);
  use.stamp(1, 1_000_000);
  use.stamp(1, 1_059_999);
  use.stamp(2, 1_000_500);
  expect(stored()).toEqual([]);
  use.flush();
  expect(stored()).toEqual([
    [1, 1_000_000],
    [2, 1_000_500],
  ]);
  use.stamp(1, 1_060_000);
  use.flush();
  expect(stored()[0]).toEqual([1, 1_060_000]);
});

it('knows the last stamp after a restart', () => {
  const before = new TokenUse(connection);
  before.stamp(1, 1_000_000);
  before.flush();
  const after = new TokenUse(connection);
  after.stamp(1, 1_030_000);
  after.flush();
  expect(stored()).toEqual([[1, 1_000_000]]);
});

it('keeps nothing of tokens that are gone', () => {
  const use = new TokenUse(connection);
  use.stamp(1, 1_000_000);
  use.flush();
  use.stamp(2, 1_000_000);
  connection.exec('DELETE FROM token');
  use.flush();
  expect(stored()).toEqual([[1, 1_000_000]]);
  new TokenUse(connection);
  expect(stored()).toEqual([]);
});

it('waits for a commit that is open', () => {
  const use = new TokenUse(connection);
  use.stamp(1, 1_000_000);
  connection.exec('BEGIN');
  use.flush();
  connection.exec('COMMIT');
  expect(stored()).toEqual([]);
  use.flush();
  expect(stored()).toEqual([[1, 1_000_000]]);
});

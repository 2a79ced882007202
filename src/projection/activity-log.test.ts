import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { Problem } from '../base/problem.ts';
import { openDatabase } from '../journal/database.ts';
import { ActivityStore, TokenUse } from './activity-log.ts';

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

const store = new ActivityStore(connection);
const open = () => new TokenUse(connection, async (uses) => store.putTokenUses(uses));
const stored = () => connection.prepare('SELECT * FROM token_use ORDER BY token_id').raw().all();

it('writes with the flush, the last stamp of each minute only', async () => {
  const use = open();
  use.stamp(1, 1_000_000);
  use.stamp(1, 1_059_999);
  use.stamp(2, 1_000_500);
  expect(stored()).toEqual([]);
  await use.flush();
  expect(stored()).toEqual([
    [1, 1_000_000],
    [2, 1_000_500],
  ]);
  use.stamp(1, 1_060_000);
  await use.flush();
  expect(stored()[0]).toEqual([1, 1_060_000]);
});

it('knows the last stamp after a restart', async () => {
  const before = open();
  before.stamp(1, 1_000_000);
  await before.flush();
  const after = open();
  after.stamp(1, 1_030_000);
  await after.flush();
  expect(stored()).toEqual([[1, 1_000_000]]);
});

it('keeps nothing of tokens that are gone', async () => {
  const use = open();
  use.stamp(1, 1_000_000);
  await use.flush();
  use.stamp(2, 1_000_000);
  connection.exec('DELETE FROM token');
  await use.flush();
  expect(stored()).toEqual([[1, 1_000_000]]);
  store.forgetTokenUses();
  expect(stored()).toEqual([]);
});

it('keeps what can not be written now', async () => {
  let isRefused = true;
  const use = new TokenUse(connection, async (uses) => {
    if (isRefused) throw new Problem('OVERLOADED', 'too many changes are waiting', 1);
    store.putTokenUses(uses);
  });
  use.stamp(1, 1_000_000);
  await use.flush();
  expect(stored()).toEqual([]);
  isRefused = false;
  await use.flush();
  expect(stored()).toEqual([[1, 1_000_000]]);
});

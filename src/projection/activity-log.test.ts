import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { Problem } from '../base/problem.ts';
import { openDatabase } from '../journal/database.ts';
import { SessionTable } from '../keystore/session-table.ts';
import { ActivityStore, SessionUse, TokenUse } from './activity-log.ts';

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

const here = '192.0.2.1';
const store = new ActivityStore(connection);
const open = () => new TokenUse(connection, async (uses) => store.putTokenUses(uses));
const stored = () => connection.prepare('SELECT * FROM token_use ORDER BY token_id').raw().all();

it('writes with the flush, the last stamp of each minute only', async () => {
  const use = open();
  use.stamp(1, here, 1_000_000);
  use.stamp(1, here, 1_059_999);
  use.stamp(2, here, 1_000_500);
  expect(stored()).toEqual([]);
  await use.flush();
  expect(stored()).toEqual([
    [1, 1_000_000, here],
    [2, 1_000_500, here],
  ]);
  use.stamp(1, here, 1_060_000);
  await use.flush();
  expect(stored()[0]).toEqual([1, 1_060_000, here]);
});

it('writes another address at once, and that once a minute at most', async () => {
  const use = open();
  const stampedAs = async (from: string | null, at: number) => {
    use.stamp(1, from, at);
    await use.flush();
    return stored()[0];
  };
  expect(await stampedAs(here, 1_000_000)).toEqual([1, 1_000_000, here]);
  expect(await stampedAs('2001:db8::1', 1_001_000)).toEqual([1, 1_001_000, '2001:db8::1']);
  expect(await stampedAs(here, 1_002_000)).toEqual([1, 1_001_000, '2001:db8::1']);
  expect(await stampedAs('2001:db8::1', 1_060_999)).toEqual([1, 1_001_000, '2001:db8::1']);
  expect(await stampedAs(here, 1_061_000)).toEqual([1, 1_061_000, here]);
  expect(await stampedAs(null, 1_062_000)).toEqual([1, 1_062_000, null]);
  use.stamp(2, '198.51.100.7', 1_062_000);
  expect(use.buffered(2)).toMatchObject({ at: 1_062_000, from: '198.51.100.7' });
});

it('writes the last use also where the clock was ahead and is set back', async () => {
  const use = open();
  for (const at of [9_000_000, 1_000_000, 1_030_000]) {
    use.stamp(1, at === 9_000_000 ? '198.51.100.7' : here, at);
    await use.flush();
  }
  expect(stored()).toEqual([[1, 1_000_000, here]]);
  const after = open();
  after.stamp(1, here, 500_000);
  await after.flush();
  expect(stored()).toEqual([[1, 500_000, here]]);
});

it('has the last use of a session, also where the clock was ahead and is set back', async () => {
  const sessions = new SessionTable(connection);
  const who = { token: null, user: { name: 'root', uid: 0 }, address: here, agent: null };
  sessions.put({ id: 'a1', openedAt: 9_000_000, ...who }, Buffer.alloc(32));
  const use = new SessionUse(async (uses) => uses.forEach((each) => void sessions.stamp(each)));
  const session = () => sessions.byId('a1')!;
  use.stamp(session(), 1_000_000);
  expect(use.lastOf(session())).toBe(1_000_000);
  use.stamp(session(), 1_059_999);
  await use.flush();
  expect(session().seenAt).toBe(1_000_000);
  sessions.delete('a1');
});

it('knows the last stamp after a restart', async () => {
  const before = open();
  before.stamp(1, here, 1_000_000);
  await before.flush();
  const after = open();
  after.stamp(1, here, 1_030_000);
  await after.flush();
  expect(stored()).toEqual([[1, 1_000_000, here]]);
});

it('keeps nothing of tokens that are gone', async () => {
  const use = open();
  use.stamp(1, here, 1_000_000);
  await use.flush();
  use.stamp(2, here, 1_000_000);
  connection.exec('DELETE FROM token');
  await use.flush();
  expect(stored()).toEqual([[1, 1_000_000, here]]);
  store.forgetTokenUses();
  expect(stored()).toEqual([]);
});

it('keeps what can not be written now', async () => {
  let isRefused = true;
  const use = new TokenUse(connection, async (uses) => {
    if (isRefused) throw new Problem('OVERLOADED', 'too many changes are waiting', 1);
    store.putTokenUses(uses);
  });
  use.stamp(1, here, 1_000_000);
  await use.flush();
  expect(stored()).toEqual([]);
  isRefused = false;
  await use.flush();
  expect(stored()).toEqual([[1, 1_000_000, here]]);
});

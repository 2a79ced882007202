import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openStoredZones, type StoredZones } from '../../spec/support/stored-zones.ts';
import { entryOf, judgeEpoch, missedJumps, setEpoch } from './epoch.ts';
import {
  type EpochFile,
  epochFileName,
  readEpochFile,
  replaceEpochFile,
  writeEpochFile,
} from './epoch-file.ts';
import { createEpochKeeper } from './epoch-keeper.ts';

let stored: StoredZones;
beforeEach(async () => {
  stored = openStoredZones({ durable: false });
  for (const name of ['a', 'b', 'c']) await stored.zone(name);
});
afterEach(() => stored.close());

const judge = (file: EpochFile | undefined) => judgeEpoch(stored.connection, file);
const takenBack = (pattern: RegExp) => ({
  kind: 'taken-back',
  reason: expect.stringMatching(pattern),
});

it('judges a database by its epoch, its last event and the hash of that', () => {
  expect(judge(undefined)).toEqual({ kind: 'first' });
  expect(judge({ epoch: 0, seq: 3 })).toEqual({ kind: 'first' });
  expect(judge({ epoch: 1, seq: 3 })).toEqual(takenBack(/in epoch 0, and epoch 1 was served/));
  setEpoch(stored.connection, 1);
  const now = entryOf(stored.connection);
  expect(now).toMatchObject({ epoch: 1, seq: 3, jumped: 0 });
  expect(judge(now)).toEqual({ kind: 'current' });
  // Killed after the file was written: the database is further on.
  expect(judge({ ...now, seq: 2, hash: undefined })).toEqual({ kind: 'current' });
  expect(judge(undefined)).toEqual(takenBack(/no epoch file that can be read/));
  expect(judge({ ...now, seq: 4 })).toEqual(takenBack(/ends with event 3, and event 4 was/));
  expect(judge({ ...now, epoch: 2 })).toEqual(takenBack(/in epoch 1, and epoch 2 was/));
  expect(judge({ ...now, hash: 'ab' })).toEqual(takenBack(/event 3 is not the one/));
});

it('takes what is planned for what is there, while either may be', () => {
  const before = entryOf(stored.connection);
  const file = { ...before, next: { ...before, epoch: 1 } };
  expect(judge(file)).toEqual({ kind: 'first' });
  setEpoch(stored.connection, 1);
  expect(judge(file)).toEqual({ kind: 'current' });
  setEpoch(stored.connection, 2);
  expect(judge(file)).toEqual(takenBack(/in epoch 2, and epoch 0/));
});

it('knows how far missed epochs have moved things', () => {
  const now = { epoch: 1, seq: 3, jumped: 10 };
  expect(missedJumps(now, undefined)).toBe(0);
  expect(missedJumps(now, { epoch: 2, seq: 9, jumped: 70 })).toBe(60);
  expect(missedJumps(now, { epoch: 1, seq: 9 })).toBe(0);
});

it('reads back what is written, and takes anything else for no file', async () => {
  const { folder } = stored;
  expect(readEpochFile(folder)).toBeUndefined();
  const entry = { epoch: 2, seq: 7, hash: 'ab', jumped: 5 };
  writeEpochFile(folder, { ...entry, next: { ...entry, epoch: 3 } });
  expect(readEpochFile(folder)).toEqual({ ...entry, next: { ...entry, epoch: 3 } });
  await replaceEpochFile(folder, entry);
  expect(readEpochFile(folder)).toEqual(entry);
  for (const text of ['', '{', '{"epoch":-1,"seq":2}', '{"epoch":1}', '[]', 'null']) {
    writeFileSync(join(folder, epochFileName), text);
    expect(readEpochFile(folder)).toBeUndefined();
  }
});

it('keeps the file up at the stop, and says when it can not', async () => {
  const { folder, connection } = stored;
  const failures: unknown[] = [];
  const keeper = createEpochKeeper(folder, connection, (error) => failures.push(error));
  await keeper.stop();
  expect(readEpochFile(folder)).toBeUndefined();
  keeper.start();
  expect(readEpochFile(folder)).toMatchObject({ seq: 3 });
  await stored.zone('d');
  await keeper.stop();
  expect(readEpochFile(folder)).toEqual(entryOf(connection));
  expect(failures).toEqual([]);
  const lost = createEpochKeeper(join(folder, 'gone'), connection, (error) => failures.push(error));
  lost.start();
  await lost.stop();
  // Told once.
  expect(failures).toEqual([expect.objectContaining({ code: 'ENOENT' })]);
});

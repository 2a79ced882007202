/** The thread that commits, as those have it who decide. */
import { rmSync } from 'node:fs';
import { afterEach, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../../spec/support/stored-zones.ts';
import { openDatabase } from './database.ts';
import { type WriteFailure, Writer } from './writer.ts';
import { Writes } from './writes.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function open() {
  const folder = temporaryFolder();
  closing.push(() => rmSync(folder, { recursive: true }));
  const database = openDatabase(folder);
  closing.push(() => database.close());
  const writes = new Writes(database.connection);
  const insert = writes.statement('INSERT INTO counter (name, value) VALUES (?, ?)');
  const writer = new Writer(database.connection, writes);
  closing.push(() => writer.close());
  writer.start();
  while (!writer.isReady) await new Promise(setImmediate);
  const send = (name: string) =>
    new Promise<WriteFailure | undefined>((resolve) => {
      const log = writer.newLog();
      writes.note(log);
      insert.run([name, 1]);
      writer.send(log, resolve);
      writes.runAtOnce();
    });
  return { database, writer, writes, insert, send };
}

it('a batch is told of though one before it, which was not tried, is heard of late', async () => {
  const { database, writer, writes, insert, send } = await open();
  expect(await send('a')).toBeUndefined();
  const again = new Promise((resolve) => {
    const log = writer.newLog();
    writes.note(log);
    insert.run(['a', 1]);
    // The next is handed over as soon as this one is known to have failed.
    writer.send(log, (failure) => resolve([failure?.outcome, send('c')]));
    writes.runAtOnce();
  });
  void send('b');
  writer.settle();
  const [outcome, later] = (await again) as [string, Promise<unknown>];
  expect(outcome).toBe('undone');
  expect(await later).toBeUndefined();
  const names = database.connection.prepare('SELECT name FROM counter').pluck().all();
  expect(names).toEqual(expect.arrayContaining(['a', 'c']));
  expect(names).not.toContain('b');
});

it('a thread that ends is not waited for', async () => {
  const { database, writer, writes, send } = await open();
  // What it can not even read.
  const texts = { length: 99, slice: () => 5 } as unknown as readonly string[];
  vi.spyOn(writes, 'texts', 'get').mockReturnValueOnce(texts);
  const failure = send('a');
  const startedAt = performance.now();
  writer.settle();
  expect(performance.now() - startedAt).toBeLessThan(20_000);
  expect(await failure).toMatchObject({ outcome: 'unknown' });
  expect(writer.isReady).toBe(false);
  await writer.close();
  expect(database.connection.prepare('SELECT * FROM counter').all()).toEqual([]);
});

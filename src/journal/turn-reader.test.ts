import { rmSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { temporaryFolder } from '../../spec/support/stored-zones.ts';
import { openDatabase, type Statement, type WritableDatabase } from './database.ts';
import { openTurnReader, type TurnReader } from './turn-reader.ts';

let folder: string;
let database: WritableDatabase;
let reader: TurnReader;
let value: Statement;
beforeEach(() => {
  folder = temporaryFolder();
  database = openDatabase(folder);
  database.connection.exec("INSERT INTO counter (name, value) VALUES ('record', 1)");
  reader = openTurnReader(database.file);
  value = reader.connection.prepare("SELECT value FROM counter WHERE name = 'record'").pluck();
});
afterEach(() => {
  reader.close();
  database.close();
  rmSync(folder, { recursive: true });
});

const write = (to: number) => database.connection.exec(`UPDATE counter SET value = ${to}`);
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

it('reads one state in each turn, and the newest in the next', async () => {
  expect(value.get()).toBe(1);
  write(2);
  expect([value.get(), value.all()]).toEqual([1, [1]]);
  await Promise.resolve();
  expect([...value.iterate()]).toEqual([1]);
  await nextTurn();
  expect(value.get()).toBe(2);
});

it('reads the newest when it is told to, and keeps no snapshot beyond a turn', async () => {
  expect(value.get()).toBe(1);
  write(2);
  reader.renew();
  expect(value.get()).toBe(2);
  await nextTurn();
  expect(reader.connection.inTransaction).toBe(false);
});

it('writes nothing', () => {
  const insert = reader.connection.prepare("INSERT INTO counter (name, value) VALUES ('zone', 1)");
  expect(() => insert.run()).toThrow('readonly');
});

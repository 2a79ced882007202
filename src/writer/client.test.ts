/** The thread that writes, as the main thread has it: the same outcomes, refusals and listeners as the writer. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  apiOptions,
  catalogZoneName,
  dryRun,
  record,
  temporaryFolder,
  zoneDefaults,
} from '../../spec/support/stored-zones.ts';
import type { CreateRecords } from '../domain/command.ts';
import { openDatabase, type WritableDatabase } from '../journal/database.ts';
import { openTurnReader, type TurnReader } from '../journal/turn-reader.ts';
import { Keystore } from '../keystore/keystore.ts';
import { ZoneQueries } from '../query/zone-queries.ts';
import { WriterClient } from './client.ts';
import type { CommitFigures, ZoneChange } from './submission.ts';

let folder: string;
let database: WritableDatabase;
let reader: TurnReader;
let zones: ZoneQueries;
let writer: WriterClient;
let thread: Worker;
let figures: CommitFigures[];
let lost: Error[];
beforeEach(async () => {
  folder = temporaryFolder();
  database = openDatabase(folder);
  const keyFile = join(folder, 'keys.key');
  new Keystore(database.connection, keyFile);
  reader = openTurnReader(database.file);
  zones = new ZoneQueries(reader.connection);
  figures = [];
  lost = [];
  const started = new Promise<Worker>((resolve) => process.once('worker', resolve));
  writer = await WriterClient.start(
    {
      file: database.file,
      checkpoints: 'own',
      checkpointsHeld: undefined,
      keyFile,
      insecureKeyFile: false,
      options: { zoneDefaults, catalogZoneName },
    },
    {
      renew: () => reader.renew(),
      measure: (one) => void figures.push(one),
      signed: () => {},
      storageFailed: () => {},
      refused: () => {},
      stall: () => undefined,
      lost: (error) => void lost.push(error),
    },
  );
  thread = await started;
  const name = { mname: 'ns1.example.net', rname: 'root@example.net', apexNs: false };
  await writer.submit({ kind: 'create-zone', name: 'a.example', ...name }, apiOptions);
});
afterEach(async () => {
  if (lost.length === 0) await writer.close();
  reader.close();
  database.close();
  rmSync(folder, { recursive: true });
});

function addition(name: string): CreateRecords {
  return {
    kind: 'create-records',
    zoneName: 'a.example',
    records: [record(name, 'A', '192.0.2.1')],
  };
}

it('answers with bytes as Buffers, when the commit can be read', async () => {
  const { records, zone } = await writer.submit(addition('www'), apiOptions);
  expect(records[0]!.rdata).toEqual(Buffer.of(192, 0, 2, 1));
  expect(zones.byName('a.example')).toEqual(zone);
  expect(zone.serial).toBe(2);
});

it('refuses with the problem that the writer has, and dry runs write nothing', async () => {
  await writer.submit(addition('www'), apiOptions);
  await expect(writer.submit(addition('www'), apiOptions)).rejects.toMatchObject({
    name: 'Problem',
    code: 'RECORD_CONFLICT',
  });
  expect((await writer.submit(addition('x'), dryRun)).zone.serial).toBe(3);
  expect(zones.byName('a.example')).toMatchObject({ serial: 2, recordCount: 1 });
});

it('invariant 10: shares a commit among commands of one turn, answers in order, and tells of all before', async () => {
  const published: ZoneChange[] = [];
  const answered: number[] = [];
  writer.onCommit((changes) => published.push(...changes));
  figures = [];
  const names = Array.from({ length: 50 }, (_, index) => `n${index}`);
  await Promise.all(
    names.map(async (name, index) => {
      const { zone } = await writer.submit(addition(name), apiOptions);
      expect(published.some((change) => change.zone.serial >= zone.serial)).toBe(true);
      answered.push(index);
    }),
  );
  expect(answered).toEqual(names.map((_, index) => index));
  expect(published).toHaveLength(50);
  // On a slow host a commit may end early.
  expect(figures.length).toBeLessThan(25);
  expect(figures.reduce((sum, { commands }) => sum + commands, 0)).toBe(50);
});

it('tells all others of a commit where some can not take it, and throws what the first of them threw', () => {
  const told: string[] = [];
  const fails = (reason: string) => () => {
    told.push(reason);
    throw new Error(reason);
  };
  writer.onEvents(fails('first'));
  writer.onEvents(() => void told.push('events'));
  writer.onCommit(fails('second'));
  writer.onCommit(() => void told.push('changes'));
  const counted = { figures: [], signatures: 0, answers: [] };
  const committed = { kind: 'committed', events: [{}], changes: [{}], ...counted };
  expect(() => thread.emit('message', committed)).toThrow('first');
  expect(told).toEqual(['first', 'events', 'second', 'changes']);
});

it('holds a zone for who prepares something, and lets others go on after', async () => {
  const release = await writer.hold('a.example');
  let isDone = false;
  const waiting = writer.submit(addition('later'), apiOptions).then(() => {
    isDone = true;
  });
  const { zone } = await writer.submit(addition('now'), { ...apiOptions, heldName: 'a.example' });
  expect([zone.serial, isDone]).toEqual([2, false]);
  release();
  await waiting;
  expect(zones.byName('a.example')).toMatchObject({ serial: 3 });
});

it('finishes what was submitted when it is closed, and takes nothing after', async () => {
  const outcomes = Array.from({ length: 20 }, (_, index) =>
    writer.submit(addition(`n${index}`), apiOptions),
  );
  const closing = writer.close();
  await expect(writer.submit(addition('late'), apiOptions)).rejects.toMatchObject({
    code: 'OVERLOADED',
  });
  expect(await Promise.all(outcomes)).toHaveLength(20);
  await closing;
  // So that the end of the test does not close it again.
  lost.push(new Error('closed'));
});

it('refuses who waits for a zone when it is closed, and ends', async () => {
  const release = await writer.hold('a.example');
  const waiting = [
    writer.submit(addition('later'), apiOptions),
    writer.submit(addition('later still'), apiOptions),
    writer.hold('a.example'),
  ];
  const outcomes = Promise.allSettled(waiting);
  await writer.close();
  const refused = { status: 'rejected', reason: { code: 'OVERLOADED' } };
  expect(await outcomes).toMatchObject([refused, refused, refused]);
  release();
  expect(lost).toEqual([]);
  lost.push(new Error('closed'));
});

it('tells of a thread that is gone, and of nothing that it was doing', async () => {
  const open = writer.submit(addition('open'), apiOptions);
  let isActive = false;
  open.then(
    () => (isActive = true),
    () => (isActive = true),
  );
  await thread.terminate();
  await expect.poll(() => lost.length).toBe(1);
  expect(isActive).toBe(false);
});

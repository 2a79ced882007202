/** Commands that one thread decides and another one writes. */
import { closeSync, openSync, readSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  apiOptions,
  dryRun,
  openStoredZones,
  record,
  type StoredZones,
  writesApart,
} from '../../spec/support/stored-zones.ts';
import { writingThreads } from '../../spec/support/writing-threads.ts';
import type { Command, CreateRecords } from '../domain/command.ts';
import { startCheckpointer } from '../journal/checkpointer.ts';
import { decodeEvent } from '../journal/event-row.ts';
import { verifyChain } from '../journal/verify.ts';
import { Writer } from '../journal/writer.ts';
import { verifyProjections } from '../projection/rebuild.ts';
import type { ZoneChange } from './submission.ts';

const opened: StoredZones[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const stored of opened.splice(0)) await stored.close();
  writingThreads.length = 0;
});

async function open(...zones: string[]): Promise<StoredZones> {
  const stored = openStoredZones({ apart: true });
  opened.push(stored);
  for (const name of zones) await stored.zone(name);
  await writesApart(stored);
  return stored;
}

function addition(name: string, value = '192.0.2.1', zoneName = 'a'): CreateRecords {
  return {
    kind: 'create-records',
    zoneName,
    records: [record(name, 'A', value)],
  };
}

function additions(stored: StoredZones, prefix: string, count: number) {
  const outcomes = Array.from({ length: count }, (_, n) => stored.run(addition(`${prefix}${n}`)));
  // Some are refused before anybody looks at them.
  for (const outcome of outcomes) outcome.catch(() => {});
  return outcomes;
}

/** A command that fails in a way that no rule foresees. */
const bug: Command = {
  kind: 'update-record',
  id: 1,
  get name(): string {
    throw new TypeError('a bug');
  },
};

const nextTurn = () => new Promise(setImmediate);

function intact(stored: StoredZones): void {
  expect(verifyChain(stored.journal).findings).toEqual([]);
  expect(verifyProjections(stored.connection, stored.journal)).toEqual([]);
}

const statuses = (outcomes: readonly PromiseSettledResult<unknown>[]) =>
  outcomes.map(({ status }) => status);

/** The salts in the head of a WAL, which are others each time it is begun anew. */
function saltsOf(file: string): string {
  const head = Buffer.alloc(24);
  const wal = openSync(file, 'r');
  readSync(wal, head, 0, head.length, 0);
  closeSync(wal);
  return head.toString('hex', 16, 24);
}

describe('commands that another thread writes', () => {
  it('are decided upon those before them, which are not on disk yet', async () => {
    const stored = await open('a');
    const sent = vi.spyOn(Writer.prototype, 'send');
    const outcomes: Promise<unknown>[] = [];
    for (let n = 0; n < 60; n++) {
      const id = n + 1;
      outcomes.push(stored.run(addition(`n${n}`)));
      await nextTurn();
      if (n % 3 === 0) outcomes.push(stored.run({ kind: 'update-record', id, name: `m${n}` }));
      if (n % 3 === 1) outcomes.push(stored.run({ kind: 'delete-record', id }));
      // Refused, for it is there already.
      if (n % 3 === 2) outcomes.push(stored.run(addition(`n${n}`)).catch((error) => error.code));
    }
    const codes = (await Promise.all(outcomes)).filter((one) => typeof one === 'string');
    expect(codes).toEqual(Array(20).fill('RECORD_CONFLICT'));
    expect(stored.zones.byName('a')).toMatchObject({
      serial: 101,
      recordCount: 40,
    });
    expect(sent.mock.calls.length).toBeGreaterThan(1);
    intact(stored);
  });

  it('invariant 10: are told of when their commit is on disk, in order', async () => {
    const stored = await open('a');
    const reader = new Sqlite(stored.file, { readonly: true });
    const last = reader.prepare('SELECT max(serial) FROM event').pluck();
    const heard: number[] = [];
    stored.engine.onCommit((changes) => {
      for (const { zone } of changes) {
        expect(last.get()).toBeGreaterThanOrEqual(zone.serial);
        heard.push(zone.serial);
      }
    });
    const answered: number[] = [];
    const outcomes: Promise<void>[] = [];
    for (let n = 0; n < 200; n++) {
      const told = stored.run(addition(`n${n}`)).then(({ zone }) => {
        expect(last.get()).toBeGreaterThanOrEqual(zone.serial);
        answered.push(zone.serial);
      });
      outcomes.push(told);
      if (n % 7 === 0) await nextTurn();
    }
    await Promise.all(outcomes);
    const serials = Array.from({ length: 200 }, (_, n) => n + 2);
    expect(answered).toEqual(serials);
    // Of several steps in one commit, each is told with the zone as it is after all of them.
    expect(heard.length).toBe(200);
    expect(heard).toEqual(heard.toSorted((a, b) => a - b));
    reader.close();
  });

  it('are seen by nobody between two reads of one turn', async () => {
    const stored = await open('a');
    const sent = vi.spyOn(Writer.prototype, 'send');
    const outcomes = additions(stored, 'n', 40);
    while (sent.mock.calls.length < 1) await nextTurn();
    const { serial } = stored.zones.byName('a')!;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
    expect(stored.zones.byName('a')!.serial).toBe(serial);
    expect(stored.connection.inTransaction).toBe(true);
    await Promise.all(outcomes);
    expect(stored.zones.byName('a')!.serial).toBe(41);
    expect(stored.connection.inTransaction).toBe(false);
  });

  it('keep their order with commands that are written here', async () => {
    const stored = await open('a');
    const outcomes: Promise<unknown>[] = [];
    for (let n = 0; n < 20; n++) {
      outcomes.push(...additions(stored, `x${n}-`, 5));
      await nextTurn();
      outcomes.push(stored.run({ kind: 'bump-serial', zoneName: 'a' }));
      if (n === 9) outcomes.push(stored.run({ kind: 'update-zone', zoneName: 'a', retry: 77 }));
    }
    await Promise.all(outcomes);
    const kinds: string[] = [];
    for (const row of stored.journal.events(1)) kinds.push(row.kind);
    const expected = Array.from({ length: 20 }, (_, n) => [
      ...Array(5).fill('records.changed'),
      'zone.serial-bumped',
      ...(n === 9 ? ['zone.updated'] : []),
    ]).flat();
    expect(kinds).toEqual(expected);
    intact(stored);
  });

  it('invariant 11: dry runs and refusals among them write nothing', async () => {
    const stored = await open('a');
    const sent = vi.spyOn(Writer.prototype, 'send');
    const foretold = await stored.run(addition('x'), dryRun);
    expect(foretold.zone.serial).toBe(2);
    await expect(stored.run(addition('..'))).rejects.toMatchObject({
      code: 'INVALID_RECORD_NAME',
    });
    expect(sent).not.toHaveBeenCalled();
    const outcomes = [...additions(stored, 'n', 40), stored.run(addition('n39'), dryRun)];
    await nextTurn();
    outcomes.push(stored.run(addition('n0')), stored.run(addition('z'), dryRun));
    const settled = await Promise.allSettled(outcomes);
    expect(statuses(settled.slice(40))).toEqual(['rejected', 'rejected', 'fulfilled']);
    expect(stored.zones.byName('a')!.recordCount).toBe(40);
    intact(stored);
  });

  it('may change more zones than are kept in memory', async () => {
    const names = Array.from({ length: 1100 }, (_, n) => `z${n}`);
    const stored = await open(...names);
    const outcomes = names.map((name) => stored.run(addition('www', '192.0.2.1', name)));
    await Promise.all([
      ...outcomes,
      ...names.map((name) => stored.run(addition('w', '::1', name)).catch(() => {})),
    ]);
    expect(stored.connection.prepare('SELECT count(*) FROM record').pluck().get()).toBe(1100);
    intact(stored);
  });

  it('leave the WAL short, however long they go on', async () => {
    const stored = await open('a');
    const checkpointer = startCheckpointer(stored.connection);
    let written = 0;
    let beginnings = 0;
    let last: string | undefined;
    for (let n = 0; written < 256 * 2 ** 20; n++) {
      const value = `\\# 4000 ${n.toString(16).padStart(8000, '0')}`;
      // Ten records of each owner and type: an RRset has to fit a message.
      const records = [record(`n${n % 20}`, `TYPE${65_280 + Math.trunc(n / 200)}`, value)];
      const outcome = stored.run({ kind: 'create-records', zoneName: 'a', records });
      // Never is everything told of: the thread has always something to do.
      if (n % 20 === 19) await outcome;
      const salts = saltsOf(`${stored.file}-wal`);
      if (salts !== last) beginnings++;
      last = salts;
      // The block of all of them is written with each batch.
      if (n % 20 === 0) written += n * 4000;
    }
    // It is begun anew once 64 MiB are exceeded: how much later depends on the host.
    expect(beginnings).toBeGreaterThan(1);
    await stored.engine.close();
    await checkpointer.stop();
    intact(stored);
  });

  it('may be many records, whose blocks come and go', async () => {
    const stored = await open('a');
    const outcomes: Promise<unknown>[] = [];
    for (let n = 0; n < 1500; n++) {
      outcomes.push(stored.run(addition(`n${n}`)));
      if (n > 200 && n % 2 === 0) {
        outcomes.push(stored.run({ kind: 'delete-record', id: n - 200 }));
      }
      if (n % 40 === 0) await nextTurn();
    }
    await Promise.all(outcomes);
    expect(stored.zones.byName('a')!.recordCount).toBe(1500 - 649);
    intact(stored);
  });
});

describe('where something fails', () => {
  it('invariant 6: a command that fails half-way leaves the others whole', async () => {
    const stored = await open('a');
    const first = additions(stored, 'n', 10);
    await nextTurn();
    const outcomes = await Promise.allSettled([
      ...first,
      ...additions(stored, 'm', 3),
      stored.run(bug),
      ...additions(stored, 'o', 3),
    ]);
    expect(statuses(outcomes).filter((status) => status === 'rejected')).toHaveLength(1);
    expect((outcomes[13] as PromiseRejectedResult).reason).toBeInstanceOf(TypeError);
    expect(stored.zones.byName('a')).toMatchObject({
      serial: 17,
      recordCount: 16,
    });
    intact(stored);
  });

  it('invariant 6: a batch that can not be written is tried command by command', async () => {
    const stored = await open('a');
    // What no code does: a row that the part of a later event will meet.
    const place = (stored.journal.head().seq + 4) * 65_536;
    stored.connection
      .prepare('INSERT INTO event_delta VALUES (?, 1, 0, 0, 0, 0, ?, NULL)')
      .run(place, Buffer.alloc(0));
    const outcomes: Promise<unknown>[] = [];
    for (let n = 0; n < 3; n++) {
      outcomes.push(...additions(stored, `n${n}-`, 40));
      await nextTurn();
    }
    const settled = await Promise.allSettled(outcomes);
    const rejected = settled.filter((one) => one.status === 'rejected');
    // Whoever comes to the place of that row is refused, for it stays.
    expect(rejected.length).toBeGreaterThan(0);
    for (const { reason } of rejected) {
      expect(reason).toMatchObject({ code: 'SQLITE_CONSTRAINT_PRIMARYKEY' });
    }
    stored.connection.prepare('DELETE FROM event_delta WHERE place = ?').run(place);
    await Promise.all(additions(stored, 'later', 40));
    const { recordCount } = stored.zones.byName('a')!;
    expect(recordCount).toBe(settled.length - rejected.length + 40);
    intact(stored);
  });

  it('invariant 5: nothing is lost or written twice when the thread dies', async () => {
    const stored = await open('a');
    const heard: ZoneChange[] = [];
    stored.engine.onCommit((changes) => heard.push(...changes));
    let count = 0;
    for (let round = 0; round < 5; round++) {
      await writesApart(stored);
      const outcomes: Promise<unknown>[] = [];
      for (let turn = 0; turn < 6; turn++) {
        outcomes.push(...additions(stored, `r${round}-${turn}-`, 30));
        count += 30;
        await nextTurn();
        if (turn === round) void writingThreads.at(-1)!.terminate();
      }
      await Promise.all(outcomes);
    }
    expect(writingThreads.length).toBeGreaterThanOrEqual(5);
    expect(stored.zones.byName('a')).toMatchObject({
      serial: 1 + count,
      recordCount: count,
    });
    expect(heard).toHaveLength(count);
    const names = new Set<string>();
    for (const row of stored.journal.events(1)) {
      const event = decodeEvent(row, stored.journal.parts(row));
      if (event.kind === 'records.changed') names.add(event.delta.added[0]!.owner);
    }
    expect(names.size).toBe(count);
    intact(stored);
  });

  it('a thread that can not begin is made up for by this one', async () => {
    const stored = await open('a');
    const other = new Sqlite(stored.file);
    other.exec('BEGIN IMMEDIATE');
    const waiting = Promise.allSettled(additions(stored, 'n', 3));
    await new Promise((resolve) => setTimeout(resolve, 50));
    other.exec('ROLLBACK');
    other.close();
    expect(statuses(await waiting)).toEqual(['fulfilled', 'fulfilled', 'fulfilled']);
    intact(stored);
  });

  it('invariant 5: nothing is written twice when the thread dies unheard', async () => {
    const stored = await open('a');
    const sent = vi.spyOn(Writer.prototype, 'send');
    const outcomes = additions(stored, 'n', 40);
    while (sent.mock.calls.length < 1) await nextTurn();
    outcomes.push(...additions(stored, 'm', 40));
    while (sent.mock.calls.length < 2) await nextTurn();
    // Both batches are on disk before this thread hears of the first.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
    writingThreads.at(-1)!.emit('error', new Error('gone'));
    expect(statuses(await Promise.allSettled(outcomes))).toEqual(Array(80).fill('fulfilled'));
    expect(stored.zones.byName('a')).toMatchObject({ serial: 81, recordCount: 80 });
    intact(stored);
  });

  it('nobody waits for ever where the thread goes away between two commands', async () => {
    const stored = await open('a');
    await stored.run(addition('first'));
    vi.spyOn(Writer.prototype, 'settle').mockImplementationOnce(() => {
      writingThreads.at(-1)!.emit('error', new Error('gone'));
    });
    const outcomes = await Promise.allSettled([stored.run(bug), ...additions(stored, 'n', 3)]);
    expect(statuses(outcomes)).toEqual(['rejected', ...Array(3).fill('fulfilled')]);
    expect(stored.zones.byName('a')).toMatchObject({ serial: 5, recordCount: 4 });
    intact(stored);
  });

  it('a checkpoint that fails is none of the callers', async () => {
    const stored = await open('a');
    vi.spyOn(Writer.prototype, 'isWalLong', 'get').mockReturnValue(true);
    const { pragma } = stored.connection;
    vi.spyOn(stored.connection, 'pragma').mockImplementation((source, options) => {
      if (source.startsWith('wal_checkpoint')) throw new Error('database or disk is full');
      return pragma.call(stored.connection, source, options);
    });
    const outcomes = await Promise.allSettled(additions(stored, 'n', 40));
    expect(statuses(outcomes)).toEqual(Array(40).fill('fulfilled'));
    vi.restoreAllMocks();
    intact(stored);
  });

  it('closing waits for what is decided again', async () => {
    const stored = openStoredZones({ apart: true });
    await stored.zone('a');
    await writesApart(stored);
    const place = (stored.journal.head().seq + 4) * 65_536;
    stored.connection
      .prepare('INSERT INTO event_delta VALUES (?, 1, 0, 0, 0, 0, ?, NULL)')
      .run(place, Buffer.alloc(0));
    const sent = vi.spyOn(Writer.prototype, 'send');
    const outcomes = additions(stored, 'n', 40);
    while (sent.mock.calls.length < 1) await nextTurn();
    outcomes.push(...additions(stored, 'm', 40));
    while (sent.mock.calls.length < 2) await nextTurn();
    const threads = writingThreads.length;
    let areSettled = false;
    void Promise.allSettled(outcomes).then(() => {
      areSettled = true;
    });
    await stored.engine.close();
    expect(areSettled).toBe(true);
    expect(writingThreads.length).toBe(threads);
    await stored.close();
  });

  it('closing waits for what is on its way', async () => {
    const stored = openStoredZones({ apart: true });
    await stored.zone('a');
    await writesApart(stored);
    const outcomes = additions(stored, 'n', 100);
    await nextTurn();
    const closing = stored.engine.close();
    expect(statuses(await Promise.allSettled(outcomes))).toEqual(Array(100).fill('fulfilled'));
    await closing;
    await expect(stored.run(addition('late'), apiOptions)).rejects.toMatchObject({
      code: 'OVERLOADED',
    });
    intact(stored);
    await stored.close();
  });
});

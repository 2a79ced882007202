import { rmSync } from 'node:fs';
import Sqlite, { type Statement } from 'better-sqlite3';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  apiOptions,
  dryRun,
  everything,
  openStoredZones,
  record,
  type StoredZones,
  type StoredZonesOptions,
  temporaryFolder,
} from '../../spec/support/stored-zones.ts';
import { limits } from '../base/limits.ts';
import type { Command, CreateRecords } from '../domain/command.ts';
import type { Connection } from '../journal/database.ts';
import { verifyChain } from '../journal/verify.ts';
import { verifyProjections } from '../projection/rebuild.ts';
import type { ZoneChange } from './submission.ts';

const opened: StoredZones[] = [];
afterEach(async () => {
  for (const stored of opened.splice(0)) await stored.close();
});

async function open(options: StoredZonesOptions = {}): Promise<StoredZones> {
  const stored = openStoredZones({ durable: false, ...options });
  opened.push(stored);
  return stored;
}

function addition(name: string, value = '192.0.2.1', zoneName = 'a'): CreateRecords {
  return { kind: 'create-records', zoneName, records: [record(name, 'A', value)] };
}

/** Calls `take` before a transaction begins or ends, with the first word of the statement. */
function onTransaction(connection: Connection, take: (word: string) => void): void {
  const statements = Object.getPrototypeOf(connection.prepare('BEGIN')) as Statement;
  const run = statements.run;
  const spy = vi.spyOn(statements, 'run').mockImplementation(function (this: Statement, ...bound) {
    const { database, source } = this;
    if (database === connection && /^(BEGIN|COMMIT)/.test(source)) take(source.split(' ')[0]!);
    return run.apply(this, bound);
  });
  onTestFinished(() => spy.mockRestore());
}

/** The statements that begin or end a transaction, as the connection runs them. */
function watchTransactions(connection: Connection): string[] {
  const seen: string[] = [];
  onTransaction(connection, (word) => seen.push(word));
  return seen;
}

function intact(stored: StoredZones): void {
  expect(verifyChain(stored.journal).findings).toEqual([]);
  expect(verifyProjections(stored.connection, stored.journal)).toEqual([]);
}

describe('group commit', () => {
  it('puts what arrives in one turn into one transaction, and answers in order', async () => {
    const stored = await open();
    await stored.zone('a');
    const seen = watchTransactions(stored.connection);
    const answered: number[] = [];
    const names = Array.from({ length: 20 }, (_, index) => `n${index}`);
    await Promise.all(
      names.map((name, index) => stored.run(addition(name)).then(() => answered.push(index))),
    );
    expect(answered).toEqual(names.map((_, index) => index));
    expect(stored.zones.byName('a')!.serial).toBe(21);
    // A slow machine may cut the batch at 5 ms; it is never a transaction for each.
    expect(seen.length).toBeLessThan(20);
    expect(seen.filter((one) => one === 'BEGIN').length).toBe(seen.length / 2);
    const created = [...stored.journal.events(1)].map((row) => row.serial);
    expect(created).toEqual(names.map((_, index) => index + 2));
  });

  it('takes at most 256 commands into one transaction', async () => {
    const stored = await open();
    await stored.zone('a');
    const seen = watchTransactions(stored.connection);
    const outcomes = Array.from({ length: 600 }, (_, index) => stored.run(addition(`n${index}`)));
    await Promise.all(outcomes);
    expect(seen.filter((one) => one === 'COMMIT').length).toBeGreaterThanOrEqual(3);
    expect(stored.zones.byName('a')).toMatchObject({ serial: 601, recordCount: 600 });
    intact(stored);
  });

  it('lets each command see those before it in the same commit', async () => {
    const stored = await open();
    const outcomes = await Promise.allSettled([
      stored.zone('a'),
      stored.run(addition('www')),
      stored.run(addition('www')),
      stored.run({ kind: 'update-zone', zoneName: 'a', name: 'b' }),
      stored.run(addition('www', '192.0.2.2', 'b')),
      stored.run(addition('www', '192.0.2.3', 'a')),
      stored.run({ kind: 'delete-zone', zoneName: 'b' }),
    ]);
    expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual([
      true,
      true,
      false,
      true,
      true,
      false,
      true,
    ]);
    expect((outcomes[2] as PromiseRejectedResult).reason).toMatchObject({
      code: 'RECORD_CONFLICT',
    });
    expect((outcomes[5] as PromiseRejectedResult).reason).toMatchObject({ code: 'ZONE_NOT_FOUND' });
    expect((outcomes[6] as PromiseFulfilledResult<unknown>).value).toMatchObject({
      recordsDeleted: 2,
      versionsDeleted: 4,
    });
    intact(stored);
  });

  it('invariant 6: a command that fails half-way leaves the others whole', async () => {
    const stored = await open();
    await stored.zone('a');
    await stored.run(addition('www'));
    // What no code does: a row that the next event's part will meet.
    const place = (stored.journal.head().seq + 3) * 65_536;
    stored.connection
      .prepare('INSERT INTO event_delta VALUES (?, 1, 0, 0, 0, 0, ?, NULL, 0, NULL, NULL)')
      .run(place, Buffer.alloc(0));
    const outcomes = await Promise.allSettled([
      stored.run(addition('x')),
      stored.run(addition('www')),
      stored.run(addition('y')),
      stored.run(addition('z')),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'rejected',
    ]);
    expect((outcomes[3] as PromiseRejectedResult).reason).toMatchObject({
      code: 'SQLITE_CONSTRAINT_PRIMARYKEY',
    });
    expect(stored.zones.byName('a')).toMatchObject({ serial: 4, recordCount: 3 });
    stored.connection.prepare('DELETE FROM event_delta WHERE place = ?').run(place);
    intact(stored);
  });

  it('invariant 6: a failing command between good ones leaves nothing behind', async () => {
    const stored = await open();
    await stored.zone('a');
    const bug: Command = {
      kind: 'update-secondary',
      name: 'x',
      get address(): string {
        throw new TypeError('a bug');
      },
    };
    await stored.run({ kind: 'create-secondary', name: 'x', address: '192.0.2.1' });
    const outcomes = await Promise.allSettled([
      stored.run(addition('x')),
      stored.run(bug),
      stored.run(addition('x')),
      stored.run(addition('y')),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
      'fulfilled',
    ]);
    expect((outcomes[1] as PromiseRejectedResult).reason).toBeInstanceOf(TypeError);
    expect(stored.zones.byName('a')).toMatchObject({ serial: 3, recordCount: 2 });
    const ids = stored.connection.prepare('SELECT id FROM record ORDER BY id').pluck().all();
    expect(ids).toEqual([1, 2]);
    intact(stored);
  });
});

describe('the queue', () => {
  it('is closed after close, which waits for what was submitted before', async () => {
    const stored = await open();
    await stored.zone('a');
    const pending = stored.run(addition('www'));
    let settled = false;
    void pending.then(() => {
      settled = true;
    });
    const closing = stored.writer.close();
    await expect(stored.run(addition('late'))).rejects.toMatchObject({
      code: 'OVERLOADED',
      retryAfterSeconds: 1,
    });
    await closing;
    expect(settled).toBe(true);
    expect(stored.zones.byName('a')!.recordCount).toBe(1);
  });

  it('refuses with OVERLOADED while the queue is full, and takes commands again after', async () => {
    const stored = await open();
    const waiting = Array.from({ length: limits.queuedCommands }, () =>
      stored.run({ kind: 'bump-serial', zoneName: 'no' }).catch((error) => error.code),
    );
    await expect(stored.run(addition('x'))).rejects.toMatchObject({ code: 'OVERLOADED' });
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['ZONE_NOT_FOUND']));
    expect(await stored.zone('a')).toMatchObject({ serial: 1 });
  });

  it('invariant 11: dry runs write nothing, and show ids of 0', async () => {
    const stored = await open();
    await stored.zone('a');
    const before = everything(stored.connection);
    const { records, zone } = await stored.writer.submit(
      { kind: 'create-records', zoneName: 'a', records: [record('x', 'A', '192.0.2.1')] },
      dryRun,
    );
    expect(records.map(({ id }) => id)).toEqual([0]);
    expect(zone.serial).toBe(2);
    expect(everything(stored.connection)).toBe(before);
    await expect(stored.run(addition('..'), dryRun)).rejects.toMatchObject({
      code: 'INVALID_RECORD_NAME',
    });
  });

  it('invariant 8: refuses when the last id is given out', async () => {
    const stored = await open();
    const counters = stored.connection.prepare('INSERT OR REPLACE INTO counter VALUES (?, ?)');
    counters.run('record', limits.id - 1);
    counters.run('zone', limits.id - 1);
    counters.run('secondary', limits.id);
    await stored.zone('a');
    const { records } = await stored.run(addition('x'));
    expect(records[0]!.id).toBe(limits.id);
    const refused: [string, Command][] = [
      ['RECORD_CONFLICT', addition('y')],
      ['SECONDARY_CONFLICT', { kind: 'create-secondary', name: 'x', address: 'h' }],
    ];
    for (const [code, command] of refused) {
      await expect(stored.run(command)).rejects.toMatchObject({ code });
    }
    await expect(stored.zone('b')).rejects.toMatchObject({ code: 'ZONE_CONFLICT' });
  });

  it('takes new defaults for zones to come', async () => {
    const stored = await open();
    stored.writer.configure({
      zoneDefaults: { defaultTtl: 60, minimumTtl: 1, refresh: 2, retry: 3, expire: 4 },
    });
    expect(await stored.zone('a')).toMatchObject({ defaultTtl: 60, minimumTtl: 1, expire: 4 });
  });

  it('dates records and zones with the event that made them', async () => {
    let now = 1_000;
    const stored = await open({ clock: () => now++ });
    const zone = await stored.zone('a', { apexNs: true });
    expect(stored.zones.byName('a')).toEqual(zone);
    expect(zone.createdAt).toBe(stored.journal.head().at);
    expect(stored.records.byId(1)!.record.createdAt).toBe(zone.createdAt);
  });
});

describe('listeners', () => {
  it('invariant 10: hear of every change after its commit, by kind, once a batch', async () => {
    const stored = await open();
    const published: string[] = [];
    stored.writer.onCommit((changes) => {
      // What is told is durable: another connection sees it already.
      const reader = new Sqlite(stored.file, { readonly: true });
      const seqs = reader.prepare('SELECT max(seq) FROM event').pluck().get();
      reader.close();
      expect(seqs).toBe(stored.journal.head().seq);
      expect(stored.connection.inTransaction).toBe(false);
      published.push(changes.map(describeChange).join(', '));
    });
    await stored.zone('a');
    await stored.run(addition('x'));
    await stored.run({ kind: 'bump-serial', zoneName: 'a' });
    await stored.run({ kind: 'update-zone', zoneName: 'a', retry: 9 });
    await stored.run({ kind: 'update-zone', zoneName: 'a', name: 'b' });
    await stored.run({ kind: 'update-zone', zoneName: 'b', enabled: false });
    await stored.run({ kind: 'update-zone', zoneName: 'b', enabled: true });
    await stored.run({ kind: 'delete-zone', zoneName: 'b' });
    expect(published).toEqual([
      'created a<a 1',
      'changed a<a 2',
      'bumped a<a 3',
      'changed a<a 4',
      'renamed b<a 5',
      'disabled b<b 6',
      'enabled b<b 7',
      'deleted b<b 7',
    ]);
  });

  it('hear nothing of refusals, dry runs, changes of nothing, and secondaries', async () => {
    const stored = await open();
    await stored.zone('a');
    const published: ZoneChange[] = [];
    stored.writer.onCommit((changes) => published.push(...changes));
    await Promise.allSettled([
      stored.run(addition('..')),
      stored.run(addition('x'), dryRun),
      stored.run({ kind: 'update-zone', zoneName: 'a' }),
      stored.run({ kind: 'delete-records', zoneName: 'a', name: 'x' }),
      stored.run({ kind: 'create-secondary', name: 'x', address: 'h' }),
    ]);
    expect(published).toEqual([]);
  });

  function describeChange({ kind, zone, previousName }: ZoneChange): string {
    return `${kind} ${zone.name}<${previousName} ${zone.serial}`;
  }
});

describe('when the disk is full', () => {
  it('invariant 5: callers hear the truth, and what they were told stays', async () => {
    const folder = temporaryFolder();
    const stored = await open({ folder });
    await stored.zone('a');
    const pages = stored.connection.pragma('page_count', { simple: true }) as number;
    stored.connection.pragma(`max_page_count = ${pages + 12}`);
    const published: number[] = [];
    stored.writer.onCommit((changes) => published.push(...changes.map(({ zone }) => zone.serial)));
    const acknowledged: number[] = [];
    let failed = 0;
    for (let round = 0; round < 12; round++) {
      const big = Array.from({ length: 8 }, (_, index) =>
        stored.run({
          kind: 'create-records',
          zoneName: 'a',
          records: [record(`n${round}-${index}`, 'TXT', 'x'.repeat(index === 3 ? 20_000 : 200))],
        }),
      );
      for (const outcome of await Promise.allSettled(big)) {
        if (outcome.status === 'rejected') failed++;
        else acknowledged.push(outcome.value.records[0]!.id);
      }
    }
    expect(failed).toBeGreaterThan(0);
    expect(acknowledged.length).toBeGreaterThan(0);
    const stands = () =>
      stored.connection.prepare('SELECT id FROM record ORDER BY id').pluck().all();
    expect(stands()).toEqual(acknowledged.toSorted((a, b) => a - b));
    expect(stored.zones.byName('a')).toMatchObject({
      serial: 1 + acknowledged.length,
      recordCount: acknowledged.length,
    });
    expect(Math.max(...published)).toBe(1 + acknowledged.length);
    expect(verifyChain(stored.journal).findings).toEqual([]);

    // With room again, the service goes on.
    stored.connection.pragma('max_page_count = 1000000');
    await stored.run(addition('after'));
    intact(stored);
    await stored.close();
    opened.length = 0;
    const reopened = openStoredZones({ folder });
    expect(reopened.zones.byName('a')!.recordCount).toBe(acknowledged.length + 1);
    intact(reopened);
    await reopened.close();
    rmSync(folder, { recursive: true });
  });

  it('a transaction that can not begin fails its callers instead of keeping them', async () => {
    const stored = await open();
    await stored.zone('a');
    stored.connection.pragma('busy_timeout = 20');
    const other = new Sqlite(stored.file);
    other.exec('BEGIN IMMEDIATE');
    const outcomes = await Promise.allSettled([
      stored.run(addition('x')),
      stored.run(addition('y')),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    other.exec('ROLLBACK');
    other.close();
    await stored.run(addition('z'));
    expect(stored.zones.byName('a')).toMatchObject({ serial: 2, recordCount: 1 });
    intact(stored);
  });

  it('invariant 10: a commit that fails rejects the whole batch, and the next one stands', async () => {
    const stored = await open();
    await stored.zone('a');
    const before = everything(stored.connection);
    const published: ZoneChange[] = [];
    stored.writer.onCommit((changes) => published.push(...changes));
    // All of them, because a slow machine may cut the batch.
    let isFull = true;
    onTransaction(stored.connection, (word) => {
      if (word === 'COMMIT' && isFull) throw new Error('disk I/O error');
    });
    const outcomes = await Promise.allSettled([
      stored.run(addition('x')),
      stored.run(addition('..')),
      stored.run(addition('y')),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(everything(stored.connection)).toBe(before);
    expect(published).toEqual([]);
    isFull = false;
    await stored.run(addition('x'), apiOptions);
    expect(stored.records.byId(1)).toBeDefined();
    intact(stored);
  });
});

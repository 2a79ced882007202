import { readFileSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  clear,
  closeKept,
  count,
  expectWhole,
  type Kept,
  kinds,
  msPerDay,
  openKept,
  page,
} from '../../../spec/support/kept-zones.ts';
import { apiOptions, record } from '../../../spec/support/stored-zones.ts';
import { errorOf, failureOf } from '../../base/storage-problem.ts';
import { settingsOf } from '../../domain/zone.ts';
import { emptyDelta, type ZoneEvent } from '../../domain/event.ts';
import { StoredDamage } from '../../journal/damage.ts';
import { HistoryDrop } from '../../journal/history-drop.ts';
import { Fold } from '../../projection/fold.ts';
import { Pending } from '../../projection/pending.ts';
import { rebuildProjections } from '../../projection/rebuild.ts';
import { VersionQueries } from '../../query/version-queries.ts';
import { CheckpointWriter } from './checkpoint-writer.ts';

const userSerials = { includeSignerSerials: false };

const { SqliteError } = Sqlite;

afterEach(async () => {
  vi.restoreAllMocks();
  await closeKept();
});

/** Two zones with twenty steps each, all of them old. */
async function openOld(): Promise<Kept> {
  const all = openKept();
  for (const name of ['a.example', 'b.example']) {
    await all.stored.zone(name);
    for (let day = 1; day <= 20; day++) {
      all.now += msPerDay;
      await all.stored.add(name, record(`d${day}`, 'A', '192.0.2.1'));
    }
  }
  all.now += 20 * msPerDay;
  return all;
}

/** The oldest step of each that still holds what it did. */
function oldestOf({ stored }: Kept): unknown[] {
  const kept = 'SELECT min(serial) FROM event WHERE stream = ? AND payload IS NOT NULL';
  return [1, 2].map((id) => stored.connection.prepare(kept).pluck().get(id));
}

/** The first checkpoint can not be written. */
function failWith(error: Error): void {
  vi.spyOn(CheckpointWriter.prototype, 'write').mockRejectedValueOnce(error);
}

const rowsOf = { table: 'block', content: 1 } as const;
const damages: readonly [string, (all: Kept) => void][] = [
  [
    'damaged rows',
    ({ stored: { connection } }) =>
      connection.exec('UPDATE block SET checksum = checksum + 1 WHERE content = 1'),
  ],
  ['damaged pages', () => failWith(new SqliteError('said by SQLite', 'SQLITE_CORRUPT'))],
  ['damage that another thread met', () => failWith(errorOf(failureOf(new StoredDamage(rowsOf))))],
];

describe('a run of retention', () => {
  it('lets go of steps that are old, keeps the others, and needs one checkpoint for many runs', async () => {
    const all = openKept();
    const { stored, retention } = all;
    await stored.zone('a.example');
    await stored.zone('still.example');
    for (let day = 1; day <= 20; day++) {
      all.now += msPerDay;
      await stored.add('a.example', record(`d${day}`, 'A', '192.0.2.1'));
    }
    await retention.run();
    const versions = new VersionQueries(stored.connection);
    const serials = () =>
      versions
        .list(stored.zones.byName('a.example')!, userSerials, page)
        .items.map(({ serial }) => serial);
    // Serial 11 was made ten days ago to the millisecond, and 10 was in force until then.
    expect(serials().at(-1)).toBe(10);
    expect(kinds(all).filter((kind) => kind === 'zone.checkpointed')).toHaveLength(1);
    expect(kinds(all).filter((kind) => kind.startsWith('('))).toHaveLength(10);
    all.now += 5 * msPerDay;
    await retention.run();
    expect(serials().at(-1)).toBe(15);
    all.now += 4 * msPerDay;
    await retention.run();
    expect(serials().at(-1)).toBe(19);
    expect(kinds(all).filter((kind) => kind.includes('checkpointed'))).toEqual([
      'zone.checkpointed',
    ]);
    // A zone that never changed has nothing older than what it is.
    expect(kinds(all)[1]).toBe('zone.created');
    all.now += 30 * msPerDay;
    await stored.add('a.example', record('late', 'A', '192.0.2.1'));
    all.now += 11 * msPerDay;
    await retention.run();
    expect(kinds(all).filter((kind) => kind.includes('checkpointed'))).toEqual([
      '(zone.checkpointed)',
      'zone.checkpointed',
    ]);
    expect(serials()).toEqual([22]);
    const head = stored.journal.head();
    await retention.run();
    expect(stored.journal.head()).toEqual(head);
    expectWhole(all);
  });

  it.each(damages)('leaves a zone with %s, and comes to those after it', async (_, harm) => {
    const all = await openOld();
    harm(all);
    await all.retention.run();
    expect(oldestOf(all)).toEqual([1, null]);
    expect(all.errors).toMatchObject([['retention.failed', { zoneId: 1 }]]);
  });

  it('ends at a disk that fails, which each zone would say again', async () => {
    const all = await openOld();
    failWith(new SqliteError('said by SQLite', 'SQLITE_FULL'));
    await all.retention.run();
    expect(oldestOf(all)).toEqual([1, 1]);
    expect(all.errors).toMatchObject([['retention.failed', { error: { code: 'SQLITE_FULL' } }]]);
  });

  it('purges zones that were deleted too long ago, and leaves no trace of what was in them', async () => {
    const all = openKept();
    const { stored, stages, retention } = all;
    const secret = 'x-marks-the-spot'.repeat(40);
    await stored.zone('gone.example', { rname: 'somebody.private@gone.example' });
    const many = Array.from({ length: 300 }, (_, index) => record(`n${index}`, 'TXT', secret));
    await stored.add('gone.example', ...many);
    await stored.run({ kind: 'delete-records', zoneName: 'gone.example', name: 'n7' });
    await stored.zone('kept.example', { apexNs: true });
    await stored.run({ kind: 'delete-zone', zoneName: 'gone.example' });
    all.now += 11 * msPerDay;
    await retention.run();
    await clear(all);
    expectWhole(all);
    expect(kinds(all)).toEqual([
      '(zone.created)',
      '(records.changed)',
      '(records.changed)',
      'zone.created',
      '(zone.deleted)',
      'zone.purged',
    ]);
    expect([count(all, 'deleted_zone'), count(all, 'record'), count(all, 'block')]).toEqual([
      0, 1, 1,
    ]);
    expect(count(all, 'event_delta')).toBe(1);
    stored.connection.pragma('wal_checkpoint(TRUNCATE)');
    const bytes = readFileSync(stored.file, 'latin1');
    for (const trace of ['x-marks-the-spot', 'somebody.private']) {
      expect([trace, bytes.includes(trace)]).toEqual([trace, false]);
    }
    // The name goes on above its last serial, and ids are not given out again.
    expect(await stored.zone('gone.example')).toMatchObject({ id: 3, serial: 4 });
    const { records } = await stored.add('gone.example', record('a', 'A', '192.0.2.1'));
    expect(records[0]!.id).toBe(302);
    rebuildProjections(stored.connection, stored.journal);
    expectWhole(all);
    await expect(stored.run({ kind: 'restore-zone', name: 'gone.example', id: 1 })).rejects.toThrow(
      /no deleted zone/,
    );
    expect(stages.isEmpty()).toBe(true);
  });
});

describe('forgetting', () => {
  it('of a large zone goes on while the zone changes, and takes nothing of the changes away', async () => {
    const all = openKept();
    const { stored, retention } = all;
    const made = await stored.zone('large.example');
    const many = Array.from({ length: 4000 }, (_, index) =>
      record(`n${index}`, 'TXT', 'x'.repeat(100)),
    );
    await stored.add('large.example', ...many);
    await stored.run({ kind: 'delete-records', zoneName: 'large.example', name: 'n1' });
    all.now += 1000;
    const forgotten = retention.forget(made, all.now, apiOptions);
    const changes: Promise<unknown>[] = [];
    // Until the checkpoint is there, however long its thread takes, and on.
    const isDone = () => kinds(all).includes('zone.checkpointed');
    for (let index = 0, after = 0; index < 20 || after < 5; index++) {
      all.now += 1;
      changes.push(stored.add('large.example', record(`m${index}`, 'A', '192.0.2.1')));
      await new Promise((resolve) => setTimeout(resolve, 1));
      if (isDone()) after++;
    }
    await Promise.all([forgotten, ...changes]);
    await clear(all);
    const events = [...stored.journal.events()];
    const checkpoint = events.find(({ kind }) => kind === 'zone.checkpointed')!;
    expect(checkpoint.delta).not.toBe(checkpoint.seq);
    expect(JSON.parse(checkpoint.payload!)).toMatchObject({ added: 3999, standIn: { upToSeq: 3 } });
    // Steps were made between the state that was written down and the checkpoint, and after it.
    expect(checkpoint.seq).toBeGreaterThan(4);
    expect(checkpoint.seq).toBeLessThan(events.length);
    expect(events.filter(({ payload }) => payload === null).map(({ seq }) => seq)).toEqual([
      1, 2, 3,
    ]);
    expectWhole(all);
    const zone = stored.zones.byName('large.example')!;
    const versions = new VersionQueries(stored.connection);
    expect([...versions.records(zone, 3)].flat()).toHaveLength(3999);
    expect([...versions.records(zone, 13)].flat()).toHaveLength(4009);
    expect(() => versions.records(zone, 2)).toThrow(/no version/);
  });

  it('keeps derived records beside those of users', async () => {
    const all = openKept();
    const { stored, retention } = all;
    const { connection, journal } = stored;
    const zone = await stored.zone('signed.example', { apexNs: true });
    await stored.add('signed.example', record('www', 'A', '192.0.2.1'));
    const rdata = Buffer.from('0001', 'hex');
    const before = settingsOf(stored.zones.byId(zone.id)!);
    const event: ZoneEvent = {
      kind: 'records.changed',
      zoneId: zone.id,
      before,
      after: { ...before, serial: before.serial + 1 },
      delta: {
        ...emptyDelta,
        dnssecAdded: [
          { owner: '' as never, type: 48, ttl: 60, rdata },
          { owner: 'www\0' as never, type: 47, ttl: 60, rdata },
        ],
      },
    };
    connection.transaction(() => {
      const pending = new Pending(connection);
      const provenance = {
        changeSource: 'system',
        actorKind: null,
        actorName: null,
        actorUid: null,
        reason: null,
        reference: null,
        requestId: null,
      };
      new Fold(connection, pending).apply(event, {
        at: journal.append(event, all.now, provenance).at,
        actorName: null,
      });
      journal.flush();
      pending.flush();
    })();
    stored.writer.forget();
    all.now += 1;
    await retention.forget(zone, all.now, apiOptions);
    expect(kinds(all).filter((kind) => kind.startsWith('('))).toHaveLength(3);
    expect(stored.zones.byId(zone.id)).toMatchObject({ recordCount: 2, dnssecCount: 2 });
    const shown = connection.prepare('SELECT records, ids FROM block').all();
    expectWhole(all);
    rebuildProjections(connection, journal);
    expect(connection.prepare('SELECT records, ids FROM block').all()).toEqual(shown);
    expect(stored.zones.byId(zone.id)).toMatchObject({ recordCount: 2, dnssecCount: 2 });
  });

  it('invariant 1: lets the content of events go only where something stands in for them', async () => {
    const all = openKept();
    const { stored, retention } = all;
    const zone = await stored.zone('a.example');
    await stored.add('a.example', record('a', 'A', '192.0.2.1'));
    all.now += 1;
    const before = all.now;
    await stored.add('a.example', record('b', 'A', '192.0.2.1'));
    await stored.zone('b.example', { apexNs: true });
    await retention.forget(zone, before, apiOptions);
    await stored.add('a.example', record('c', 'A', '192.0.2.1'));
    expect(kinds(all).slice(0, 3)).toEqual([
      '(zone.created)',
      '(records.changed)',
      'records.changed',
    ]);
    const { connection } = stored;
    for (const refused of [
      'UPDATE event SET payload = NULL WHERE seq = 4',
      'UPDATE event SET payload = NULL WHERE seq = 5',
      'UPDATE event SET payload = NULL WHERE seq = 6',
      'UPDATE event SET payload = NULL, at = 0 WHERE seq = 3',
      "UPDATE event SET zone_name = 'other' WHERE seq = 1",
      'DELETE FROM event WHERE seq = 1',
      'DELETE FROM event_delta WHERE place / 65536 = 3',
      'DELETE FROM event_delta WHERE place / 65536 = 5',
    ]) {
      expect(() => connection.exec(refused), refused).toThrow(/append-only/);
    }
    connection.exec('UPDATE event SET payload = NULL WHERE seq = 3');
    expectWhole(all);
  });

  it('goes on after the next start when a stop cuts it short', async () => {
    const all = openKept();
    const { stored, retention } = all;
    const zone = await stored.zone('long.example');
    const changes = Array.from({ length: 300 }, (_, index) =>
      stored.add('long.example', record(`n${index}`, 'A', '192.0.2.1')),
    );
    await Promise.all(changes);
    all.now += 1;
    const forgotten = expect(retention.forget(zone, all.now, apiOptions)).rejects.toThrow(
      /stopping/,
    );
    const last = () => kinds(all).at(-1);
    await expect.poll(last, { interval: 1 }).toBe('zone.history-forgotten');
    await retention.stop();
    await forgotten;
    const gone = () => kinds(all).filter((kind) => kind.startsWith('(')).length;
    expect(gone()).toBeGreaterThan(0);
    expect(gone()).toBeLessThan(301);
    await clear(all);
    expect(gone()).toBe(301);
    expectWhole(all);
  });

  it('leaves the rest to the purge when the zone is deleted while a stage is waited for', async () => {
    const all = openKept();
    const { stored, retention } = all;
    const zone = await stored.zone('a.example');
    const { id } = zone;
    const other = await stored.zone('b.example');
    for (const name of ['a.example', 'b.example']) {
      await stored.add(name, record('a', 'A', '192.0.2.1'));
    }
    // A deleted zone may come back: until it is purged its stage is not cleared away.
    stored.connection.exec(`INSERT INTO stage (number, zone_id, first_id, end_id, state)
      VALUES (3, ${id}, 0, 0, 1)`);
    all.now += 1;
    const drops = vi.spyOn(HistoryDrop.prototype, 'drop');
    const forgotten = retention.forget(zone, all.now, apiOptions);
    await expect.poll(() => drops.mock.results.at(-1)?.value).toBe('waits');
    drops.mockRestore();
    await stored.run({ kind: 'delete-zone', zoneName: 'a.example' });
    await forgotten;
    await retention.forget(other, all.now, apiOptions);
    await stored.run({ kind: 'purge-zone', name: 'a.example', id });
    await clear(all);
    expectWhole(all);
  });

  it('asks for the right when it comes to it', async () => {
    const all = openKept();
    const { stored, retention } = all;
    const zone = await stored.zone('a.example');
    await stored.add('a.example', record('a', 'A', '192.0.2.1'));
    all.now += 1;
    await retention.forget(zone, all.now, apiOptions);
    await stored.add('a.example', record('b', 'A', '192.0.2.1'));
    all.now += 1;
    const before = kinds(all);
    // A checkpoint is there already, so that nothing else is asked of the writer.
    const gone = { kind: 'token', id: 7, name: 'gone' } as const;
    const forgotten = retention.forget(zone, all.now - 1, { ...apiOptions, actor: gone });
    await expect(forgotten).rejects.toMatchObject({ code: 'INVALID_TOKEN' });
    expect(kinds(all)).toEqual(before);
    expectWhole(all);
  });

  it('writes down who deletes what, also where a checkpoint is there, before anything goes', async () => {
    const all = openKept();
    const { stored, retention } = all;
    const zone = await stored.zone('a.example');
    for (const name of ['a', 'b', 'c']) {
      all.now += 1000;
      await stored.add('a.example', record(name, 'A', '192.0.2.1'));
    }
    const forgotten = { versions: 1, oldestSerial: 2 };
    const middle = all.now - 1000;
    expect(await retention.forget(zone, middle, apiOptions)).toMatchObject(forgotten);
    const first = kinds(all).length;
    expect(kinds(all).slice(-2)).toEqual(['zone.checkpointed', 'zone.history-forgotten']);
    const why = { reason: 'asked for by its owner', reference: null };
    await retention.forget(zone, all.now, { ...apiOptions, why });
    expect(kinds(all).slice(first)).toEqual(['zone.history-forgotten']);
    const last = [...stored.journal.events()].at(-1)!;
    expect(last).toMatchObject({ serial: null, changeSource: 'api', reason: why.reason });
    expect(JSON.parse(last.payload!).forgotten).toMatchObject({ versions: 1, oldestSerial: 3 });
    await retention.forget(zone, all.now, apiOptions);
    expect(kinds(all)).toHaveLength(first + 1);
    expectWhole(all);
  });

  it('counts what goes when it comes to it, once', async () => {
    const all = openKept();
    const { stored, retention } = all;
    const zone = await stored.zone('a.example');
    for (const name of ['a', 'b']) await stored.add('a.example', record(name, 'A', '192.0.2.1'));
    all.now += 1;
    const twice = [0, 1].map(() => retention.forget(zone, all.now, apiOptions));
    expect((await Promise.all(twice)).map(({ versions }) => versions)).toEqual([2, 0]);
  });

  it('of a zone that is deleted while its checkpoint is written deletes nothing', async () => {
    const all = openKept();
    const { stored, retention } = all;
    const zone = await stored.zone('a.example');
    await stored.add('a.example', record('a', 'A', '192.0.2.1'));
    all.now += 1;
    vi.spyOn(CheckpointWriter.prototype, 'write').mockImplementationOnce(async () => {
      await stored.run({ kind: 'delete-zone', zoneName: 'a.example' });
    });
    await expect(retention.forget(zone, all.now, apiOptions)).rejects.toMatchObject({
      code: 'ZONE_NOT_FOUND',
    });
    expect(kinds(all).filter((kind) => kind.startsWith('('))).toEqual([]);
    expectWhole(all);
  });

  it('waits for what a stage has left, and is refused when the service stops', async () => {
    const all = openKept();
    const { stored, retention, stages } = all;
    const zone = await stored.zone('a.example');
    const { id } = zone;
    await stored.add('a.example', record('a', 'A', '192.0.2.1'));
    stored.connection.exec(`INSERT INTO stage (number, zone_id, first_id, end_id, state)
      VALUES (2, ${id}, 0, 0, 1)`);
    all.now += 1;
    const drops = vi.spyOn(HistoryDrop.prototype, 'drop');
    const forgotten = retention.forget(zone, all.now, apiOptions);
    await expect.poll(() => drops.mock.results.at(-1)?.value).toBe('waits');
    drops.mockRestore();
    expect(kinds(all).filter((kind) => kind.startsWith('('))).toEqual(['(zone.created)']);
    expectWhole(all);
    await clear(all);
    await forgotten;
    expect(kinds(all).filter((kind) => kind.startsWith('('))).toHaveLength(2);
    expect(stages.isEmpty()).toBe(true);
    await stored.add('a.example', record('b', 'A', '192.0.2.1'));
    await retention.stop();
    all.now += 1;
    await expect(retention.forget(zone, all.now, apiOptions)).rejects.toThrow(/stopping/);
  });
});

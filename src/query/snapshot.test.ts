import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { pageBytes, pagesOf, zeroPage } from '../../spec/support/damaged-files.ts';
import { update } from '../../spec/support/dynamic-updates.ts';
import {
  openStoredZones,
  record,
  type StoredZones,
  temporaryFolder,
} from '../../spec/support/stored-zones.ts';
import { limits } from '../base/limits.ts';
import { unpackRecords } from '../dns/record.ts';
import { parseOwner } from '../domain/record.ts';
import { apexOf } from '../domain/zone.ts';
import { StoredDamage } from '../journal/damage.ts';

import { SnapshotPool } from './snapshot.ts';
import { ActivityStore, TransferLog } from '../projection/activity-log.ts';

let stored: StoredZones;

beforeAll(() => {
  stored = openStoredZones({ durable: false });
});
afterAll(() => stored.close());

describe('snapshots', () => {
  it('give a large zone in chunks of whole blocks, all of it and nothing twice', async () => {
    await stored.zone('large');
    const names = Array.from({ length: 20_000 }, (_, index) => `h${index}`);
    for (let at = 0; at < names.length; at += 5_000) {
      const records = names.slice(at, at + 5_000).map((name) => record(name, 'A', '192.0.2.1'));
      await stored.add('large', ...records);
    }
    const zone = stored.zones.byName('large')!;
    const snapshot = stored.snapshots.open();
    const chunks = [...snapshot.blocks(zone.id)];
    snapshot.close();
    expect(chunks.length).toBeGreaterThan(1);
    const owners = chunks.flatMap(({ count, records }) => {
      const unpacked = [...unpackRecords(records)];
      expect(unpacked).toHaveLength(count);
      expect(records.length).toBeLessThan(1 << 20);
      return unpacked.map(({ owner }) => owner);
    });
    expect(owners).toEqual(names.map((name) => parseOwner(name, apexOf(zone))).sort());
  });

  it('give bytes of any kind as they are', async () => {
    await stored.zone('bytes');
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
    const value = `\\# 256 ${bytes.toString('hex')}`;
    await stored.add(
      'bytes',
      ...['\\000', '\\255', 'a'].map((name) => record(name, 'TYPE65280', value)),
    );
    const snapshot = stored.snapshots.open();
    const records = [...snapshot.blocks(stored.zones.byName('bytes')!.id)].flatMap((chunk) => [
      ...unpackRecords(chunk.records),
    ]);
    snapshot.close();
    expect(records.map(({ rdata }) => rdata)).toEqual([bytes, bytes, bytes]);
  });

  it('break off where a change has lost a part since it was counted', async () => {
    await stored.zone('lost');
    await stored.add('lost', record('x', 'A', '192.0.2.1'));
    const zone = stored.zones.byName('lost')!;
    const snapshot = stored.snapshots.open();
    try {
      const step = snapshot.differences(zone, zone.serial - 1)![0]!;
      expect([...snapshot.parts(step)]).toHaveLength(1);
      const more = { ...step, addedCount: step.addedCount + 1 };
      expect(() => [...snapshot.parts(more)]).toThrow(StoredDamage);
      // And it is known: the next one asks for the whole zone.
      expect(snapshot.differences(zone, zone.serial - 1)).toBeUndefined();
    } finally {
      snapshot.close();
    }
  });

  it('tell no steps that the journal does not have', async () => {
    await stored.zone('a', { serial: 10 });
    await stored.add('a', record('x', 'A', '192.0.2.1'));
    await stored.run({ kind: 'bump-serial', zoneName: 'a' });
    const zone = stored.zones.byName('a')!;
    const snapshot = stored.snapshots.open();
    const serials = (from: number, most?: number) =>
      snapshot.differences(zone, from, most)?.map(({ serial }) => serial);
    expect(serials(10)).toEqual([11, 12]);
    expect(serials(11)).toEqual([12]);
    expect(serials(12)).toEqual([]);
    for (const from of [0, 1, 9, 13, limits.serial, 0xffff_ffff]) {
      expect(serials(from)).toBeUndefined();
    }
    expect(serials(10, 1)).toBeUndefined();
    expect(serials(10, 2)).toHaveLength(2);
    expect([...snapshot.parts(snapshot.differences(zone, 11)![0]!)]).toEqual([]);
    snapshot.close();
  });

  it('tell a step of many parts in pages, removed before added', async () => {
    await stored.zone('parts');
    const value = `\\# 40000 ${'00'.repeat(40_000)}`;
    const names = Array.from({ length: 40 }, (_, index) => `x${index}`);
    await stored.add('parts', ...names.map((name) => record(name, 'TYPE65280', value)));
    const otherTtl = names.map((name) => `add ${name} 5 TYPE65280 ${value}`);
    await stored.run(update('parts', [], otherTtl));
    const zone = stored.zones.byName('parts')!;
    const snapshot = stored.snapshots.open();
    const [step] = snapshot.differences(zone, 2)!;
    expect(step).toMatchObject({ removedCount: 40, addedCount: 40 });
    const changes = [...snapshot.parts(step!)].map(({ change, count }) => `${change} ${count}`);
    expect(changes).toEqual([...Array(40).fill('removed 1'), ...Array(40).fill('added 1')]);
    snapshot.close();
  });

  it('are limited in number, and closing twice is closing once', () => {
    const pool = new SnapshotPool(stored.file, 2);
    const [first, second] = [pool.open(), pool.open()];
    expect(() => pool.open()).toThrow(expect.objectContaining({ code: 'OVERLOADED' }));
    first.close();
    first.close();
    const third = pool.open();
    expect(() => pool.open()).toThrow(/too many/);
    second.close();
    third.close();
    pool.close();
  });

  it.each([
    ['make room for others also where a page of theirs is damaged', 'block'],
    ['leave no connection where they can not be opened', 'event_stream_serial'],
  ])('%s', async (_, table) => {
    const folder = temporaryFolder();
    const damaged = openStoredZones({ folder, durable: false });
    await damaged.zone('a');
    const names = Array.from({ length: 2000 }, (_, index) => `h${index}`);
    await damaged.add('a', ...names.map((name) => record(name, 'A', '192.0.2.1')));
    const zone = damaged.zones.byName('a')!;
    await damaged.close();
    for (const { start } of pagesOf(damaged.file, table)) zeroPage(damaged.file, start / pageBytes);
    const pool = new SnapshotPool(damaged.file, 1);
    using closing = vi.spyOn(Sqlite.prototype, 'close');
    const read = () => {
      const snapshot = pool.open();
      try {
        for (const each of snapshot.blocks(zone.id)) void each;
      } finally {
        snapshot.close();
      }
    };
    for (let time = 0; time < 2; time++) expect(read).toThrow(/malformed/);
    pool.close();
    expect(closing).toHaveBeenCalledTimes(table === 'block' ? 1 : 2);
  });

  it('make room for others also where SQLite has ended their transaction, as it does when a read fails', () => {
    const pool = new SnapshotPool(stored.file, 1);
    const executing = vi.spyOn(Sqlite.prototype, 'exec');
    const first = pool.open();
    const [connection] = executing.mock.contexts as [Sqlite.Database];
    executing.mockRestore();
    connection.exec('ROLLBACK');
    first.close();
    pool.open().close();
    pool.close();
  });

  it('make room for others also where their transaction can not be ended', () => {
    const pool = new SnapshotPool(stored.file, 1);
    const first = pool.open();
    using closing = vi.spyOn(Sqlite.prototype, 'close');
    const executing = vi.spyOn(Sqlite.prototype, 'exec');
    const fails = () => {
      throw new Error('it goes on');
    };
    executing.mockImplementationOnce(fails);
    first.close();
    const next = pool.open();
    executing.mockImplementationOnce(fails).mockImplementationOnce(fails);
    expect(() => next.close()).toThrow('it goes on');
    executing.mockRestore();
    expect(closing).toHaveBeenCalledTimes(1);
    pool.open().close();
    pool.close();
  });

  it('leave no connection where their statements can not be prepared', () => {
    const pool = new SnapshotPool(stored.file, 1);
    using closing = vi.spyOn(Sqlite.prototype, 'close');
    const preparing = vi.spyOn(Sqlite.prototype, 'prepare').mockImplementationOnce(() => {
      throw new Error('of another schema');
    });
    expect(() => pool.open()).toThrow('of another schema');
    preparing.mockRestore();
    expect(closing).toHaveBeenCalledTimes(1);
    pool.open().close();
    pool.close();
  });
});

describe('the transfer log', () => {
  it('keeps the latest transfer per zone and address, buffered until a flush', () => {
    const log = new TransferLog(async (entries) =>
      new ActivityStore(stored.connection).putTransfers(entries),
    );
    const entry = {
      zoneName: 'a',
      address: '192.0.2.1',
      kind: 'axfr',
      result: 'ok',
      incremental: false,
      serial: 1,
      error: null,
      bytes: null,
      tookMs: null,
    } as const;
    log.record({ ...entry, at: 1 });
    log.record({ ...entry, at: 2, kind: 'ixfr', incremental: true, serial: 2 });
    log.record({
      ...entry,
      at: 3,
      address: '192.0.2.2',
      result: 'refused',
      error: 'no',
      serial: null,
    });
    const rows = () => stored.connection.prepare('SELECT * FROM transfer ORDER BY address').all();
    expect(rows()).toEqual([]);
    log.flush();
    expect(rows()).toMatchObject([
      { address: '192.0.2.1', at: 2, kind: 'ixfr', incremental: 1, serial: 2 },
      { address: '192.0.2.2', at: 3, result: 'refused', error: 'no', serial: null },
    ]);
    log.flush();
    log.record({ ...entry, at: 9 });
    log.flush();
    expect(rows()).toMatchObject([{ at: 9, kind: 'axfr', incremental: 0 }, { at: 3 }]);
  });
});

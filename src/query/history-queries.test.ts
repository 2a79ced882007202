import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { createZones, mutation } from '../../spec/support/mutations.ts';
import { inTime } from '../../spec/support/rounds.ts';
import {
  openStoredZones,
  record,
  runs,
  type StoredZones,
  type StoredZonesOptions,
} from '../../spec/support/stored-zones.ts';
import type { NameKey } from '../dns/name.ts';
import { rrtype } from '../dns/rrtype.ts';
import { diffRecords } from '../domain/diff.ts';
import { isZoneEvent, type ZoneEvent } from '../domain/event.ts';
import type { ZoneRecord } from '../domain/record.ts';
import { apexOf, type Zone } from '../domain/zone.ts';
import { firstStage } from '../journal/delta.ts';
import { decodeEvent } from '../journal/event-row.ts';
import type { HistoryFilter } from './history-filter.ts';
import { HistoryQueries, maxRecordsReturned } from './history-queries.ts';
import { fullRights } from '../domain/access/rights.ts';

const page = { limit: 1000, offset: 0 };

const open: StoredZones[] = [];
afterEach(async () => {
  for (const stored of open.splice(0)) await stored.close();
});

function opened(options: StoredZonesOptions = {}): StoredZones {
  const stored = openStoredZones({ durable: false, ...options });
  open.push(stored);
  return stored;
}

function key(name: string): NameKey {
  return name as NameKey;
}

/** The events of a zone, newest first. */
function eventsOf(stored: StoredZones, zoneId: number): ZoneEvent[] {
  const events: ZoneEvent[] = [];
  for (const row of stored.journal.events()) {
    if (row.stream !== zoneId) continue;
    const event = decodeEvent(row, stored.journal.parts(row));
    if (isZoneEvent(event)) events.unshift(event);
  }
  return events;
}

/** What a history should be, by looking at every record of every event. */
function plainHistory(stored: StoredZones, zone: Zone, filter: HistoryFilter) {
  const { name, type, recordId } = filter;
  const passes = (one: ZoneRecord) =>
    (name === undefined || one.owner === name) &&
    (type === undefined || one.type === type) &&
    (recordId === undefined || one.id === recordId);
  const entries = [];
  for (const { after, delta, kind } of eventsOf(stored, zone.id)) {
    if (kind === 'zone.tagged') continue;
    const removed = delta.removed.filter(passes);
    const added = delta.added.filter(passes);
    const touches = removed.length + added.length > 0;
    if (Object.keys(filter).length > 0 && !touches) continue;
    const diff = diffRecords(apexOf(zone), removed, added);
    entries.push({ serial: after?.serial ?? null, kind, diff });
  }
  return entries;
}

describe('any changes', () => {
  it('are told newest first, whatever is asked for', async () => {
    const changes = fc.array(mutation, { minLength: 10, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(
        changes,
        fc.boolean(),
        inTime(async (mutations, staged) => {
          const stored = openStoredZones({ durable: false });
          try {
            await createZones(stored);
            for (const one of mutations) await Promise.allSettled([stored.run(one(stored))]);
            const history = new HistoryQueries(stored.connection);
            for (const zone of stored.zones.inOrder(false, 'all')) {
              const everything = eventsOf(stored, zone.id).flatMap(({ delta }) => [
                ...delta.removed,
                ...delta.added,
              ]);
              const filters: HistoryFilter[] = [{}];
              for (const { owner, type, id } of everything.slice(0, 12)) {
                filters.push({ name: owner }, { type }, { name: owner, type }, { recordId: id });
              }
              filters.push({ name: key('') }, { name: key('nothing\0') }, { recordId: 0x0c });
              const expected = filters.map((filter) => plainHistory(stored, zone, filter));
              if (staged) stageDeltas(stored);
              for (const [index, filter] of filters.entries()) {
                const { items, total } = history.list(fullRights, zone, filter, page);
                expect(items).toMatchObject(expected[index]!);
                expect(total).toBe(expected[index]!.length);
                const second = history.list(fullRights, zone, filter, { limit: 2, offset: 1 });
                expect(second).toMatchObject({ items: items.slice(1, 3), total });
                const { next: after } = history.list(fullRights, zone, filter, {
                  limit: 1,
                  offset: 0,
                });
                const behind = { limit: 2, offset: 0, after };
                if (after !== undefined) {
                  const { items: others } = history.list(fullRights, zone, filter, behind);
                  expect(others).toEqual(items.slice(1, 3));
                }
              }
              if (staged) break;
            }
          } finally {
            await stored.close();
          }
        }),
      ),
      { numRuns: runs(6) },
    );
  });
});

/** Moves all deltas to numbers of stages, as large changes have them. */
function stageDeltas({ connection }: StoredZones): void {
  connection.exec(`
    DROP TRIGGER event_no_update; DROP TRIGGER event_delta_no_update;
    UPDATE event_delta SET place = place + ${firstStage} * 65536;
    UPDATE event SET delta = seq + ${firstStage};`);
}

describe('an entry', () => {
  it('tells who, when, by which door, and which settings changed', async () => {
    let now = 1000;
    const stored = opened({ clock: () => now });
    await stored.zone('a.example');
    now = 2000;
    const changed = { retry: 7, name: 'b.example' };
    await stored.run({ kind: 'update-zone', zoneName: 'a.example', ...changed });
    stored.connection.exec(`DROP TRIGGER event_no_update;
      UPDATE event SET change_source = 'cli', actor_kind = 'token', actor_name = 'ops',
        request_id = 'request 1', reason = 'new rack' WHERE serial = 2`);
    const zone = stored.zones.byName('b.example')!;
    const { items, total } = new HistoryQueries(stored.connection).list(fullRights, zone, {}, page);
    expect(total).toBe(2);
    expect(items[0]).toEqual({
      serial: 2,
      createdAt: 2000,
      changeSource: 'cli',
      changedBy: { kind: 'token', name: 'ops' },
      actor: { kind: 'token', name: 'ops' },
      requestId: 'request 1',
      reason: 'new rack',
      reference: null,
      signing: null,
      kind: 'zone.renamed',
      diff: { apex: apexOf(zone), entries: [] },
      diffLeftOut: false,
      removedCount: 0,
      addedCount: 0,
      settingsChanged: ['name', 'retry'],
    });
    expect(items[1]).toMatchObject({ kind: 'zone.created', createdAt: 1000, settingsChanged: [] });
  });

  it('is there for a deletion, which has no serial, in its place among the others', async () => {
    const stored = opened();
    await stored.zone('a.example');
    await stored.run({ kind: 'delete-zone', zoneName: 'a.example' });
    await stored.run({ kind: 'restore-zone', name: 'a.example' });
    await stored.run({ kind: 'bump-serial', zoneName: 'a.example' });
    const zone = stored.zones.byName('a.example')!;
    const { items, total } = new HistoryQueries(stored.connection).list(fullRights, zone, {}, page);
    expect(items.map(({ kind, serial }) => [kind, serial])).toEqual([
      ['zone.serial-bumped', 3],
      ['zone.restored', 2],
      ['zone.deleted', null],
      ['zone.created', 1],
    ]);
    expect(total).toBe(4);
  });

  it('shows the step itself, narrowed to what was asked for', async () => {
    const stored = opened();
    await stored.zone('a.example');
    await stored.add('a.example', record('www', 'A', '192.0.2.1'), record('www', 'TXT', 'one'));
    await stored.add(
      'a.example',
      record('www', 'A', '192.0.2.2'),
      record('x.www', 'A', '192.0.2.9'),
    );
    const zone = stored.zones.byName('a.example')!;
    const history = new HistoryQueries(stored.connection);
    const { items } = history.list(fullRights, zone, { name: key('www\0'), type: rrtype.A }, page);
    expect(items.map(({ serial, addedCount }) => [serial, addedCount])).toEqual([
      [3, 1],
      [2, 1],
    ]);
    expect(items[0]!.diff.entries).toMatchObject([
      { change: 'added', owner: 'www\0', type: rrtype.A, from: [], to: [{ id: 3 }] },
    ]);
  });

  it('leaves out the diff of a step that changed more than is shown', async () => {
    const stored = opened();
    await stored.zone('a.example');
    const many = Array.from({ length: maxRecordsReturned + 1 }, (_, index) =>
      record(`n${index}`, 'A', '192.0.2.1'),
    );
    await stored.add('a.example', ...many);
    const zone = stored.zones.byName('a.example')!;
    const history = new HistoryQueries(stored.connection);
    const leftOut = { diffLeftOut: true, removedCount: 0, addedCount: 1001, diff: { entries: [] } };
    expect(history.list(fullRights, zone, {}, page).items[0]).toMatchObject(leftOut);
    expect(history.list(fullRights, zone, { type: rrtype.A }, page).items).toMatchObject([leftOut]);
    const narrowed = history.list(fullRights, zone, { name: key('n7\0') }, page).items;
    expect(narrowed).toMatchObject([{ diffLeftOut: false, addedCount: 1 }]);
    expect(narrowed[0]!.diff.entries).toHaveLength(1);
  });
});

describe('a record that was ever there', () => {
  it('is found while it stands, and after it is gone as it was last', async () => {
    const stored = opened();
    await stored.zone('a.example');
    const { records } = await stored.add('a.example', record('www', 'A', '192.0.2.1'));
    const id = records[0]!.id;
    const history = new HistoryQueries(stored.connection);
    expect(history.recordEver(fullRights, id)).toMatchObject({ owner: 'www\0', type: rrtype.A });
    await stored.run({ kind: 'update-record', id, name: 'web', type: 'TXT', value: 'moved' });
    expect(history.recordEver(fullRights, id)).toMatchObject({ owner: 'web\0', type: rrtype.TXT });
    await stored.run({ kind: 'delete-record', id });
    const zone = stored.zones.byName('a.example')!;
    expect(history.recordEver(fullRights, id)).toEqual({ zone, owner: 'web\0', type: rrtype.TXT });
    const { items } = history.list(fullRights, zone, { recordId: id }, page);
    expect(items.map(({ serial }) => serial)).toEqual([4, 3, 2]);
    expect(items[1]!.diff.entries.map(({ change, owner }) => [change, owner])).toEqual([
      ['added', 'web\0'],
      ['removed', 'www\0'],
    ]);
  });

  it('is not found under an id that was never given, nor in a zone that is gone', async () => {
    const stored = opened();
    await stored.zone('a.example');
    const { records } = await stored.add(
      'a.example',
      record('www', 'A', '192.0.2.1'),
      record('www', 'A', '192.0.2.2'),
    );
    const [first, second] = records.map(({ id }) => id) as [number, number];
    await stored.run({ kind: 'delete-record', id: first });
    const history = new HistoryQueries(stored.connection);
    expect(history.recordEver(fullRights, first)).toBeDefined();
    expect(history.recordEver(fullRights, second + 1)).toBeUndefined();
    expect(history.recordEver(fullRights, 0)).toBeUndefined();
    await stored.run({ kind: 'delete-zone', zoneName: 'a.example' });
    expect(history.recordEver(fullRights, first)).toBeUndefined();
    expect(history.recordEver(fullRights, second)).toBeUndefined();
    await stored.run({ kind: 'restore-zone', name: 'a.example' });
    expect(history.recordEver(fullRights, first)).toBeDefined();
    expect(history.recordEver(fullRights, second)).toBeDefined();
  });
});

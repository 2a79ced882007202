import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { createZones, type Mutation, mutation } from '../../spec/support/mutations.ts';
import { inTime } from '../../spec/support/rounds.ts';
import {
  openStoredZones,
  record,
  runs,
  type StoredZones,
  type StoredZonesOptions,
} from '../../spec/support/stored-zones.ts';
import { versionRecordText } from '../contract/record-json.ts';
import type { NameKey } from '../dns/name.ts';
import { compareRecords } from '../dns/record.ts';
import type { ZoneRecord } from '../domain/record.ts';
import { apexOf, settingsOf, type Zone, type ZoneSettings } from '../domain/zone.ts';
import { firstStage } from '../journal/delta.ts';
import { HistoryQueries } from './history-queries.ts';
import { VersionQueries } from './version-queries.ts';
import { fullRights } from '../domain/access/rights.ts';

const page = { limit: 1000, offset: 0 };
const userSerials = { includeSignerSerials: false };
/** So little that a read takes many stretches. */
const fewBytes = 2500;

const open: StoredZones[] = [];
afterEach(async () => {
  for (const stored of open.splice(0)) await stored.close();
});

function opened(options: StoredZonesOptions = {}): StoredZones {
  const stored = openStoredZones({ durable: false, ...options });
  open.push(stored);
  return stored;
}

/** A zone as it was seen while it was at a serial. */
interface Picture {
  readonly settings: ZoneSettings;
  readonly records: readonly ZoneRecord[];
}

/** By zone id, then by serial. */
type Pictures = Map<number, Map<number, Picture>>;

function recordsNow(stored: StoredZones, zone: Zone): ZoneRecord[] {
  const all = { limit: 100_000, offset: 0 };
  const found = stored.records.list(
    fullRights,
    { zoneId: zone.id },
    { key: 'name', descending: false },
    all,
  );
  return found.items.map(({ record: one }) => one).sort(compareRecords);
}

function lookAt(stored: StoredZones, pictures: Pictures): void {
  for (const zone of stored.zones.inOrder(false, 'all')) {
    const ofZone = pictures.get(zone.id) ?? new Map<number, Picture>();
    pictures.set(zone.id, ofZone);
    if (ofZone.has(zone.serial)) continue;
    ofZone.set(zone.serial, { settings: settingsOf(zone), records: recordsNow(stored, zone) });
  }
}

function inFull(batches: Iterable<readonly ZoneRecord[]>): ZoneRecord[] {
  return [...batches].flat();
}

function atOwner(records: readonly ZoneRecord[], owner: NameKey): ZoneRecord[] {
  return records.filter((one) => one.owner === owner);
}

/** One version with its changed owners put in the place of what it has there. */
function applied(
  records: readonly ZoneRecord[],
  nodes: ReturnType<VersionQueries['changedNodes']>,
): ZoneRecord[] {
  let result = [...records];
  let last: NameKey | undefined;
  for (const { owner, before, after } of nodes) {
    if (last !== undefined) expect(last < owner).toBe(true);
    last = owner;
    expect(before).toEqual(atOwner(records, owner));
    expect(after).not.toEqual(before);
    result = [...result.filter((one) => one.owner !== owner), ...after];
  }
  return result.sort(compareRecords);
}

function checkZone(versions: VersionQueries, zone: Zone, pictures: Map<number, Picture>): void {
  for (const [serial, { settings, records }] of pictures) {
    expect(versions.get(zone, serial)).toMatchObject({ serial, settings });
    expect(inFull(versions.records(zone, serial))).toEqual(records);
    expect(versions.recordCount(zone, serial)).toBe(records.length);
    const text = Buffer.concat([...versions.text(zone, serial)]).toString();
    expect(text).toBe(records.map((record) => versionRecordText(record, apexOf(zone))).join(','));
  }
  for (const [from, { records }] of pictures) {
    for (const [to, picture] of pictures) {
      expect(applied(records, versions.changedNodes(zone, from, to))).toEqual(picture.records);
    }
  }
}

/** Moves the deltas of every second event to numbers of stages, as large changes have them. */
function stageDeltas({ connection }: StoredZones): void {
  connection.exec(`
    DROP TRIGGER event_no_update; DROP TRIGGER event_delta_no_update;
    UPDATE event_delta SET place = place + ${firstStage} * 65536
      WHERE place / 65536 % 2 = 1;
    UPDATE event SET delta = seq + ${firstStage} WHERE seq % 2 = 1;`);
}

async function play(stored: StoredZones, mutations: readonly Mutation[]): Promise<Pictures> {
  const pictures: Pictures = new Map();
  await createZones(stored);
  lookAt(stored, pictures);
  for (const one of mutations) {
    try {
      await stored.run(one(stored));
    } catch (error) {
      expect(error).toMatchObject({ name: 'Problem' });
    }
    lookAt(stored, pictures);
  }
  return pictures;
}

describe('any changes', () => {
  it('every serial shows what it showed when it was current, and diffs lead from one to another', async () => {
    const changes = fc.array(mutation, { minLength: 10, maxLength: 24 });
    await fc.assert(
      fc.asyncProperty(
        changes,
        fc.boolean(),
        inTime(async (mutations, staged) => {
          const stored = openStoredZones({ durable: false });
          try {
            const pictures = await play(stored, mutations);
            if (staged) stageDeltas(stored);
            for (const memoryBytes of [undefined, fewBytes]) {
              const versions = new VersionQueries(stored.connection, memoryBytes);
              for (const zone of stored.zones.inOrder(false, 'all')) {
                checkZone(versions, zone, pictures.get(zone.id)!);
                const { items, total } = versions.list(zone, userSerials, page);
                const serials = [...pictures.get(zone.id)!.keys()].reverse();
                expect(items.map(({ serial }) => serial)).toEqual(serials);
                expect(total).toBe(serials.length);
              }
            }
          } finally {
            await stored.close();
          }
        }),
      ),
      { numRuns: runs(4) },
    );
  });
});

describe('versions', () => {
  it('tell who made them, when, by which door, and the settings of then', async () => {
    let now = 1000;
    const stored = opened({ clock: () => now });
    await stored.zone('a.example', { defaultTtl: 60 });
    now = 2000;
    await stored.run({ kind: 'update-zone', zoneName: 'a.example', defaultTtl: 7200 });
    stored.connection.exec(`DROP TRIGGER event_no_update;
      UPDATE event SET change_source = 'nsupdate', actor_kind = 'tsig_key', actor_name = 'key1'
      WHERE serial = 2`);
    const zone = stored.zones.byName('a.example')!;
    const { items, total } = new VersionQueries(stored.connection).list(zone, userSerials, page);
    expect(total).toBe(2);
    expect(items).toMatchObject([
      {
        serial: 2,
        createdAt: 2000,
        changeSource: 'nsupdate',
        changedBy: { kind: 'tsig_key', name: 'key1' },
        kind: 'zone.updated',
        settings: { defaultTtl: 7200, serial: 2 },
      },
      { serial: 1, createdAt: 1000, changeSource: 'api', changedBy: null, kind: 'zone.created' },
    ]);
    expect(items[1]!.settings.defaultTtl).toBe(60);
  });

  it('come in pages', async () => {
    const stored = opened();
    await stored.zone('a.example');
    for (let step = 0; step < 9; step++) {
      await stored.run({ kind: 'bump-serial', zoneName: 'a.example' });
    }
    const zone = stored.zones.byName('a.example')!;
    const versions = new VersionQueries(stored.connection);
    const { items, total } = versions.list(zone, userSerials, { limit: 3, offset: 8 });
    expect(items.map(({ serial }) => serial)).toEqual([2, 1]);
    expect(total).toBe(10);
  });

  it('are found by the time at which they were current', async () => {
    let now = 1000;
    const stored = opened({ clock: () => now });
    await stored.zone('a.example');
    now = 2000;
    await stored.run({ kind: 'bump-serial', zoneName: 'a.example' });
    await stored.run({ kind: 'bump-serial', zoneName: 'a.example' });
    now = 3000;
    await stored.run({ kind: 'delete-zone', zoneName: 'a.example' });
    now = 4000;
    await stored.run({ kind: 'restore-zone', name: 'a.example' });
    const zone = stored.zones.byName('a.example')!;
    const versions = new VersionQueries(stored.connection);
    const serials = [999, 1000, 1999, 2000, 2999, 3000, 3999, 4000, 9999].map((timeMs) =>
      versions.serialAt(zone, timeMs),
    );
    // Of two in one millisecond the later one counts; while it was deleted the zone was at none.
    expect(serials).toEqual([undefined, 1, 1, 3, 3, undefined, undefined, 4, 4]);
    const at = (timeMs: number) =>
      versions.list(zone, { ...userSerials, at: { at: timeMs } }, page);
    expect(at(2500)).toMatchObject({ items: [{ serial: 3, createdAt: 2000 }], total: 1 });
    expect(at(500)).toEqual({ items: [], total: 0 });
    expect(
      versions.list(zone, { ...userSerials, at: { at: 2500 } }, { limit: 1, offset: 1 }),
    ).toEqual({
      items: [],
      total: 1,
    });
  });

  it('case 94: of the time before a rename belong to the zone, under its own id', async () => {
    const stored = opened();
    await stored.zone('old.example');
    await stored.add('old.example', record('www', 'A', '192.0.2.1'));
    await stored.run({ kind: 'update-zone', zoneName: 'old.example', name: 'new.example' });
    await stored.run({ kind: 'delete-records', zoneName: 'new.example', name: 'www' });
    await stored.zone('old.example');
    const zone = stored.zones.byName('new.example')!;
    const versions = new VersionQueries(stored.connection);
    expect(versions.list(zone, userSerials, page).total).toBe(4);
    expect(inFull(versions.records(zone, 2))).toMatchObject([{ owner: 'www\0', id: 1 }]);
    expect(inFull(versions.records(zone, 1))).toEqual([]);
    const other = stored.zones.byName('old.example')!;
    expect(versions.list(other, userSerials, page).total).toBe(1);
  });

  it('refuses serials that the zone never had, naming both', async () => {
    const stored = opened();
    await stored.zone('a.example', { serial: 10 });
    const zone = stored.zones.byName('a.example')!;
    const versions = new VersionQueries(stored.connection);
    const refusal = {
      code: 'VERSION_NOT_FOUND',
      message: "zone 'a.example' has no version with the serial 9",
    };
    const refused = expect.objectContaining(refusal);
    expect(versions.get(zone, 9)).toBeUndefined();
    expect(() => versions.records(zone, 9)).toThrow(refused);
    expect(() => versions.changedNodes(zone, 9, 10)).toThrow(refused);
    expect(() => versions.changedNodes(zone, 10, 9)).toThrow(refused);
    expect([...versions.changedNodes(zone, 10, 10)]).toEqual([]);
  });

  it('case 95: a change of the TTL alone is one of the owner, with the same ids', async () => {
    const stored = opened();
    await stored.zone('a.example');
    const created = await stored.add('a.example', record('www', 'A', '192.0.2.1'));
    const id = created.records[0]!.id;
    await stored.run({ kind: 'update-record', id, ttl: 77 });
    const zone = stored.zones.byName('a.example')!;
    const [node, ...others] = new VersionQueries(stored.connection).changedNodes(zone, 2, 3);
    expect(others).toEqual([]);
    expect(node).toMatchObject({ before: [{ id, ttl: 3600 }], after: [{ id, ttl: 77 }] });
    const before = { ...node!.before[0]!, ttl: 77 };
    expect(node!.after).toEqual([before]);
  });

  it('takes a record that was deleted and made anew for another one', async () => {
    const stored = opened();
    await stored.zone('a.example');
    await stored.add('a.example', record('www', 'A', '192.0.2.1'));
    await stored.run({ kind: 'delete-records', zoneName: 'a.example', name: 'www' });
    await stored.add('a.example', record('www', 'A', '192.0.2.1'));
    const zone = stored.zones.byName('a.example')!;
    const nodes = [...new VersionQueries(stored.connection).changedNodes(zone, 4, 2)];
    expect(nodes).toMatchObject([{ before: [{ id: 2 }], after: [{ id: 1 }] }]);
  });

  it('large steps come back whole, in batches', async () => {
    const stored = opened();
    await stored.zone('a.example');
    const many = Array.from({ length: 6000 }, (_, index) =>
      record(`n${index}`, 'TXT', `${index} ${'x'.repeat(200)}`),
    );
    await stored.add('a.example', ...many);
    const full = recordsNow(stored, stored.zones.byName('a.example')!);
    for (let index = 0; index < 300; index++) {
      await stored.run({
        kind: 'delete-records',
        zoneName: 'a.example',
        name: `n${index * 20}`,
      });
    }
    const zone = stored.zones.byName('a.example')!;
    for (const memoryBytes of [undefined, 400_000]) {
      const versions = new VersionQueries(stored.connection, memoryBytes);
      const batches = [...versions.records(zone, 2)];
      expect(batches.flat()).toEqual(full);
      for (const batch of batches) expect(batch.length).toBeLessThanOrEqual(1000);
      expect(inFull(versions.records(zone, 1))).toEqual([]);
      expect([...versions.changedNodes(zone, 1, 2)]).toHaveLength(6000);
      expect([...versions.changedNodes(zone, 2, zone.serial)]).toHaveLength(300);
      const last = [...versions.changedNodes(zone, zone.serial, zone.serial - 3)];
      expect(last).toMatchObject(
        ['n5940', 'n5960', 'n5980'].map((name) => ({
          before: [],
          after: [{ owner: `${name}\0` }],
        })),
      );
    }
  });
});

describe('a step of more parts than are read at a time', () => {
  it('is read to its end, and so are those beside it', async () => {
    const stored = opened();
    await stored.zone('a.example');
    await stored.add('a.example', record('n7', 'A', '192.0.2.1'));
    // Two of these do not fit a part.
    const large = Array.from({ length: 150 }, (_, index) =>
      record(`n${index}`, 'TXT', 'x'.repeat(40_000)),
    );
    await stored.add('a.example', ...large);
    await stored.run({ kind: 'delete-records', zoneName: 'a.example', name: 'n8' });
    const zone = stored.zones.byName('a.example')!;
    for (const memoryBytes of [undefined, 1_000_000]) {
      const versions = new VersionQueries(stored.connection, memoryBytes);
      const counts = [1, 2, 3, 4].map((serial) => inFull(versions.records(zone, serial)).length);
      expect(counts).toEqual([0, 1, 151, 150]);
      const nodes = [...versions.changedNodes(zone, 3, 1)];
      expect(nodes).toHaveLength(150);
      expect(nodes.every(({ after }) => after.length === 0)).toBe(true);
      expect([...versions.changedNodes(zone, 2, 4)]).toHaveLength(149);
    }
  });
});

describe('what is not told any more', () => {
  /** As retention leaves an event: the header alone. */
  function prune({ connection }: StoredZones, condition: string): void {
    connection.exec(`
      DROP TRIGGER IF EXISTS event_no_update; DROP TRIGGER IF EXISTS event_delta_no_delete;
      DELETE FROM event_delta WHERE place / 65536 IN (SELECT delta FROM event WHERE ${condition});
      UPDATE event SET payload = NULL WHERE ${condition};`);
  }

  async function threeSteps(): Promise<StoredZones> {
    const stored = opened();
    await stored.zone('a.example');
    await stored.add('a.example', record('www', 'A', '192.0.2.1'));
    await stored.add('a.example', record('www', 'A', '192.0.2.2'));
    await stored.add('a.example', record('www', 'A', '192.0.2.3'));
    return stored;
  }

  it('is neither listed nor found; what came after it is', async () => {
    const stored = await threeSteps();
    const told = new VersionQueries(stored.connection).get(stored.zones.byName('a.example')!, 2);
    prune(stored, 'serial <= 2');
    const zone = stored.zones.byName('a.example')!;
    const versions = new VersionQueries(stored.connection);
    const { items, total } = versions.list(zone, userSerials, page);
    expect(items.map(({ serial }) => serial)).toEqual([4, 3, 2]);
    expect(total).toBe(3);
    expect(versions.get(zone, 1)).toBeUndefined();
    expect(() => versions.records(zone, 1)).toThrow('no version with the serial 1');
    // The step that led to it is gone, but what it was can be told from the steps since.
    expect(versions.get(zone, 2)).toEqual(told);
    expect(inFull(versions.records(zone, 2))).toHaveLength(1);
    const history = new HistoryQueries(stored.connection);
    expect(history.list(fullRights, zone, {}, page).total).toBe(2);
  });

  it('the current version is always told', async () => {
    const stored = await threeSteps();
    prune(stored, 'serial <= 4');
    const zone = stored.zones.byName('a.example')!;
    const versions = new VersionQueries(stored.connection);
    expect(versions.list(zone, userSerials, page)).toMatchObject({
      items: [{ serial: 4, settings: settingsOf(zone), kind: 'records.changed' }],
      total: 1,
    });
    expect(inFull(versions.records(zone, 4))).toHaveLength(3);
    expect(() => versions.changedNodes(zone, 3, 4)).toThrow('no version with the serial 3');
  });

  it('steps that only signed are hidden unless asked for, and may be pruned before others', async () => {
    const stored = await threeSteps();
    await stored.run({ kind: 'bump-serial', zoneName: 'a.example' });
    await stored.run({ kind: 'bump-serial', zoneName: 'a.example' });
    const { connection } = stored;
    connection.exec(`DROP TRIGGER event_no_update;
      UPDATE event SET kind = 'zone.signed' WHERE serial >= 5`);
    const zone = stored.zones.byName('a.example')!;
    const versions = new VersionQueries(connection);
    const serials = (includeSignerSerials: boolean) =>
      versions.list(zone, { includeSignerSerials }, page).items.map(({ serial }) => serial);
    // The current serial stays visible.
    expect(serials(false)).toEqual([6, 4, 3, 2, 1]);
    expect(serials(true)).toEqual([6, 5, 4, 3, 2, 1]);
    prune(stored, 'serial = 5');
    expect(serials(true)).toEqual([6, 4, 3, 2, 1]);
    expect(versions.get(zone, 5)).toBeUndefined();
    expect(inFull(versions.records(zone, 3))).toHaveLength(2);
  });

  it('whatever is listed, it is counted and begins behind any number of them', async () => {
    const kinds = ['records.changed', 'zone.signed', 'zone.signed'];
    const step = fc.record({ kind: fc.constantFrom(...kinds), isDropped: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 12 }),
        fc.nat(12),
        async (steps, oldest) => {
          const stored = opened();
          await stored.zone('a.example');
          stored.connection.exec('DROP TRIGGER event_no_update');
          const isListed = steps.map(({ kind, isDropped }, index) => {
            // Retention drops the oldest, and steps that only signed among the others.
            const isOld = index < oldest || (kind === 'zone.signed' && isDropped);
            const isGone = isOld && index < steps.length - 1;
            return { serial: index + 2, kind, isGone };
          });
          for (const { serial, kind, isGone } of isListed) {
            await stored.run({ kind: 'bump-serial', zoneName: 'a.example' });
            stored.connection
              .prepare('UPDATE event SET kind = ? WHERE serial = ?')
              .run(kind, serial);
            if (isGone) prune(stored, `serial = ${serial}`);
          }
          if (oldest > 0) prune(stored, 'serial = 1');
          const zone = stored.zones.byName('a.example')!;
          const versions = new VersionQueries(stored.connection);
          const all = [{ serial: 1, kind: 'zone.created', isGone: oldest > 0 }, ...isListed];
          const told = all.findLast(({ kind, isGone }) => isGone && kind !== 'zone.signed');
          for (const includeSignerSerials of [false, true]) {
            const expected = all
              .filter(({ serial, kind, isGone }) => {
                if (serial === zone.serial || serial === told?.serial) return true;
                const isVisible = includeSignerSerials || kind !== 'zone.signed';
                return !isGone && isVisible && serial > (told?.serial ?? 0);
              })
              .map(({ serial }) => serial)
              .reverse();
            for (let offset = 0; offset <= expected.length + 1; offset++) {
              const at = { limit: 3, offset };
              const listed = versions.list(zone, { includeSignerSerials }, at);
              expect(listed.items.map(({ serial }) => serial)).toEqual(
                expected.slice(offset, offset + 3),
              );
              expect(listed.total).toBe(expected.length);
            }
          }
        },
      ),
      { numRuns: runs(15) },
    );
  });
});

/**
 * The past is the same with net changes as without: every version and every difference of two, for any history. The
 * judge is what the zone held when it was at each serial.
 */
import fc from 'fast-check';
import { afterEach, expect, it } from 'vitest';
import { NetChanges } from '../../src/background/net-changes/net-changes.ts';
import type { ZoneRecord } from '../../src/domain/record.ts';
import { Rights } from '../../src/domain/access/rights.ts';
import { StoredDamage } from '../../src/journal/damage.ts';
import { netChangePart } from '../../src/projection/net-change-store.ts';
import type { Listed, Page } from '../../src/projection/page.ts';
import { rebuildProjections, verifyProjections } from '../../src/projection/rebuild.ts';
import { HistoryQueries } from '../../src/query/history-queries.ts';
import { listThen } from '../../src/query/records-then.ts';
import { VersionQueries } from '../../src/query/version-queries.ts';
import { closeKept, expectWhole, msPerDay, openKept } from '../support/kept-zones.ts';
import { isLong } from '../support/long.ts';
import { openStoredZones, record, type StoredZones } from '../support/stored-zones.ts';

const zoneName = 'example.com';
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

type Step =
  | { readonly kind: 'add' | 'delete'; readonly owner: number; readonly value: number }
  | { readonly kind: 'ttl'; readonly owner: number; readonly ttl: number }
  | { readonly kind: 'many'; readonly first: number }
  | { readonly kind: 'jump'; readonly by: number }
  | { readonly kind: 'rename' };

const owner = fc.nat(6);
const steps = fc.array(
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({ kind: fc.constant('add' as const), owner, value: fc.nat(3) }),
    },
    {
      weight: 6,
      arbitrary: fc.record({ kind: fc.constant('delete' as const), owner, value: fc.nat(3) }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant('ttl' as const), owner, ttl: fc.nat(2) }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('many' as const), first: fc.nat(20) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('jump' as const), by: fc.nat(40) }) },
    { weight: 1, arbitrary: fc.constant({ kind: 'rename' as const }) },
  ),
  { minLength: 40, maxLength: isLong ? 300 : 60 },
);

class Played {
  readonly stored: StoredZones;
  readonly netChanges: NetChanges;
  readonly versions: VersionQueries;
  /** What the zone held at each serial that it was at, in canonical order. */
  readonly held = new Map<number, readonly ZoneRecord[]>();
  #name = zoneName;

  constructor() {
    this.stored = openStoredZones({ durable: false });
    const { writer, workers, connection } = this.stored;
    const log = { error: (_: string, { error }: { error: unknown }) => expect(error).toBe('none') };
    this.netChanges = new NetChanges({ writer, workers, log: log as never }, [4, 16, 64]);
    // Little memory: many ranges, too.
    this.versions = new VersionQueries(connection, 20_000);
    closing.push(async () => {
      await this.netChanges.stop();
      await this.stored.close();
    });
  }

  get zone() {
    return this.stored.zones.byName(this.#name)!;
  }

  async begin(): Promise<void> {
    await this.stored.zone(zoneName, { apexNs: true });
    this.#note();
  }

  async play(step: Step): Promise<void> {
    await this.#do(step).catch((error) => expect(error).toMatchObject({ name: 'Problem' }));
    this.#note();
  }

  #note(): void {
    // Of now nothing has to be undone.
    const { serial } = this.zone;
    this.held.set(serial, this.recordsAt(serial));
  }

  async #do(step: Step): Promise<unknown> {
    const { stored } = this;
    const zoneName = this.#name;
    switch (step.kind) {
      case 'add':
        return stored.add(
          zoneName,
          record(`h${step.owner}`, 'A', `192.0.2.${step.value}`, { ttl: 300 }),
        );
      case 'delete': {
        const which = { name: `h${step.owner}`, type: 'A', value: `192.0.2.${step.value}` };
        return stored.run({ kind: 'delete-records', zoneName, ...which });
      }
      case 'ttl': {
        const found = this.held
          .get(this.zone.serial)!
          .find((one) => one.owner === `h${step.owner}\0`);
        if (found === undefined) return undefined;
        return stored.run({ kind: 'update-record', id: found.id, ttl: 300 + step.ttl });
      }
      case 'many': {
        const names = Array.from({ length: 30 }, (_, at) => `m${step.first + at}`);
        return stored.add(zoneName, ...names.map((name) => record(name, 'TXT', `of ${name}`)));
      }
      case 'jump':
        return stored.run({
          kind: 'bump-serial',
          zoneName,
          seenSerial: this.zone.serial + step.by,
        });
      case 'rename': {
        const name = zoneName === 'example.com' ? 'example.net' : 'example.com';
        await stored.run({ kind: 'update-zone', zoneName, name });
        this.#name = name;
        return undefined;
      }
    }
  }

  recordsAt(serial: number): ZoneRecord[] {
    return [...this.versions.records(this.zone, serial)].flat();
  }

  expectPast(pairs: readonly (readonly [number, number])[]): void {
    const serials = [...this.held.keys()].sort((a, b) => a - b);
    for (const serial of serials) {
      expect([serial, this.recordsAt(serial)]).toEqual([serial, this.held.get(serial)]);
      expect(this.versions.recordCount(this.zone, serial)).toBe(this.held.get(serial)!.length);
    }
    for (const serial of serials.filter((_, at) => at % 9 === 0)) this.#expectPages(serial);
    this.#expectCounts();
    for (const [one, other] of pairs) {
      const [from, to] = [serials[one % serials.length]!, serials[other % serials.length]!];
      this.#expectDifference(from, to);
    }
  }

  /** Owner by owner, and the records of each by their ids, behind a page or behind a number of records. */
  #expectPages(serial: number): void {
    const byOwner = Map.groupBy(this.held.get(serial)!, (one) => one.owner);
    for (const descending of [false, true]) {
      const owners = [...byOwner.keys()].sort();
      if (descending) owners.reverse();
      const all = owners.flatMap((one) => byOwner.get(one)!.toSorted((a, b) => a.id - b.id));
      const pageOf = (page: Page) =>
        listThen(
          this.versions,
          new Rights([], true),
          { zone: this.zone, serial },
          {},
          { key: 'name', descending },
          page,
        );
      let page: Page | undefined = { limit: 7, offset: 0 };
      for (let first = 0; page !== undefined; first += 7) {
        const { items, total, next }: Listed<ZoneRecord> = pageOf(page);
        expect([serial, total, items]).toEqual([serial, all.length, all.slice(first, first + 7)]);
        page = next && { limit: 7, offset: 0, after: next };
      }
      expect(pageOf({ limit: 4, offset: 3 }).items).toEqual(all.slice(3, 7));
    }
  }

  /** Of versions with and without those that only signed the zone, and of the history: as many as are listed. */
  #expectCounts(): void {
    const { zone, versions } = this;
    const everything = { limit: 10_000, offset: 0 };
    for (const includeSignerSerials of [false, true]) {
      const { items, total } = versions.list(zone, { includeSignerSerials }, everything);
      expect(total).toBe(items.length);
    }
    const history = new HistoryQueries(this.stored.connection);
    const { items, total } = history.list(new Rights([], true), zone, {}, everything);
    expect(total).toBe(items.length);
  }

  /** Owners that differ, found by comparing what was held. */
  #expectDifference(from: number, to: number): void {
    const [before, after] = [from, to].map((serial) =>
      Map.groupBy(this.held.get(serial)!, (one) => one.owner),
    );
    const owners = [...new Set([...before!.keys(), ...after!.keys()])].sort();
    const textOf = (records: readonly ZoneRecord[] = []) =>
      JSON.stringify(
        records.map(({ id, type, ttl, rdata, createdAt }) => [id, type, ttl, rdata, createdAt]),
      );
    const expected = owners.filter((one) => textOf(before!.get(one)) !== textOf(after!.get(one)));
    const found = [...this.versions.changedNodes(this.zone, from, to)];
    expect([from, to, found.map((node) => node.owner)]).toEqual([from, to, expected]);
    for (const node of found) {
      expect(textOf(node.before)).toBe(textOf(before!.get(node.owner)));
      expect(textOf(node.after)).toBe(textOf(after!.get(node.owner)));
    }
  }

  spans(): number[] {
    const { connection } = this.stored;
    return connection
      .prepare('SELECT to_serial - from_serial FROM net_change ORDER BY 1')
      .pluck()
      .all() as number[];
  }
}

it('is what it was, with spans of every length, also after a rebuild', async () => {
  const pairs = fc.array(fc.tuple(fc.nat(), fc.nat()), { minLength: 12, maxLength: 12 });
  let longest = 0;
  await fc.assert(
    fc.asyncProperty(steps, steps, pairs, async (first, second, chosen) => {
      const played = new Played();
      await played.begin();
      for (const step of first) await played.play(step);
      played.expectPast(chosen);
      await played.netChanges.run();
      played.expectPast(chosen);
      for (const step of second) await played.play(step);
      await played.netChanges.run();
      played.expectPast(chosen);
      longest = Math.max(longest, ...played.spans());
      const { connection, journal } = played.stored;
      rebuildProjections(connection, journal);
      expect(played.spans()).toEqual([]);
      played.expectPast(chosen);
      expect(verifyProjections(connection, journal)).toEqual([]);
      for (const close of closing.splice(0).reverse()) await close();
    }),
    { numRuns: isLong ? 60 : 3, endOnFailure: true },
  );
  // Few steps may not come that far; the histories below do, in every run.
  if (isLong) expect(longest).toBe(64);
});

async function longHistory(): Promise<Played> {
  const played = new Played();
  await played.begin();
  for (let at = 0; at < 150; at++) {
    await played.play({ kind: at % 2 === 0 ? 'add' : 'delete', owner: 1, value: at % 3 });
    await played.play({ kind: 'add', owner: at % 7, value: at % 4 });
  }
  await played.netChanges.run();
  expect(played.spans().at(-1)).toBe(64);
  return played;
}

it('is refused where a net change is damaged, and told again without it', async () => {
  const played = await longHistory();
  const { connection, writer } = played.stored;
  const first = [...played.held.keys()][0]!;
  const changes = [
    'UPDATE net_change_part SET records = zeroblob(length(records)) WHERE id = (SELECT min(id) FROM net_change_part)',
    'UPDATE net_change_part SET ids = zeroblob(length(ids))',
    'UPDATE net_change_part SET last = first, change = 1 - change',
    'UPDATE net_change SET parts = parts + 1',
    'UPDATE net_change SET events = events + 1',
    'DELETE FROM net_change_part',
  ];
  for (const change of changes) {
    connection.exec(change);
    expect(() => played.recordsAt(first)).toThrow(StoredDamage);
    await writer.operate({ kind: 'forget-net-changes', zoneId: played.zone.id });
    expect(played.spans()).toEqual([]);
    played.expectPast([[0, 100]]);
    await played.netChanges.run();
    expect(played.spans().at(-1)).toBe(64);
    played.expectPast([[0, 100]]);
  }
});

it('is read by them: without the content of the changes themselves', async () => {
  const played = await longHistory();
  const { connection } = played.stored;
  const spans = connection
    .prepare(
      'SELECT from_serial AS "from", to_serial AS "to" FROM net_change WHERE to_serial - from_serial = 64',
    )
    .all() as { from: number; to: number }[];
  const { from, to } = spans[0]!;
  // Parts of deltas may be deleted only for such as have no event; the trigger is out of the way for a moment.
  const triggers = connection
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'")
    .pluck()
    .all() as string[];
  for (const name of triggers) connection.exec(`DROP TRIGGER ${name}`);
  const places = 'SELECT delta * 65536 FROM event WHERE serial > ? AND serial <= ?';
  const dropped = connection.prepare(
    `DELETE FROM event_delta WHERE place / 65536 * 65536 IN (${places})`,
  );
  expect(dropped.run(from, to).changes).toBeGreaterThan(30);
  const serials = [...played.held.keys()];
  const before = serials.findLast((serial) => serial <= from)!;
  expect(played.recordsAt(before)).toEqual(played.held.get(before));
});

it('holds nothing of changes that are not retained any more', async () => {
  const kept = openKept({ days: 10, signerDays: 0 });
  const { stored, retention } = kept;
  const { writer, workers, connection } = stored;
  const log = { error: (...words: unknown[]) => void kept.errors.push(words) };
  const netChanges = new NetChanges({ writer, workers, log: log as never }, [4, 16, 64]);
  closing.push(async () => {
    await netChanges.stop();
    await closeKept();
  });
  await stored.zone(zoneName, { apexNs: true });
  for (let at = 0; at < 100; at++) {
    await stored.add(zoneName, record(`h${at % 30}`, 'A', `192.0.2.${at}`, { ttl: 300 }));
    if (at === 60) kept.now += 20 * msPerDay;
  }
  await netChanges.run();
  const starts = () =>
    connection
      .prepare(
        'SELECT from_serial FROM net_change UNION SELECT from_serial FROM net_change_part ORDER BY 1',
      )
      .pluck()
      .all() as number[];
  expect(starts()[0]).toBeLessThan(10);
  await retention.run();
  expectWhole(kept);
  const oldest = connection
    .prepare('SELECT max(serial) FROM event WHERE payload IS NULL AND serial IS NOT NULL')
    .pluck()
    .get() as number;
  expect(oldest).toBeGreaterThan(50);
  expect(starts().filter((serial) => serial < oldest)).toEqual([]);
  expect(starts()).not.toEqual([]);
  // One that was being made meanwhile comes too late.
  const zoneId = stored.zones.byName(zoneName)!.id;
  const span = { from: 4, to: 8 };
  const [one] = new VersionQueries(connection).records(stored.zones.byId(zoneId)!, oldest);
  const parts = [netChangePart('added', one!)];
  for (const from of [0, 1]) {
    await writer.operate({ kind: 'put-net-parts', zoneId, span, from, parts });
    expect(starts().filter((serial) => serial < oldest)).toEqual([]);
  }
  const counts = { events: 4, signing: 0 };
  await writer.operate({ kind: 'put-net-change', zoneId, span, counts });
  expect(starts().filter((serial) => serial < oldest)).toEqual([]);
});

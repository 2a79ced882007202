/** Earlier states of zones and their blame against a plain fold of the events, in signed zones too. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compareRecords, type ResourceRecord } from '../../src/dns/record.ts';
import { emptyName, type NameKey } from '../../src/dns/name.ts';
import { fullRights } from '../../src/domain/access/rights.ts';
import { type DiffEntry, diffNodes } from '../../src/domain/diff.ts';
import { isZoneEvent } from '../../src/domain/event.ts';
import type { ZoneRecord } from '../../src/domain/record.ts';
import type { Zone } from '../../src/domain/zone.ts';
import { decodeEvent } from '../../src/journal/event-row.ts';
import type { Blame, BlameFilter, BlamePage } from '../../src/query/blame-queries.ts';
import { longReads } from '../../src/query/long-reads.ts';
import {
  type RecordFilter,
  RecordQueries,
  type RecordSort,
} from '../../src/query/record-queries.ts';
import { listThen } from '../../src/query/records-then.ts';
import {
  cursorOf,
  parseCursor,
  type RrsetCursor,
  type RrsetKey,
} from '../../src/query/rrset-cursor.ts';
import {
  EntryPage,
  ownersOf,
  type VersionPage,
  type WantedPart,
} from '../../src/query/version-page.ts';
import { VersionQueries } from '../../src/query/version-queries.ts';
import { MemoryState } from '../support/memory-state.ts';
import { createZones, type Mutation, mutation } from '../support/mutations.ts';
import { inTime } from '../support/rounds.ts';
import { createPolicies, makeKeys, signedMutation } from '../support/signing-mutations.ts';
import { openStoredZones, runs, type StoredZones } from '../support/stored-zones.ts';

/** A zone at one of its serials. */
interface Picture {
  readonly zone: Zone;
  readonly users: readonly ZoneRecord[];
  readonly derived: readonly ResourceRecord[];
}

/** Every zone that is stored now, at every serial it had. */
function picturesOf(stored: StoredZones): Picture[] {
  const state = new MemoryState();
  const pictures: Picture[] = [];
  for (const row of stored.journal.events()) {
    const event = decodeEvent(row, stored.journal.parts(row));
    state.apply(event, row.at);
    if (!isZoneEvent(event) || row.serial === null) continue;
    const zone = state.zoneById(event.zoneId);
    if (zone === undefined) continue;
    const ofZone = [...state.records.values()].filter(({ zoneId }) => zoneId === zone.id);
    const users = ofZone.map(({ record }) => record);
    const derived = state.allOf(zone.id).filter((record) => !('id' in record));
    pictures.push({ zone, users, derived });
  }
  return pictures.filter(({ zone }) => state.zoneById(zone.id) !== undefined);
}

/** Random histories, and what is checked of each. */
async function afterPlay(usualRuns: number, check: (stored: StoredZones) => void): Promise<void> {
  const mutations = fc.oneof(mutation, signedMutation(await makeKeys(3)));
  const batches = fc.array(fc.array(mutations, { minLength: 1, maxLength: 6 }), {
    minLength: 4,
    maxLength: 14,
  });
  const property = fc.asyncProperty(
    batches,
    inTime(async (some) => {
      const stored = openStoredZones({ durable: false });
      try {
        await createZones(stored);
        await createPolicies(stored);
        for (const batch of some) await play(stored, batch);
        check(stored);
      } finally {
        await stored.close();
      }
    }),
  );
  await fc.assert(property, { numRuns: runs(usualRuns) });
}

async function play(stored: StoredZones, batch: readonly Mutation[]): Promise<void> {
  const outcomes = await Promise.allSettled(batch.map((one) => stored.run(one(stored))));
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ name: 'Problem' });
  }
}

const sorts: readonly RecordSort[] = [
  { key: 'name', descending: false },
  { key: 'name', descending: true },
  { key: 'ttl', descending: true },
  { key: 'type', descending: false },
];
const page = { limit: 1000, offset: 0 };
const text = ({ owner, type, ttl, rdata }: ResourceRecord) =>
  `${Buffer.from(owner, 'latin1').toString('hex')} ${type} ${ttl} ${rdata.toString('hex')}`;

it('lists the records of every serial, in every order and page by page', async () => {
  await afterPlay(3, (stored) => {
    const { reads, versions } = longReads(stored.connection);
    for (const { zone, users, derived } of picturesOf(stored)) {
      const now = stored.zones.byId(zone.id)!;
      if (versions.get(now, zone.serial) === undefined) continue;
      const then = { zone: now, serial: zone.serial };
      const list = (filter: RecordFilter, sort: RecordSort, part = page) =>
        reads.recordsThen(fullRights, then, { zoneId: zone.id, ...filter }, sort, part);
      for (const sort of sorts) {
        const whole = list({}, sort);
        expect(whole.total).toBe(users.length);
        expect(whole.items.map(text).sort()).toEqual(users.map(text).sort());
        expect(new Set(whole.items.map(({ id }) => id))).toEqual(
          new Set(users.map(({ id }) => id)),
        );
        for (const offset of [0, 3, whole.total - 2].filter((at) => at >= 0)) {
          const part = list({}, sort, { limit: 3, offset });
          expect(part).toMatchObject({
            items: whole.items.slice(offset, offset + 3),
            total: whole.total,
          });
        }
      }
      const byName = users.toSorted((a, b) =>
        a.owner < b.owner ? -1 : a.owner > b.owner ? 1 : a.id - b.id,
      );
      expect(list({}, sorts[0]!).items.map(text)).toEqual(byName.map(text));
      for (const owner of [...new Set(users.map((record) => record.owner))].slice(0, 3)) {
        const here = byName.filter((record) => record.owner === owner);
        expect(list({ owner }, sorts[0]!).items.map(text)).toEqual(here.map(text));
      }
      const signed = list({ signed: true }, sorts[0]!).items.slice(users.length);
      expect(signed.map(text)).toEqual(derived.toSorted(compareRecords).map(text));
    }
  });
});

it('pages through every version and every difference, all of it and each RRset', async () => {
  await afterPlay(3, (stored) => {
    const { reads, versions } = longReads(stored.connection);
    const last = new Map<number, Picture>();
    for (const picture of picturesOf(stored)) {
      const { zone, users } = picture;
      const now = stored.zones.byId(zone.id)!;
      if (versions.get(now, zone.serial) === undefined) continue;
      const found: ZoneRecord[] = [];
      for (let after: RrsetCursor | null | undefined; after !== null; ) {
        const part = { limit: 2, after };
        const { records, next }: VersionPage = reads.versionPage(now, zone.serial, part);
        found.push(...records);
        after = next && parseCursor(cursorOf(next, ...next.numbers), 1)!;
      }
      expect(found.map(text)).toEqual(users.toSorted(compareRecords).map(text));
      const before = last.get(zone.id) ?? picture;
      last.set(zone.id, picture);
      const [from, to] = [before.zone.serial, zone.serial];
      const pageOf = (part: WantedPart) => {
        const page = new EntryPage(part);
        const lines: string[] = [];
        for (const node of versions.changedNodes(now, from, to, ownersOf(part))) {
          const { entries } = diffNodes(emptyName, [node]);
          lines.push(
            ...page.take(entries).map(({ owner, type, ...sets }) => lineOf(owner, type, sets)),
          );
          if (page.next !== null) break;
        }
        return { lines, page };
      };
      const expected = differenceOf(before.users, users);
      const paged: string[] = [];
      for (let after: RrsetCursor | null | undefined; after !== null; ) {
        const { lines, page } = pageOf({ limit: 2, after });
        paged.push(...lines);
        after = page.next && parseCursor(cursorOf(page.next, from, to), 2)!;
      }
      expect(paged).toEqual(expected.map(({ line }) => line));
      for (const { owner, type, line } of expected.slice(0, 3)) {
        expect(pageOf({ name: owner, type }).lines).toEqual([line]);
      }
      const { summary } = pageOf({}).page;
      expect(summary.added + summary.changed + summary.removed).toBe(expected.length);
    }
  });
});

/** So little that a read takes many stretches. */
const fewBytes = 2500;

/** The RRsets that each actor touched at each serial of a zone. */
function touchedRrsets(stored: StoredZones, zoneId: number) {
  return [...stored.journal.events()].flatMap((row) => {
    const event = decodeEvent(row, stored.journal.parts(row));
    if (!isZoneEvent(event) || row.serial === null || event.zoneId !== zoneId) return [];
    const touched = [...event.delta.removed, ...event.delta.added];
    const rrsets = new Set(touched.map(({ owner, type }) => `${owner} ${type}`));
    return [{ serial: row.serial, actor: row.actorName, rrsets }];
  });
}

it('leaves of every difference what one actor changed', async () => {
  await afterPlay(3, (stored) => {
    stored.connection.exec(`DROP TRIGGER event_no_update;
      UPDATE event SET actor_kind = 'token', actor_name = iif(seq % 3 = 1, 'ann', 'ben')
      WHERE seq % 3 > 0`);
    const pictures = picturesOf(stored);
    for (const zoneId of new Set(pictures.map(({ zone }) => zone.id))) {
      const now = stored.zones.byId(zoneId)!;
      const steps = touchedRrsets(stored, zoneId);
      const told = pictures.filter(({ zone }) => zone.id === zoneId).slice(-8);
      for (const memoryBytes of [undefined, fewBytes]) {
        const versions = new VersionQueries(stored.connection, memoryBytes);
        for (const a of told) {
          for (const b of told) {
            const [from, to] = [a.zone.serial, b.zone.serial];
            const isBetween = (serial: number) =>
              serial > Math.min(from, to) && serial <= Math.max(from, to);
            const difference = differenceOf(a.users, b.users);
            for (const actor of ['ann', 'ben', 'nobody']) {
              const own = steps.filter((step) => step.actor === actor && isBetween(step.serial));
              const isOwn = ({ owner, type }: RrsetKey) =>
                own.some(({ rrsets }) => rrsets.has(`${owner} ${type}`));
              const nodes = [...versions.changedNodes(now, from, to, undefined, actor)];
              const { entries } = diffNodes(emptyName, nodes);
              const lines = entries.map(({ owner, type, ...sets }) => lineOf(owner, type, sets));
              expect(lines).toEqual(difference.filter(isOwn).map(({ line }) => line));
            }
          }
        }
      }
    }
  });
});

it('lists the records that one actor changed last, or since a time, in every order', async () => {
  await afterPlay(3, (stored) => {
    stored.connection.exec(`DROP TRIGGER event_no_update;
      UPDATE event SET actor_kind = 'token', actor_name = iif(seq % 3 = 1, 'ann', 'ben')
      WHERE seq % 3 > 0`);
    const pictures = picturesOf(stored);
    const times = [...stored.journal.events()].map(({ at }) => at);
    const middle = times[Math.floor(times.length / 2)]!;
    const last = new Map<string, { readonly actor: string | null; readonly at: number }>();
    const atSerial = new Map<string, Map<string, { actor: string | null; at: number }>>();
    for (const row of stored.journal.events()) {
      const event = decodeEvent(row, stored.journal.parts(row));
      if (!isZoneEvent(event) || row.serial === null) continue;
      for (const { owner, type } of [...event.delta.removed, ...event.delta.added]) {
        last.set(`${event.zoneId} ${owner} ${type}`, { actor: row.actorName, at: row.at });
      }
      atSerial.set(`${event.zoneId} ${row.serial}`, new Map(last));
    }
    for (const memoryBytes of [undefined, fewBytes / 4]) {
      const versions = new VersionQueries(stored.connection, memoryBytes);
      const records = new RecordQueries(stored.connection, memoryBytes);
      for (const { zone, users } of pictures.slice(-6)) {
        const now = stored.zones.byId(zone.id)!;
        const { id: zoneId, serial } = zone;
        if (versions.get(now, serial) === undefined) continue;
        const blamed = atSerial.get(`${zoneId} ${serial}`)!;
        for (const changedBy of ['ann', 'ben', 'nobody', undefined]) {
          for (const changedSince of [middle, times[0]! - 1, undefined]) {
            const expected = users.filter(({ owner, type }) => {
              const { actor, at } = blamed.get(`${zoneId} ${owner} ${type}`)!;
              const isTheirs = changedBy === undefined || actor === changedBy;
              return isTheirs && at >= (changedSince ?? 0);
            });
            const filter = { zoneId, changedBy, changedSince };
            for (const sort of sorts.slice(0, 3)) {
              const then = listThen(
                versions,
                fullRights,
                { zone: now, serial },
                filter,
                sort,
                page,
              );
              const lists: { readonly total: number; readonly items: readonly ZoneRecord[] }[] = [
                then,
              ];
              if (serial === now.serial) {
                const { total, items } = records.list(fullRights, filter, sort, page);
                lists.push({ total, items: items.map(({ record }) => record) });
              }
              for (const { total, items } of lists) {
                expect(items.map(text).sort()).toEqual(expected.map(text).sort());
                expect(total).toBe(expected.length);
              }
            }
          }
        }
      }
    }
  });
});

it('counts the changes of every zone over time as its events say', async () => {
  await afterPlay(3, (stored) => {
    const { reads } = longReads(stored.connection);
    const events = [...stored.journal.events()].map((row) => ({
      ...row,
      event: decodeEvent(row, stored.journal.parts(row)),
    }));
    const times = events.map(({ at }) => at);
    const [from, to] = [Math.min(...times) - 3, Math.max(...times) + 5];
    for (const stream of new Set(events.map((row) => row.stream))) {
      for (const buckets of [1, 3, 400]) {
        const found = reads.activity(stream, { from, to, buckets });
        expect(found).toHaveLength(buckets);
        for (const [index, { at, ...counts }] of found.entries()) {
          const end = found[index + 1]?.at ?? to;
          const expected = { changes: 0, signing: 0, added: 0, removed: 0, bySource: {} };
          const bySource: Record<string, number> = expected.bySource;
          for (const { event, ...row } of events) {
            if (!isZoneEvent(event) || row.stream !== stream || row.serial === null) continue;
            if (row.at < at || row.at >= end) continue;
            if (row.kind === 'zone.signed') expected.signing++;
            else expected.changes++;
            expected.added += event.delta.added.length;
            expected.removed += event.delta.removed.length;
            bySource[row.changeSource] = (bySource[row.changeSource] ?? 0) + 1;
          }
          expect(counts).toEqual(expected);
        }
      }
    }
  });
});

function lineOf(owner: NameKey, type: number, { from, to }: Pick<DiffEntry, 'from' | 'to'>) {
  const texts = (records: readonly ResourceRecord[]) => records.map(text).sort().join();
  return `${owner} ${type}: ${texts(from)} > ${texts(to)}`;
}

/** The RRsets that are not the same in two lists of records, in canonical order. */
function differenceOf(before: readonly ZoneRecord[], after: readonly ZoneRecord[]) {
  const keys = new Map(
    [...before, ...after].map(({ owner, type }) => [`${owner} ${type}`, { owner, type }]),
  );
  const of = (records: readonly ZoneRecord[], owner: NameKey, type: number) =>
    records.filter((record) => record.owner === owner && record.type === type);
  return [...keys.values()]
    .map(({ owner, type }) => {
      const sets = { from: of(before, owner, type), to: of(after, owner, type) };
      const [from, to] = [sets.from, sets.to].map((records) => records.map(text).sort().join());
      return { owner, type, isSame: from === to, line: lineOf(owner, type, sets) };
    })
    .filter(({ isSame }) => !isSame)
    .sort((a, b) => (a.owner === b.owner ? a.type - b.type : a.owner < b.owner ? -1 : 1));
}

it('blames for each RRset of every serial the last event that changed it', async () => {
  await afterPlay(3, (stored) => {
    const { reads } = longReads(stored.connection);
    const known = new Map<number, Map<string, number>>();
    const expected: { zoneId: number; serial: number; lines: string[] }[] = [];
    const state = new MemoryState();
    for (const row of stored.journal.events()) {
      const event = decodeEvent(row, stored.journal.parts(row));
      state.apply(event, row.at);
      if (!isZoneEvent(event) || row.serial === null) continue;
      const { zoneId, delta } = event;
      const last = known.get(zoneId) ?? new Map<string, number>();
      known.set(zoneId, last);
      for (const { owner, type } of [...delta.removed, ...delta.added]) {
        last.set(`${owner} ${type}`, row.seq);
      }
      const keys = new Set(state.recordsOf(zoneId).map(({ owner, type }) => `${owner} ${type}`));
      const lines = [...keys].map((key) => `${key} ${last.get(key)}`);
      expected.push({ zoneId, serial: row.serial, lines });
    }
    for (const { zoneId, serial, lines } of expected) {
      const zone = stored.zones.byId(zoneId);
      if (zone === undefined) continue;
      const found: string[] = [];
      const read = (filter: BlameFilter, page: BlamePage) =>
        reads.blame(fullRights, { zone, serial }, filter, page);
      for (let after: RrsetKey | null | undefined; after !== null; ) {
        const { items, next }: Blame = read({}, { limit: 4, after });
        for (const { owner, type, event } of items) found.push(`${owner} ${type} ${event?.seq}`);
        after = next === null ? null : parseCursor(cursorOf(next))!;
      }
      expect(found.toSorted()).toEqual(lines.toSorted());
      const [line] = lines;
      if (line === undefined) continue;
      const [name, type] = line.split(' ') as [NameKey, string];
      const alone = read({ name, type: Number(type) }, { limit: 4 }).items;
      expect(alone.map((one) => `${one.owner} ${one.type} ${one.event?.seq}`)).toEqual([line]);
    }
  });
});

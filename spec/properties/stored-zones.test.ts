import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  compareRecords,
  packRecords,
  type ResourceRecord,
  unpackRecords,
} from '../../src/dns/record.ts';
import { isZoneEvent, keepsSerial } from '../../src/domain/event.ts';
import { parseOwner } from '../../src/domain/record.ts';
import { apexOf, soaRdata, type Zone } from '../../src/domain/zone.ts';
import { decodeEvent } from '../../src/journal/event-row.ts';
import { verifyChain } from '../../src/journal/verify.ts';
import { rebuildProjections, verifyProjections } from '../../src/projection/rebuild.ts';
import type { Snapshot } from '../../src/query/snapshot.ts';
import { MemoryState } from '../support/memory-state.ts';
import { createZones, type Mutation, mutation, probes } from '../support/mutations.ts';
import { inTime } from '../support/rounds.ts';
import { createPolicies, makeKeys, signedMutation } from '../support/signing-mutations.ts';
import {
  dryRun,
  everything,
  openStoredZones,
  runs,
  type StoredZones,
} from '../support/stored-zones.ts';
import { testCut } from '../support/test-database.ts';
import { fullRights } from '../../src/domain/access/rights.ts';

function text({ owner, type, ttl, rdata }: ResourceRecord): string {
  return `${Buffer.from(owner, 'latin1').toString('hex')} ${type} ${ttl} ${rdata.toString('hex')}`;
}

function texts(records: Iterable<ResourceRecord>): string[] {
  return [...records].map(text);
}

/** A zone as an AXFR of it would show it: the SOA and all records in canonical order. */
interface Picture {
  readonly zone: Zone;
  readonly soa: string;
  readonly records: string[];
}

function pictureOf(state: MemoryState, zone: Zone): Picture {
  const records = state.allOf(zone.id).sort(compareRecords);
  return { zone, soa: soaText(zone), records: texts(records) };
}

function soaText(zone: Zone): string {
  return `${soaRdata(zone).toString('hex')} ${zone.defaultTtl}`;
}

function recordsIn(snapshot: Snapshot, zoneId: number): ResourceRecord[] {
  const records: ResourceRecord[] = [];
  for (const block of snapshot.blocks(zoneId)) {
    const unpacked = [...unpackRecords(block.records)];
    expect(unpacked).toHaveLength(block.count);
    records.push(...unpacked);
  }
  return records;
}

/** Folds the journal in the plain way and remembers every zone at every serial it ever had. */
function retell(stored: StoredZones): {
  state: MemoryState;
  pictures: Picture[];
} {
  const state = new MemoryState();
  const pictures: Picture[] = [];
  for (const row of stored.journal.events()) {
    const event = decodeEvent(row, stored.journal.parts(row));
    state.apply(event, row.at);
    const isVersion = isZoneEvent(event) && !keepsSerial(event.kind);
    const zone = isVersion ? state.zoneById(event.zoneId) : undefined;
    if (zone !== undefined) pictures.push(pictureOf(state, zone));
  }
  return { state, pictures };
}

/** Runs the mutations in batches that share a commit; refusals are part of the game. */
async function play(stored: StoredZones, batches: readonly (readonly Mutation[])[]): Promise<void> {
  for (const batch of batches) await playBatch(stored, batch);
}

async function playBatch(stored: StoredZones, batch: readonly Mutation[]): Promise<void> {
  const outcomes = await Promise.allSettled(batch.map((one) => stored.run(one(stored))));
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ name: 'Problem' });
  }
}

/** The same where batches come while those before them wait. */
async function playAtOnce(
  stored: StoredZones,
  batches: readonly (readonly Mutation[])[],
): Promise<void> {
  const played: Promise<void>[] = [];
  for (const batch of batches) {
    played.push(playBatch(stored, batch));
    for (let turn = 0; turn < batch.length; turn++) await new Promise(setImmediate);
  }
  await Promise.all(played);
}

/** Changes of zones that nobody signs, or of such as are signed on the way. */
let mutations: readonly fc.Arbitrary<Mutation>[];
let batches: fc.Arbitrary<Mutation[][]>;

beforeAll(async () => {
  mutations = [mutation, signedMutation(await makeKeys(3))];
  const batchesOf = (one: fc.Arbitrary<Mutation>) =>
    fc.array(fc.array(one, { minLength: 1, maxLength: 6 }), { minLength: 4, maxLength: 14 });
  batches = fc.oneof(...mutations.map(batchesOf));
});

/** Two zones, and what their changes name. */
async function begin(stored: StoredZones): Promise<void> {
  await createZones(stored);
  await createPolicies(stored);
}

/** Plays random batches in a fresh database and then checks what the test is about. */
async function afterPlay(
  usualRuns: number,
  check: (stored: StoredZones) => void | Promise<void>,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(
      batches,
      fc.boolean(),
      inTime(async (some, atOnce) => {
        const stored = openStoredZones({ durable: false });
        try {
          await begin(stored);
          await (atOnce ? playAtOnce : play)(stored, some);
          await check(stored);
        } finally {
          await stored.close();
        }
      }),
    ),
    { numRuns: runs(usualRuns) },
  );
}

describe('after any changes', () => {
  it('invariant 2: replaying the journal gives the same bytes', async () => {
    await afterPlay(10, (stored) => {
      const live = everything(stored.connection);
      expect(verifyProjections(stored.connection, stored.journal)).toEqual([]);
      expect(everything(stored.connection)).toBe(live);
      expect(verifyChain(stored.journal).findings).toEqual([]);
      rebuildProjections(stored.connection, stored.journal);
      expect(verifyProjections(stored.connection, stored.journal)).toEqual([]);
    });
  });

  it('invariant 6: the projections hold what the events say, and nothing else', async () => {
    await afterPlay(10, (stored) => {
      const { state } = retell(stored);
      const page = { limit: 1000, offset: 0 };
      const zones = stored.zones.list('all', {}, { key: 'name', descending: false }, page).items;
      const byId = (a: { id: number }, b: { id: number }) => a.id - b.id;
      expect(zones.toSorted(byId)).toEqual([...state.zones.values()].sort(byId));
      const found = stored.records.list(fullRights, {}, { key: 'name', descending: false }, page);
      const all = [...state.records.values()].map(({ record }) => record);
      expect(found.items.map(({ record }) => record).sort(byId)).toEqual(all.sort(byId));
      expect(found.total).toBe(all.length);
      for (const { zone, record } of found.items) {
        expect(stored.records.byId(record.id)).toEqual({ zone, record });
      }
      const secondaries = stored.secondaries.list(page).items;
      expect(secondaries.toSorted(byId)).toEqual([...state.secondaries.values()].sort(byId));
    });
  });

  it('invariant 6: blocks hold the records in canonical order, and begin where they should', async () => {
    await afterPlay(10, (stored) => {
      const { state } = retell(stored);
      const snapshot = stored.snapshots.open();
      for (const zone of state.zones.values()) {
        expect(texts(recordsIn(snapshot, zone.id))).toEqual(pictureOf(state, zone).records);
      }
      snapshot.close();
      const rows = stored.connection
        .prepare(
          `SELECT zone.id AS zoneId, first, count, records FROM block
           JOIN zone ON zone.content = block.content`,
        )
        .all() as {
        zoneId: number;
        first: Buffer;
        count: number;
        records: Buffer;
      }[];
      for (const { first, count, records } of rows) {
        const unpacked = [...unpackRecords(records)];
        expect(unpacked).toHaveLength(count);
        // Only the apex's block may be empty or lack the owner it is named after.
        if (first.length > 0) expect(unpacked[0]!.owner).toBe(first.latin1Slice());
        for (const [owner, there] of Map.groupBy(unpacked, (one) => one.owner)) {
          const begins = testCut.begins(owner, packRecords(there).length);
          expect(begins).toBe(owner === first.latin1Slice());
        }
      }
      const firsts = rows.filter(({ first }) => first.length === 0).map(({ zoneId }) => zoneId);
      expect(firsts.sort()).toEqual([...state.zones.keys()].sort());
      // What belongs to no zone, stored or deleted, is nowhere.
      const orphans = `SELECT count(*) AS count FROM block WHERE content NOT IN
        (SELECT content FROM zone UNION ALL SELECT content FROM deleted_zone)`;
      expect(stored.connection.prepare(orphans).get()).toEqual({ count: 0 });
    });
  });

  it('invariant 6: node() and hasBelow() answer like a plain list of records', async () => {
    await afterPlay(10, (stored) => {
      const { state } = retell(stored);
      for (const zone of state.zones.values()) {
        const records = state.allOf(zone.id);
        for (const probe of probes) {
          const owner = parseOwner(probe, apexOf(zone));
          const here = records.filter((record) => record.owner === owner).sort(compareRecords);
          expect([probe, texts(stored.nodes.node(zone.id, owner))]).toEqual([probe, texts(here)]);
          const below = records.some(
            (record) => record.owner !== owner && record.owner.startsWith(owner),
          );
          expect([probe, stored.nodes.hasBelow(zone.id, owner)]).toEqual([probe, below]);
        }
        expect(stored.nodes.findZone(apexOf(zone))).toEqual(zone);
      }
      expect(stored.nodes.node(99, parseOwner('a', apexOf({ name: 'x' })))).toEqual([]);
    });
  });

  it('invariant 3: the steps from any serial, applied to the zone at it, give the zone of now', async () => {
    await afterPlay(10, (stored) => {
      const { state, pictures } = retell(stored);
      const snapshot = stored.snapshots.open();
      for (const { zone, soa, records } of pictures) {
        const now = state.zoneById(zone.id);
        if (now === undefined) continue;
        const steps = snapshot.differences(now, zone.serial);
        // Another zone may have had that serial under this name.
        const former = state.formerSerial(now.name) ?? 0;
        const isFormer = zone.serial <= former && zone.serial < now.serial;
        if (zone.serial < now.historyFromSerial || isFormer) {
          expect(steps).toBeUndefined();
          continue;
        }
        const held = new Set(records);
        let [lastSoa, lastSerial] = [soa, zone.serial];
        for (const step of steps!) {
          expect(step.serialBefore).toBe(lastSerial);
          expect(step.serial).toBeGreaterThan(step.serialBefore);
          expect(`${step.soaBefore.toString('hex')} ${step.soaTtlBefore}`).toBe(lastSoa);
          const counts = { removed: 0, added: 0 };
          for (const part of snapshot.parts(step)) {
            // Removed parts come first, as RFC 1995 4 sends them.
            if (part.change === 'removed') expect(counts.added).toBe(0);
            counts[part.change] += part.count;
            for (const record of texts(unpackRecords(part.records))) {
              if (part.change === 'removed') expect(held.delete(record)).toBe(true);
              else held.add(record);
            }
          }
          expect(counts).toEqual({ removed: step.removedCount, added: step.addedCount });
          lastSoa = `${step.soaAfter.toString('hex')} ${step.soaTtlAfter}`;
          lastSerial = step.serial;
        }
        expect([...held].sort()).toEqual(texts(recordsIn(snapshot, now.id)).sort());
        expect([lastSoa, lastSerial]).toEqual([soaText(now), now.serial]);
      }
      snapshot.close();
    });
  });

  it('invariant 4: a serial never goes back, for no zone and under no name', async () => {
    await afterPlay(10, (stored) => {
      const { pictures } = retell(stored);
      const lastOfZone = new Map<number, number>();
      const lastOfName = new Map<string, number>();
      for (const { zone } of pictures) {
        expect(zone.serial).toBeGreaterThan(lastOfZone.get(zone.id) ?? 0);
        expect(zone.serial).toBeGreaterThan(lastOfName.get(zone.name) ?? 0);
        lastOfZone.set(zone.id, zone.serial);
        lastOfName.set(zone.name, zone.serial);
      }
    });
  });

  it('invariant 8: no id is ever given to a second thing', async () => {
    await afterPlay(10, (stored) => {
      const born = {
        zone: new Set<number>(),
        record: new Map<number, number>(),
        secondary: new Set(),
      };
      for (const row of stored.journal.events()) {
        const event = decodeEvent(row, stored.journal.parts(row));
        if (event.kind === 'secondary.registered') {
          expect(born.secondary.has(event.secondary.id)).toBe(false);
          born.secondary.add(event.secondary.id);
        }
        if (!isZoneEvent(event)) continue;
        if (event.before === null) {
          expect(born.zone.has(event.zoneId)).toBe(false);
          born.zone.add(event.zoneId);
        }
        const continued = new Set(event.delta.removed.map(({ id }) => id));
        for (const { id, createdAt } of event.delta.added) {
          // An id appears once anew; later it is only carried on, with the time it was born at.
          expect(born.record.has(id)).toBe(continued.has(id));
          if (!born.record.has(id)) born.record.set(id, createdAt);
          expect(createdAt).toBe(born.record.get(id));
        }
      }
    });
  });
});

describe('while changes go on', () => {
  it('invariant 7: a snapshot keeps seeing its own serial, and two of one serial see one zone', async () => {
    await fc.assert(
      fc.asyncProperty(
        batches,
        inTime(async (some) => {
          const stored = openStoredZones({ durable: false });
          const open: { snapshot: Snapshot; expected: Picture[] }[] = [];
          const look = () => {
            const { state } = retell(stored);
            const expected = [...state.zones.values()].map((zone) => pictureOf(state, zone));
            for (let copies = 0; copies < 2; copies++) {
              open.push({ snapshot: stored.snapshots.open(), expected });
            }
          };
          try {
            await begin(stored);
            for (const [index, batch] of some.entries()) {
              if (index % 3 === 0) look();
              await play(stored, [batch]);
            }
            for (const { snapshot, expected } of open) {
              for (const { zone, records } of expected) {
                expect(snapshot.zoneByName(zone.name)).toEqual(zone);
                expect(snapshot.findZone(apexOf(zone))).toEqual(zone);
                expect(texts(recordsIn(snapshot, zone.id))).toEqual(records);
                expect(snapshot.differences(zone, zone.serial)).toEqual([]);
              }
            }
          } finally {
            for (const { snapshot } of open) snapshot.close();
            await stored.close();
          }
        }),
      ),
      { numRuns: runs(8) },
    );
  });
});

describe('what is not applied', () => {
  it('invariant 6: invariant 11: refused commands leave no trace, dry runs write nothing and foretell', async () => {
    const single = fc.oneof(
      ...mutations.map((one) => fc.array(one, { minLength: 5, maxLength: 25 })),
    );
    await fc.assert(
      fc.asyncProperty(
        single,
        inTime(async (some) => {
          let now = 1_700_000_000_000;
          const stored = openStoredZones({ durable: false, clock: () => now });
          try {
            await begin(stored);
            for (const one of some) {
              now += 1000;
              const command = one(stored);
              const before = everything(stored.connection);
              const foretold = await told(stored.run(command, dryRun));
              expect(everything(stored.connection)).toBe(before);
              const happened = await told(stored.run(command));
              expect(happened).toEqual(foretold);
              if (happened.refused !== undefined)
                expect(everything(stored.connection)).toBe(before);
            }
          } finally {
            await stored.close();
          }
        }),
      ),
      { numRuns: runs(12) },
    );
  });

  it('invariant 6: a refused command between good ones leaves them whole', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.boolean(), { minLength: 2, maxLength: 30 }),
        inTime(async (verdicts) => {
          const stored = openStoredZones({ durable: false });
          try {
            await stored.zone('a');
            const commands = verdicts.map((good, index) => {
              const value = good ? `192.0.2.${index}` : 'no address';
              const first = { name: `n${index}`, type: 'A', value: '192.0.2.200' };
              const records = [first, { name: `n${index}`, type: 'A', value }];
              return stored.run({ kind: 'create-records', zoneName: 'a', records });
            });
            const outcomes = await Promise.allSettled(commands);
            expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual(verdicts);
            const good = verdicts.filter(Boolean).length;
            expect(stored.zones.byName('a')).toMatchObject({
              serial: 1 + good,
              recordCount: 2 * good,
            });
            // Ids of refused commands were never given out.
            const ids = outcomes.flatMap((outcome) =>
              outcome.status === 'fulfilled' && 'records' in outcome.value
                ? outcome.value.records.map(({ id }) => id)
                : [],
            );
            expect(ids).toEqual(Array.from({ length: 2 * good }, (_, index) => index + 1));
            expect(verifyProjections(stored.connection, stored.journal)).toEqual([]);
          } finally {
            await stored.close();
          }
        }),
      ),
      { numRuns: runs(8) },
    );
  });
});

/** An outcome without what a dry run can not know: ids and times. */
async function told(outcome: Promise<object>): Promise<{ refused?: string; outcome?: string }> {
  try {
    const text = JSON.stringify(await outcome, (key, value) =>
      key === 'id' || key === 'createdAt' ? undefined : value,
    );
    return { outcome: text };
  } catch (error) {
    expect(error).toMatchObject({ name: 'Problem' });
    return { refused: String(error) };
  }
}

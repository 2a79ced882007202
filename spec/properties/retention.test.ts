/** What is kept when retention lets history go, after any changes. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Retention } from '../../src/background/retention/retention.ts';
import { Problem } from '../../src/base/problem.ts';
import type { ResourceRecord } from '../../src/dns/record.ts';
import type { Zone } from '../../src/domain/zone.ts';
import { verifyChain } from '../../src/journal/verify.ts';
import { DeletedZoneQueries } from '../../src/projection/deleted-zone-queries.ts';
import { rebuildProjections, verifyProjections } from '../../src/projection/rebuild.ts';
import { StageStore } from '../../src/projection/stage-store.ts';
import { VersionQueries } from '../../src/projection/version-queries.ts';
import { createZones, type Mutation, mutation } from '../support/mutations.ts';
import { apiOptions, openStoredZones, runs, type StoredZones } from '../support/stored-zones.ts';

const page = { limit: 10_000, offset: 0 };
const byName = { key: 'name', descending: false } as const;
const signerSerials = { includeSignerSerials: true };
const msPerDay = 86_400_000;

function text({ owner, type, ttl, rdata }: ResourceRecord): string {
  return `${Buffer.from(owner, 'latin1').toString('hex')} ${type} ${ttl} ${rdata.toString('hex')}`;
}

/** Every version of every stored zone that is told, as text by zone and serial. */
function versionsOf(stored: StoredZones): Map<string, string> {
  const queries = new VersionQueries(stored.connection);
  const versions = new Map<string, string>();
  for (const zone of zonesOf(stored)) {
    for (const version of queries.list(zone, signerSerials, page).items) {
      expect(queries.get(zone, version.serial)).toEqual(version);
      const records = [...queries.records(zone, version.serial)].flat().map(text);
      versions.set(`${zone.id} ${version.serial}`, JSON.stringify({ version, records }));
    }
  }
  return versions;
}

function zonesOf(stored: StoredZones): readonly Zone[] {
  return stored.zones.list({}, byName, page).items;
}

async function play(stored: StoredZones, mutations: readonly Mutation[], pass: () => void) {
  for (const one of mutations) {
    pass();
    await stored.run(one(stored)).catch((error: unknown) => {
      if (!(error instanceof Problem)) throw error;
    });
  }
}

async function clear(stored: StoredZones, stages: StageStore): Promise<void> {
  const uses = {
    isPrepared: () => false,
    isThere: (id: number) => stored.records.byId(id) !== undefined,
  };
  while (await stored.engine.write(() => stages.clear(uses)));
  expect(stages.isEmpty()).toBe(true);
}

/** The journal and what is made of it: whole, and the same when it is made again. */
function expectWhole(stored: StoredZones): void {
  expect(verifyChain(stored.journal).findings).toEqual([]);
  expect(verifyProjections(stored.connection, stored.journal)).toEqual([]);
  const [zones, versions] = [zonesOf(stored), versionsOf(stored)];
  rebuildProjections(stored.connection, stored.journal);
  stored.engine.forget();
  expect(zonesOf(stored)).toEqual(zones);
  expect(versionsOf(stored)).toEqual(versions);
}

/** Of each zone the version in force at a moment and those after it are what they were, older ones gone. */
function expectTold(stored: StoredZones, before: Map<string, string>, beforeMs: number): void {
  const queries = new VersionQueries(stored.connection);
  const after = versionsOf(stored);
  for (const zone of zonesOf(stored)) {
    const serials = stored.connection
      .prepare('SELECT serial, at FROM event WHERE stream = ? AND serial > 0 ORDER BY serial')
      .all(zone.id) as { serial: number; at: number }[];
    const inForce = serials.filter(({ at }) => at < beforeMs).at(-1)?.serial ?? 0;
    const snapshot = stored.snapshots.open();
    for (const { serial } of serials) {
      const key = `${zone.id} ${serial}`;
      if (serial >= inForce) {
        if (before.has(key)) expect(after.get(key)).toBe(before.get(key));
        if (serial >= zone.historyFromSerial) {
          expect(snapshot.steps(zone, serial)).toHaveLength(
            serials.filter((other) => other.serial > serial).length,
          );
        }
        continue;
      }
      expect(after.has(key)).toBe(false);
      expect(queries.get(zone, serial)).toBeUndefined();
      expect(() => queries.records(zone, serial)).toThrow(/no version/);
      expect(snapshot.steps(zone, serial)).toBeUndefined();
    }
    snapshot.close();
  }
}

const mutations = fc.array(mutation, { minLength: 6, maxLength: 30 });

describe('retention, after any changes', () => {
  it('invariant 1: invariant 2: invariant 9: keeps what it should, the chain, and the way back to the tables', async () => {
    await fc.assert(
      fc.asyncProperty(
        mutations,
        mutations,
        fc.constantFrom(0.1, 0.4, 0.5, 0.7, 0.9, 1),
        fc.boolean(),
        fc.boolean(),
        async (first, second, share, byHand, staged) => {
          let now = 1_000_000_000_000;
          const clock = () => now;
          const stored = openStoredZones({ durable: false, clock });
          const { connection, engine, file } = stored;
          const stages = new StageStore(connection);
          const log = {
            info: () => {},
            error: (_: string, fields?: object) => expect(fields).toBeUndefined(),
          };
          const retention = new Retention(
            { engine, stages, file, connection, clock, log, ...(staged ? { smallParts: 0 } : {}) },
            { days: 1, intervalSecs: 0 },
          );
          const start = now;
          const letGo = async () => {
            const beforeMs = Math.floor(start + (now - start) * share);
            if (byHand) {
              for (const zone of zonesOf(stored)) {
                const foretold = retention.forgetting(zone, beforeMs);
                await retention.forget(zone.id, beforeMs, apiOptions);
                const { items } = new VersionQueries(connection).list(zone, signerSerials, page);
                expect(foretold.oldestSerial).toBe(items.at(-1)!.serial);
              }
              return beforeMs;
            }
            const atNow = now;
            now = beforeMs + msPerDay;
            await retention.run();
            expect(new DeletedZoneQueries(connection).list(page).items).toSatisfy(
              (items: { deletedAt: number }[]) => items.every((one) => one.deletedAt >= beforeMs),
            );
            now = atNow;
            return beforeMs;
          };
          const round = async (some: readonly Mutation[]) => {
            await play(stored, some, () => {
              now += 1000;
            });
            const before = versionsOf(stored);
            const beforeMs = await letGo();
            await clear(stored, stages);
            // A zone's only step may stay: a checkpoint would say as much.
            expectTold(stored, before, beforeMs);
            expectWhole(stored);
            const kept = connection.prepare(
              `SELECT count(*) FROM event_delta WHERE place / 65536 IN
                (SELECT delta FROM event WHERE payload IS NULL)`,
            );
            expect(kept.pluck().get()).toBe(0);
          };
          try {
            await createZones(stored);
            await round(first);
            await round(second);
          } finally {
            await retention.stop();
            await stored.close();
          }
        },
      ),
      { numRuns: runs(25), interruptAfterTimeLimit: process.env.LONG_TESTS ? 600_000 : 60_000 },
    );
  }, 700_000);
});

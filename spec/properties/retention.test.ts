/** What is kept when retention lets history go, after any changes. */
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { Retention } from '../../src/background/retention/retention.ts';
import { Problem } from '../../src/base/problem.ts';
import type { ResourceRecord } from '../../src/dns/record.ts';
import type { Zone } from '../../src/domain/zone.ts';
import { verifyChain } from '../../src/journal/verify.ts';
import { DeletedZoneQueries } from '../../src/query/zone-queries.ts';
import { FormerNames } from '../../src/projection/former-names.ts';
import { rebuildProjections, verifyProjections } from '../../src/projection/rebuild.ts';
import { StageStore } from '../../src/projection/stage-store.ts';
import { VersionQueries } from '../../src/query/version-queries.ts';
import { createZones, type Mutation } from '../support/mutations.ts';
import { inTime } from '../support/rounds.ts';
import { createPolicies, makeKeys, signedMutation } from '../support/signing-mutations.ts';
import {
  apiOptions,
  dryRun,
  openStoredZones,
  runs,
  type StoredZones,
} from '../support/stored-zones.ts';

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
      const settings = Object.entries(version.settings).sort();
      const told = { ...version, settings };
      versions.set(`${zone.id} ${version.serial}`, JSON.stringify({ version: told, records }));
    }
  }
  return versions;
}

/** The derived records of those versions, as far as they are told. */
function signaturesOf(stored: StoredZones): Map<string, string> {
  const queries = new VersionQueries(stored.connection);
  const signatures = new Map<string, string>();
  for (const zone of zonesOf(stored)) {
    for (const { serial } of queries.list(zone, signerSerials, page).items) {
      try {
        const records = [...queries.dnssecRecords(zone, serial)].flat().map(text);
        signatures.set(`${zone.id} ${serial}`, JSON.stringify(records));
      } catch (error) {
        expect(error).toMatchObject({ code: 'VERSION_NOT_FOUND' });
      }
    }
  }
  return signatures;
}

function zonesOf(stored: StoredZones): readonly Zone[] {
  return stored.zones.list('all', {}, byName, page).items;
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
  while (await stored.writer.operate({ kind: 'clear-stages' }));
  expect(stages.isEmpty()).toBe(true);
}

/** The journal and what is made of it: whole, and the same when it is made again. */
function expectWhole(stored: StoredZones): void {
  expect(verifyChain(stored.journal).findings).toEqual([]);
  expect(verifyProjections(stored.connection, stored.journal)).toEqual([]);
  const [zones, told] = [zonesOf(stored), toldBy(stored)];
  rebuildProjections(stored.connection, stored.journal);
  stored.writer.forget();
  expect(zonesOf(stored)).toEqual(zones);
  expect(toldBy(stored)).toEqual(told);
}

/** Up to which moment history went: that of users, and steps that only signed. */
interface Moments {
  readonly usersMs: number;
  readonly signersMs: number;
}

interface Step {
  readonly serial: number;
  readonly at: number;
  readonly kind: string;
  readonly isGone: number;
}

interface Told {
  readonly versions: Map<string, string>;
  readonly signatures: Map<string, string>;
}

function toldBy(stored: StoredZones): Told {
  return { versions: versionsOf(stored), signatures: signaturesOf(stored) };
}

/**
 * Of each zone the version in force at a moment and those after it are what they were, older ones gone.
 * Steps that only signed are gone when they were replaced, and leave the versions of users as they were.
 */
function expectTold(stored: StoredZones, before: Told, { usersMs, signersMs }: Moments): void {
  const queries = new VersionQueries(stored.connection);
  const { versions, signatures } = toldBy(stored);
  for (const zone of zonesOf(stored)) {
    const steps = stored.connection
      .prepare(
        `SELECT serial, at, kind, payload IS NULL AS isGone FROM event
         WHERE stream = ? AND serial > 0 ORDER BY serial`,
      )
      .all(zone.id) as Step[];
    const isUsers = ({ kind }: Step) => kind !== 'zone.signed';
    const inForce = steps.filter((step) => isUsers(step) && step.at < usersMs).at(-1)?.serial ?? 0;
    const signed = steps.filter(({ at }) => at < signersMs).at(-1)?.serial ?? 0;
    const formerSerial = new FormerNames(stored.connection).serialOf(zone.name) ?? 0;
    const snapshot = stored.snapshots.open();
    for (const [index, step] of steps.entries()) {
      const { serial, at } = step;
      const key = `${zone.id} ${serial}`;
      const since = steps.slice(index + 1);
      const isFormer = serial <= formerSerial && serial < zone.serial;
      const isOwn = serial >= zone.historyFromSerial && !isFormer;
      const isWhole = since.every(({ isGone }) => isGone === 0) && isOwn;
      // An IXFR from there, or the whole zone.
      expect(snapshot.differences(zone, serial)?.length).toBe(isWhole ? since.length : undefined);
      if (serial >= Math.max(inForce, signed)) {
        expect(since.every(({ isGone }) => isGone === 0)).toBe(true);
        expect(signatures.get(key)).toBe(before.signatures.get(key));
      } else if (signatures.has(key)) {
        expect(signatures.get(key)).toBe(before.signatures.get(key));
      }
      if (serial >= (isUsers(step) ? inForce : signed)) {
        if (before.versions.has(key)) expect(versions.get(key)).toBe(before.versions.get(key));
        if (serial < signed) continue;
        expect(queries.serialAt(zone, at)).toSatisfy(
          (told) => told === undefined || told >= serial,
        );
        continue;
      }
      expect(versions.has(key)).toBe(false);
      expect(queries.get(zone, serial)).toBeUndefined();
      expect(() => queries.records(zone, serial)).toThrow(/no version/);
    }
    snapshot.close();
  }
}

let keys: Awaited<ReturnType<typeof makeKeys>>;
beforeAll(async () => {
  keys = await makeKeys(20);
});

/** By a run of the service, by a caller for all of a zone, or by a run that keeps what users did. */
const ways = fc.constantFrom<'run' | 'by hand' | 'signers only'>('run', 'by hand', 'signers only');

describe('retention, after any changes', () => {
  it('invariant 1: invariant 2: invariant 9: keeps what it should, the chain, the way back to tables', async () => {
    const mutations = fc.array(signedMutation(keys), { minLength: 6, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(
        mutations,
        mutations,
        fc.constantFrom(0.1, 0.4, 0.5, 0.7, 0.9, 1),
        fc.tuple(ways, ways),
        fc.boolean(),
        inTime(async (first, second, share, [firstWay, secondWay], staged) => {
          let now = 1_000_000_000_000;
          const clock = () => now;
          const stored = openStoredZones({ durable: false, clock });
          const { connection, writer, file } = stored;
          const stages = new StageStore(connection);
          const log = {
            info: () => {},
            error: (_: string, fields?: object) => expect(fields).toBeUndefined(),
          };
          const start = now;
          const letGo = async (way: 'run' | 'by hand' | 'signers only'): Promise<Moments> => {
            const retention = new Retention(
              { writer, file, connection, clock, log, ...(staged && { smallParts: 0 }) },
              way === 'signers only'
                ? { days: 0, signerDays: 1, intervalSecs: 0 }
                : { days: 1, signerDays: 0, intervalSecs: 0 },
            );
            const beforeMs = Math.floor(start + (now - start) * share);
            if (way === 'by hand') {
              for (const zone of zonesOf(stored)) {
                const foretold = await retention.forget(zone, beforeMs, dryRun);
                const done = await retention.forget(zone, beforeMs, apiOptions);
                expect(done).toEqual(foretold);
                const { items } = new VersionQueries(connection).list(zone, signerSerials, page);
                expect(foretold.oldestSerial).toBe(items.at(-1)!.serial);
              }
            } else {
              const atNow = now;
              now = beforeMs + msPerDay;
              await retention.run();
              now = atNow;
            }
            await retention.stop();
            if (way === 'run') {
              expect(new DeletedZoneQueries(connection).list(page).items).toSatisfy(
                (items: { deletedAt: number }[]) => items.every((one) => one.deletedAt >= beforeMs),
              );
            }
            return { usersMs: way === 'signers only' ? 0 : beforeMs, signersMs: beforeMs };
          };
          const round = async (some: readonly Mutation[], way: Parameters<typeof letGo>[0]) => {
            await play(stored, some, () => {
              now += 1000;
            });
            const before = toldBy(stored);
            const moments = await letGo(way);
            await clear(stored, stages);
            // A zone's only step may stay: a checkpoint would say as much.
            expectTold(stored, before, moments);
            expectWhole(stored);
            const kept = connection.prepare(
              `SELECT count(*) FROM event_delta WHERE place / 65536 IN
                (SELECT delta FROM event WHERE payload IS NULL)`,
            );
            expect(kept.pluck().get()).toBe(0);
          };
          try {
            await createPolicies(stored);
            await createZones(stored);
            await round(first, firstWay);
            await round(second, secondWay);
          } finally {
            await stored.close();
          }
        }),
      ),
      { numRuns: runs(25) },
    );
  });
});

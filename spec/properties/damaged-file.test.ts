/**
 * Case 119 as a property: whichever byte of a database file is changed, either verify finds it, or every answer is
 * what it was. And what stands under a checksum is never served wrong, whether somebody verifies or not.
 */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkDatabase } from '../../src/cli/commands/database-check.ts';
import { type NameKey, parseAbsoluteName } from '../../src/dns/name.ts';
import { denialOf } from '../../src/dnssec/denial.ts';
import type { Zone } from '../../src/domain/zone.ts';
import { openCopy } from '../../src/journal/backup.ts';
import { openReader } from '../../src/journal/database.ts';
import { sha256 } from '../../src/journal/event-row.ts';
import { BlameQueries } from '../../src/query/blame-queries.ts';
import { BlockScan } from '../../src/query/block-scan.ts';
import { allOwners } from '../../src/query/key-range.ts';
import { NodeReader } from '../../src/query/node-reader.ts';
import { RecordQueries } from '../../src/query/record-queries.ts';
import { SnapshotPool } from '../../src/query/snapshot.ts';
import { HistoryQueries } from '../../src/query/history-queries.ts';
import { VersionQueries } from '../../src/query/version-queries.ts';
import { ZoneQueries } from '../../src/query/zone-queries.ts';
import { copyOf, flipByte, pagesOf } from '../support/damaged-files.ts';
import { isLong, seedVariable } from '../support/long.ts';
import { createPolicies, makeKeys, signZone } from '../support/signing-mutations.ts';
import { openStoredZones, record } from '../support/stored-zones.ts';
import { fullRights } from '../../src/domain/access/rights.ts';

const folder = mkdtempSync(join(tmpdir(), 'zonebook-flips-'));
const original = join(folder, 'original.db');
const harmed = join(folder, 'harmed.db');
let bytes: number;
let rightAnswers: Map<string, string>;
let zones: readonly Zone[];
/** Places in the file that stand under checksums: blocks, their index, and deltas. */
let guarded: { start: number; end: number }[];

const byName = { key: 'name', descending: false } as const;
const all = { limit: 1000, offset: 0 };

beforeAll(async () => {
  const stored = openStoredZones({ folder, durable: false, clock: () => 1_700_000_000_000 });
  await createPolicies(stored);
  const [key] = await makeKeys(1);
  for (const name of ['a.example', 'b.example']) {
    await stored.zone(name, { apexNs: true });
    const hosts = Array.from({ length: 90 }, (_, at) =>
      record(`host-${at}`, 'A', `192.0.2.${at}`, { ttl: 300 }),
    );
    await stored.add(name, ...hosts);
    if (name === 'b.example') await signZone(stored, name, 'nsec3', { id: 1, ...key! });
    for (let at = 0; at < 8; at++) await stored.add(name, record(`n${at}`, 'TXT', `text ${at}`));
    await stored.run({ kind: 'update-zone', zoneName: name, refresh: 900 });
    await stored.run({ kind: 'delete-records', zoneName: name, name: 'n3', type: 'TXT' } as never);
  }
  zones = stored.zones.list('all', {}, byName, all).items;
  const file = stored.file;
  await stored.close();
  copyOf(file, original);
  bytes = pagesOf(original, 'zone').length === 0 ? 0 : fileBytes(original);
  rightAnswers = answersOf(original);
  guarded = ['block', 'block_first', 'event_delta'].flatMap((owner) => pagesOf(original, owner));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function fileBytes(file: string): number {
  const connection = openReader(file);
  const size = connection.pragma('page_size', { simple: true }) as number;
  const pages = connection.pragma('page_count', { simple: true }) as number;
  connection.close();
  return size * pages;
}

/** The owner of the NSEC3 that would deny a name. */
function hashOf(zone: Zone, owner: NameKey): NameKey {
  return denialOf('nsec3', parseAbsoluteName(zone.name)).ownerFor(owner);
}

const refused = 'refused';

/** What is answered, or `refused`. */
function answer(read: () => unknown): string {
  try {
    const given = read();
    return given === refused ? refused : sha256(JSON.stringify(given)).toString('hex');
  } catch {
    return refused;
  }
}

/** Everything that doors ask for, by what is asked. */
function answersOf(file: string): Map<string, string> {
  const answers = new Map<string, string>();
  const connection = openReader(file);
  const pool = new SnapshotPool(file);
  try {
    connection.exec('BEGIN');
    const nodes = new NodeReader(connection);
    const records = new RecordQueries(connection);
    const versions = new VersionQueries(connection);
    const history = new HistoryQueries(connection);
    const blame = new BlameQueries(connection, versions);
    const blocks = new BlockScan(connection);
    answers.set(
      'zones',
      answer(() => new ZoneQueries(connection).list('all', {}, byName, all)),
    );
    for (const zone of zones) {
      const ask = (what: string, read: () => unknown) =>
        answers.set(`${what} ${zone.name}`, answer(read));
      ask('list', () =>
        records.list(fullRights, { zoneId: zone.id } as never, byName as never, all),
      );
      ask('scan', () => [...blocks.ascending(zone.id, allOwners)]);
      ask('scan back', () => [...blocks.descending(zone.id, allOwners)]);
      for (const name of ['', 'host-7', 'host-33', 'host-88', 'n1', 'n3', 'zzz']) {
        const owner = (name === '' ? '' : `${name}\0`) as never;
        ask(`node ${name}`, () => nodes.node(zone.id, owner));
        ask(`below ${name}`, () => nodes.hasBelow(zone.id, owner));
        ask(`denial ${name}`, () => nodes.nsec3OwnerUpTo(zone.id, hashOf(zone, owner)) ?? null);
      }
      ask('history', () => history.list(fullRights, zone, {}, all));
      ask('events', () => {
        const events = connection.prepare('SELECT seq, delta FROM event WHERE stream = ?');
        return events.all(zone.id).map((row) => history.smallParts(row as never));
      });
      ask('blame', () =>
        blame.page(
          fullRights,
          { zone, serial: zone.serial },
          {},
          { limit: 1000, after: undefined },
        ),
      );
      for (let serial = 1; serial <= zone.serial; serial++) {
        ask(`version ${serial}`, () => [...versions.records(zone, serial)]);
        ask(`text ${serial}`, () => [...versions.text(zone, serial)].join());
        ask(`count ${serial}`, () => versions.recordCount(zone, serial));
        ask(`derived ${serial}`, () => [...versions.dnssecRecords(zone, serial)]);
        ask(`difference ${serial}`, () => [...versions.changedNodes(zone, serial, zone.serial)]);
        ask(`undo ${serial}`, () => [...versions.touchedNodes(zone, serial)]);
        ask(`settings ${serial}`, () => versions.get(zone, serial));
      }
      answerTransfers(pool, zone, ask);
    }
  } finally {
    pool.close();
    connection.close();
  }
  return answers;
}

function answerTransfers(
  pool: SnapshotPool,
  zone: Zone,
  ask: (what: string, read: () => unknown) => void,
): void {
  ask('axfr', () => {
    const snapshot = pool.open();
    try {
      return [...snapshot.blocks(zone.id)];
    } finally {
      snapshot.close();
    }
  });
  for (let serial = 1; serial < zone.serial; serial++) {
    ask(`ixfr ${serial}`, () => {
      const snapshot = pool.open();
      try {
        const steps = snapshot.differences(zone, serial);
        if (steps === undefined) return refused;
        return steps.map((step) => [step, ...snapshot.parts(step)]);
      } finally {
        snapshot.close();
      }
    });
  }
}

const nobody = { write: () => {} };
const surroundings = {
  stderr: nobody,
  stdout: nobody,
  isTerminal: { stdout: false, stderr: false },
} as never;

async function verifies(file: string): Promise<boolean> {
  const copy = join(folder, 'copy.db');
  copyFileSync(file, copy);
  try {
    const connection = openCopy(copy);
    try {
      return (await checkDatabase(connection, surroundings)).intact;
    } finally {
      connection.close();
    }
  } catch {
    // A file that can not even be opened is found out.
    return false;
  }
}

function differing(): string[] {
  let answers: Map<string, string>;
  try {
    answers = answersOf(harmed);
  } catch {
    return [];
  }
  return [...rightAnswers].flatMap(([asked, right]) => {
    const given = answers.get(asked);
    return given === right || given === refused ? [] : [asked];
  });
}

const seed = Number(process.env[seedVariable]);
const mask = fc.integer({ min: 1, max: 255 });

it('case 119: any byte of the file: verify finds it, or every answer is as it was', async () => {
  const offsets = fc.integer({ min: 0, max: bytes - 1 });
  await fc.assert(
    fc.asyncProperty(offsets, mask, async (offset, bits) => {
      copyFileSync(original, harmed);
      flipByte(harmed, offset, bits);
      if (await verifies(harmed)) expect(answersOf(harmed)).toEqual(rightAnswers);
    }),
    { seed, numRuns: isLong ? 120 : 15 },
  );
});

it('case 119, invariant 15: any byte of blocks, their index and deltas: no answer is wrong', async () => {
  const sizes = guarded.map(({ start, end }) => end - start);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const offsets = fc.integer({ min: 0, max: total - 1 }).map((number) => {
    const size = sizes[0]!;
    return guarded[Math.floor(number / size)]!.start + (number % size);
  });
  await fc.assert(
    fc.asyncProperty(offsets, mask, async (offset, bits) => {
      copyFileSync(original, harmed);
      flipByte(harmed, offset, bits);
      expect(differing()).toEqual([]);
    }),
    { seed, numRuns: isLong ? 500 : 30 },
  );
});

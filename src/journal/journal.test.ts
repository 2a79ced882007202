import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  openStoredZones,
  record,
  type StoredZones,
  temporaryFolder,
} from '../../spec/support/stored-zones.ts';
import type { Connection } from './database.ts';
import { decodeEvent, decodeSettings, genesisHash } from './event-row.ts';
import { Journal } from './journal.ts';
import type { VerifyResult } from './verify-result.ts';
import { verifyChain } from './verify.ts';

const startMs = 1_000_000;
let stored: StoredZones;
const folders: string[] = [];

/** A journal of seven events. */
async function filled(clock = () => startMs): Promise<StoredZones> {
  const folder = temporaryFolder();
  folders.push(folder);
  const stored = openStoredZones({ folder, clock, durable: false });
  await stored.zone('example.com', { apexNs: true });
  await stored.add('example.com', record('www', 'A', '192.0.2.1'), record('www', 'A', '192.0.2.2'));
  await stored.run(
    { kind: 'update-record', id: 2, ttl: 5 },
    {
      source: 'nsupdate',
      actor: null,
      requestId: 'r-1',
      dryRun: false,
    },
  );
  await stored.run({ kind: 'create-secondary', name: 'ns2', address: '192.0.2.53' });
  await stored.zone('other.example');
  await stored.run({ kind: 'update-zone', zoneName: 'example.com', name: 'example.net' });
  await stored.run({ kind: 'delete-zone', zoneName: 'other.example' });
  return stored;
}

beforeAll(async () => {
  stored = await filled();
});
afterAll(async () => {
  await stored.close();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A copy of the database, without the triggers, as somebody with the file in hand has it. */
function tamperedCopy(tamper: (connection: Connection) => void): VerifyResult[] {
  const folder = temporaryFolder();
  folders.push(folder);
  stored.connection.pragma('wal_checkpoint(TRUNCATE)');
  const file = join(folder, 'copy.db');
  cpSync(stored.file, file);
  const connection = new Sqlite(file);
  const triggers = connection.prepare("SELECT name FROM sqlite_master WHERE type = 'trigger'");
  for (const { name } of triggers.all() as { name: string }[]) {
    connection.exec(`DROP TRIGGER ${name}`);
  }
  tamper(connection);
  const { findings } = verifyChain(new Journal(connection));
  connection.close();
  return [...findings];
}

describe('invariant 1: the journal is append-only', () => {
  const refused = [
    "UPDATE event SET payload = '{}' WHERE seq = 1",
    'UPDATE event SET seq = 100 WHERE seq = 1',
    'UPDATE event SET payload = NULL WHERE seq = 1',
    'UPDATE event SET payload = NULL',
    'DELETE FROM event WHERE seq = 7',
    'DELETE FROM event',
    'INSERT OR REPLACE INTO event SELECT * FROM event WHERE seq = 2',
    'REPLACE INTO event_delta SELECT * FROM event_delta',
    'UPDATE OR REPLACE event SET seq = 2 WHERE seq = 3',
    'UPDATE event_delta SET count = 9',
    'DELETE FROM event_delta',
    'INSERT INTO event SELECT * FROM event WHERE seq = 2 ON CONFLICT DO UPDATE SET at = 0',
  ];
  it.each(refused)('invariant 1: refuses %s', (statement) => {
    const rows = stored.connection.prepare('SELECT * FROM event').all();
    const parts = stored.connection.prepare('SELECT * FROM event_delta').all();
    expect(() => stored.connection.exec(statement)).toThrow(/append-only/);
    expect(stored.connection.prepare('SELECT * FROM event').all()).toEqual(rows);
    expect(stored.connection.prepare('SELECT * FROM event_delta').all()).toEqual(parts);
  });

  it('invariant 1: parts that no event has are stages and may go', () => {
    const place = 1000 * 65_536;
    stored.connection
      .prepare('INSERT INTO event_delta VALUES (?, 1, 0, 0, 0, 0, ?, NULL, 0, NULL, NULL)')
      .run(place, Buffer.alloc(0));
    const { changes } = stored.connection
      .prepare('DELETE FROM event_delta WHERE place = ?')
      .run(place);
    expect(changes).toBe(1);
  });
});

describe('invariant 9: the chain of hashes', () => {
  it('invariant 9: verifies from the genesis hash on', () => {
    expect(verifyChain(stored.journal)).toEqual({ events: 7, findings: [] });
    const rows = [...stored.journal.events()];
    expect(rows[0]!.prevHash).toEqual(genesisHash);
    for (const [index, row] of rows.slice(1).entries())
      expect(row.prevHash).toEqual(rows[index]!.hash);
    expect(rows.map((row) => row.seq)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(stored.journal.head().hash).toEqual(rows.at(-1)!.hash);
    expect(tamperedCopy(() => {})).toEqual([]);
  });

  const column = (name: string, value: string) =>
    `UPDATE event SET ${name} = ${value} WHERE seq = 3`;
  const tamperings: [what: string, statement: string, finding: RegExp][] = [
    ['a payload', column('payload', "replace(payload, '3600', '3601')"), /payload/],
    ['a content and its digest', column('content_digest', 'zeroblob(32)'), /hash is not/],
    ['the time', column('at', 'at + 1'), /hash is not/],
    ['the kind', column('kind', "'zone.updated'"), /hash is not/],
    ['the name of the zone', column('zone_name', "'example.org'"), /hash is not/],
    ['whether it is enabled', column('zone_enabled', '0'), /hash is not/],
    ['the serial', column('serial', '9'), /hash is not/],
    ['the stream', column('stream', '8'), /hash is not/],
    ['the door', column('change_source', "'api'"), /hash is not/],
    ['the kind of the actor', column('actor_kind', "'token'"), /hash is not/],
    ['the actor', column('actor_name', "'mallory'"), /hash is not/],
    ['the reason', column('reason', "'none'"), /hash is not/],
    ['the reference', column('reference', "'OPS-1'"), /hash is not/],
    ['the user', column('actor_uid', '7'), /hash is not/],
    ['the request', column('request_id', 'NULL'), /hash is not/],
    ['the hash', column('hash', 'zeroblob(32)'), /hash/],
    ['the link', column('prev_hash', 'zeroblob(32)'), /predecessor/],
    ['records', 'UPDATE event_delta SET records = zeroblob(9) WHERE place = 3 * 65536', /records/],
    ['ids', 'UPDATE event_delta SET ids = zeroblob(24) WHERE place = 3 * 65536', /records/],
    ['a half', 'UPDATE event_delta SET change = 1 - change WHERE place = 3 * 65536', /records/],
    ['a layer', 'UPDATE event_delta SET layer = 1 WHERE place = 3 * 65536', /records/],
    ['a count', 'UPDATE event_delta SET count = 7 WHERE place = 3 * 65536', /records/],
    ['a part gone', 'DELETE FROM event_delta WHERE place = 3 * 65536', /records/],
    [
      'a part more',
      `INSERT INTO event_delta SELECT place + 9, change, layer, count, 0, 0, records, ids, 0, NULL, NULL
       FROM event_delta WHERE place = 3 * 65536`,
      /records/,
    ],
    [
      'parts in another order',
      `UPDATE event_delta SET place = -1 WHERE place = 3 * 65536;
       UPDATE event_delta SET place = place - 1 WHERE place = 3 * 65536 + 1;
       UPDATE event_delta SET place = 3 * 65536 + 1 WHERE place = -1`,
      /records/,
    ],
    ['an event gone', 'DELETE FROM event WHERE seq = 3', /missing/],
    ['the first event gone', 'DELETE FROM event WHERE seq = 1', /missing/],
    [
      'two events swapped',
      'UPDATE event SET seq = -seq WHERE seq IN (4, 5); UPDATE event SET seq = 9 + seq WHERE seq < 0',
      /hash/,
    ],
    [
      'an event at the end',
      `INSERT INTO event SELECT 8, stream, 99, kind, zone_name, zone_enabled, at, change_source,
        actor_kind, actor_name, request_id, payload, 8, content_digest, prev_hash, hash, parts, payload_checksum,
        reason, reference, actor_uid
       FROM event WHERE seq = 7`,
      /predecessor/,
    ],
  ];
  it.each(tamperings)('invariant 9: finds that somebody changed %s', (_, statement, finding) => {
    const findings = tamperedCopy((connection) => connection.exec(statement));
    expect(findings.map(({ problem }) => problem).join('; ')).toMatch(finding);
  });

  it('invariant 4: finds serials and times that go back, even under hashes that fit', () => {
    // Somebody who can write the table can write a whole chain of his own: rules still hold in it.
    const findings = tamperedCopy((connection) => {
      const journal = new Journal(connection);
      const last = [...journal.events()].find(({ seq }) => seq === 3)!;
      const event = decodeEvent(last, journal.parts(last));
      connection.exec('DROP INDEX event_stream_serial');
      const provenance = {
        changeSource: 'api',
        actorKind: null,
        actorName: null,
        actorUid: null,
        requestId: null,
        reason: null,
        reference: null,
      };
      journal.append(event, startMs, provenance);
      journal.flush();
    });
    expect(findings).toMatchObject([
      { code: 'EVENT_ALTERED', seq: 8, problem: 'takes serial 3 after 4' },
    ]);
  });

  it('invariant 9: finds a content that is gone without anything to stand in for it', () => {
    const problem = 'its content is deleted, and no later checkpoint or purge replaces it';
    const gone = { code: 'CONTENT_MISSING', seq: 3, problem };
    expect(tamperedCopy((copy) => copy.exec(column('payload', 'NULL')))).toMatchObject([gone]);
    const administration = { ...gone, seq: 4 };
    const ofSecondary = 'UPDATE event SET payload = NULL WHERE seq = 4';
    expect(tamperedCopy((copy) => copy.exec(ofSecondary))).toMatchObject([administration]);
  });
});

describe('events as rows', () => {
  it('come back as they went in', () => {
    const rows = [...stored.journal.events()];
    const events = rows.map((row) => decodeEvent(row, stored.journal.parts(row)));
    expect(events.map((event) => event.kind)).toEqual([
      'zone.created',
      'records.changed',
      'records.changed',
      'secondary.registered',
      'zone.created',
      'zone.renamed',
      'zone.deleted',
    ]);
    expect(rows.map((row) => [row.stream, row.serial])).toEqual([
      [1, 1],
      [1, 2],
      [1, 3],
      [0, null],
      [2, 1],
      [1, 4],
      [2, null],
    ]);
    expect(events[5]).toMatchObject({
      zoneId: 1,
      before: { name: 'example.com', serial: 3 },
      after: { name: 'example.net', serial: 4 },
    });
    expect(events[6]).toMatchObject({ before: { name: 'other.example' }, rolesLost: [] });
    expect(events[3]).toMatchObject({ secondary: { id: 1, name: 'ns2', enabled: true } });
  });

  it('say who did it, and by which door', () => {
    const [, first, second] = [...stored.journal.events()];
    expect(first).toMatchObject({ changeSource: 'api', actorKind: null, actorName: null });
    expect(second).toMatchObject({
      changeSource: 'nsupdate',
      actorKind: null,
      actorName: null,
      requestId: 'r-1',
    });
  });

  it('hold a payload that people can read, with the settings that differ', () => {
    const row = [...stored.journal.events(5)][0]!;
    const payload = JSON.parse(row.payload!);
    expect(payload).toMatchObject({ zone: { name: 'example.net' }, removed: 0, added: 0 });
    expect(payload.before).toEqual({ name: 'example.com', serial: 3 });
    expect(decodeSettings(row.payload!).before).toEqual({ ...payload.zone, ...payload.before });
  });

  it('are dated no earlier than the event before, whatever the clock does', async () => {
    let now = startMs;
    const own = await filled(() => now);
    const head = own.journal.head();
    now = 500;
    const { records } = await own.run({
      kind: 'create-records',
      zoneName: 'example.net',
      records: [record('late', 'A', '192.0.2.9')],
    });
    expect(own.journal.head()).toMatchObject({ seq: head.seq + 1, at: head.at });
    expect(records[0]!.createdAt).toBe(head.at);
    now = head.at + 77;
    await own.run({ kind: 'bump-serial', zoneName: 'example.net' });
    expect(own.journal.head().at).toBe(head.at + 77);
    expect(verifyChain(own.journal).findings).toEqual([]);
    await own.close();
  });

  it('are read from any place on, past the size of a page', async () => {
    const own = await filled();
    const commands = Array.from({ length: 1200 }, () =>
      own.run({ kind: 'bump-serial', zoneName: 'example.net' }),
    );
    await Promise.all(commands);
    const all = [...own.journal.events()].map((row) => row.seq);
    expect(all).toEqual(all.map((_, index) => index + 1));
    expect([...own.journal.events(1100)].map((row) => row.seq)).toEqual(all.slice(1100));
    expect(verifyChain(own.journal)).toEqual({ events: all.length, findings: [] });
    await own.close();
  });
});

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  openStoredZones,
  type StoredZones,
  temporaryFolder,
} from '../../../spec/support/stored-zones.ts';
import type { Connection } from '../../journal/database.ts';
import { Journal } from '../../journal/journal.ts';
import { bySystem, provenanceOf } from '../../writer/submission.ts';
import { checkChain } from './database.ts';

const total = 21_000;
const folder = temporaryFolder();
const provenance = provenanceOf(bySystem);
let stored: StoredZones;
let connection: Connection;

beforeAll(async () => {
  stored = openStoredZones({ folder, durable: false });
  await stored.zone('example.com', { apexNs: true });
  // A journal that is long enough for a sample, without the work that a service would have with it.
  const journal = new Journal(stored.connection);
  stored.connection.transaction(() => {
    while (journal.head().seq < total) {
      const number = journal.head().seq;
      const role = { id: number, name: `role-${number}`, description: null, createdAt: 1 };
      journal.append({ kind: 'role.created', role } as never, Date.now(), provenance);
    }
    journal.flush();
  })();
  stored.connection.pragma('wal_checkpoint(TRUNCATE)');
  const triggers = stored.connection.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'trigger'",
  );
  for (const { name } of triggers.all() as { name: string }[]) {
    stored.connection.exec(`DROP TRIGGER ${name}`);
  }
  connection = new Sqlite(join(folder, 'zonebook.db'));
});
afterAll(async () => {
  connection.close();
  await stored.close();
  rmSync(folder, { recursive: true, force: true });
});

beforeEach(() => void connection.exec('BEGIN'));
const undo = () => void connection.exec('ROLLBACK');

const small = 1_000_000;

describe('a long journal', () => {
  it('is judged by a sample, which says so', () => {
    const finding = checkChain(connection, small);
    undo();
    expect(finding).toMatchObject({
      result: 'OK',
      message: `a sample of 4000 of ${total} events is intact; 'zonebook journal verify' reads all of them`,
    });
  });

  it.each([
    ['UPDATE event SET at = at - 1 WHERE seq = 20999', 20_999, 'its hash is not that'],
    ["UPDATE event SET payload = '{}' WHERE seq = 7", 7, 'its payload or its records'],
    ['UPDATE event_delta SET count = count + 1', 1, 'its payload or its records'],
    ['DELETE FROM event WHERE seq = 20500', 20_501, 'follows event 20499: events are missing'],
    ["UPDATE event SET prev_hash = x'00' WHERE seq = 500", 500, 'does not name the hash'],
    // The tenth of the runs between: 1000 + 19000 * 9.5 / 20.
    ['DELETE FROM event WHERE seq = 10075', 10_076, 'events are missing'],
  ])('is broken by %j at event %i', (harm, seq, says) => {
    connection.exec(harm);
    const finding = checkChain(connection, small);
    undo();
    expect(finding.result).toBe('FAIL');
    expect(finding.message).toContain(`event ${seq} `);
    expect(finding.message).toContain(says);
    expect(finding.what_to_do).toContain('zonebook journal verify');
  });

  it('that is short in a large database is read until that takes long', () => {
    connection.exec('DELETE FROM event WHERE seq > 1500');
    const finding = checkChain(connection, 2 ** 40);
    undo();
    expect(finding.message).toContain('a sample of 1500 of 1500 events');
  });
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openStoredZones, record, type StoredZones } from '../../../spec/support/stored-zones.ts';
import type { Log } from '../../telemetry/log.ts';
import { Verifier } from './verifier.ts';
import { VerifyJob } from './verify-job.ts';

let stored: StoredZones;
afterEach(() => stored.close());

async function verified(harm: (stored: StoredZones) => void = () => {}) {
  stored = openStoredZones({ durable: false });
  await stored.zone('example.com', { apexNs: true });
  await stored.add('example.com', record('www', 'A', '192.0.2.1'));
  await stored.zone('other.example');
  harm(stored);
  const lines: unknown[][] = [];
  const note = (...line: unknown[]) => void lines.push(line);
  const log = { info: note, warn: note, error: note } as unknown as Log;
  const { file, workers } = stored;
  const verifier = new Verifier({ file, workers, clock: () => 5000, log }, 0);
  expect(verifier.last).toBeUndefined();
  await verifier.run();
  await verifier.stop();
  const found = lines.filter(([event]) => event === 'database.damaged');
  return { last: verifier.last, found: found.map(([, fields]) => fields), lines };
}

describe('case 119: a verification in the background', () => {
  it('case 119: finds nothing in what is whole, and says when it was', async () => {
    const { last, lines } = await verified();
    expect(last).toMatchObject({ atMs: 5000, events: 3, findings: 0 });
    expect(lines).toEqual([['database.verified', expect.objectContaining({ findings: 0 })]]);
  });

  it('case 119: finds a block that was changed', async () => {
    const { last, found } = await verified(({ connection }) => {
      connection.exec("UPDATE block SET records = CAST(replace(records, 'www', 'wwx') AS BLOB)");
    });
    expect(last?.findings).toBe(1);
    expect(found).toMatchObject([{ code: 'BLOCK_DAMAGED', zones: 'example.com' }]);
  });

  it('case 119: finds events that were served and are not there', async () => {
    const { found } = await verified(({ folder }) => {
      writeFileSync(join(folder, 'epoch'), JSON.stringify({ epoch: 1, seq: 9 }));
    });
    expect(found).toMatchObject([{ code: 'EVENTS_MISSING_AT_END', seq: 4 }]);
  });

  it('case 119: finds a payload that was changed', async () => {
    const { found } = await verified(({ connection }) => {
      connection.exec('DROP TRIGGER event_no_update');
      connection.exec("UPDATE event SET payload = replace(payload, '3600', '3601') WHERE seq = 2");
    });
    expect(found).toMatchObject([{ code: 'EVENT_ALTERED', seq: 2 }]);
  });

  it('case 119: misses no event that is committed while it looks at the end', async () => {
    stored = openStoredZones({ durable: false });
    await stored.zone('example.com');
    await stored.add('example.com', record('www', 'A', '192.0.2.1'));
    const { connection, file } = stored;
    // As a change writes it, but for its numbers.
    connection.exec(`BEGIN;
      CREATE TEMP TABLE next AS SELECT * FROM event_delta ORDER BY place DESC LIMIT 1;
      UPDATE next SET place = place + 65536;
      INSERT INTO event_delta SELECT * FROM next`);
    const { prepare } = Sqlite.prototype;
    const spied = vi.spyOn(Sqlite.prototype, 'prepare').mockImplementation(function (
      this: InstanceType<typeof Sqlite>,
      sql: string,
    ) {
      if (sql.includes('max(place)')) connection.exec('COMMIT');
      return prepare.call(this, sql);
    });
    const report = new VerifyJob(file).verify(undefined);
    spied.mockRestore();
    expect(connection.inTransaction).toBe(false);
    expect(report).toEqual({ events: 2, findings: [], total: 0 });
  });
});

/**
 * With `database.checkpoints = "external"` nothing that the service and the commands of its host do is a
 * checkpoint: the database file stays byte for byte as it is, and the WAL is never begun from its start again.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSqlite } from '../../src/journal/sqlite.ts';
import { run } from '../support/command-line.ts';
import { type RunningService, startService } from '../support/service.ts';
import { story } from '../support/story.ts';

const env = {
  ZONEBOOK_DATABASE_CHECKPOINTS: 'external',
  ZONEBOOK_DATABASE_WAL_WARN_BYTES: '1000000',
};
const folder = mkdtempSync(join(tmpdir(), 'zonebook-external-'));
let service: RunningService;
let file: string;
/** Of an empty database. */
let first: ReturnType<typeof stateOf>;

function stateOf() {
  const wal = readFileSync(`${file}-wal`);
  return {
    database: createHash('sha256').update(readFileSync(file)).digest('hex'),
    // The number of the checkpoint and the salts, which are others when a WAL begins again.
    walHeader: wal.subarray(12, 24).toString('hex'),
  };
}

const walBytes = () => readFileSync(`${file}-wal`).length;

async function command(...words: string[]): Promise<string> {
  const { code, out, err } = await run(words, { dataDir: service.dataDir, env });
  expect([code, err]).toEqual([0, '']);
  return out;
}

beforeAll(async () => {
  service = await startService(env);
  file = join(service.dataDir, 'zonebook.db');
  first = stateOf();
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

story('a database whose checkpoints are made by another program', () => {
  describe('while the service runs', () => {
    it('an import of 20,000 records and single changes after it are no checkpoint', async () => {
      await service.must('POST', '/zones', {
        name: 'example.com',
        mname: 'ns1.example.com',
        rname: 'hostmaster@example.com',
      });
      const lines = Array.from({ length: 20_000 }, (_, index) => `h${index} 300 IN A 192.0.2.1`);
      const content = `@ 300 IN NS ns1.example.com.\n${lines.join('\n')}\n`;
      await service.must('POST', '/zones/example.com/import', { content, mode: 'replace' });
      for (let change = 0; change < 20; change++) {
        await service.must('POST', '/records', {
          zone_name: 'example.com',
          name: `late-${change}`,
          type: 'A',
          value: '192.0.2.2',
        });
      }
      expect(stateOf()).toEqual(first);
      expect(walBytes()).toBeGreaterThan(1_000_000);
    });

    it('metrics, the log and doctor tell how long the WAL is', async () => {
      // What the import replaced is cleared away meanwhile.
      await expect
        .poll(async () => {
          const metrics = String(await service.must('GET', '/metrics'));
          const told = (name: string) =>
            new RegExp(`^zonebook_${name} (\\d+)$`, 'm').exec(metrics)?.[1];
          const bytes = walBytes();
          return [Number(told('wal_bytes')) - bytes, Number(told('wal_pending_bytes')) - bytes];
        })
        .toEqual([0, -32]);
      const { out } = await run(['doctor', '-o', 'json'], { dataDir: service.dataDir, env });
      const found = JSON.parse(out).findings.find(
        ({ check }: { check: string }) => check === 'wal',
      );
      expect(found).toMatchObject({
        result: 'FAIL',
        what_to_do: expect.stringContaining('Litestream'),
      });
      expect(found.message).toContain('database.wal_warn_bytes is 1000000');
      await expect.poll(() => service.output).toContain('database.wal-long');
      expect(stateOf()).toEqual(first);
    });

    it('journal verify and backup are none', async () => {
      await command('journal', 'verify');
      await command('backup', join(folder, 'running.db'));
      expect(stateOf()).toEqual(first);
    });
  });

  describe('between two runs', () => {
    it.each(['SIGTERM', 'SIGKILL'] as const)(
      'an end by %s and the next start are none',
      async (signal) => {
        const before = walBytes();
        await service.end(signal);
        expect(stateOf()).toEqual(first);
        expect(walBytes()).toBeGreaterThanOrEqual(before);
        await service.start();
        expect(stateOf()).toEqual(first);
      },
    );

    it('commands that open the database of a stopped service are none', async () => {
      await service.end();
      await command('journal', 'verify');
      await command('journal', 'log');
      await command('backup', join(folder, 'stopped.db'));
      await run(['doctor'], { dataDir: service.dataDir, env });
      await command('journal', 'rebuild');
      expect(stateOf()).toEqual(first);
      await service.start();
    });

    it('restore leaves the former database as it was, and takes no tables of Litestream along', async () => {
      await service.end();
      const backup = join(folder, 'stopped.db');
      const copy = openSqlite(backup);
      copy.exec('CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)');
      copy.close();
      await command('restore', backup);
      const former = readdirSync(service.dataDir).find((name) => name.includes('.before-restore-'));
      file = join(service.dataDir, former!.replace(/-(?:wal|shm)$/, ''));
      expect(stateOf()).toEqual(first);
      const restored = openSqlite(join(service.dataDir, 'zonebook.db'), { readonly: true });
      const tables = restored.prepare(
        "SELECT name FROM sqlite_schema WHERE name LIKE '\\_lite%' ESCAPE '\\'",
      );
      expect(tables.all()).toEqual([]);
      restored.close();
    });
  });
});

/**
 * Databases of every schema there ever was are opened by the version of today and lose nothing; what a
 * newer version has written is refused.
 */
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { knownMigrations } from '../../src/journal/migrations.ts';
import { openReader } from '../../src/journal/reader-connection.ts';
import { openSqlite } from '../../src/journal/sqlite.ts';
import { run } from '../support/command-line.ts';
import { sampleOf } from '../support/long.ts';
import { freePort } from '../support/ports.ts';
import { program } from '../support/program.ts';
import { RunningService } from '../support/service.ts';

const root = join(import.meta.dirname, '../..');
const fixtures = join(root, 'fixtures/journals');
const schemas = readdirSync(fixtures).filter((name) => /^\d{4}$/.test(name));
const schemaOfToday = String(knownMigrations().length - 1).padStart(4, '0');

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A data folder as the version of a schema has left it. */
function folderOf(schema: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'zonebook-upgrade-'));
  folders.push(folder);
  const file = join(folder, 'zonebook.db');
  writeFileSync(file, '', { mode: 0o600 });
  const connection = openSqlite(file);
  connection.exec(readFileSync(join(fixtures, schema, 'zonebook.sql'), 'utf8'));
  connection.close();
  const keyFile = join(folder, 'keys.key');
  writeFileSync(keyFile, readFileSync(join(fixtures, schema, 'keys.key')), { mode: 0o600 });
  return folder;
}

async function serviceIn(folder: string): Promise<RunningService> {
  // The scheduler would make new signatures, long after those of the fixture have ended.
  const env = { ZONEBOOK_DNS_SCHEDULER_INTERVAL_SECS: '0' };
  const service = new RunningService(folder, await freePort(), await freePort(), env);
  await service.start();
  return service;
}

function expectedOf(schema: string) {
  return JSON.parse(readFileSync(join(fixtures, schema, 'expected.json'), 'utf8'));
}

/** Zones, keys and secrets as the version of that schema had them, zones as `shown`; returns their names. */
async function expectServed(
  service: RunningService,
  schema: string,
  shown = (text: string): string => text,
): Promise<readonly string[]> {
  const expected = expectedOf(schema);
  const { items: zones } = await service.must('GET', '/zones?limit=1000');
  const names: string[] = zones.map(({ name }: { name: string }) => name).sort();
  expect(names).toEqual(Object.keys(expected.exports).sort());
  for (const name of names) {
    const text = await service.must('GET', `/zones/${name}/export`);
    expect([name, shown(text)]).toEqual([name, shown(expected.exports[name])]);
    const { keys } = await service.must('GET', `/zones/${name}/dnssec`);
    const dnskeys = keys.map(({ dnskey }: { dnskey: string }) => dnskey).sort();
    expect([name, dnskeys]).toEqual([name, expected.signing[name] ?? []]);
  }
  for (const [name, secret] of Object.entries(expected.secrets)) {
    expect(await service.must('GET', `/tsig-keys/${name}`)).toMatchObject({ secret });
  }
  return names;
}

it('has a fixture for the schema of today (npm run journal-fixture)', () => {
  expect(schemas).toContain(schemaOfToday);
  const text = readFileSync(join(fixtures, schemaOfToday, 'zonebook.sql'), 'utf8');
  // Made before its migrations were changed, it would be refused as another build's.
  for (const { hash } of knownMigrations()) expect(text).toContain(hash);
});

/** Each step is in the way of all that are older. */
const taken = [
  ...sampleOf(
    schemas.filter((each) => each !== schemaOfToday),
    4,
  ),
  schemaOfToday,
];

describe.each(taken)('a database of schema %s', (schema) => {
  const expected = expectedOf(schema);

  it('serves what it served, with the same secrets and keys, and goes on', async () => {
    const folder = folderOf(schema);
    await using service = await serviceIn(folder);
    const copies = readdirSync(folder).filter((name) => name.includes('.before-upgrade-'));
    expect(copies).toHaveLength(schema === schemaOfToday ? 0 : 1);
    expect(service.output.includes('database.upgraded')).toBe(schema !== schemaOfToday);

    const names = await expectServed(service, schema);
    // It can be written, signed zones with their private keys too.
    for (const zone_name of names) {
      const record = { zone_name, name: 'after-upgrade', type: 'A', value: '192.0.2.99' };
      await service.must('POST', '/records', record);
    }
    await service.must('POST', '/zones/deleted.example/restore');
    expect(await service.end()).toBe(0);

    const verified = await run(['journal', 'verify', '--data-dir', folder, '-o', 'json']);
    expect(JSON.parse(verified.out)).toMatchObject({ intact: true, differing: [], findings: [] });
    const connection = openReader(join(folder, 'zonebook.db'));
    const hashOf = connection.prepare('SELECT hex(hash) FROM event WHERE seq = ?').pluck();
    expect(String(hashOf.get(expected.events)).toLowerCase()).toBe(expected.head);
    connection.close();
  });
});

/** What a zone serves; its serial is another one in a new epoch. */
function withoutSerial(text: string): string {
  return text.replace(/^(; zone \S+ serial )\d+/, '$1-').replace(/(\tSOA\t\S+ \S+ )\d+/, '$1-');
}

describe.each(schemas)('a backup of schema %s', (schema) => {
  it('is restored to what a start makes of such a database', async () => {
    const made = folderOf(schema);
    const folder = mkdtempSync(join(tmpdir(), 'zonebook-upgrade-'));
    folders.push(folder);
    copyFileSync(join(made, 'keys.key'), join(folder, 'keys.key'));
    const restored = await run(['restore', join(made, 'zonebook.db'), '--data-dir', folder]);
    expect([restored.code, restored.err]).toEqual([0, '']);
    const verified = await run(['journal', 'verify', '--data-dir', folder, '-o', 'json']);
    expect(JSON.parse(verified.out)).toMatchObject({ intact: true, findings: [] });

    await using service = await serviceIn(folder);
    await expectServed(service, schema, withoutSerial);
    expect(await service.end()).toBe(0);
  });
});

describe('the blocks of a database from before they had a key', () => {
  it('are cut as before until a rebuild draws one, and serve the same after it', async () => {
    const folder = folderOf('0016');
    const keys = () => {
      const connection = openReader(join(folder, 'zonebook.db'));
      const found = connection.prepare('SELECT length(key) FROM block_cut').pluck().all();
      connection.close();
      return found;
    };
    const isIntact = async () => {
      const verified = await run(['journal', 'verify', '--data-dir', folder, '-o', 'json']);
      expect(JSON.parse(verified.out)).toMatchObject({ intact: true, differing: [], findings: [] });
    };
    await using before = await serviceIn(folder);
    expect(await before.end()).toBe(0);
    await isIntact();
    expect(keys()).toEqual([]);
    const rebuilt = await run(['journal', 'rebuild', '--data-dir', folder]);
    expect([rebuilt.code, rebuilt.err]).toEqual([0, '']);
    expect(keys()).toEqual([8]);
    await isIntact();
    await using after = await serviceIn(folder);
    await expectServed(after, '0016');
    expect(await after.end()).toBe(0);
    await isIntact();
  });
});

describe('a database of a newer version', () => {
  it('is refused with what to do, exit 6, and left as it is', async () => {
    const folder = folderOf(schemaOfToday);
    const file = join(folder, 'zonebook.db');
    const newer = openSqlite(file);
    newer
      .prepare('INSERT INTO __drizzle_migrations (hash, created_at) VALUES (?, ?)')
      .run('of tomorrow', knownMigrations().at(-1)!.folderMillis + 1);
    newer.close();
    const before = readFileSync(file);
    const { status, stdout, stderr } = spawnSync(
      program.file,
      [...program.args, 'serve', '--data-dir', folder],
      { encoding: 'utf8', env: { PATH: process.env.PATH ?? '' } },
    );
    expect(stdout + stderr).toContain('it was written by a newer zonebook');
    expect(stdout + stderr).toContain(file);
    expect(status).toBe(6);
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(existsSync(`${file}-wal`)).toBe(false);

    for (const command of [
      ['journal', 'verify'],
      ['journal', 'log'],
      ['backup', 'copy.db'],
    ]) {
      const refused = await run([...command, '--data-dir', folder]);
      expect([command, refused.code]).toEqual([command, 6]);
      expect(refused.err).toContain('newer zonebook');
    }
    // A backup of it is refused by restore too.
    const backup = join(folder, 'backup.db');
    copyFileSync(file, backup);
    const target = join(folder, 'target');
    mkdirSync(target, { mode: 0o700 });
    copyFileSync(join(folder, 'keys.key'), join(target, 'keys.key'));
    const restored = await run(['restore', backup, '--data-dir', target]);
    expect(restored.code).not.toBe(0);
    expect(restored.err).toContain('newer zonebook');
    expect(existsSync(join(target, 'zonebook.db'))).toBe(false);
  });
});

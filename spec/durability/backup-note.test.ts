/** What a backup leaves beside the database: the service and doctor say by it how old the last one is. */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { CheckResult } from '../../src/cli/doctor/check-result.ts';
import { run } from '../support/command-line.ts';
import { type RunningService, startService } from '../support/service.ts';
import { temporaryFolder } from '../support/stored-zones.ts';

const soa = { mname: 'ns1.example.net', rname: 'root@example.net' };
const dayMs = 86_400_000;
const unknown = 'WARN no backup of this database is known';

let service: RunningService;
let folder: string;
let note: string;
beforeEach(async () => {
  service = await startService();
  folder = temporaryFolder();
  note = join(service.dataDir, 'last-backup');
  await service.must('POST', '/zones', { name: 'kept.example', ...soa });
});
afterEach(async () => {
  await service[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

async function backup(name = 'copy.db') {
  const words = ['backup', join(folder, name), '-o', 'json'];
  const { code, out, err } = await run(words, { dataDir: service.dataDir });
  expect(code).toBe(0);
  return { ...JSON.parse(out), err };
}

const stored = () => JSON.parse(readFileSync(note, 'utf8'));
const change = (by: object) => writeFileSync(note, JSON.stringify({ ...stored(), ...by }));

/** The metrics of the last backup, by name. */
async function gauges(): Promise<Record<string, number>> {
  const text = await (await fetch(`http://127.0.0.1:${service.apiPort}/metrics`)).text();
  const lines = text.matchAll(/^zonebook_(backup_\w+) (\S+)$/gm);
  return Object.fromEntries(Array.from(lines, ([, name, value]) => [name, Number(value)]));
}

async function doctor(env: Record<string, string> = {}): Promise<string> {
  const { out } = await run(['doctor', '-o', 'json'], { dataDir: service.dataDir, env });
  const { findings } = JSON.parse(out) as { findings: CheckResult[] };
  const { result, message } = findings.find(({ check }) => check === 'backup')!;
  return `${result} ${message}`;
}

it('nothing is told of it before the first one', async () => {
  expect(await gauges()).toEqual({});
  expect(await doctor()).toBe(unknown);
  expect(await doctor({ ZONEBOOK_DATABASE_CHECKPOINTS: 'external' })).toMatch(/^SKIP .*replica$/);
});

it('the service tells of it while it runs, of the last one alone', async () => {
  const began = Date.now();
  const { bytes, events, head } = await backup();
  expect(stored()).toMatchObject({ file: 'copy.db', bytes, seq: events, hash: head });
  expect(Date.parse(stored().at)).toBeGreaterThanOrEqual(began);
  const { mode, uid } = statSync(note);
  expect([mode & 0o777, uid]).toEqual([0o600, statSync(service.dataDir).uid]);
  const at = Date.parse(stored().at) / 1000;
  const told = { backup_timestamp_seconds: at, backup_event: events };
  await expect.poll(gauges).toEqual(told);
  expect(await doctor()).toMatch(
    /^OK copy\.db of .*less than an hour old; .* 0 events came since$/,
  );
  await service.must('POST', '/zones', { name: 'more.example', ...soa });
  expect(await doctor()).toMatch(/ends with event \d+, and [1-9]\d* events? came since$/);
  const second = await backup('second.db');
  expect(second.events).toBeGreaterThan(events);
  await expect.poll(async () => (await gauges()).backup_event).toBe(second.events);
  const left = readdirSync(service.dataDir).filter((name) => name.startsWith('last-backup'));
  expect(left).toEqual(['last-backup']);
});

it('one that is made while the service is stopped is known after the start', async () => {
  await service.end();
  const { events } = await backup();
  await service.start();
  expect((await gauges()).backup_event).toBe(events);
});

it('doctor warns of one that is older than a week, unless there is a replica', async () => {
  await backup();
  change({ at: new Date(Date.now() - 6 * dayMs).toISOString() });
  expect(await doctor()).toMatch(/^OK copy\.db of .* is 6 days old/);
  change({ at: new Date(Date.now() - 8 * dayMs).toISOString() });
  expect(await doctor()).toMatch(/^WARN copy\.db of .* is 8 days old/);
  expect(await doctor({ ZONEBOOK_DATABASE_CHECKPOINTS: 'external' })).toMatch(/^OK .* 8 days old/);
  const { code } = await run(['doctor', '-o', 'table'], {
    dataDir: service.dataDir,
    env: {
      ZONEBOOK_API_LISTEN_PORT: String(service.apiPort),
      ZONEBOOK_DNS_LISTEN_PORT: String(service.dnsPort),
    },
  });
  expect(code).toBe(0);
});

it('what is no note of this database is passed over', async () => {
  await backup();
  const right = stored();
  const wrong: readonly (readonly [string, string | object])[] = [
    ['is empty', ''],
    ['is cut off', '{"at":"2026-01-'],
    ['is no object', 'null'],
    ['has no time', { at: 'yesterday' }],
    ['has a wrong event', { seq: -1 }],
    ['ends with an event that never was here', { seq: 1_000_000 }],
    ['is too long', { file: 'x'.repeat(5000) }],
    ['ends with another event', { hash: '00'.repeat(32) }],
  ];
  for (const [what, by] of wrong) {
    writeFileSync(note, typeof by === 'string' ? by : JSON.stringify({ ...right, ...by }));
    expect([what, await doctor()]).toEqual([what, unknown]);
  }
  expect(await gauges()).toEqual({});
  expect((await service.must('GET', '/health')).status).toBe('healthy');
});

it('a note that can not be written is warned of, and the backup is made all the same', async () => {
  mkdirSync(note);
  writeFileSync(join(note, 'in the way'), '');
  const { err, events } = await backup();
  expect(events).toBeGreaterThan(0);
  expect(err).toContain(`warning: ${note} could not be written`);
  expect(readdirSync(service.dataDir).filter((name) => /^last-backup/.test(name))).toEqual([
    'last-backup',
  ]);
  expect(await doctor()).toBe(unknown);
  expect(await gauges()).toEqual({});
});

it('a database that was restored has no backup as it is now', async () => {
  const { file } = await backup();
  await service.end();
  const trial = await run(['restore', file, '--dry-run'], { dataDir: service.dataDir });
  expect([trial.code, trial.err]).toEqual([0, '']);
  expect(stored().file).toBe('copy.db');
  expect((await run(['restore', file], { dataDir: service.dataDir })).code).toBe(0);
  await service.start();
  expect(await gauges()).toEqual({});
  expect(await doctor()).toBe(unknown);
});

/**
 * Files and folders that the user of a command may not use are named, with the user, whatever meets them: the start,
 * which ends with exit code 6, and commands of the host.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { program } from '../support/program.ts';
import { type RunningService, startService } from '../support/service.ts';
import { temporaryFolder } from '../support/stored-zones.ts';

const user = process.getuid!();
/** Root may do anything with files: without its capabilities it is a user like any other. */
const entry = user === 0 ? ['setpriv', '--bounding-set=-all', '--inh-caps=-all'] : ['env'];

let service: RunningService;
let folder: string;
let backup: string;
beforeAll(async () => {
  folder = temporaryFolder();
  backup = join(folder, 'copy.db');
  service = await startService({}, { entry });
  const soa = { mname: 'ns1.example.net', rname: 'root@example.net' };
  await service.must('POST', '/zones', { name: 'kept.example', ...soa });
  expect(command('backup', backup)).toMatchObject({ code: 0 });
  await service.end();
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

// With its mode SQLite makes files beside a database, and a reader that may not write leaves them.
afterEach(() => {
  for (const name of ['zonebook.db-wal', 'zonebook.db-shm']) {
    rmSync(join(service.dataDir, name), { force: true });
  }
});

function command(...words: string[]) {
  const [file, ...args] = [...entry, program.file, ...program.args, ...words];
  const options = { encoding: 'utf8', env: { PATH: process.env.PATH ?? '' }, cwd: '/' } as const;
  const place = ['--data-dir', service.dataDir];
  const { status, stdout, stderr } = spawnSync(file!, [...args, ...place], options);
  return { code: status, out: stdout, err: stderr };
}

/** What doctor says of the files. */
function ofFiles(): string[] {
  const { findings } = JSON.parse(command('doctor', '-o', 'json').out) as {
    findings: { check: string; result: string; message: string; what_to_do: string | null }[];
  };
  return findings
    .filter(({ check }) => check === 'files')
    .map(({ result, message, what_to_do }) => `${result} ${message} -> ${what_to_do}`);
}

it.each([
  ['.', 'look into', ['journal verify', 'restore']],
  ['zonebook.db', 'read and write', []],
  ['zonebook.db-wal', 'read and write', ['journal verify', 'journal rebuild']],
  ['keys.key', 'read', []],
] as const)('%s that the user may not %s is named', async (name, use, commands) => {
  const path = join(service.dataDir, name);
  if (name.endsWith('-wal')) writeFileSync(path, '');
  chmodSync(path, 0);
  const says = `user ${user} may not ${use} ${path}, which belongs to user ${user} and has mode 0000`;
  try {
    const { code, said } = await service.refusal();
    expect({ code, said }).toEqual({ code: 6, said: expect.stringContaining(says) });
    for (const words of commands) {
      const given = words === 'restore' ? ['restore', backup] : words.split(' ');
      const { code, err } = command(...given);
      expect({ words, code, err }).toEqual({ words, code: 5, err: expect.stringContaining(says) });
    }
    expect(ofFiles()).toEqual([
      expect.stringMatching(
        name === '.' ? /^FAIL user \d+ may not look/ : /^FAIL .* has mode 0000/,
      ),
    ]);
  } finally {
    chmodSync(path, name === '.' ? 0o700 : 0o600);
  }
});

it('doctor goes on where the database can not be opened', () => {
  // As on a file system that can only be read: what was closed has no files of SQLite beside it, and gets none.
  chmodSync(service.dataDir, 0o500);
  const { code, out } = command('doctor', '-o', 'json');
  chmodSync(service.dataDir, 0o700);
  const { findings } = JSON.parse(out) as { findings: { check: string; result: string }[] };
  const of = (name: string) => findings.filter(({ check }) => check === name);
  expect(code).toBe(1);
  expect(['database', 'wal', 'backup', 'clock'].map((name) => of(name)[0]?.result)).toEqual([
    ...['FAIL', 'SKIP', 'SKIP', 'SKIP'],
  ]);
});

it('doctor says of a database that its owner can not write what chmod it takes', () => {
  const path = join(service.dataDir, 'zonebook.db');
  chmodSync(path, 0o400);
  chmodSync(join(service.dataDir, 'keys.key'), 0o400);
  expect(ofFiles()).toEqual([
    `FAIL ${path} has mode 0400: its owner can not read and write it -> chmod 600 ${path}`,
  ]);
  chmodSync(path, 0o600);
  chmodSync(join(service.dataDir, 'keys.key'), 0o600);
});

it.each([[[]], [['--dry-run']]])('a backup that can not be read is no broken one %j', (words) => {
  for (const [path, use] of [
    [backup, 'read'],
    [folder, 'look into'],
  ] as const) {
    chmodSync(path, 0);
    const { code, err } = command('restore', backup, ...words);
    chmodSync(path, 0o700);
    const says = `zonebook: user ${user} may not ${use} ${path}, which belongs to user ${user}`;
    expect({ code, err }).toEqual({ code: 5, err: expect.stringContaining(says) });
  }
});

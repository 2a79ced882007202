/** Copies of a database where there is too little room for them: the disk is named, and nothing is called damaged. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addonAsset } from '../../src/journal/sqlite.ts';
import { run } from '../support/command-line.ts';
import { sampleOf } from '../support/long.ts';
import { needsPeers } from '../support/peers.ts';
import { program } from '../support/program.ts';
import { startService } from '../support/service.ts';
import { mountSmallVolume, type SmallVolume } from '../support/small-volume.ts';
import { temporaryFolder } from '../support/stored-zones.ts';

const root = join(import.meta.dirname, '../..');
const zone = 'roomy.example';
const notRestored =
  /can not be restored: \S+zonebook\.(?:db\.restoring-\w+|lock): no space is left on its disk; nothing was changed\n$/m;

needsPeers('cc')('a volume with too little room', () => {
  let volume: SmallVolume;
  const folder = temporaryFolder();
  const dataDir = join(folder, 'data');
  const backup = join(folder, 'whole.db');
  let databaseBytes: number;
  beforeAll(async () => {
    volume = await mountSmallVolume(24);
    mkdirSync(dataDir);
    const service = await startService({}, { dataDir });
    const soa = { mname: 'ns1.example.net', rname: 'root@example.net' };
    await service.must('POST', '/zones', { name: zone, ...soa });
    const names = Array.from({ length: 20_000 }, (_, index) => `h${index} 300 A 192.0.2.1`);
    const file = join(folder, 'zone.txt');
    writeFileSync(file, ['$TTL 300', '@ NS ns1.example.net.', ...names, ''].join('\n'));
    const imported = await run(['zone', 'import', zone, file], { dataDir });
    expect([imported.code, imported.err]).toEqual([0, '']);
    await service.end();
    const made = await run(['backup', backup], { dataDir });
    expect([made.code, made.err]).toEqual([0, '']);
    databaseBytes = statSync(join(dataDir, 'zonebook.db')).size;
  });
  afterAll(async () => {
    await volume[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Runs a command with so many bytes free on the volume, which its files are written to. */
  function withRoom(bytes: number, ...words: string[]) {
    return withRoomFor('TMPDIR', bytes, ...words);
  }

  /** `variable` names the folder of what is put there. */
  function withRoomFor(variable: string, bytes: number, ...words: string[]) {
    const { entry, env, outside } = volume;
    const filler = join(outside, 'filler');
    if (volume.isReal) writeFileSync(filler, Buffer.alloc(Math.max(0, volume.free() - bytes)));
    else volume.fill();
    const [command, ...args] = [...entry, program.file, ...program.args, ...words];
    const { status, stderr } = spawnSync(command!, args, {
      encoding: 'utf8',
      env: {
        ...process.env,
        ...env,
        [variable]: volume.dataDir,
        ZONEBOOK_DNSSEC_KEY_ENCRYPTION_FILE: join(dataDir, 'keys.key'),
      },
    });
    if (volume.isReal) rmSync(filler, { force: true });
    else volume.release();
    return { status, stderr };
  }

  /** In sizes of the database: a rebuild in the copy needs more than the copy. */
  const rooms = [0.02, ...sampleOf([0.5, 1.02, 1.1, 1.2, 1.3, 1.5, 1.7, 2, 2.5, 3, 4], 3)];
  const commands: readonly (readonly [string, (volume: SmallVolume) => string[], RegExp])[] = [
    [
      'journal verify',
      () => ['journal', 'verify', '--data-dir', dataDir],
      /^zonebook: \S+copy\.db: no space is left on its disk\n$/m,
    ],
    [
      'backup',
      (on) => ['backup', join(on.dataDir, 'b.db'), '--data-dir', dataDir],
      /^zonebook: \S+b\.db: no space is left on its disk\n$/m,
    ],
    ['restore', (on) => ['restore', backup, '--data-dir', join(on.dataDir, 'new')], notRestored],
  ];

  it.each(commands)('%s says which disk is full, whatever room there is', (_, words, told) => {
    let refusals = 0;
    for (const times of rooms) {
      const { status, stderr } = withRoom(times * databaseBytes, ...words(volume));
      if (status !== 0) {
        refusals++;
        expect([times, status, stderr]).toEqual([times, 1, expect.stringMatching(told)]);
      }
      const left = readdirSync(volume.outside, { recursive: true });
      if (status !== 0) expect([times, left]).toEqual([times, []]);
      for (const name of ['b.db', 'new']) {
        rmSync(join(volume.outside, name), { recursive: true, force: true });
      }
    }
    expect(refusals).toBeGreaterThan(0);
  });

  it('restore leaves no folder where SQLite itself takes the room that there is', () => {
    const pageBytes = 4096;
    const addonPages = Math.ceil(statSync(join(root, addonAsset)).size / pageBytes);
    for (let pages = 0; pages < 8; pages++) {
      const room = (addonPages + pages) * pageBytes;
      const words = ['restore', backup, '--data-dir', join(volume.dataDir, 'a', 'new')];
      const { status, stderr } = withRoom(room, ...words);
      const left = readdirSync(volume.outside, { recursive: true });
      expect([pages, left, status, stderr]).toEqual([
        pages,
        [],
        1,
        expect.stringMatching(notRestored),
      ]);
    }
  });

  it.each([
    ['journal verify', ['journal', 'verify']],
    ['backup', ['backup', join(folder, 'again.db')]],
    ['restore --dry-run', ['restore', backup, '--dry-run']],
    ['journal rebuild', ['journal', 'rebuild']],
  ])('%s needs no room on the disk that SQLite has for temporary files', (_, words) => {
    const ended = withRoomFor('SQLITE_TMPDIR', 0, ...words, '--data-dir', dataDir);
    expect(ended).toEqual({ status: 0, stderr: '' });
  });
});

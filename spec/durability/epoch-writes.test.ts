/**
 * Killed between any two writes: the first start of a service, the start with --recover or --new and a
 * restore write the epoch file and the database one after the other. Whatever is on disk in between, a
 * database that was not taken back starts, and one that was is refused or has begun its new epoch.
 *
 * Each write is waited for by an fsync or ended by a rename or COMMIT: before and after each of them the
 * data folder is copied as kill -9 would leave it.
 */
import fs, { copyFileSync, rmSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import Sqlite from 'better-sqlite3';
import { expect, it, onTestFailed } from 'vitest';
import { isLong } from '../support/long.ts';
import { copyFolder, ServedFolder } from '../support/served-folder.ts';

const soa = { mname: 'ns1.example.net', rname: 'root@example.net' };

/** Copies of the data folder around every write that `work` makes in this thread. */
async function moments(served: ServedFolder, work: () => Promise<unknown>): Promise<string[]> {
  const copies: string[] = [];
  let isCopying = false;
  const note = () => {
    if (isCopying) return;
    isCopying = true;
    const copy = served.beside(`moment${copies.length}`);
    copyFolder(served.folder, copy);
    copies.push(copy);
    isCopying = false;
  };
  const around = <Call extends (...args: never[]) => unknown>(call: Call): Call =>
    function (this: unknown, ...args: never[]) {
      note();
      const result = call.apply(this, args);
      note();
      return result;
    } as Call;
  const { fsyncSync, renameSync } = fs;
  const database = new Sqlite(':memory:');
  const statement = Object.getPrototypeOf(database.prepare('SELECT 1'));
  database.close();
  const { run } = statement;
  fs.fsyncSync = around(fsyncSync);
  fs.renameSync = around(renameSync);
  syncBuiltinESMExports();
  const commit = around(run);
  statement.run = function (this: { source: string }, ...args: never[]) {
    return (this.source === 'COMMIT' ? commit : run).apply(this, args);
  };
  try {
    await work();
  } finally {
    fs.fsyncSync = fsyncSync;
    fs.renameSync = renameSync;
    syncBuiltinESMExports();
    statement.run = run;
  }
  note();
  return copies;
}

/**
 * All of them in a long run; else the first, the last and some between. `MOMENTS_FROM` brings those of a
 * failed test back.
 */
function sampleOf(copies: readonly string[]): readonly string[] {
  if (isLong) return copies;
  const stride = Math.ceil(copies.length / 4);
  const first = Number(process.env.MOMENTS_FROM ?? Math.floor(Math.random() * stride));
  onTestFailed(() => console.error(`MOMENTS_FROM=${first} of ${copies.length}`));
  return copies.filter(
    (_, index) => index === 0 || index === copies.length - 1 || index % stride === first,
  );
}

async function serialOf(served: ServedFolder): Promise<number | undefined> {
  return (await served.call('GET', '/zones/a.example')).body.zone?.serial;
}

/** A service with a zone at serial 3, a backup at serial 1, and an end in order. */
async function prepare(served: ServedFolder): Promise<string> {
  await served.start();
  await served.call('POST', '/zones', { name: 'a.example', ...soa });
  const backup = served.beside('backup.db');
  expect((await served.cli('backup', backup)).code).toBe(0);
  for (const value of ['192.0.2.1', '192.0.2.2']) {
    await served.call('POST', '/records', {
      zone_name: 'a.example',
      name: 'www',
      type: 'A',
      value,
    });
  }
  expect(await serialOf(served)).toBe(3);
  await served.stop();
  return backup;
}

function copyBack(served: ServedFolder, backup: string): void {
  for (const suffix of ['-wal', '-shm']) rmSync(`${served.database}${suffix}`, { force: true });
  copyFileSync(backup, served.database);
}

it('the first start ends in a folder that starts again, whenever it is killed', async () => {
  await using served = await ServedFolder.make();
  const copies = await moments(served, () => served.start());
  await served.stop();
  expect(copies.length).toBeGreaterThan(8);
  for (const copy of sampleOf(copies)) {
    served.takeOver(copy);
    await served.start();
    await served.stop();
    expect(served.epochFile().epoch).toBe(1);
  }
});

it('a stop and a start in between change nothing', async () => {
  await using served = await ServedFolder.make();
  await prepare(served);
  const copies = await moments(served, async () => {
    await served.start();
    await served.call('PUT', '/zones/a.example', { description: 'changed' });
    await served.stop();
  });
  for (const copy of sampleOf(copies)) {
    served.takeOver(copy);
    await served.start();
    expect([3, 4]).toContain(await serialOf(served));
    await served.stop();
    expect(served.epochFile().epoch).toBe(1);
  }
});

it('a recovery that is killed is refused as before, or goes on to its end', async () => {
  await using served = await ServedFolder.make();
  const backup = await prepare(served);
  copyBack(served, backup);
  const copies = await moments(served, () => served.start({ recover: true }));
  await served.stop();
  let refused = 0;
  for (const copy of sampleOf(copies)) {
    served.takeOver(copy);
    try {
      await served.start();
    } catch (error) {
      expect(String(error)).toContain('was taken back');
      refused++;
      await served.start({ recover: true });
    }
    expect(await serialOf(served)).toBe(1 + 65_536);
    await served.stop();
    // One that was planned and never began is passed over.
    expect(served.epochFile().epoch).toBeGreaterThan(1);
    const { code } = await served.cli('journal', 'verify');
    expect(code).toBe(0);
  }
  expect(refused).toBeGreaterThan(0);
  expect(refused).toBeLessThan(copies.length);
});

it('a restore that is killed leaves the former database or the restored one', async () => {
  await using served = await ServedFolder.make();
  const backup = await prepare(served);
  const copies = await moments(served, async () => {
    expect((await served.cli('restore', backup)).code).toBe(0);
  });
  const seen = new Set<string>();
  for (const copy of sampleOf(copies)) {
    served.takeOver(copy);
    try {
      await served.start();
    } catch (error) {
      // The former one is beside its place by then, and the restored one not there yet.
      expect(String(error)).toContain('it is missing');
      expect((await served.cli('restore', backup)).code).toBe(0);
      await served.start();
    }
    seen.add((await serialOf(served)) === 3 ? 'former' : 'restored');
    expect([3, 3 + 65_536, expect.closeTo(3 + 2 * 65_536, -1)]).toContainEqual(
      await serialOf(served),
    );
    await served.stop();
  }
  expect([...seen]).toEqual(['former', 'restored']);
});

it('an empty database that is begun beside an epoch file has its epoch, or is refused', async () => {
  await using served = await ServedFolder.make();
  await prepare(served);
  rmSync(served.database);
  await expect(served.start()).rejects.toThrow('serve --new');
  const copies = await moments(served, () => served.start({ isNew: true }));
  await served.stop();
  for (const copy of sampleOf(copies)) {
    served.takeOver(copy);
    await served.start().catch(async (error) => {
      expect(String(error)).toMatch(/serve --new|was taken back/);
      await served.start({ isNew: true });
    });
    await served.call('POST', '/zones', { name: 'a.example', ...soa });
    // Under a serial that the former database can not have reached.
    expect(await serialOf(served)).toBeGreaterThan(65_536);
    await served.stop();
  }
});

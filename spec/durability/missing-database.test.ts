/**
 * A data folder whose database is not there, beside files that say there was one: a volume that was not
 * mounted, a file that was cut off. Nothing is served of an empty database then, unless somebody says so.
 */
import { existsSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { run } from '../support/command-line.ts';
import { sampleOf } from '../support/long.ts';
import { startService } from '../support/service.ts';

const soa = { mname: 'ns1.example.net', rname: 'root@example.net' };

/** What a database may have become; each leaves its file as it says. */
const losses: Record<string, (file: string) => void> = {
  'is missing': () => {},
  'has no bytes': (file) => writeFileSync(file, ''),
  'has no tables': (file) => {
    const database = new Sqlite(file);
    database.pragma('journal_mode = DELETE');
    database.exec('CREATE TABLE t (n INTEGER); DROP TABLE t');
    database.close();
  },
};

/** What says that there was a database. */
const witnesses: Record<string, readonly string[]> = {
  'its key file': ['epoch'],
  'its epoch file': ['keys.key'],
  both: [],
};

/** Commands that read the database say what the start says. */
async function everyCommandSays(dataDir: string, loss: string): Promise<void> {
  const commands = [['doctor'], ['journal', 'verify'], ['journal', 'log'], ['backup', 'never.db']];
  for (const words of commands) {
    const { out, err } = await run(words, { dataDir });
    const said = out + err;
    expect(said).toContain(loss === 'is missing' ? 'it is missing, but ' : 'it is empty, but ');
    expect(said).toContain("'zonebook restore FILE'");
    expect(said).toContain("'zonebook serve --new'");
  }
}

for (const [loss, lose] of sampleOf(Object.entries(losses), 1)) {
  it(`case 118: a database that ${loss} refuses the start with exit code 6`, async () => {
    await using service = await startService();
    await service.must('POST', '/zones', { name: 'a.example', ...soa });
    await service.end();
    const at = (name: string) => join(service.dataDir, name);
    renameSync(at('zonebook.db'), at('saved.db'));
    for (const suffix of ['-wal', '-shm']) rmSync(at(`zonebook.db${suffix}`), { force: true });
    lose(at('zonebook.db'));
    const size = statSync(at('zonebook.db'), { throwIfNoEntry: false })?.size;
    for (const [witness, hidden] of Object.entries(witnesses)) {
      for (const name of hidden) renameSync(at(name), at(`${name}.away`));
      const { code, said } = await service.refusal();
      expect([witness, code]).toEqual([witness, 6]);
      expect(said).toContain(loss === 'is missing' ? 'it is missing' : 'it is empty');
      expect(said).toContain("'zonebook restore FILE'");
      expect(said).toContain("'zonebook serve --new'");
      await everyCommandSays(service.dataDir, loss);
      expect(statSync(at('zonebook.db'), { throwIfNoEntry: false })?.size).toBe(size);
      for (const name of hidden) renameSync(at(`${name}.away`), at(name));
    }
    // One way out: the database comes back, and nothing has become of it.
    rmSync(at('zonebook.db'), { force: true });
    renameSync(at('saved.db'), at('zonebook.db'));
    await service.start();
    expect((await service.must('GET', '/zones/a.example')).zone.serial).toBe(1);
    await service.end();
    // The other: a new one, whose zones pass what secondaries may hold.
    renameSync(at('zonebook.db'), at('saved.db'));
    lose(at('zonebook.db'));
    await service.start('--new');
    expect((await service.call('GET', '/zones/a.example')).status).toBe(404);
    const { zone } = await service.must('POST', '/zones', { name: 'a.example', ...soa });
    expect(zone.serial).toBeGreaterThan(65_536);
    await service.end();
    // And from then on it is a database like any other, with the option or without.
    await service.start();
    await service.end();
    await service.start('--new');
    expect((await service.must('GET', '/zones/a.example')).zone.serial).toBe(zone.serial);
  });
}

it('case 118: a folder without any trace gets its database', async () => {
  await using service = await startService();
  expect(readdirSync(service.dataDir)).toContain('epoch');
  expect(existsSync(join(service.dataDir, 'zonebook.db'))).toBe(true);
  const given: unknown[] = [];
  const serve = async (options: unknown) => {
    given.push(options);
    return 0;
  };
  await run(['serve', '--new'], { serve });
  await run(['serve', '--recover'], { serve });
  expect(given).toMatchObject([{ isNew: true }, { recover: true }]);
});

/** Backups are taken while the service works and bring back what it held then (decisions 14). */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../support/command-line.ts';
import { type RunningService, startService } from '../support/service.ts';
import { temporaryFolder } from '../support/stored-zones.ts';
import { story } from '../support/story.ts';

let service: RunningService;
const folder = temporaryFolder();
const file = join(folder, 'first.db');
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const cli = (...words: string[]) => run(words, { dataDir: service.dataDir });
const at = (dataDir: string) => join(dataDir, 'zonebook.db');

async function must(...words: string[]): Promise<string> {
  const { code, out, err } = await cli(...words);
  expect([words, code, err]).toEqual([words, 0, '']);
  return out;
}

/** The answer of a command. */
async function read(...words: string[]) {
  return JSON.parse(await must(...words, '-o', 'json'));
}

async function serialOf(name: string): Promise<number> {
  return (await read('zone', 'get', name)).zone.serial;
}

story('one database', () => {
  describe('a backup', () => {
    it('is one verified file, taken while the service writes', async () => {
      const soa = ['--mname', 'ns1.example.net', '--rname', 'hostmaster@example.com'];
      await must('zone', 'create', 'kept.example', ...soa);
      await must('tsig-key', 'create', 'key.example', '--role', 'admin');
      let isDone = false;
      const writing = (async () => {
        for (let index = 0; !isDone; index++) {
          await must('record', 'create', 'kept.example', `n${index}`, 'A', '192.0.2.1');
        }
      })();
      const answer = await read('backup', file);
      isDone = true;
      await writing;
      expect(answer).toMatchObject({
        file,
        bytes: statSync(file).size,
        events: expect.any(Number),
        head: expect.stringMatching(/^[0-9a-f]{64}$/),
        key_file: join(service.dataDir, 'keys.key'),
      });
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(readdirSync(folder)).toEqual(['first.db']);
      const copy = new Sqlite(file, { readonly: true });
      expect(copy.pragma('journal_mode', { simple: true })).toBe('delete');
      expect(copy.prepare('SELECT count(*) FROM event').pluck().get()).toBe(answer.events);
      copy.close();
    });

    it('says that the key file is needed too', async () => {
      const other = join(folder, 'other.db');
      const said = await must('backup', other, '-o', 'table');
      expect(said).toContain('verified');
      expect(said).toContain(`the key file ${join(service.dataDir, 'keys.key')} is needed too`);
      rmSync(other);
    });

    it('overwrites nothing, and needs a database and a folder to write to', async () => {
      const before = readFileSync(file);
      const again = await cli('backup', file);
      expect([again.code, again.err]).toEqual([4, expect.stringContaining('already exists')]);
      expect(readFileSync(file)).toEqual(before);
      const nowhere = await cli('backup', join(folder, 'missing/first.db'));
      expect([nowhere.code, nowhere.err]).toEqual([
        1,
        expect.stringContaining('there is no such file'),
      ]);
      const none = await run(['backup', join(folder, 'none.db')], {
        dataDir: join(folder, 'empty'),
      });
      expect([none.code, none.err]).toEqual([3, expect.stringContaining('no database')]);
      const elsewhere = await cli('backup', join(folder, 'x.db'), '--url', 'http://127.0.0.1:1');
      expect(elsewhere.code).toBe(2);
      expect(readdirSync(folder)).toEqual(['first.db']);
    });

    it('and a restore take a file and not -, which is no name of one elsewhere', async () => {
      for (const verb of ['backup', 'restore']) {
        const { code, out, err } = await cli(verb, '-');
        expect([code, out]).toEqual([2, '']);
        expect(err).toContain("<file> takes a file, not '-'; a file of that name is './-'");
      }
      expect(existsSync('-')).toBe(false);
    });

    it('is not written of a database that is not intact', async () => {
      const dataDir = join(folder, 'damaged');
      mkdirSync(dataDir);
      copyFileSync(file, at(dataDir));
      const database = new Sqlite(at(dataDir));
      database.exec('UPDATE zone SET retry = 1');
      database.close();
      const target = join(folder, 'bad.db');
      const { code, err } = await run(['backup', target], { dataDir });
      expect([code, err]).toEqual([
        1,
        expect.stringContaining('not intact; no backup was written'),
      ]);
      expect(existsSync(target)).toBe(false);
      rmSync(dataDir, { recursive: true });
      expect(readdirSync(folder)).toEqual(['first.db']);
    });
  });

  describe('a restore', () => {
    it('is refused while the service runs', async () => {
      const refused = await cli('restore', file);
      expect([refused.code, refused.err]).toEqual([4, expect.stringContaining('stop the service')]);
    });

    it('brings back what the backup holds, and keeps the former database beside it', async () => {
      await must('record', 'create', 'kept.example', 'later', 'A', '192.0.2.2');
      const later = await serialOf('kept.example');
      await service.end();
      const answer = await read('restore', file);
      expect(answer).toMatchObject({ file, database: at(service.dataDir) });
      expect(answer.former).toMatch(/zonebook\.db\.before-restore-\d{4}-/);
      expect(statSync(at(service.dataDir)).mode & 0o777).toBe(0o600);
      await must('journal', 'verify');
      await service.start();
      // Secondaries may hold all serials up to that one, with other records.
      expect(await serialOf('kept.example')).toBe(later + 65_536);
      expect(await must('record', 'list', 'kept.example')).not.toContain('later');
      await must('record', 'create', 'kept.example', 'anew', 'A', '192.0.2.3');
      expect(await must('tsig-key', 'list')).toContain('key.example');
      await service.end();
      // And back again: the former database is a backup like any other.
      const former = join(folder, 'former.db');
      renameSync(answer.former, former);
      await must('restore', former);
      await service.start();
      expect(await serialOf('kept.example')).toBe(later + 2 * 65_536 + 1);
      const names = await must('record', 'list', 'kept.example');
      expect([names.includes('later'), names.includes('anew')]).toEqual([true, false]);
      await service.end();
      rmSync(former);
    });

    it('takes along what a killed service left beside its database', async () => {
      await service.start();
      await must('record', 'create', 'kept.example', 'killed', 'A', '192.0.2.4');
      process.kill(service.pid, 'SIGKILL');
      await service.end();
      const { former } = await read('restore', file);
      const database = new Sqlite(former);
      const names = database.prepare("SELECT count(*) FROM record WHERE owner = x'6b696c6c656400'");
      expect(names.pluck().get()).toBe(1);
      database.close();
    });

    const everything = () =>
      readdirSync(service.dataDir)
        .filter((name) => !/lock|sock/.test(name))
        .sort()
        .map((name) => [name, readFileSync(join(service.dataDir, name), 'latin1')]);

    it('changes nothing when the key file is missing or another', async () => {
      const keyFile = join(service.dataDir, 'keys.key');
      const key = readFileSync(keyFile);
      rmSync(keyFile);
      const before = everything();
      const missing = await cli('restore', file);
      expect([missing.code, missing.err]).toEqual([6, expect.stringContaining('is missing')]);
      expect(everything()).toEqual(before);
      writeFileSync(keyFile, `${Buffer.alloc(32, 7).toString('base64')}\n`, { mode: 0o600 });
      const other = await cli('restore', file);
      expect([other.code, other.err]).toEqual([6, expect.stringContaining('is not the key file')]);
      writeFileSync(keyFile, key);
    });

    it('takes along what a database that was put away has left, and names none', async () => {
      await service.start();
      await must('record', 'create', 'kept.example', 'left', 'A', '192.0.2.5');
      process.kill(service.pid, 'SIGKILL');
      await service.end();
      const away = join(folder, 'away.db');
      for (const isEmpty of [false, true]) {
        if (isEmpty) writeFileSync(at(service.dataDir), '');
        else renameSync(at(service.dataDir), away);
        const wal = readFileSync(`${at(service.dataDir)}-wal`);
        expect(wal.length).toBeGreaterThan(4096);
        // Nothing that only looks takes it away.
        for (const words of [['doctor'], ['journal', 'verify'], ['backup', join(folder, 'x.db')]]) {
          expect([words, (await cli(...words)).code]).not.toEqual([words, 0]);
        }
        await must('restore', file, '--dry-run');
        expect(readFileSync(`${at(service.dataDir)}-wal`)).toEqual(wal);
        const { former } = await read('restore', file);
        expect(former === null).toBe(!isEmpty);
        const { events } = await read('journal', 'verify');
        expect(events).toBe((await read('restore', file, '--dry-run')).events + 1);
        const [kept] = readdirSync(service.dataDir)
          .filter((name) => /before-restore-.*-wal$/.test(name))
          .toSorted()
          .slice(-1);
        expect(readFileSync(join(service.dataDir, kept!))).toEqual(wal);
        renameSync(join(service.dataDir, kept!), `${at(service.dataDir)}-wal`);
      }
      rmSync(`${at(service.dataDir)}-wal`);
    });

    it('leaves a copy that a restore has left alone', async () => {
      const left = `${at(service.dataDir)}.restoring`;
      copyFileSync(file, left);
      for (const words of [
        ['restore', left],
        ['restore', left, '--dry-run'],
      ])
        await cli(...words);
      const refused = await cli('restore', left);
      expect([refused.code, refused.err]).toEqual([
        4,
        expect.stringContaining('an interrupted restore'),
      ]);
      expect(readFileSync(left)).toEqual(readFileSync(file));
      rmSync(left);
    });

    it('changes nothing when another program keeps the database that is there to itself', async () => {
      // It alone may know the serials that secondaries were served.
      const other = new Sqlite(at(service.dataDir));
      other.pragma('locking_mode = EXCLUSIVE');
      other.exec('BEGIN EXCLUSIVE');
      const refused = await cli('restore', file);
      expect([refused.code, refused.err]).toEqual([
        1,
        expect.stringMatching(/locked; nothing was/),
      ]);
      other.close();
      await must('restore', file, '--dry-run');
    });

    it('changes nothing when the file is none, cut off, tampered with or of something else', async () => {
      const before = everything();
      const bad = join(folder, 'bad.db');
      const refusal = async (says: string, code = 1) => {
        const refused = await cli('restore', bad);
        expect([refused.code, refused.err]).toEqual([code, expect.stringContaining(says)]);
        expect(everything()).toEqual(before);
        rmSync(bad, { force: true });
      };
      await refusal('there is no file', 3);
      writeFileSync(bad, 'this is a text, '.repeat(400));
      await refusal('not a database');
      const other = new Sqlite(bad);
      other.exec('CREATE TABLE t (n INTEGER)');
      other.close();
      await refusal('it is no backup of zonebook');
      const whole = readFileSync(file);
      writeFileSync(bad, whole.subarray(0, whole.length - 3 * 4096));
      await refusal('can not be restored');
      // In the event alone, wherever its page is: the tables have the address in another form.
      const event = '"rname":"hostmaster@example.com"';
      const scratched = whole.toString('latin1').replaceAll(event, event.toUpperCase());
      expect(scratched).not.toBe(whole.toString('latin1'));
      writeFileSync(bad, scratched, 'latin1');
      await refusal('it is not intact: event ');
      copyFileSync(file, bad);
      const newer = new Sqlite(bad);
      newer.exec("INSERT INTO __drizzle_migrations (hash, created_at) VALUES ('x', 9999999999999)");
      newer.close();
      await refusal('a newer zonebook');
    });

    it('makes the data folder of a new host', async () => {
      const dataDir = join(folder, 'new/host');
      const wanted = await run(['restore', file], { dataDir });
      expect([wanted.code, wanted.err]).toEqual([
        6,
        expect.stringMatching(/keys\.key is missing; name the configuration .* ZONEBOOK_CONFIG/),
      ]);
      expect(existsSync(join(folder, 'new'))).toBe(false);
      // With the key file elsewhere too nothing is left of a restore that comes to nothing.
      const bad = join(folder, 'bad.db');
      writeFileSync(bad, 'this is a text, '.repeat(400));
      const env = { ZONEBOOK_DNSSEC_KEY_ENCRYPTION_FILE: join(service.dataDir, 'keys.key') };
      expect((await run(['restore', bad], { dataDir, env })).code).toBe(1);
      expect(existsSync(join(folder, 'new'))).toBe(false);
      rmSync(bad);
      const ofFolder = await run(['restore', folder], { dataDir });
      expect([ofFolder.code, ofFolder.err]).toEqual([
        2,
        expect.stringContaining(`${folder} is a folder; name the file`),
      ]);
      mkdirSync(dataDir, { recursive: true, mode: 0o700 });
      copyFileSync(join(service.dataDir, 'keys.key'), join(dataDir, 'keys.key'));
      const { code, out } = await run(['restore', file, '-o', 'json'], { dataDir });
      expect([code, JSON.parse(out)]).toMatchObject([0, { former: null }]);
      expect(statSync(dataDir).mode & 0o777).toBe(0o700);
      expect((await run(['journal', 'verify'], { dataDir })).code).toBe(0);
    });
  });
});

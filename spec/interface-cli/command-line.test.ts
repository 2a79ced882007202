/** The command line against a service of its own, over the local socket and from outside. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { run } from '../support/command-line.ts';
import { program } from '../support/program.ts';
import { type RunningService, startService } from '../support/service.ts';
import { story } from '../support/story.ts';

let service: RunningService;
beforeAll(async () => {
  service = await startService({ ZONEBOOK_API_AUTHENTICATION_REQUIRED: 'true' });
});
afterAll(() => service[Symbol.asyncDispose]());

const cli = (...words: string[]) => run(words, { dataDir: service.dataDir });

async function must(...words: string[]): Promise<string> {
  const { code, out, err } = await cli(...words);
  expect([words, code, err]).toEqual([words, 0, '']);
  return out;
}

/** The answer of a command. */
async function read(...words: string[]) {
  return JSON.parse(await must(...words, '-o', 'json'));
}

story('the command line (decisions 14)', () => {
  it('creates, shows, changes and deletes over the local socket, without a token', async () => {
    const soa = ['--mname', 'ns1.example.net', '--rname', 'hostmaster@example.com'];
    const created = await read('zone', 'create', 'example.com', ...soa);
    expect(created).toMatchObject({ applied: true, zone: { name: 'example.com', serial: 1 } });
    expect((await cli('zone', 'create', 'example.com', ...soa)).code).toBe(4);

    const www = ['record', 'create', 'example.com', 'www', 'A', '192.0.2.1', '--ttl', '300'];
    expect(await must(...www, '--dry-run', '-o', 'table')).toMatch(/^would create the record\n\+ /);
    const { record } = await read(...www);
    const update = ['record', 'update', String(record.id), '--ttl', '600', '-o', 'table'];
    expect(await must(...update)).toContain('~ www.example.com. 300 -> 600 A 192.0.2.1');
    const quoted = ['record', 'create', 'example.com', 't', 'TXT', '"a" "b"'];
    expect((await read(...quoted)).record.value).toEqual(['a', 'b']);
    const segments = ['record', 'delete', 'example.com', 't', 'TXT', 'a', 'b'];
    expect((await read(...segments)).deleted).toBe(1);
    const pairs = ['example.com', 'r', 'resinfo', 'qnamemin', 'exterr=15'];
    const resolver = (await read('record', 'create', ...pairs)).record;
    expect([resolver.type, resolver.value]).toEqual(['RESINFO', pairs.slice(3)]);
    expect((await read('record', 'delete', ...pairs)).deleted).toBe(1);
    const relay = ['example.com', 'r', 'AMTRELAY', '10', '0', '1', '192.0.2.9'];
    const made = (await read('record', 'create', ...relay)).record;
    expect([made.type, made.value]).toEqual(['AMTRELAY', '10 0 1 192.0.2.9']);
    await must('record', 'delete', 'example.com', 'r');
    expect(await must('record', 'ls', 'example.com', '-o', 'table')).toContain('192.0.2.1');

    await must('secondary', 'create', 'ns2', '--address', '127.0.0.1:9');
    await must('secondary', 'update', 'ns2', '--no-enabled');
    await must('zone', 'notify', 'example.com', '--bump-serial');
    const status = await read('status');
    expect(status).toMatchObject({ status: 'healthy', zones: 1, records: 2, secondaries: 1 });
    await must('secondary', 'rm', 'ns2');
    expect((await cli('zone', 'get', 'example.net')).code).toBe(3);
  });

  it.each(['table', 'json', 'yaml'])(
    'prints warnings to standard error, with -o %s',
    async (form) => {
      const words = ['record', 'create', 'example.com', '@', 'MX', 'mx.', '--dry-run', '-o', form];
      const line =
        'warning: example.com. MX: the target mx. has one label: is mx.example.com. meant?\n';
      const { code, out, err } = await cli(...words);
      expect([code, err]).toEqual([0, line]);
      if (form !== 'table') expect(out).toContain('TARGET_SINGLE_LABEL');
      else expect(out).toMatch(/^would create the record\n\+ .*mx\.\n$/);
      const file = join(service.dataDir, `many-${form}.zone`);
      const lines = Array.from({ length: 102 }, (_, index) => `x${index} 60 IN CNAME gone`);
      writeFileSync(file, lines.join('\n'));
      const many = await cli('zone', 'import', 'example.com', file, '--dry-run', '-o', form);
      expect([many.code, many.err.split('\n').length]).toEqual([0, 102]);
      expect(many.err).toMatch(/\nwarning: 2 more warnings are not listed\n$/);
    },
  );

  it('is refused over the network without a token', async () => {
    const url = `http://127.0.0.1:${service.apiPort}`;
    const { code, err } = await cli('zone', 'list', '--url', url);
    expect([code, err]).toEqual([5, expect.stringContaining('give a token with --token')]);
  });

  it('verifies and logs the journal while the service runs, but does not rebuild', async () => {
    const verdict = await read('journal', 'verify');
    expect(verdict).toMatchObject({ intact: true, findings: [], differing: [] });
    const { items } = await read('journal', 'log', 'Example.com.', '--records');
    expect(items.map(({ seq }: { seq: number }) => seq)).toEqual(
      items.map(({ seq }: { seq: number }) => seq).toSorted((a: number, b: number) => b - a),
    );
    expect(items.at(-1)).toMatchObject({ kind: 'zone.created', change_source: 'cli', serial: 1 });
    const [last] = (await read('journal', 'log', '--limit', '1')).items;
    expect(last).toMatchObject({ kind: 'secondary.forgotten', subject: 'ns2' });
    const since = await must('journal', 'log', '--since-seq', String(last.seq - 2), '-o', 'json');
    expect(JSON.parse(since).items).toHaveLength(2);
    const rebuild = await cli('journal', 'rebuild');
    expect([rebuild.code, rebuild.err]).toEqual([4, expect.stringContaining('stop the service')]);
  });

  it('works as a program of its own', async () => {
    const words = [...program.args, 'zone', 'ls', '--data-dir', service.dataDir, '-o', 'json'];
    const stdout = await new Promise<string>((resolve, reject) => {
      execFile(program.file, words, { env: {} }, (error, out) => {
        if (error === null) resolve(out);
        else reject(error);
      });
    });
    expect(JSON.parse(stdout).pagination).toEqual({ limit: 1000, offset: 0, total: 1 });
  });

  it('finds and mends projections, and finds a broken chain, once the service is stopped', async () => {
    await service.end();
    expect((await cli('zone', 'list')).code).toBe(7);
    expect((await cli('journal', 'verify')).code).toBe(0);
    const database = new Sqlite(join(service.dataDir, 'zonebook.db'));
    database.exec("UPDATE record SET owner = x'7a' WHERE id = (SELECT max(id) FROM record)");
    const differs = await cli('journal', 'verify', '-o', 'json');
    expect([differs.code, JSON.parse(differs.out).differing]).toEqual([1, ['record']]);
    expect(differs.err).toContain('zonebook journal rebuild');
    await must('journal', 'rebuild');
    await must('journal', 'verify');

    const triggers = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'");
    for (const { name } of triggers.all() as { name: string }[]) {
      database.exec(`DROP TRIGGER "${name}"`);
    }
    database.exec("UPDATE event SET change_source = 'api' WHERE seq = 2");
    database.close();
    const broken = await cli('journal', 'verify', '-o', 'table');
    expect(broken.code).toBe(1);
    expect(broken.out).toContain('event 2 its hash is not that of its header');
    expect((await cli('journal', 'rebuild')).err).toContain('event 2 its hash is not');
  });
});

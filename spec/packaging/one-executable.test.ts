/** The one executable does the main job alone: no checkout, no Node, no environment. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { assetsOf } from '../../scripts/build/assets.ts';
import { threadSources } from '../../scripts/build/bundle.ts';
import { peer } from '../support/peers.ts';
import { startSecondary } from '../support/secondaries.ts';
import { storyWithPeers } from '../support/story.ts';
import { build, buildFolder, LoneExecutable } from './executable.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const built = buildFolder();
let alone: LoneExecutable;
beforeAll(async () => {
  build(join(built.path, 'zonebook'));
  alone = await LoneExecutable.create(join(built.path, 'zonebook'), 'api.openapi_enabled = true\n');
});
afterAll(async () => {
  await alone?.[Symbol.asyncDispose]();
  built.remove();
});

function dig(...query: string[]): string[] {
  const options = ['+noall', '+answer', '+tries=2', '+time=20', `-p${alone.dnsPort}`];
  const text = execFileSync(peer('dig')!, ['@127.0.0.1', ...query, ...options], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  return text.split('\n').filter((line) => line !== '' && !line.startsWith(';'));
}

/** Records enough that the import goes by its thread, and the WAL by that of checkpoints. */
const imported = 30_000;

function masterFile(origin: string, count: number): string {
  const lines = Array.from({ length: count }, (_, index) => {
    return `host-${index} A 10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`;
  });
  return [`$ORIGIN ${origin}`, '$TTL 300', '@ NS ns1.example.net.', ...lines, ''].join('\n');
}

const soa = ['--mname', 'ns1.example.net', '--rname', 'hostmaster@example.com'];

describe('what is inside', () => {
  it('is the code of every thread that the sources start', () => {
    const files = Object.values(threadSources(root)).map((path) => path.slice(root.length));
    expect(files).toContain('src/background/worker.ts');
    expect(files).toContain('src/writer/writer-thread.ts');
    expect(files.length).toBeGreaterThanOrEqual(4);
  });

  it('is every migration, and the addon of this system', () => {
    const names = Object.keys(assetsOf(root));
    for (const file of readdirSync(join(root, 'drizzle'))) {
      if (file.endsWith('.sql')) expect(names).toContain(`drizzle/${file}`);
    }
    expect(names).toContain(`node_modules/better-sqlite3/prebuilds/linux-${process.arch}.node`);
  });

  it('is told with the licences of all packages', () => {
    const text = readFileSync(join(built.path, 'zonebook.licenses.txt'), 'utf8');
    for (const name of ['better-sqlite3', 'hono', 'valibot', 'yargs', 'drizzle-orm']) {
      expect(text).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(`, 'm'));
    }
    expect(text).toContain('Permission is hereby granted');
  });

  it('says its version and its help without any file beside it', async () => {
    expect(await alone.run('--version')).toEqual({
      code: 0,
      out: `${manifest.version}\n`,
      err: '',
    });
    const help = await alone.run('zone', 'create', '--help');
    expect([help.code, help.err]).toEqual([0, '']);
    expect(help.out).toContain('zonebook zone create <name>');
  });

  it('prints the specification that is checked in', async () => {
    const { out } = await alone.run('openapi');
    const file = readFileSync(join(root, 'spec/openapi.json'), 'utf8');
    expect(JSON.parse(out)).toEqual(JSON.parse(file));
  });

  it('ends with the exit codes of the command line', async () => {
    expect((await alone.run('no-such-command')).code).toBe(2);
    expect((await alone.run('status')).code).toBe(7);
  });
});

storyWithPeers('dig', 'named')('the main job', () => {
  beforeAll(() => alone.serve());

  it('is served', async () => {
    await alone.must('zone', 'create', 'example.com', ...soa);
    await alone.must('record', 'create', 'example.com', 'ns1', 'A', '192.0.2.53');
    await alone.must('record', 'create', 'example.com', 'www', 'A', '192.0.2.1', '--ttl', '300');
    expect(dig('www.example.com', 'A')).toEqual(['www.example.com.\t300\tIN\tA\t192.0.2.1']);
    expect(alone.output).not.toContain('scripts/zonebook');
  });

  it('is transferred to a secondary, which follows', async () => {
    await using named = await startSecondary('named', 'example.com', alone.dnsPort);
    await alone.must('secondary', 'create', 'ns2', '--address', `127.0.0.1:${named.port}`);
    // What it asked before it was known was refused, and it would wait before it asks again.
    await alone.must('zone', 'notify', 'example.com');
    await named.waitForSerial(3);
    await alone.must('record', 'create', 'example.com', 'new', 'A', '192.0.2.2');
    await named.waitForSerial(4);
    expect(named.dig('new.example.com', 'A')[0]).toMatch(/192\.0\.2\.2$/);
  });

  it('reads a large file in a thread, and lists it by another', async () => {
    writeFileSync(alone.path('example.org.zone'), masterFile('example.org.', imported));
    await alone.must('zone', 'create', 'example.org', ...soa);
    const answer = await alone.must('zone', 'import', 'example.org', 'example.org.zone');
    expect(answer).toMatchObject({ applied: true, diff: { summary: { added: imported } } });
    expect(dig('example.org', 'AXFR')).toHaveLength(imported + 3);
    const listed = await alone.must('record', 'list', 'example.org', '--search', 'host-599');
    expect(listed.pagination.total).toBe(11);
  });

  it.each([
    ['here', 'small.example', 10],
    ['in a thread', 'large.example', 5000],
  ])('signs a zone %s', async (_, name, count) => {
    await alone.must('zone', 'create', name, ...soa);
    writeFileSync(alone.path(`${name}.zone`), masterFile(`${name}.`, count));
    await alone.must('zone', 'import', name, `${name}.zone`);
    rmSync(alone.path(`${name}.zone`));
    await alone.must('dnssec', 'enable', name, '--parent-ns', '127.0.0.1:9');
    expect(dig(`host-7.${name}`, 'A', '+dnssec')).toEqual([
      expect.stringContaining('\tA\t10.0.0.7'),
      expect.stringMatching(/\tRRSIG\tA 13 3 300 /),
    ]);
  });

  it('writes what comes by the hundred', async () => {
    await alone.must('zone', 'create', 'many.example', ...soa);
    await alone.must('role', 'create', 'maker');
    await alone.must('role', 'grant', 'maker', '--actions', 'record:create');
    const { secret } = await alone.must('token', 'create', 'maker', '--role', 'maker');
    const request = (name: string) => {
      const record = { zone_name: 'many.example', name, type: 'A', value: '192.0.2.1' };
      const body = JSON.stringify(record);
      const fields = `Host: x\r\nAuthorization: Bearer ${secret}\r\nContent-Type: application/json`;
      return `POST /records HTTP/1.1\r\n${fields}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    };
    const socket = connect(alone.apiPort, '127.0.0.1');
    const waves = 20;
    const inWave = 200;
    for (let wave = 0; wave < waves; wave++) {
      socket.write(Array.from({ length: inWave }, (_, n) => request(`n${wave}-${n}`)).join(''));
      let text = '';
      while (text.split('HTTP/1.1 201 ').length - 1 < inWave) {
        const [chunk] = await once(socket, 'data');
        text += chunk.toString('latin1');
      }
    }
    socket.destroy();
    const listed = await alone.must('record', 'list', 'many.example', '--search', 'n19-');
    expect(listed.pagination.total).toBe(inWave);
  });

  it('serves the pages of its interface', async () => {
    const url = `http://127.0.0.1:${alone.apiPort}`;
    const page = await (await fetch(`${url}/docs`)).text();
    const files = [...page.matchAll(/(?:href|src)="(docs\/[^"]+)"/g)].map(([, file]) => file!);
    expect(files.length).toBeGreaterThanOrEqual(3);
    for (const file of files) {
      const answer = await fetch(`${url}/${file}`);
      expect([file, answer.status]).toEqual([file, 200]);
      expect((await answer.text()).length).toBeGreaterThan(50);
    }
  });

  it('has its checkpoints made by a thread', async () => {
    // The writer itself would begin at 64 MiB, which this is far below.
    const size = () => statSync(alone.path('data/zonebook.db')).size;
    await expect.poll(size).toBeGreaterThan(1_000_000);
  });

  it('has loaded one copy of SQLite, from a file without a name', () => {
    const maps = readFileSync(`/proc/${alone.pid}/maps`, 'utf8');
    const lines = maps.split('\n').filter((line) => line.includes('.node'));
    const files = new Set(lines.map((line) => line.replace(/^\S+ \S+ \S+ /, '')));
    expect([...files]).toEqual([
      expect.stringMatching(/\/data\/\.zonebook-[\w-]+\.node \(deleted\)$/),
    ]);
    expect(readdirSync(alone.path('data')).filter((name) => name.endsWith('.node'))).toEqual([]);
    expect(readlinkSync(`/proc/${alone.pid}/exe`)).toBe(alone.path('zonebook'));
  });

  it('is backed up, verified and restored', async () => {
    const { events } = await alone.must('backup', 'backup.db');
    expect((await alone.must('journal', 'verify')).intact).toBe(true);
    await alone.must('record', 'create', 'example.com', 'late', 'A', '192.0.2.3');
    expect(await alone.stop()).toBe(0);
    expect(await alone.must('restore', 'backup.db')).toMatchObject({ events });
    await alone.serve();
    expect(dig('new.example.com', 'A')).toHaveLength(1);
    expect(dig('late.example.com', 'A')).toEqual([]);
    expect((await alone.must('journal', 'verify')).intact).toBe(true);
  });

  it('leaves nothing but its data', async () => {
    expect(await alone.stop()).toBe(0);
    const ours = ['backup.db', 'data', 'example.org.zone', 'zonebook', 'zonebook.toml'];
    expect(readdirSync(alone.folder).sort()).toEqual(ours);
  });
});

/** Versions, history, import and export on the command line, against a service of its own. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { run } from '../support/command-line.ts';
import { type RunningService, startService } from '../support/service.ts';

let service: RunningService;
beforeAll(async () => {
  service = await startService({ ZONEBOOK_API_AUTHENTICATION_REQUIRED: 'true' });
});
afterAll(() => service[Symbol.asyncDispose]());

const cli = (line: string, stdin = '') => run(line.split(' '), { dataDir: service.dataDir, stdin });

async function must(line: string, stdin = ''): Promise<string> {
  const { code, out, err } = await cli(line, stdin);
  expect([line, code, err, code === 0 ? '' : out]).toEqual([line, 0, '', '']);
  return out;
}

/** The answer of a command. */
async function read(line: string, stdin = '') {
  return JSON.parse(await must(`${line} -o json`, stdin));
}

const soa = '@ 3600 IN SOA ns1.example.com. hostmaster.example.com. 10 300 60 3600000 86400';
const file = `$TTL 3600\n${soa}\n@ IN NS ns1.example.com.\nns1 IN A 192.0.2.53\nwww IN A 192.0.2.1\n`;

it('moves a zone in, changes it, looks back and goes back', async () => {
  const created = await must('zone import example.com - --create -o table', file);
  expect(created.split('\n')[0]).toBe(
    'imported 3 records into example.com: 3 added, 0 deleted, 0 updated, 0 unchanged',
  );
  const { items } = await read('record list example.com --name www');
  await must(`record update ${items[0].id} --value 192.0.2.99`);
  const deleted = await cli('record delete example.com ns1 A');
  const warning = 'the target ns1.example.com. has no A or AAAA record in this zone';
  expect([deleted.code, deleted.err]).toEqual([0, `warning: example.com. NS: ${warning}\n`]);
  expect(await must('zone version diff example.com 10 -o table')).toBe(
    'from serial 10 to 12: 0 added, 1 changed, 1 removed (RRsets)\n' +
      '- ns1.example.com. 3600 A 192.0.2.53\n' +
      '- www.example.com. 3600 A 192.0.2.1\n+ www.example.com. 3600 A 192.0.2.99\n',
  );
  const history = await must(`record history ${items[0].id} -o table`);
  expect(history).toMatch(
    /serial 11 records\.changed by \S+ \(cli\)\n.*\n.*\n\n.* serial 10 zone\.imported/,
  );

  const wanted = 'zone version rollback example.com 10 --dry-run -o table';
  expect(await must(wanted)).toContain('+ ns1.example.com. 3600 A 192.0.2.53');
  const rolledBack = await must('zone version rollback example.com 10 -o table');
  expect(rolledBack).toMatch(/^rolled back example\.com to serial 10 as serial 13: 2 added, 1 del/);
  expect(rolledBack).toContain('+ ns1.example.com. 3600 A 192.0.2.53');
  const { pagination } = await read('zone version list example.com');
  expect(pagination.total).toBe(4);
});

it('exports what it imports back unchanged (case 70)', async () => {
  await must('zone import again.example - --create', file);
  const { items } = await read('record list again.example --name www');
  await must(`record update ${items[0].id} --value 192.0.2.99`);
  await must('zone version rollback again.example 10');
  const path = join(service.dataDir, 'again.example.zone');
  await must(`zone export again.example --file ${path}`);
  const exported = readFileSync(path, 'utf8');
  expect(await must('zone export again.example')).toBe(exported);
  const again = await read(`zone import again.example ${path} --mode replace`);
  expect(again.summary).toMatchObject({ parsed: 3, added: 0, deleted: 0, unchanged: 3 });
  expect(await must('zone export again.example')).toBe(exported);
  expect(await must('zone export again.example --serial 11')).toContain('192.0.2.99');
});

it('tells every bad line of a file and changes nothing', async () => {
  await must('zone import bad.example - --create', file);
  const bad = join(service.dataDir, 'bad.zone');
  writeFileSync(bad, 'a 1h IN A 192.0.2.1\nb 60 IN A nonsense\n');
  const { code, out } = await cli(`zone import bad.example ${bad} -o table`);
  expect(code).toBe(1);
  expect(out).toMatch(/^nothing is imported: 2 errors in .*bad\.zone\nline 1: .*\nline 2: /);
});

it('brings a deleted zone back', async () => {
  await must('zone import gone.example - --create', file);
  const before = await read('record list gone.example');
  await must('zone delete gone.example');
  expect((await cli('zone export gone.example')).code).toBe(3);
  expect(await must('zone list --deleted -o table')).toContain('gone.example');
  expect(await must('zone restore gone.example -o table')).toContain('restored zone gone.example');
  expect(await read('record list gone.example')).toEqual(before);
  expect(await must('zone history gone.example --limit 2 -o table')).toMatch(
    /serial 11 zone\.restored by \S+ \(cli\)\n\n.*Z zone\.deleted by \S+ \(cli\)/,
  );
});

it('imports and exports a large file, aside', async () => {
  const lines = Array.from({ length: 50_000 }, (_, index) => `h${index} IN A 192.0.2.1`);
  const content = `$TTL 3600\n${soa}\n@ IN NS ns1.example.com.\n${lines.join('\n')}\n`;
  const report = await read('zone import large.example - --create', content);
  expect(report.summary).toMatchObject({ parsed: 50_001, added: 50_001 });
  expect(report.diff.entries).toHaveLength(50_001);
  const exported = await must('zone export large.example');
  expect(exported.split('\n').filter((line) => line.startsWith('h'))).toHaveLength(50_000);
  const version = await read('zone version get large.example 10');
  expect(version.records).toHaveLength(50_001);
});

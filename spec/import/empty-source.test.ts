/**
 * Case 99: a file without a record, as a program that failed leaves it, takes nothing away: not by one
 * command, not staged for a large zone, not by transfer, not through the command line and its pipes.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../support/command-line.ts';
import { needsPeers } from '../support/peers.ts';
import { startPrimary } from '../support/primaries.ts';
import { programCommand } from '../support/program.ts';
import { type RunningService, startService } from '../support/service.ts';

const soa = '@ 3600 IN SOA ns1.example.net. hostmaster.example.net. 7 7200 900 1209600 300\n';
const none = { parsed: 0, added: 0, deleted: 0, updated: 0, unchanged: 0, skipped: 0 };
const modes = ['append', 'upsert', 'replace'] as const;

let service: RunningService;
let folder: string;
beforeAll(async () => {
  service = await startService();
  folder = mkdtempSync(join(tmpdir(), 'zonebook-empty-'));
  const host = (index: number) => `h${index} 60 IN A 192.0.2.1\n`;
  const apex = `${soa}@ 3600 IN NS ns1.example.net.\n`;
  const large = Array.from({ length: 4000 }, (_, index) => host(index)).join('');
  await imported('small.example', { content: apex + host(1), create: true }, 200);
  await imported('large.example', { content: apex + large, create: true }, 200);
  const bare = { name: 'bare.example', mname: 'ns1.example.net', rname: 'h@example.net' };
  await service.must('POST', '/zones', { ...bare, apex_ns: false });
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

async function imported(zone: string, body: object, status: number) {
  const reply = await service.call('POST', `/zones/${zone}/import`, body);
  expect({ zone, asked: body, ...reply }).toMatchObject({ status });
  return reply.body;
}

const state = async (zone: string) => {
  const { serial } = (await service.must('GET', `/zones/${zone}`)).zone;
  const page = await service.must('GET', `/records?zone_name=${zone}&limit=1`);
  return { serial, records: page.pagination.total };
};

const nothing = (mode: string) =>
  `the file holds no record to store: ${mode} needs one; is its source empty, or did it fail?`;
const onlySoa = (mode: string) =>
  `the file holds no record to store besides its SOA: ${mode} needs one; is its source empty, or did it fail?`;

const files = {
  'an empty file': '',
  'a file of blanks and comments': '; made by a program\n\n  \n',
  'a file of directives': '$ORIGIN small.example.\n$TTL 60\n',
};

describe.each(['small.example', 'large.example'])('case 99: into %s', (zone) => {
  it.each(modes)('%s', async (mode) => {
    const before = await state(zone);
    for (const create of [false, true]) {
      for (const dryRun of [true, false]) {
        const settings = { mode, create, dry_run: dryRun };
        for (const [name, text] of Object.entries(files)) {
          const content = text.replaceAll('small.example', zone);
          const status = mode === 'append' ? 200 : 422;
          const report = await imported(zone, { ...settings, content }, status);
          const errors = mode === 'append' ? [] : [nothing(mode)];
          expect([name, report]).toEqual([
            name,
            {
              applied: mode === 'append' && !dryRun,
              dry_run: dryRun,
              errors,
              skipped_records: [],
              summary: none,
              new_serial: null,
              warnings: [],
              diff: { entries: [], summary: { added: 0, changed: 0, removed: 0 } },
            },
          ]);
        }
        if (mode === 'append') continue;
        expect((await imported(zone, { ...settings, content: soa }, 422)).errors).toEqual([
          onlySoa(mode),
        ]);
        const skipped = `${soa}@ 60 IN NSEC a A\n`;
        const skipping = { ...settings, skip_unsupported: true };
        const report = await imported(zone, { ...skipping, content: skipped }, 422);
        expect([report.errors, report.skipped_records.length]).toEqual([[onlySoa(mode)], 1]);
      }
    }
    expect(await state(zone)).toEqual(before);
  });
});

describe('case 99: into a zone that has nothing to lose', () => {
  it.each(modes)('%s takes an SOA alone', async (mode) => {
    await imported('bare.example', { content: soa, mode }, 200);
    const status = mode === 'append' ? 200 : 422;
    await imported('bare.example', { content: '', mode }, status);
    expect(await state('bare.example')).toEqual({ serial: 1, records: 0 });
  });

  it.each(modes)('%s makes a zone of an SOA alone, and none of nothing', async (mode) => {
    const zone = `${mode}.example`;
    const content = '';
    if (mode === 'append') {
      const report = await imported(zone, { content, mode, create: true }, 400);
      expect(report).toMatchObject({ code: 'INVALID_INPUT' });
    } else {
      const report = await imported(zone, { content, mode, create: true }, 422);
      expect(report.errors).toEqual([nothing(mode)]);
    }
    expect((await service.call('GET', `/zones/${zone}`)).status).toBe(404);
    await imported(zone, { content: soa, mode, create: true }, 200);
    expect(await state(zone)).toEqual({ serial: 7, records: 0 });
  });
});

needsPeers('knotd')('case 99: from a server that has only an SOA', () => {
  it.each(['small.example', 'large.example'])('into %s', async (zone) => {
    await using primary = await startPrimary('knotd', zone, soa);
    const before = await state(zone);
    for (const mode of modes) {
      const body = { from_server: `127.0.0.1:${primary.port}`, mode };
      if (mode === 'append') await imported(zone, body, 200);
      else expect((await imported(zone, body, 422)).errors).toEqual([onlySoa(mode)]);
    }
    expect(await state(zone)).toEqual(before);
  });
});

describe('case 99: the command line', () => {
  const zone = 'small.example';

  it.each(modes)('%s of an empty file and of /dev/null', async (mode) => {
    const before = await state(zone);
    const empty = join(folder, 'empty.zone');
    writeFileSync(empty, '');
    for (const file of [empty, '/dev/null', '-']) {
      const words = ['zone', 'import', zone, file, '--mode', mode, '-o', 'table'];
      const { code, out } = await run(words, { dataDir: service.dataDir });
      const source = file === '-' ? 'standard input' : file;
      expect([file, code, out.trim()]).toEqual(
        mode === 'append'
          ? [file, 0, `imported 0 records into ${zone}: 0 added, 0 deleted, 0 updated, 0 unchanged`]
          : [file, 1, `nothing is imported: 1 error in ${source}\n${nothing(mode)}`],
      );
    }
    expect(await state(zone)).toEqual(before);
  });

  it('a pipe whose first program failed', async () => {
    const before = await state(zone);
    const script = `false | ${programCommand} zone import ${zone} - --mode replace -o table --data-dir "${service.dataDir}"`;
    const ended = await new Promise<{ code: unknown; out: string }>((resolve) => {
      execFile('sh', ['-c', script], (error, out) => resolve({ code: error?.code ?? 0, out }));
    });
    expect(ended).toEqual({
      code: 1,
      out: `nothing is imported: 1 error in standard input\n${nothing('replace')}\n`,
    });
    expect(await state(zone)).toEqual(before);
  });

  it('shows the option that a refused value of the SOA asks for', async () => {
    const file = join(folder, 'root.zone');
    writeFileSync(file, '@ 60 IN SOA . . 0 7200 900 1209600 0\n@ 60 IN NS ns1.example.net.\n');
    const words = ['zone', 'import', 'moved.example', file, '-o', 'table'];
    const cli = (...more: string[]) => run([...words, ...more], { dataDir: service.dataDir });
    const refused = await cli('--create');
    expect([refused.code, refused.out.trim().split('\n')]).toEqual([
      1,
      [
        `nothing is imported: 3 errors in ${file}`,
        expect.stringMatching(/^line 1: SOA mname: '\.' .*; give --mname$/),
        expect.stringMatching(/^line 1: SOA rname: '\.' .*; give --rname$/),
        'line 1: SOA minimum_ttl: 0 is outside 1..2147483647; give --minimum-ttl',
      ],
    ]);
    const given = ['--mname', 'ns1.example.net', '--rname', 'h@example.net', '--minimum-ttl', '60'];
    const lonely = await cli(...given);
    expect([lonely.code, lonely.err]).toEqual([2, expect.stringContaining('goes with --create')]);
    expect((await cli('--create', ...given, '--serial', '0')).code).not.toBe(0);
    expect((await cli('--create', ...given, '--serial', '9')).code).toBe(0);
    const { zone: made } = await service.must('GET', '/zones/moved.example');
    expect(made).toMatchObject({ serial: 9, mname: 'ns1.example.net', minimum_ttl: 60 });
    const again = await cli('--create', ...given);
    expect([again.code, again.err]).toEqual([
      4,
      expect.stringContaining('keeps its SOA: leave out mname, rname, minimum_ttl'),
    ]);
  });
});

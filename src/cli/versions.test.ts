/** Import, export, versions, history and restore against a fake service. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { parseAbsoluteName } from '../dns/name.ts';
import { type RunOptions, run, serveApp } from '../../spec/support/command-line.ts';
import { type FakeServices, fakeServices } from '../../spec/support/fake-services.ts';

const folder = mkdtempSync(join(tmpdir(), 'zonebook-cli-'));
let services: FakeServices;
let server: Server;

function cli(line: string, options: RunOptions = {}) {
  return run(line.split(' '), { dataDir: folder, ...options });
}

beforeAll(async () => {
  services = fakeServices();
  server = await serveApp(services, join(folder, 'zonebook.sock'));
});
beforeEach(() => {
  services.submitted.length = 0;
  services.imported.length = 0;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
  rmSync(folder, { recursive: true });
});

const imports = 'zone import example.com';

describe('zone import', () => {
  it('sends a file, or standard input, and shows what came of it', async () => {
    const file = join(folder, 'good.zone');
    writeFileSync(file, '@ 3600 IN NS ns1.example.com.\n');
    const { code, out } = await cli(`${imports} ${file} --mode upsert --create -o table`);
    expect([code, out]).toEqual([
      0,
      'imported 1 record into example.com: 1 added, 0 deleted, 0 updated, 0 unchanged\n' +
        '+ example.com. 3600 NS ns1.example.com.\n' +
        'skipped line 3: www RRSIG is not stored\n',
    ]);
    expect(services.imported).toMatchObject([
      { zoneName: 'example.com', mode: 'upsert', create: true, skipUnsupported: false },
    ]);
    const dry = await cli(`${imports} - --dry-run --skip-unsupported -o json`, { stdin: 'x' });
    expect(JSON.parse(dry.out)).toMatchObject({ applied: false, dry_run: true });
    expect(services.imported[1]).toMatchObject({ source: 'x', mode: 'append' });
    expect(services.imported[1]).toMatchObject({ skipUnsupported: true, create: false });
  });

  it('shows every error of a bad file, and ends with 1', async () => {
    const table = await cli(`${imports} - -o table`, { stdin: 'bad' });
    expect([table.code, table.err]).toEqual([1, '']);
    expect(table.out).toBe(
      'nothing is imported: 2 errors in standard input\nline 1: this is no record\nline 2: type NSEC is not stored\n' +
        '--skip-unsupported leaves out what is not stored: 1 record of these\n' +
        'skipped line 3: www RRSIG is not stored\n',
    );
    const json = await cli(`${imports} - -o json`, { stdin: 'bad' });
    expect([json.code, JSON.parse(json.out).errors.length]).toEqual([1, 2]);
  });

  it('asks for a transfer from another server', async () => {
    await cli(`${imports} --from-server 192.0.2.1:5353 --tsig-key ddns.example.com`);
    expect(services.imported).toMatchObject([
      {
        source: undefined,
        fromServer: '192.0.2.1:5353',
        tsigKey: { name: parseAbsoluteName('ddns.example.com') },
      },
    ]);
  });

  it('shows how far it is on a terminal, and nothing else there in the end', async () => {
    const content = '; a comment line of some length\n'.repeat(200_000);
    const { code, err } = await cli(`${imports} - -o json`, { stdin: content, terminal: true });
    expect(code).toBe(0);
    if (err !== '') expect(err).toMatch(/importing example\.com \[[#.]{30}\] \d+ %.*\r\u001b\[K$/s);
    const { source: given } = services.imported[0]!;
    expect(Buffer.from(given as Uint8Array).toString()).toBe(content);
  });

  it('refuses files that are not UTF-8 or not there', async () => {
    const file = join(folder, 'latin1.zone');
    writeFileSync(file, Buffer.from([0x40, 0xe9]));
    const latin = await cli(`${imports} ${file}`);
    expect([latin.code, latin.err]).toEqual([1, expect.stringContaining('is not UTF-8')]);
    writeFileSync(file, Buffer.from('; ä\n\n; \xe9\n; \xe9\n', 'latin1'));
    const comment = await cli(`${imports} ${file}`);
    expect(comment.err).toContain('latin1.zone: line 1 is not UTF-8');
    writeFileSync(file, Buffer.concat([Buffer.from('; ä\n\n'), Buffer.from([0xe9])]));
    expect((await cli(`${imports} ${file}`)).err).toContain('latin1.zone: line 3 is not UTF-8');
    for (const [number, format] of [
      [2, 'raw'],
      [3, 'map'],
    ] as const) {
      writeFileSync(file, Buffer.from([0, 0, 0, number, 0, 0, 0, 1, 0x6b]));
      const binary = await cli(`${imports} ${file}`);
      const help = `named-compilezone -f ${format} -F text`;
      expect([binary.code, binary.err]).toEqual([1, expect.stringContaining(help)]);
    }
    const missing = await cli(`${imports} ${folder}/none`);
    expect([missing.code, missing.err]).toEqual([1, expect.stringContaining('no such file')]);
    expect(services.imported).toEqual([]);
  });
});

describe('zone export', () => {
  const text = '; zone example.com serial 7 exported by zonebook\n@ 3600 IN NS ns1.example.com.\n';

  it('writes the file as it is, whatever the format', async () => {
    for (const format of ['', ' -o json', ' -o table']) {
      expect(await cli(`zone export example.com${format}`)).toEqual({
        code: 0,
        out: text,
        err: '',
      });
    }
    expect((await cli('zone export example.com --serial 3')).out).toContain('serial 3 ');
  });

  it('writes to a file only when all of it came', async () => {
    const file = join(folder, 'out.zone');
    expect(await cli(`zone export example.com --file ${file}`)).toEqual({
      code: 0,
      out: '',
      err: '',
    });
    expect(readFileSync(file, 'utf8')).toBe(text);
    const missing = await cli(`zone export none.example --file ${file}`);
    expect([missing.code, missing.err]).toEqual([3, expect.stringContaining('does not exist')]);
    expect(readFileSync(file, 'utf8')).toBe(text);
    const beside = () => readdirSync(folder).filter((each) => each.startsWith('out.zone.partial'));
    expect(beside()).toEqual([]);
    writeFileSync(`${file}.partial`, 'of another export that goes on');
    for (const zone of ['example.com', 'none.example']) {
      await cli(`zone export ${zone} --file ${file}`);
      expect(readFileSync(`${file}.partial`, 'utf8')).toBe('of another export that goes on');
    }
    expect(beside()).toEqual(['out.zone.partial']);
    const version = await cli('zone export example.com --serial 9');
    expect([version.code, version.err]).toEqual([3, expect.stringContaining('version list')]);
  });
});

describe('zone export to one file by two at once', () => {
  it('leaves one of the two exports there', async () => {
    const words = `zone export example.com --file ${join(folder, 'both.zone')}`;
    const pieces = ['x'.repeat(100_000), 'end'];
    const exported = vi.spyOn(services.exporter, 'exportText');
    exported.mockImplementationOnce(async function* () {
      yield pieces[0]!;
      expect(await cli(words)).toMatchObject({ code: 0 });
      yield pieces[1]!;
    });
    expect(await cli(words)).toMatchObject({ code: 0 });
    expect(readFileSync(join(folder, 'both.zone'), 'utf8')).toBe(pieces.join(''));
    exported.mockRestore();
  });
});

describe('zone version', () => {
  it('lists and shows versions', async () => {
    const list = await cli('zone version ls example.com -o table');
    expect(list.out).toMatch(/^SERIAL +CREATED_AT +BY\n7 .* ci \(api\)\n$/);
    const get = await cli('zone version get example.com 7 -o table');
    expect(get.out).toContain('refresh      300');
    expect(get.out).toMatch(/\n@ +3600 +NS +- +ns1\.example\.com\.\n$/);
    expect(JSON.parse((await cli('zone version get example.com 3 -o json')).out).records).toEqual(
      [],
    );
    expect((await cli('zone version get example.com 9')).code).toBe(3);
  });

  it('compares versions, in colours on a terminal unless NO_COLOR says otherwise', async () => {
    const plain = await cli('zone version diff example.com 3 -o table');
    expect(plain.out).toBe(
      'from serial 3 to 7: 1 added, 0 changed, 0 removed (RRsets)\n' +
        '+ example.com. 3600 NS ns1.example.com.\n',
    );
    const line = 'zone version diff example.com 7 3';
    const coloured = await cli(line, { terminal: true });
    expect(coloured.out).toContain('\u001b[31m- example.com. 3600 NS ns1.example.com.\u001b[39m');
    const without = await cli(line, { terminal: true, env: { NO_COLOR: '1' } });
    expect(without.out).not.toContain('\u001b');
    const byTime = await cli('zone version diff example.com --at 2026-01-31T12:00:00Z -o json');
    expect(JSON.parse(byTime.out)).toMatchObject({ from_serial: 7, to_serial: 7 });
  });

  it('takes a tag for each serial', async () => {
    const shown = async (line: string) => JSON.parse((await cli(`${line} -o json`)).out);
    expect((await shown('zone version get example.com TAG:old')).version.serial).toBe(3);
    expect(await shown('zone version diff example.com tag:old')).toMatchObject({ from_serial: 3 });
    expect(await shown('zone version diff example.com 7 tag:old')).toMatchObject({ to_serial: 3 });
    expect(await shown('zone version rollback example.com tag:old')).toMatchObject({
      target_serial: 3,
    });
    expect((await cli('zone version get example.com tag:none')).code).toBe(3);
  });

  it('rolls back, and shows what that changes', async () => {
    const { out } = await cli('zone version rollback example.com 3 -o table');
    expect(out).toMatch(
      /^rolled back example\.com to serial 3 as serial 8: 0 added, 1 deleted, 0 unchanged\n/,
    );
    expect(services.submitted[0]!.command).toMatchObject({
      kind: 'rollback-zone',
      targetSerial: 3,
      atSerial: 7,
    });
    const dry = await cli('zone version rollback example.com 3 --dry-run -o table');
    expect(dry.out).toMatch(/^would roll back .*\n- example\.com\. 3600 NS ns1\.example\.com\.\n$/);
    expect(services.submitted[1]!.options.dryRun).toBe(true);
    const json = JSON.parse((await cli('zone version rollback example.com 3 -o json')).out);
    expect(json).toMatchObject({ applied: true, target_serial: 3, new_serial: 8 });
  });
});

describe('history and restore', () => {
  it('tell who changed what', async () => {
    for (const line of ['zone history example.com --name @ --type NS', 'record history 7']) {
      const { out } = await cli(`${line} -o table`);
      expect(out).toBe(
        '2026-01-31T12:00:00.000Z serial 7 records.changed by ci (api)\n' +
          '+ example.com. 3600 NS ns1.example.com.\n~ default_ttl\n',
      );
    }
    expect((await cli('record history 8')).code).toBe(3);
  });

  it('show deleted zones and bring them back', async () => {
    const { out } = await cli('zone list --deleted -o table');
    expect(out).toMatch(
      /^ID +DELETED_AT +BY +REASON +NAME .*\n1 +2026-01-31T12:00:00.000Z +- +- +example\.com /,
    );
    const restored = await cli('zone restore example.com --id 1 -o table');
    expect(restored.out).toMatch(/^restored zone example\.com\n/);
    expect(services.submitted[0]!.command).toEqual({
      kind: 'restore-zone',
      name: 'example.com',
      id: 1,
    });
  });
});

describe('usage', () => {
  it.each([
    [imports, 'name a file, or give --from-server'],
    [`${imports} x --from-server y`, 'name a file, or give --from-server'],
    [`${imports} x --tsig-key k`, '--tsig-key goes with --from-server'],
    [`${imports} x --mode merge`, '--mode is one of append, upsert, replace'],
    ['zone version get example.com x', "'x' is no serial"],
    ['zone version diff example.com 1 tag:', "'tag:' is no serial"],
    ['zone version diff example.com', 'name a serial, or give --at'],
    ['zone version diff example.com 1 --at x', 'name a serial, or give --at'],
    ['zone version diff example.com 1 2 --to-at x', 'exclude each other'],
    ['zone version nonsense', 'unknown command: nonsense'],
    ['record history x', "'x' is no id of a record"],
  ])('refuses %j with 2', async (line, says) => {
    const { code, out, err } = await cli(line);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(/^zonebook: [^\n]*\n$/);
    expect(err).toContain(says);
  });
});

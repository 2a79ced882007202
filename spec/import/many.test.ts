/**
 * Many zones at once by the command line: from a real named by a list and by a catalog (RFC 9432), from a folder of
 * master files, and out to one again. Each zone is created and filled in one change or is not there.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { run } from '../support/command-line.ts';
import { startNamedWith } from '../support/moving.ts';
import { needsPeers } from '../support/peers.ts';
import type { PeerProcess } from '../support/signed-peers.ts';
import { type RunningService, startService } from '../support/service.ts';

let service: RunningService;
let folder: string;
// Each test has a service where no zone of its names was before: their serials would be above those.
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'zonebook-many-'));
  service = await startService();
  return async () => {
    await service[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  };
});

const encode = encodeURIComponent;
const cli = (words: readonly string[], stdin = '', { dataDir } = service) =>
  run(words, { dataDir, stdin });
const importAll = async (...words: string[]) => {
  const { code, out, err } = await cli(['zone', 'import', ...words, '-o', 'json']);
  return { code, err, ...(out === '' ? {} : JSON.parse(out)) };
};
async function stored(): Promise<string[]> {
  const { items } = await service.must('GET', '/zones?limit=1000&sort=name');
  return items.map(({ name }: { name: string }) => name);
}
const zoneOf = async (name: string) => (await service.must('GET', `/zones/${encode(name)}`)).zone;

const soa = (serial: number, minimum = 300) =>
  `@ 3600 IN SOA ns1.example.net. hostmaster.example.net. ${serial} 7200 900 1209600 ${minimum}\n`;
const body = '@ 3600 IN NS ns1.example.net.\nwww 300 IN A 192.0.2.1\n';
function write(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}
const outcomes = ({ zones }: { zones: { zone: string; outcome: string }[] }) =>
  Object.fromEntries(zones.map(({ zone, outcome }) => [zone, outcome]));

describe('a folder of master files', () => {
  it('becomes zones called like the files, and what is beside them is passed over', async () => {
    mkdirSync(join(folder, 'keys'));
    write({
      'a.example.zone': soa(7) + body,
      'db.b.example': soa(8) + body,
      'c.example.db': soa(9) + body,
      'D.example': soa(10) + body,
      '0%2f25.2.0.192.in-addr.arpa.zone': soa(11) + body,
      'bücher.example.zone': soa(12) + body,
      'a.example.zone.jnl': 'journal',
      'a.example.zone.signed': 'signed',
      'a.example.zone.partial-0a1b2c3d': 'of an export that was cut off',
      'Ka.example.+013+12345.key': 'key',
      'dsset-a.example.': 'DS set',
      '.hidden': 'hidden',
      'a.example.zone~': 'copy',
    });
    const { code, applied, summary } = await importAll('--all-from-folder', folder);
    expect({ code, applied, summary }).toEqual({
      code: 0,
      applied: true,
      summary: { imported: 6, importable: 0, refused: 0, exists: 0, records: 12 },
    });
    const names = ['0/25.2.0.192.in-addr.arpa', 'a.example', 'b.example', 'c.example', 'd.example'];
    expect(await stored()).toEqual([...names, 'xn--bcher-kva.example']);
    expect((await zoneOf('d.example')).serial).toBe(10);
  });

  it('is imported whole or not at all, and the report says why and what helps', async () => {
    write({
      'good.example.zone': soa(1) + body,
      'units.example.zone': `$TTL 1h\n${soa(1)}${body}`,
      'timer.example.zone': soa(1, 0) + body,
      'alias.example.zone': `${soa(1)}${body}@ 60 IN ALIAS www\n`,
      'other.example.zone': `$ORIGIN else.example.\n${soa(1)}${body}`,
      'empty.example.zone': '',
      'twice.example.zone': soa(1) + body,
      'db.twice.example': soa(1) + body,
    });
    const first = await importAll('--all-from-folder', folder);
    expect(first).toMatchObject({
      code: 1,
      applied: false,
      summary: { imported: 0, importable: 1, refused: 6, exists: 0 },
    });
    expect(await stored()).toEqual([]);
    const errorsOf = (zone: string): string =>
      first.zones.find((each: { zone: string }) => each.zone === zone).errors[0];
    expect(errorsOf('units.example')).toBe(
      "line 1: $TTL '1h' is not a number of seconds: named-compilezone -o OUT units.example FILE writes it as one",
    );
    expect(errorsOf('timer.example')).toMatch(/^line 1: SOA .*; give --minimum-ttl$/);
    expect(errorsOf('alias.example')).toMatch(/^line 4: type ALIAS .*; give --skip-unsupported$/);
    expect(errorsOf('other.example')).toContain('outside the zone other.example.');
    expect(errorsOf('empty.example')).toContain('needs an SOA record');
    expect(errorsOf('twice.example')).toMatch(/db\.twice\.example and .*twice\.example\.zone/);

    const helps = ['--skip-refused', '--skip-unsupported', '--minimum-ttl', '60'];
    const second = await importAll('--all-from-folder', folder, ...helps);
    expect(second).toMatchObject({ code: 0, applied: true });
    expect(outcomes(second)).toEqual({
      'alias.example': 'imported',
      'empty.example': 'refused',
      'good.example': 'imported',
      'other.example': 'refused',
      'timer.example': 'imported',
      'twice.example': 'refused',
      'units.example': 'refused',
    });
    expect(await stored()).toEqual(['alias.example', 'good.example', 'timer.example']);
    // Taken where it is needed, and nowhere else.
    expect((await zoneOf('timer.example')).minimum_ttl).toBe(60);
    expect((await zoneOf('good.example')).minimum_ttl).toBe(300);
    // Secondaries that have the zone with its ALIAS take the one without.
    expect((await zoneOf('alias.example')).serial).toBe(2);
    expect((await zoneOf('good.example')).serial).toBe(1);
  });

  it('is taken as octoDNS 1.22 and DNSControl 4.20 write it', async () => {
    const octodns = `$ORIGIN seven.example.

@ 3600 IN SOA ns1.one.example. webmaster.seven.example. (
    1795459450 ; Serial
    3600 ; Refresh
    600 ; Retry
    604800 ; Expire
    3600 ; NXDOMAIN ttl
)

; Name: seven.example.
@       3600 IN MX       10 mail.seven.example.
        3600 IN NS       ns1.one.example.
txt     3600 IN TXT      "a\\; b"
www      300 IN A        192.0.2.87
`;
    const dnscontrol = `$TTL 300
; generated with dnscontrol 2026-11-23T18:44:15Z
@                IN SOA   DEFAULT_NOT_SET. DEFAULT_NOT_SET. 2026112300 3600 600 604800 1440
                 IN NS    ns1.one.example.
                 IN A     192.0.2.1
                 IN MX    10 mail.eight.example.
mail             IN A     192.0.2.2
www              IN A     192.0.2.80
`;
    write({ 'seven.example.': octodns, 'eight.example.zone': dnscontrol });
    const first = await importAll('--all-from-folder', folder);
    expect(outcomes(first)).toEqual({ 'eight.example': 'refused', 'seven.example': 'importable' });
    expect(first.zones[0].errors).toEqual([expect.stringMatching(/^line 3: SOA rname.*--rname$/)]);
    const owner = ['--mname', 'ns1.one.example', '--rname', 'dns@one.example'];
    const second = await importAll('--all-from-folder', folder, ...owner);
    expect(second).toMatchObject({ code: 0, summary: { imported: 2, records: 9 } });
    expect((await zoneOf('seven.example')).rname).toBe('webmaster@seven.example');
    expect((await zoneOf('eight.example')).rname).toBe('dns@one.example');
  });

  it('is tried with --dry-run, and taken up where it was left', async () => {
    write({ 'a.example.zone': soa(5) + body });
    const tried = await importAll('--all-from-folder', folder, '--dry-run');
    expect([tried.code, tried.applied, outcomes(tried)]).toEqual([
      0,
      false,
      { 'a.example': 'importable' },
    ]);
    expect(await stored()).toEqual([]);
    await importAll('--all-from-folder', folder);
    write({ 'b.example.zone': soa(6) + body });
    const again = await importAll('--all-from-folder', folder);
    expect(outcomes(again)).toEqual({ 'b.example': 'imported', 'a.example': 'exists' });
    expect((await zoneOf('a.example')).serial).toBe(5);
    const { code, out } = await cli(['zone', 'import', '--all-from-folder', folder, '-o', 'table']);
    expect(code).toBe(0);
    expect(out).toMatch(/^ZONE +OUTCOME +RECORDS +DETAIL\na\.example +exists +- +-\n/);
    expect(out).toContain('imported 0 zones with 0 records; 0 refused; 2 existed already\n');
  });

  it('goes out as it came in', async () => {
    write({
      'a.example.zone': soa(5) + body,
      '0%2f25.2.0.192.in-addr.arpa.zone': soa(11) + body,
      'db.db.example': `${soa(12)}${body}x%2f 60 IN TXT "\\228;"\n`,
    });
    await importAll('--all-from-folder', folder);
    const out = join(folder, 'out', 'now');
    const exportTo = (to: string, from = service) =>
      cli(['zone', 'export', '--all-to-folder', to, '-o', 'json'], '', from);
    expect(JSON.parse((await exportTo(out)).out).summary).toEqual({
      exported: 3,
      absent: 0,
      refused: 0,
    });
    const files = ['0%2f25.2.0.192.in-addr.arpa.zone', 'a.example.zone', 'db.example.zone'];
    expect(readdirSync(out).sort()).toEqual(files);
    // Elsewhere: here the names go on above the serials that they had.
    await using other = await startService();
    const back = await cli(['zone', 'import', '--all-from-folder', out], '', other);
    expect([back.code, back.err]).toEqual([0, '']);
    const again = join(folder, 'out', 'again');
    await exportTo(again, other);
    expect(readdirSync(again).sort()).toEqual(files);
    for (const file of files) {
      expect(readFileSync(join(again, file), 'utf8')).toBe(readFileSync(join(out, file), 'utf8'));
    }
  });
});

it('the zones of a time go out, and those that did not exist then are passed over and named', async () => {
  const create = (name: string) => service.must('POST', '/zones', { name, mname, rname });
  const mname = 'ns1.example.net';
  const rname = 'hostmaster@example.net';
  await create('early.example');
  const at = new Date(Date.now() + 1).toISOString();
  await sleep(10);
  await create('late.example');
  const out = join(folder, 'out');
  const words = ['zone', 'export', '--all-to-folder', out, '--at', at];
  const { code, out: text } = await cli([...words, '-o', 'table']);
  expect([code, readdirSync(out)]).toEqual([0, ['early.example.zone']]);
  expect(text).toBe(
    `passed over 1 zone that did not exist then: late.example\nexported 1 zone to ${out}\n`,
  );
  const { zones, summary } = JSON.parse((await cli([...words, '-o', 'json'])).out);
  expect(summary).toEqual({ exported: 1, absent: 1, refused: 0 });
  expect(outcomes({ zones })).toEqual({ 'early.example': 'exported', 'late.example': 'absent' });
});

describe('arguments', () => {
  it.each([
    [['x.example', '--all-from-folder', '.'], 'name is for one zone'],
    [['--all-from-folder', '.', '--mode', 'replace'], '--mode is for one zone'],
    [['--all-from-folder', '.', '--zones', 'x'], '--all-from-folder goes without'],
    [['--all-from-server', '127.0.0.1'], '--zones or --catalog'],
    [['--all-from-server', '127.0.0.1', '--zones', 'x', '--catalog', 'y'], '--zones or --catalog'],
    [['x.example', 'file', '--skip-refused'], '--skip-refused goes with'],
    [[], 'name a zone, or give --all-from-server'],
  ])('%j are refused', async (words, message) => {
    const { code, err } = await cli(['zone', 'import', ...words]);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
    expect(await stored()).toEqual([]);
  });

  it.each([
    [[], 'name one zone, or give --all-to-folder'],
    [['--all-to-folder', 'x', '--serial', '1'], 'for one zone'],
  ])('of an export: %j are refused', async (words, message) => {
    const { code, err } = await cli(['zone', 'export', ...words]);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });
});

needsPeers('named', 'dig')('another server', () => {
  const zones = ['a.example', 'b.example', '0/25.2.0.192.in-addr.arpa'];
  const catalog = [
    `@ 0 IN SOA invalid. invalid. 1 3600 600 86400 0\n@ 0 IN NS invalid.\nversion 0 IN TXT "2"\n`,
    ...zones.map((zone, index) => `m${index}.zones 0 IN PTR ${zone}.\n`),
    'm0.zones 0 IN PTR a.example.\ngroup.m0.zones 0 IN TXT "x"\ncoo.m0.zones 0 IN PTR c.invalid.\n',
  ].join('');
  let named: PeerProcess;
  beforeAll(async () => {
    named = await startNamedWith({
      ...Object.fromEntries(zones.map((zone, index) => [zone, soa(index + 3) + body])),
      'catalog.example': catalog,
      'old.example': catalog.replace('"2"', '"1"'),
      // As the own one is called; it names a zone twice.
      'catalog.invalid': `${catalog}m9.zones 0 IN PTR a.example.\n`,
    });
    await named.waitFor('a.example');
  });
  afterAll(() => named[Symbol.asyncDispose]());
  const server = () => ['--all-from-server', `127.0.0.1:${named.port}`];

  it('gives the zones of a list, each once, with the reason where it does not', async () => {
    const list = '# the first\na.example.\n\n  B.example  # twice\nb.example\nnone.example\n';
    const words = ['zone', 'import', ...server(), '--zones', '-', '-o', 'json'];
    const held = await cli(words, list);
    expect(held.code).toBe(1);
    expect(outcomes(JSON.parse(held.out))).toEqual({
      'a.example': 'importable',
      'b.example': 'importable',
      'none.example': 'refused',
    });
    expect(held.out).toContain('the server refused the transfer');
    expect(await stored()).toEqual([]);
    const { code } = await cli([...words, '--skip-refused'], list);
    expect(code).toBe(0);
    expect(await stored()).toEqual(['a.example', 'b.example']);
    expect((await zoneOf('b.example')).serial).toBe(4);
  });

  it('gives the members of its catalog, and then only what is missing', async () => {
    const first = await importAll(...server(), '--catalog', 'Catalog.example.');
    expect(first).toMatchObject({ code: 0, summary: { imported: 3, records: 6 } });
    await service.must('DELETE', '/zones/b.example');
    const again = await importAll(...server(), '--catalog', 'catalog.example');
    expect(outcomes(again)).toEqual({
      'a.example': 'exists',
      'b.example': 'imported',
      '0/25.2.0.192.in-addr.arpa': 'exists',
    });
  });

  it('gives the members of one that is called like the own catalog, each once', async () => {
    const from = [...server(), '--catalog', 'catalog.invalid'];
    const tried = await importAll(...from, '--dry-run');
    expect(tried).toMatchObject({ code: 0, summary: { importable: 3, records: 6 } });
    const { code, summary } = await importAll(...from);
    expect([code, summary]).toMatchObject([0, { imported: 3, records: 6, exists: 0 }]);
    expect(await stored()).toEqual(['0/25.2.0.192.in-addr.arpa', 'a.example', 'b.example']);
  });

  it('has a catalog that is only read', async () => {
    const body = { from_server: `127.0.0.1:${named.port}`, create: true, skip_unsupported: true };
    const post = (fields: object) =>
      service.call('POST', '/zones/catalog.invalid/import', { ...body, ...fields });
    const conflict = { status: 409, body: { code: 'ZONE_CONFLICT' } };
    expect(await post({ minimum_ttl: 60, dry_run: true })).toMatchObject(conflict);
    expect(await post({ minimum_ttl: 60 })).toMatchObject(conflict);
    expect(await post({ read_catalog: true })).toMatchObject({
      status: 400,
      body: { code: 'INVALID_INPUT', error: expect.stringContaining("'read_catalog' needs") },
    });
  });

  it('has to have a catalog of version 2', async () => {
    const old = await importAll(...server(), '--catalog', 'old.example');
    expect([old.code, old.err]).toEqual([1, expect.stringContaining('it has no version 2')]);
    const none = await importAll(...server(), '--catalog', 'none.example');
    expect([none.code, none.err]).toEqual([1, expect.stringContaining('refused the transfer')]);
    expect(await stored()).toEqual([]);
  });
});

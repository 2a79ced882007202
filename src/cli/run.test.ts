import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type RunOptions, run, serveApp } from '../../spec/support/command-line.ts';
import { type FakeServices, fakeServices } from '../../spec/support/fake-services.ts';
import { freePort } from '../../spec/support/ports.ts';
import { Problem } from '../base/problem.ts';
import { noDeletedZone, noZone } from '../domain/zone.ts';
import { recordRoutes } from '../contract/records.ts';
import { zoneRoutes } from '../contract/zones.ts';
import { type Command, examplesOf, type Group, optionName, verbOf } from './command.ts';
import { commands, groups } from './commands/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'zonebook-cli-'));
let services: FakeServices;
let server: Server;

/** Runs a command line against the fake service over its socket. */
function cli(line: string | string[], options: RunOptions = {}) {
  const args = typeof line === 'string' ? line.split(' ') : line;
  return run(args, { dataDir: folder, ...options });
}

beforeEach(() => {
  services.submitted.length = 0;
  services.notified.length = 0;
  services.rejection = undefined;
});
beforeAll(async () => {
  services = fakeServices();
  server = await serveApp(services, join(folder, 'zonebook.sock'));
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
  rmSync(folder, { recursive: true });
});

function everyOf(group: Group, parent: readonly string[]): [readonly string[], Command][] {
  const path = [...parent, group.name];
  return [
    ...group.commands.map((command): [string[], Command] => [[...path, verbOf(command)], command]),
    ...(group.groups ?? []).flatMap((part) => everyOf(part, path)),
  ];
}

const every: readonly (readonly [readonly string[], Command])[] = [
  ...commands.map((command) => [[verbOf(command)], command] as const),
  ...groups.flatMap((group) => everyOf(group, [])),
];

describe('help', () => {
  it.each(every)('of %j shows its examples and options', async (path, command) => {
    const { code, out, err } = await cli([...path, '--help']);
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain(command.summary);
    expect(command.examples.length).toBeGreaterThan(0);
    for (const [line] of examplesOf(command, ['zonebook', ...path.slice(0, -1)].join(' '))) {
      expect(out).toContain(`  ${line}\n`);
    }
    for (const name of Object.keys(command.options ?? {})) {
      expect(out).toContain(`--${optionName(name)} `);
    }
    expect(out).toContain('--data-dir');
    expect(out.split('\n').every((each) => each.length <= 100)).toBe(true);
  });

  it.each(every)('of %j lists its own options apart from those of all', async (path, command) => {
    const { out } = await cli([...path, '--help']);
    const everywhere = /^Everywhere:\n(.*?)\n\n/ms.exec(out)![1]!;
    const shared = [...everywhere.matchAll(/^ +(?:-o, )?--([a-z-]+) /gm)].map(([, name]) => name!);
    const own = Object.keys(command.options ?? {}).map(optionName);
    expect(shared).toEqual(expect.arrayContaining(['output', 'data-dir']));
    expect(shared.filter((name) => own.includes(name))).toEqual([]);
  });

  it('of each group and of the program shows examples too', async () => {
    for (const args of [[], ...groups.map(({ name }) => [name])]) {
      const { code, out } = await cli([...args, '--help']);
      expect(code).toBe(0);
      expect(out).toMatch(/\nExamples:\n {2}.*zonebook /);
    }
  });

  it.each([
    ['', '--help'],
    ['help', '--help'],
    ['-h', '--help'],
    ['zone', 'zone --help'],
    ['help zone', 'zone --help'],
    ['zone -o json', 'zone --help'],
    ['zone version', 'zone version --help'],
    ['zone create -h', 'zone create --help'],
    ['help zone create', 'zone create --help'],
    ['--data-dir help -o json help zone create', 'zone create --help'],
    ['help zone version diff', 'zone version diff --help'],
  ])('is what %j prints, like %j', async (line, like) => {
    const { code, out, err } = await cli(line === '' ? [] : line);
    expect([code, err]).toEqual([0, '']);
    expect(out).toBe((await cli(like)).out);
  });

  it('needs no service, and neither does --version', async () => {
    expect((await run(['zone', 'ls', '--help'], { dataDir: '/nowhere' })).code).toBe(0);
    expect(await run(['--version'])).toEqual({ code: 0, out: '1.2.3\n', err: '' });
  });
});

describe('usage', () => {
  it.each(every)('of %j refuses unknown options with 2', async (path) => {
    const { code, out, err } = await cli([...path, 'a', 'b', 'c', '--nonsense', 'x']);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(/^zonebook: .*\n$/);
    expect(err).toContain(`see 'zonebook ${path.join(' ')} --help'`);
  });

  it.each([
    ['nonsense', 'unknown command: nonsense'],
    ['zone nonsense', 'unknown command: nonsense'],
    ['zoen list', "unknown command: zoen; did you mean 'zonebook zone'?"],
    ['zone lst', "unknown command: lst; did you mean 'zonebook zone list'?"],
    [
      'zone version rolback',
      "unknown command: rolback; did you mean 'zonebook zone version rollback'?",
    ],
    ['blame example.com', "unknown command: blame; did you mean 'zonebook zone blame'?"],
    ['zone create a --mnam b', "unknown argument 'mnam'; did you mean '--mname'?"],
    [
      'zone create a --defualt-ttl 60',
      "unknown argument 'defualt-ttl'; did you mean '--default-ttl'?",
    ],
    ['zone list --foo-2 x', "unknown argument 'foo-2'; see 'zonebook zone list --help'"],
    [
      'zone list --foo-2 x --bar',
      "unknown arguments 'foo-2', 'bar'; see 'zonebook zone list --help'",
    ],
    ['zone list --ouptut json', "unknown argument 'ouptut'; did you mean '--output'?"],
    ['zone add a.test', "unknown command: add; did you mean 'zonebook zone create'?"],
    ['zone remove a.test', "unknown command: remove; did you mean 'zonebook zone delete'?"],
    ['record show 7', "unknown command: show; did you mean 'zonebook record get'?"],
    ['version', "unknown command: version; did you mean 'zonebook --version'?"],
    ['--verison', "unknown argument 'verison'; did you mean '--version'?"],
    ['zone --ouptut json', "unknown argument 'ouptut'; did you mean '--output'?"],
    ['--data-dir x help zoen', "unknown command: zoen; did you mean 'zonebook zone'?"],
    ['help zoen', "unknown command: zoen; did you mean 'zonebook zone'?"],
    ['record create a.test @ TXT v -ttl 60', "unknown argument '-ttl'; did you mean '--ttl'?"],
    ['record create a.test @ TXT -all --tll 60', "unknown argument 'tll'; did you mean '--ttl'?"],
    ['record list a.test -all', "unknown argument '-all'; did you mean '--all'?"],
    ['record bulk a.test - -all', "unknown argument '-all'; did you mean '--all'?"],
    ['zone get a.test -xyz', "unexpected argument '-xyz'"],
    ['zone get -x', 'an argument is missing: <name>'],
    ['zone get', 'an argument is missing: <name>'],
    ['zone get a b', "unexpected argument 'b'"],
    ['zone get ..', "'..' is no name"],
    ['zone create example.com', 'missing required arguments: mname, rname'],
    ['zone update a.test --no-description', '--description takes a value: there is no --no-desc'],
    ['record delete 7 --dry-run=yes', "--dry-run takes no value, or true or false, not 'yes'"],
    ['zone update a.test --enabled=1', "--enabled takes no value, or true or false, not '1'"],
    ['zone delete a.test --dryRun=', "--dryRun takes no value, or true or false, not ''"],
    ['undo 7 --no-names', '--names takes a value: there is no --no-names'],
    [
      'dnssec enable a.test --no-parent-ns',
      '--parent-ns takes a value: there is no --no-parent-ns',
    ],
    ['zone list --limit 5 --no-limit', '--limit takes a value: there is no --no-limit'],
    ['zone list --no-config', '--config takes a value: there is no --no-config'],
    ['zone list --limit many', "--limit takes a whole number, not 'many'"],
    ['zone list --limit 0', '--limit is 1 or more'],
    ['zone list --all --limit 5', '--all and --limit exclude each other'],
    [
      'zone list --sort size',
      "--sort is one of name, serial, default_ttl, created_at, changed_at, records, not 'size'",
    ],
    ['zone list --name a --name b', '--name is given twice'],
    ['zone list -o xml', '--output is one of table, json, yaml'],
    ['zone list -- x', "unexpected word 'x' behind --"],
    ['zone list --token x', 'a token goes with --url or --context'],
    ['zone list --url ftp://x', "'ftp://x' is no URL of a service"],
    ['zone notify', 'name one zone, or give --all'],
    ['zone notify example.com --all', 'name one zone, or give --all'],
    ['record get x', "'x' is no id of a record"],
    ['record delete example.com', "'example.com' is no id of a record"],
    ['record delete 7 --priority 1', '--priority goes with a zone and a name'],
    ['record create example.com www A', 'the value is missing'],
    ['record create example.com t TXT a --segment b', 'a value and --segment exclude each other'],
    [
      'record create example.com @ MX 10 mail.example.',
      'an option, --priority 10; write: zonebook record create example.com @ MX mail.example. --priority 10\n',
    ],
    [
      'record create example.com * mx 10 mail.example. --ttl 60',
      "write: zonebook record create example.com '*' mx mail.example. --priority 10 --ttl 60\n",
    ],
    [
      'record create example.com _sip._tcp SRV 10 5 5060 sip.example.',
      'zonebook record create example.com _sip._tcp SRV 5 5060 sip.example. --priority 10\n',
    ],
    [
      'record delete example.com @ MX 10 mail.example. --priority 20',
      'zonebook record delete example.com @ MX mail.example. --priority 20\n',
    ],
    ['journal log --url http://127.0.0.1', 'takes no --url'],
  ])('refuses %j with 2', async (line, says) => {
    const { code, out, err } = await cli(line === '' ? [] : line);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(/^zonebook: [^\n]*\n$/);
    expect(err).toContain(says);
    expect(services.submitted).toEqual([]);
  });
});

describe('exit codes', () => {
  const create = 'zone create example.net --mname ns1.example.net --rname a@example.net';

  it.each([
    ['INVALID_ZONE_FIELD', 1],
    ['FORBIDDEN', 5],
    ['UNAUTHORIZED', 5],
    ['ZONE_NOT_FOUND', 3],
    ['ZONE_CONFLICT', 4],
    ['PRECONDITION_FAILED', 4],
    ['OVERLOADED', 1],
    ['INTERNAL', 1],
  ] as const)('map %s to %i', async (problem, expected) => {
    services.rejection = new Problem(problem, 'that went\nwrong');
    const { code, out, err } = await cli(create);
    expect([code, out]).toEqual([expected, '']);
    expect(err).toMatch(new RegExp(`^zonebook: that went\\\\x0awrong \\(${problem}\\)`));
    expect(err.trim().split('\n')).toHaveLength(1);
  });

  it('tell that a deleted zone is unknown: 3, with what lists those that there are', async () => {
    const hintOf = async (problem: Problem) => {
      services.rejection = problem;
      const { code, err } = await cli('zone restore no.test');
      expect(code).toBe(3);
      return err.trim().split('; ').at(-1);
    };
    const deleted = "'zonebook zone list --deleted' shows the deleted zones";
    expect(await hintOf(noDeletedZone('no.test', undefined))).toBe(deleted);
    expect(await hintOf(noDeletedZone('no.test', 9))).toBe(deleted);
    expect(await hintOf(noZone('no.test'))).toBe("'zonebook zone list' shows the zones");
  });

  it('tell a stopped service: 7, with what to do', async () => {
    const { code, err } = await run(['zone', 'ls'], { dataDir: '/nonexistent' });
    expect(code).toBe(7);
    expect(err).toContain('no service is running at /nonexistent/zonebook.sock');
    expect(err).toContain("start it with 'zonebook serve'");
  });

  it('tell a service elsewhere that can not be reached: 7', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const { code, err } = await cli(['zone', 'ls', '--url', url]);
    expect(code).toBe(7);
    expect(err).toContain(`${url} can not be reached: ECONNREFUSED`);
  });

  it('tell an unusable configuration: 6, every key at once', async () => {
    const env = { ZONEBOOK_API_LISTEN_PORT: 'x', ZONEBOOK_NOTHING: '1' };
    for (const line of ['zone ls', 'config check', 'config show', 'journal verify']) {
      const { code, err } = await cli(line, { env });
      expect(code).toBe(6);
      expect(err).toContain('zonebook: the configuration is unusable');
      expect(err).toContain('ZONEBOOK_API_LISTEN_PORT');
      expect(err).toContain('ZONEBOOK_NOTHING');
    }
  });

  it('tell that there is no database: 3', async () => {
    for (const line of ['journal verify', 'journal rebuild', 'journal log']) {
      const { code, err } = await cli(line);
      expect([code, err]).toEqual([3, expect.stringContaining('there is no database at')]);
    }
  });

  it('are those of serve', async () => {
    const seen: unknown[] = [];
    const serve = async (options: unknown) => {
      seen.push(options);
      return 42;
    };
    const { code } = await run(['serve', '--config', 'z.toml', '--data-dir', 'd'], { serve });
    expect([code, seen]).toEqual([42, [{ configFile: 'z.toml', dataDir: 'd' }]]);
  });
});

describe('output', () => {
  it('is a table in a pipe as on a terminal, and with -o what the API answers', async () => {
    const json = await cli('zone get example.com -o json');
    expect(JSON.parse(json.out).zone).toMatchObject({ name: 'example.com', default_ttl: 3600 });
    const yaml = await cli('zone get example.com -o yaml', { terminal: true });
    expect(parse(yaml.out)).toEqual(JSON.parse(json.out));
    const table = await cli('zone get example.com', { terminal: true, env: { NO_COLOR: '1' } });
    expect(table.out).toContain('default_ttl  3600\n');
    expect((await cli('zone get example.com')).out).toBe(table.out);
    const tsv = await cli('zone ls -o tsv', { terminal: true });
    expect(tsv.out.split('\n')[0]).toMatch(/^id\tname\tmname\t/);
    expect(tsv.out.split('\n')[1]).toMatch(/^\d+\texample\.com\tns1\.example\.com\t/);
    const piped = await cli('zone ls');
    expect(piped.out.split('\n')[0]).toMatch(/^NAME +SERIAL +MNAME +DEFAULT_TTL +ENABLED/);
    expect(piped.out.split('\n')[1]).toMatch(/^example\.com +7 +ns1\.example\.com +3600 +yes/);
    const forced = await cli('zone ls -o json', { terminal: true });
    expect(JSON.parse(forced.out).pagination.limit).toBe(1000);
  });

  it('fits tables to a terminal, and cuts nothing in a pipe or in another form', async () => {
    const wide = await cli('zone ls');
    const options = { terminal: true, columns: 40, env: { NO_COLOR: '1' } };
    const narrow = await cli('zone ls', options);
    const widest = (text: string) => Math.max(...text.split('\n').map(({ length }) => length));
    expect([widest(wide.out) > 60, widest(narrow.out) < widest(wide.out)]).toEqual([true, true]);
    expect(narrow.out).toContain('…');
    expect((await cli('zone ls', { columns: 40 })).out).toBe(wide.out);
    expect((await cli('zone ls -o tsv', options)).out).not.toContain('…');
  });

  it('colours diffs on a terminal only, unless NO_COLOR is set', async () => {
    const line = 'record create example.com www A 192.0.2.1 --ttl 300';
    const plain = 'created record 100\n+ www.example.com. 300 A 192.0.2.1\n';
    expect((await cli(`${line} -o table`)).out).toBe(plain);
    expect((await cli(line, { terminal: true, env: { NO_COLOR: '1' } })).out).toBe(plain);
    expect((await cli(line, { terminal: true, env: { NO_COLOR: '' } })).out).toContain(
      '\u001b[32m+ www.example.com. 300 A 192.0.2.1\u001b[39m',
    );
  });

  it('escapes control characters of others', async () => {
    const segments = ['--segment', '\u001b[2Jx'];
    const line = ['record', 'create', 'example.com', 't', 'TXT', ...segments, '-o', 'table'];
    const { out } = await cli(line);
    expect(out).toContain('\\x1b[2Jx');
    expect(out).not.toContain('\u001b');
  });
});

describe('requests', () => {
  it('of zone create carry every setting', async () => {
    const names = 'zone create example.net --mname ns1.example.net --rname a@example.net';
    const line = `${names} --default-ttl 600 --minimum-ttl 60 --refresh 1 --retry 2 --expire 3`;
    const { code, out } = await cli(
      `${line} --serial 9 --no-apex-ns --description x --dry-run -o json`,
    );
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ applied: false, dry_run: true });
    const { command, options } = services.submitted[0]!;
    expect(options).toMatchObject({ source: 'cli', actor: null, dryRun: true });
    expect(JSON.stringify(command)).toContain('"serial":9');
    expect(command).toMatchObject({ kind: 'create-zone' });
  });

  it('that are dry runs say would', async () => {
    const lines = [
      ['zone delete example.com', 'would delete zone example.com: 1 record, 7 versions\n'],
      ['record delete 7', 'would delete 1 record\n- example.com. 3600 NS ns1.example.com.\n'],
      ['record create example.com w A 192.0.2.1', 'would create the record\n+ w.example.com.'],
      ['zone update example.com --expire 5', 'would update zone example.com\n'],
      ['record update 7 --ttl 60', 'would update record 7\n'],
    ] as const;
    for (const [line, says] of lines) {
      const { code, out } = await cli(`${line} --dry-run -o table`);
      expect([line, code, out]).toEqual([line, 0, expect.stringContaining(says)]);
      expect(services.submitted.at(-1)!.options.dryRun).toBe(true);
    }
  });

  it('take values apart as the type wants them', async () => {
    const cases: [string[], unknown][] = [
      [['TXT', 'v=spf1 mx -all'], 'v=spf1 mx -all'],
      [
        ['TXT', 'a', 'b c'],
        ['a', 'b c'],
      ],
      [['txt', '"a" "b"'], '"a" "b"'],
      [['TXT', "'single'"], "'single'"],
      [['TXT', '--segment', 'one'], ['one']],
      [
        ['TXT', '--segment', 'one', '--segment', 'two'],
        ['one', 'two'],
      ],
      [['TXT', '--', '-all'], '-all'],
      [['TXT', '-all'], '-all'],
      [
        ['TXT', 'v=spf1', '-all', '--all'],
        ['v=spf1', '-all'],
      ],
      [
        ['TXT', '-all', '--ttl', '60', '-3.5 "'],
        ['-all', '-3.5 "'],
      ],
      [
        ['TXT', '-o', 'table', '-xy=z', '--', '-ttl'],
        ['-xy=z', '-ttl'],
      ],
      [['TXT', '007'], '007'],
      [['TXT', '-'], '-'],
      [['SRV', '5', '5060', 'sip.example.com.'], '5 5060 sip.example.com.'],
      [['CAA', '0', 'issue', '"ca.example"'], '0 issue "ca.example"'],
    ];
    for (const [words, value] of cases) {
      const { code, err } = await cli(['record', 'create', 'example.com', 'x', ...words]);
      expect([words, code, err]).toEqual([words, 0, '']);
      const { command } = services.submitted.at(-1)!;
      expect([words, command]).toEqual([
        words,
        expect.objectContaining({ records: [expect.objectContaining({ value })] }),
      ]);
    }
  });

  it('of record bulk come from a file or standard input', async () => {
    const records = [
      { name: 'a', type: 'A', value: '192.0.2.1' },
      { name: 'b', type: 'A', value: '192.0.2.2', ttl: 60 },
    ];
    const lines = `${records.map((record) => JSON.stringify(record)).join('\n\n')}\n`;
    const file = join(folder, 'records.json');
    writeFileSync(file, JSON.stringify(records, undefined, 1));
    for (const [name, stdin] of [
      [file, ''],
      ['-', lines],
      ['-', JSON.stringify(records)],
    ]) {
      const { code, out } = await cli(['record', 'bulk', 'example.com', name!, '-o', 'table'], {
        stdin: stdin!,
      });
      expect([code, out.split('\n')[0]]).toEqual([0, 'created 2 records']);
      expect(services.submitted.at(-1)!.command).toMatchObject({ records });
    }
    const broken = await cli('record bulk example.com -', { stdin: `${lines}{nonsense\n` });
    expect([broken.code, broken.err]).toEqual([1, expect.stringContaining('line 4: ')]);
    const missing = await cli(`record bulk example.com ${folder}/none`);
    expect([missing.code, missing.err]).toEqual([1, expect.stringContaining('no such file')]);
  });

  it('of lists offer every filter of the API', () => {
    const optionsOf = (group: string) => {
      const list = groups.find(({ name }) => name === group)!.commands.find(isList)!;
      return Object.keys({ ...list.positionals, ...list.options }).map(optionName);
    };
    const isList = (command: Command) => verbOf(command) === 'list';
    for (const [group, route] of [
      ['zone', zoneRoutes.listZones],
      ['record', recordRoutes.listRecords],
    ] as const) {
      const expected = Object.keys(route.query.entries).map((name) =>
        name === 'zone_name' ? 'zone' : name.replaceAll('_', '-'),
      );
      expect(optionsOf(group).sort()).toEqual([...expected, 'all'].sort());
    }
  });

  it('reach notify, secondaries and the specification', async () => {
    expect((await cli('zone notify example.com -o table')).out).toContain("'example.com'");
    expect((await cli('zone notify --all')).code).toBe(0);
    expect(services.notified).toEqual(['example.com', undefined]);
    const lines = [
      'secondary create ns2 --address 192.0.2.53:53',
      'secondary ls',
      'secondary get ns2',
      'secondary update ns2 --no-enabled',
      'secondary rm ns2',
      'secondary check ns2',
      'secondary transfers ns2 --zone example.com --limit 5',
      'record ls example.com',
      'record get 7',
    ];
    for (const line of lines) {
      for (const format of ['json', 'table', 'yaml']) {
        const { code, out, err } = await cli(`${line} -o ${format}`);
        expect([line, code, err]).toEqual([line, 0, '']);
        expect(out).toMatch(/ns2|ns1|192\.0\.2\.53/);
      }
    }
    const check = (await cli('secondary check ns2 -o table')).out;
    expect(check).toMatch(/^catalog\.invalid +in_sync: 3, ours is 3$/m);
    expect(check).toMatch(/^NOTIFY to 192\.0\.2\.53 +acknowledged$/m);
    const transfers = (await cli('secondary transfers ns2 -o table')).out;
    expect(transfers).toMatch(/^example\.com +192\.0\.2\.53 .* ixfr delta +ok +7 +-$/m);
    expect(transfers).toContain('1 zone, last by: 1 IXFR with changes');
    const status = (await cli('zone status example.com -o table')).out;
    expect(status).toMatch(/^zone example\.com is at serial 7\n/);
    expect(status).toMatch(/^192\.0\.2\.53:53 +in_sync +same +7 /m);
    expect(JSON.parse((await cli('openapi')).out).info.version).toBe('1.2.3');
  });

  it('of status sum up the service', async () => {
    const { code, out } = await cli('status -o json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ status: 'healthy', zones: 2, secondaries: 1 });
  });

  it('go to --url or ZONEBOOK_URL with the token', async () => {
    const closed = fakeServices({ authenticationRequired: true });
    const port = await freePort();
    const remote = await serveApp(closed, port);
    try {
      const url = `http://127.0.0.1:${port}`;
      const bare = await cli(['zone', 'ls', '--url', url]);
      expect([bare.code, bare.err]).toEqual([5, expect.stringContaining('ZONEBOOK_TOKEN')]);
      const env = { ZONEBOOK_URL: `${url}/`, ZONEBOOK_TOKEN: 'wrong' };
      const wrong = await cli('zone ls', { env });
      expect([wrong.code, wrong.err]).toEqual([5, expect.stringContaining('INVALID_TOKEN')]);
    } finally {
      remote.close();
      remote.closeAllConnections();
    }
  });
});

describe('config', () => {
  it('check and show tell where settings come from and what they are', async () => {
    const file = join(folder, 'zonebook.toml');
    writeFileSync(file, '[api]\nlisten_port = 4321\n');
    const checked = await cli(['config', 'check', '--config', file, '-o', 'json']);
    expect(JSON.parse(checked.out)).toEqual({
      usable: true,
      config_file: file,
      data_dir: folder,
    });
    const shown = await cli(['config', 'show', '--config', file, '-o', 'json']);
    expect(JSON.parse(shown.out).api).toMatchObject({ listen_port: 4321, metrics_enabled: true });
    const toml = await cli(['config', 'show', '--config', file]);
    expect(toml.out).toContain('listen_port = 4321\n');
  });
});

/**
 * `--exit-code` of every command that can say what would change: 8 when something would, 0 when nothing would. The
 * table has each of them, which is compared with the commands that there are.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Command, type Group, verbOf } from '../../src/cli/command.ts';
import { commands, groups } from '../../src/cli/commands/index.ts';
import { exitCode, exitMeanings } from '../../src/cli/failure.ts';
import { nameToWire, parseAbsoluteName } from '../../src/dns/name.ts';
import { rrtype } from '../../src/dns/rrtype.ts';
import { CannedPrimary, type CannedRecord } from '../support/canned-primary.ts';
import { run, type RunOptions } from '../support/command-line.ts';
import { type RunningService, startService } from '../support/service.ts';

const folder = mkdtempSync(join(tmpdir(), 'zonebook-exit-code-'));
let service: RunningService;
let primary: CannedPrimary;
let seq = 0;
/** The event that deleted a zone. */
let gone = 0;

const cli = (line: string, more: RunOptions = {}) =>
  run(
    line
      .replace('SEQ', `${seq}`)
      .replace('GONE', `${gone}`)
      .replace('SERVER', primary.address)
      // The last, as its name, which is drawn, may have one of these words in it.
      .replaceAll('FOLDER', folder)
      .split(' '),
    {
      dataDir: service.dataDir,
      ...more,
    },
  );

/** Lines that would change something, and lines of the same command that would not. */
interface Row {
  readonly would: readonly string[];
  /** None where the command refuses what would change nothing. */
  readonly wouldNot: readonly string[];
}

const others: Readonly<Record<string, Row>> = {
  undo: { would: ['undo SEQ', 'undo GONE'], wouldNot: ['undo SEQ --names elsewhere'] },
  change: { would: ['change FOLDER/new.json'], wouldNot: ['change FOLDER/same.json'] },
  restore: { would: ['restore FOLDER/backup.db'], wouldNot: [] },
  'zone create': { would: ['zone create b.example --mname ns.test --rname h@test'], wouldNot: [] },
  'zone update': {
    would: ['zone update a.example --description x', 'zone update a.example --name b.example'],
    wouldNot: ['zone update a.example --description main', 'zone update a.example --refresh 300'],
  },
  'zone guard': {
    would: ['zone guard a.example --max-deletes 5'],
    wouldNot: ['zone guard a.example --default'],
  },
  'zone delete': { would: ['zone delete a.example'], wouldNot: [] },
  'zone import': {
    would: [
      'zone import a.example FOLDER/new.zone',
      'zone import c.example FOLDER/made/c.example.zone --create',
      'zone import c.example FOLDER/soa.zone --create',
      'zone import ahead.example --from-server SERVER',
      'zone import --all-from-folder FOLDER/made',
    ],
    wouldNot: [
      'zone import a.example FOLDER/same.zone',
      'zone import level.example --from-server SERVER',
      'zone import --all-from-folder FOLDER/there',
    ],
  },
  'zone apply': {
    would: [
      'zone apply a.example FOLDER/new.zone',
      'zone apply a.example FOLDER/shop.zone --owner shop',
    ],
    wouldNot: [
      'zone apply a.example FOLDER/same.zone',
      'zone apply a.example FOLDER/team.zone --owner team',
    ],
  },
  'zone edit': { would: ['zone edit a.example'], wouldNot: ['zone edit a.example'] },
  'zone purge': { would: ['zone purge gone.example'], wouldNot: [] },
  'zone forget-history': {
    would: ['zone forget-history a.example --before 0s'],
    wouldNot: ['zone forget-history a.example --before 2001-01-01T00:00:00Z'],
  },
  'zone version rollback': {
    would: ['zone version rollback a.example 2'],
    wouldNot: ['zone version rollback a.example 2 --names elsewhere'],
  },
  'zone tag set': {
    would: ['zone tag set a.example first', 'zone tag set a.example another 2'],
    wouldNot: ['zone tag set a.example first 2'],
  },
  'zone tag delete': { would: ['zone tag delete a.example first'], wouldNot: [] },
  'record create': { would: ['record create a.example x A 192.0.2.9'], wouldNot: [] },
  'record set': {
    would: ['record set a.example www A 192.0.2.9'],
    wouldNot: ['record set a.example www A 192.0.2.1'],
  },
  'record update': {
    would: ['record update 2 --value 192.0.2.9'],
    wouldNot: ['record update 2 --value 192.0.2.1'],
  },
  'record delete': {
    would: ['record delete 2', 'record delete a.example www'],
    wouldNot: ['record delete a.example elsewhere'],
  },
  'record bulk': {
    would: ['record bulk a.example FOLDER/records.json'],
    wouldNot: ['record bulk a.example FOLDER/no-records.json'],
  },
};

/** A zone each that is signed, whose key is rolled, and whose DS is to go. */
const signing: Readonly<Record<string, Row>> = {
  'dnssec enable': { would: ['dnssec enable a.example --parent-ns 127.0.0.1:1'], wouldNot: [] },
  'dnssec set': {
    would: ['dnssec set signed.example --parent-ns 127.0.0.1:2'],
    wouldNot: ['dnssec set signed.example --parent-ns 127.0.0.1:1'],
  },
  'dnssec sign': { would: ['dnssec sign signed.example'], wouldNot: [] },
  'dnssec roll': { would: ['dnssec roll signed.example'], wouldNot: [] },
  'dnssec promote': {
    would: ['dnssec promote rolling.example --skip-holddown --skip-ds-check'],
    wouldNot: [],
  },
  'dnssec abort': { would: ['dnssec abort rolling.example --skip-ds-check'], wouldNot: [] },
  'dnssec withdraw start': { would: ['dnssec withdraw start signed.example'], wouldNot: [] },
  'dnssec withdraw cancel': { would: ['dnssec withdraw cancel leaving.example'], wouldNot: [] },
  'dnssec disable': { would: ['dnssec disable signed.example --skip-ds-check'], wouldNot: [] },
};

const tries = { ...others, ...signing };

const differences: Readonly<Record<string, Row>> = {
  'zone diff': {
    would: ['zone diff a.example FOLDER/new.zone'],
    wouldNot: ['zone diff a.example FOLDER/same.zone'],
  },
  'zone drift': {
    would: ['zone drift a.example --owner drifted'],
    wouldNot: ['zone drift a.example --owner team'],
  },
  'zone version diff': {
    would: ['zone version diff a.example 2'],
    wouldNot: ['zone version diff a.example 5'],
  },
};

/** The records of `made/c.example.zone` as a server has them at a serial. */
function zoneAt(name: string, serial: number): readonly CannedRecord[] {
  const server = nameToWire(parseAbsoluteName('ns.test'));
  const numbers = Buffer.alloc(20, 1);
  numbers.writeUInt32BE(serial);
  return [
    { owner: name, type: rrtype.SOA, ttl: 60, rdata: Buffer.concat([server, server, numbers]) },
    { owner: name, type: rrtype.NS, ttl: 60, rdata: server },
  ];
}

beforeAll(async () => {
  service = await startService();
  primary = await CannedPrimary.start();
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  const setting = { name: 'www', type: 'A', ttl: 3600 };
  const changes = (address: string) =>
    JSON.stringify({ zones: [{ name: 'a.example', set: [{ ...setting, values: [address] }] }] });
  write('new.json', changes('192.0.2.9'));
  write('same.json', changes('192.0.2.1'));
  write('records.json', '[{"name": "y", "type": "A", "value": "192.0.2.5"}]');
  write('no-records.json', '[]');
  write('team.zone', 'team 60 A 192.0.2.7\n');
  write('shop.zone', 'shop 60 A 192.0.2.7\n');
  write('drifted.zone', 'drifted 60 A 192.0.2.7\n');
  for (const name of ['made', 'there']) mkdirSync(join(folder, name));
  write('soa.zone', '@ 60 SOA ns.test. h.test. 1 300 60 3600 60\n');
  const soa = '@ 60 SOA ns.test. h.test. 1 300 60 3600 60\n@ 60 NS ns.test.\n';
  write('made/c.example.zone', soa);
  write('there/a.example.zone', soa);
  const must = async (line: string) => {
    const { code, out, err } = await cli(`${line} -o json`);
    expect([line, code], err).toEqual([line, 0]);
    return JSON.parse(out || '{}');
  };
  await must('zone create a.example --mname ns.test --rname h@test --description main');
  await must('record create a.example www A 192.0.2.1');
  await must('zone tag set a.example first');
  await must('zone apply a.example FOLDER/team.zone --owner team --yes');
  await must('zone apply a.example FOLDER/drifted.zone --owner drifted --yes');
  await must('record set a.example drifted A 192.0.2.8');
  await must('zone create gone.example --mname ns.test --rname h@test');
  await must('zone delete gone.example --yes');
  await must('zone export a.example --file FOLDER/same.zone');
  for (const [name, serial] of Object.entries({ 'ahead.example': 9, 'level.example': 1 })) {
    await must(`zone import ${name} FOLDER/made/c.example.zone --create`);
    primary.hold(name, zoneAt(name, serial));
  }
  const exported = readFileSync(join(folder, 'same.zone'), 'utf8');
  write('new.zone', `${exported}new.a.example. 60 IN A 192.0.2.6\n`);
  for (const name of ['signed', 'rolling', 'leaving']) {
    await must(`zone create ${name}.example --mname ns.test --rname h@test`);
    await must(`dnssec enable ${name}.example --parent-ns 127.0.0.1:1`);
  }
  await must('dnssec roll rolling.example');
  await must('dnssec withdraw start leaving.example');
  await must('backup FOLDER/backup.db');
  seq = (await must('events --zone a.example --name www.a.example')).items[0].seq;
  gone = (await must('events --kind zone.deleted')).items[0].seq;
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await primary[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

/** Every command with its path, as it is typed. */
function* everyCommand(
  found: readonly Command[],
  parts: readonly Group[],
  path = '',
): Generator<[string, Command]> {
  for (const command of found) yield [`${path}${verbOf(command)}`, command];
  for (const part of parts) {
    yield* everyCommand(part.commands, part.groups ?? [], `${path}${part.name} `);
  }
}

const every = [...everyCommand(commands, groups)];
const namesOf = (wanted: (command: Command) => boolean) =>
  every.flatMap(([name, command]) => (wanted(command) ? [name] : [])).sort();

describe('--exit-code', () => {
  it('is taken by every command with a dry run or a difference, and by no other', () => {
    const has = (option: string) => (command: Command) => option in (command.options ?? {});
    expect(namesOf(has('dryRun'))).toEqual(Object.keys(tries).sort());
    expect(namesOf(({ presents }) => presents === 'difference')).toEqual(
      Object.keys(differences).sort(),
    );
    const both = [...Object.keys(tries), ...Object.keys(differences)];
    expect(namesOf(has('exitCode'))).toEqual(both.sort());
  });

  it('is taken by all that change zones or records but those that the manual names', () => {
    const manual = readFileSync(new URL('../manual/command-line.md', import.meta.url), 'utf8');
    const [, named = ''] = /take `--dry-run`, except ([^:]*):/.exec(manual) ?? [];
    const without = [...named.matchAll(/`([a-z ]+[a-z])[^`]*`/g)].map(([, name]) => name);
    expect(without).toEqual(['zone restore', 'zone notify', 'dnssec key import']);
    const changing =
      /^(zone|record|dnssec)( \w+)* (create|update|delete|set|import|apply|edit|restore|rollback|notify)$/;
    expect(
      namesOf((command) => !('dryRun' in (command.options ?? {}))).filter((name) =>
        changing.test(name),
      ),
    ).toEqual(without.toSorted());
  });

  const editor = { EDITOR: 'echo "new 60 A 192.0.2.6" >>' };

  it.each(Object.entries(tries))('of %s says what a dry run would do', async (_, row) => {
    for (const line of row.would) {
      const { code, err } = await cli(`${line} --dry-run --exit-code`, { env: editor });
      expect([line, code], err).toEqual([line, exitCode.wouldChange]);
      expect((await cli(`${line} --dry-run`, { env: editor })).code).toBe(0);
    }
    for (const line of row.wouldNot) {
      const unchanged = { EDITOR: 'true' };
      const { code, err } = await cli(`${line} --dry-run --exit-code`, { env: unchanged });
      expect([line, code], err).toEqual([line, 0]);
    }
  });

  it.each(Object.entries(tries))('of %s alone is refused, and nothing is done', async (_, row) => {
    const before = await service.must('GET', '/events?limit=1');
    for (const line of [...row.would, ...row.wouldNot]) {
      const { code, err } = await cli(`${line} --exit-code`);
      expect([line, code, err]).toEqual([line, 2, expect.stringContaining('goes with --dry-run')]);
    }
    expect((await service.must('GET', '/events?limit=1')).items).toEqual(before.items);
  });

  it.each(Object.entries(differences))('of %s says whether there is one', async (_, row) => {
    for (const line of row.would) {
      expect([line, (await cli(`${line} --exit-code`)).code]).toEqual([line, 8]);
      expect((await cli(line)).code).toBe(0);
    }
    for (const line of row.wouldNot) {
      expect([line, (await cli(`${line} --exit-code`)).code]).toEqual([line, 0]);
    }
  });

  it('does not hide a refusal', async () => {
    const missing = await cli('zone apply nowhere.example FOLDER/new.zone --dry-run --exit-code');
    expect(missing.code).toBe(exitCode.notFound);
    writeFileSync(join(folder, 'bad.zone'), 'www A 300.0.2.1\n');
    const bad = await cli('zone apply a.example FOLDER/bad.zone --dry-run --exit-code');
    expect(bad.code).toBe(exitCode.failure);
  });
});

describe('exit codes', () => {
  it('each have a meaning, which help and the manual say', async () => {
    const codes = Object.values(exitCode).map(String);
    expect(Object.keys(exitMeanings)).toEqual(codes);
    const help = (await cli('--help')).out.replace(/\s+/g, ' ');
    for (const code of codes) expect(help).toContain(`${code} ${exitMeanings[Number(code) as 0]}`);
    const rowsOf = (page: string) => {
      const text = readFileSync(join(import.meta.dirname, '../manual', page), 'utf8');
      return [...text.matchAll(/^\| (\d) \| (.*) \|$/gm)].map((row) => row.slice(1));
    };
    expect(rowsOf('command-line.md')).toEqual(Object.entries(exitMeanings));
    const remedied = rowsOf('troubleshooting.md').map(([code]) => code);
    expect(remedied).toEqual(codes.filter((code) => code !== '0'));
  });
});

/**
 * Long diffs on the command line: a terminal gets the first 100 lines and how many RRsets are left; a pipe, `--all`
 * and `-o json` get everything.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Client } from '../../src/cli/client.ts';
import { run, type RunOptions } from '../support/command-line.ts';
import { isLong, sampleOf } from '../support/long.ts';
import { type RunningService, startService } from '../support/service.ts';

const folder = mkdtempSync(join(tmpdir(), 'zonebook-long-diffs-'));
const env = { NO_COLOR: '1', ZONEBOOK_HINTS: 'off' };
let service: RunningService;

beforeAll(async () => {
  service = await startService();
  for (const name of ['a.example', 'b.example', 'c.example']) {
    await service.must('POST', '/zones', { name, mname: 'ns.test', rname: 'h@test' });
  }
  writeFileSync(join(folder, 'small.zone'), zoneOf(150));
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

function linesOf(count: number): string {
  return Array.from({ length: count }, (_, at) => `h${at} 60 A 192.0.2.1\n`).join('');
}

/** With the record that a zone has from the beginning. */
function zoneOf(count: number): string {
  return `@ 3600 NS ns.test.\n${linesOf(count)}`;
}

const cli = (line: string, more: RunOptions = {}) =>
  run(line.replaceAll('FOLDER', folder).split(' '), { dataDir: service.dataDir, env, ...more });

/** Lines that tell of a record. */
const diffLines = (text: string) => text.split('\n').filter((line) => /^[-+~] /.test(line));
const leftOut = (text: string) => text.split('\n').filter((line) => line.startsWith('…'));
const terminal = { terminal: true };

describe('very many changes', () => {
  const all = isLong ? 300_000 : 10_000;
  const more = `… ${(all - 100).toLocaleString('en')} more RRsets; --all shows everything`;
  beforeAll(async () => {
    writeFileSync(join(folder, 'large.zone'), zoneOf(all));
    const made = await cli('zone apply c.example FOLDER/large.zone --yes');
    expect([made.code, made.err]).toEqual([0, '']);
  });

  it.each([
    'zone import a.example FOLDER/large.zone --dry-run',
    'zone apply a.example FOLDER/large.zone --dry-run',
  ])('%s', async (line) => {
    const { code, out } = await cli(line, terminal);
    expect([code, diffLines(out).length, out.length < 10_000]).toEqual([0, 100, true]);
    expect(leftOut(out)).toEqual([more]);
  });

  it.each([
    ['zone diff a.example FOLDER/large.zone', 'added'],
    ['zone diff a.example --other c.example', 'added'],
    ['zone diff c.example --at 2 --other a.example --other-at 1', 'removed'],
    ['zone version diff c.example 1', 'added'],
  ])('%s, which asks for no more than it shows', async (line, kind) => {
    const received = [vi.spyOn(Client.prototype, 'ask'), vi.spyOn(Client.prototype, 'postFile')];
    const { code, out } = await cli(line, terminal);
    expect([code, diffLines(out).length]).toEqual([0, 100]);
    expect(/: (.*) \(RRsets\)$/m.exec(out)?.[1]?.split(', ')).toEqual(
      ['added', 'changed', 'removed'].map((each) => `${each === kind ? all : 0} ${each}`),
    );
    expect(leftOut(out)).toEqual([more]);
    const results = received.flatMap(({ mock }) => mock.results);
    const answers = await Promise.all(results.map(({ value }) => value));
    expect(answers.map(({ diff }) => diff.entries.length)).toEqual([101, 0]);
    for (const each of received) each.mockRestore();
    const whole = await cli(`${line} --all`, terminal);
    expect(diffLines(whole.out)).toHaveLength(all);
    const json = await cli(`${line} -o json`, terminal);
    expect(JSON.parse(json.out).diff.entries).toHaveLength(all);
    const page = await cli(`${line} --limit 3`, terminal);
    expect([diffLines(page.out).length, leftOut(page.out)]).toEqual([3, []]);
    expect(page.out).toContain('more follow: --cursor ');
  });

  it('of one event are asked for as far as they are presented', async () => {
    const { items } = await service.must('GET', '/events?zone=c.example&limit=10');
    const { seq } = items.find((event: { summary: { added: number } | null }) => {
      return event.summary?.added === all;
    });
    const received = vi.spyOn(Client.prototype, 'ask');
    const { code, out } = await cli(`events ${seq}`, terminal);
    const answers = await Promise.all(received.mock.results.map(({ value }) => value));
    received.mockRestore();
    expect(answers.map(({ event }) => event.diff.entries.length)).toEqual([101]);
    expect([code, diffLines(out).length]).toEqual([0, 100]);
    expect(out).toMatch(new RegExp(`^records +\\+${all}$`, 'm'));
    expect(leftOut(out)).toEqual(['… more RRsets; --all shows everything']);
    const whole = await cli(`events ${seq} --all`, terminal);
    expect([diffLines(whole.out).length, leftOut(whole.out)]).toEqual([all, []]);
    const json = await cli(`events ${seq} -o json`, terminal);
    expect(JSON.parse(json.out).event.diff.entries).toHaveLength(all);
  });

  it('are all in a pipe, and in JSON on a terminal', async () => {
    const line = 'zone import a.example FOLDER/large.zone --dry-run';
    const piped = await cli(line);
    expect([diffLines(piped.out).length, leftOut(piped.out)]).toEqual([all, []]);
    const json = await cli(`${line} -o json`, terminal);
    expect(JSON.parse(json.out).diff.entries).toHaveLength(all);
  });
});

const change = (names: readonly string[]) => ({
  zones: names.map((name) => ({ name, set: rrsets('c') })),
});

/** As many RRsets as a terminal does not show, of one address each. */
function rrsets(prefix: string) {
  return Array.from({ length: 150 }, (_, at) => ({
    ...{ name: `${prefix}${at}`, type: 'A', ttl: 60 },
    values: ['192.0.2.1'],
  }));
}

/** A zone with an RRset of 150 addresses, and with 150 RRsets of a team that others changed; the id of an address. */
async function makeCrowdedZone(name: string): Promise<number> {
  await service.must('POST', '/zones', { name, mname: 'ns.test', rname: 'h@test' });
  await service.must('PUT', `/zones/${name}`, { guard: { max_delete_percent: 100 } });
  writeFileSync(join(folder, 'owned.zone'), linesOf(150).replaceAll('192.0.2.1', '192.0.2.2'));
  expect((await cli(`zone apply ${name} FOLDER/owned.zone --owner shop --yes`)).code).toBe(0);
  const values = Array.from({ length: 150 }, (_, at) => `192.0.2.${at + 1}`);
  const many = { name: 'many', type: 'A', ttl: 60, values };
  const zones = [{ name, set: [...rrsets('h'), many] }];
  await service.must('POST', '/changes', { zones });
  const { items } = await service.must('GET', `/records?zone_name=${name}&name=many&limit=1`);
  return items[0].id;
}

it('is cut for every command that shows one, unless --all is given', async () => {
  writeFileSync(join(folder, 'team.zone'), linesOf(150));
  const import150 = 'zone import b.example FOLDER/small.zone';
  expect((await cli(import150)).code).toBe(0);
  const { items } = await service.must('GET', '/events?limit=1&order=desc');
  writeFileSync(join(folder, 'change.json'), JSON.stringify(change(['a.example'])));
  const records = Array.from({ length: 150 }, (_, at) => {
    return { name: `r${at}`, type: 'A', value: '192.0.2.1' };
  });
  writeFileSync(join(folder, 'records.json'), JSON.stringify(records));
  const address = await makeCrowdedZone('d.example');
  const lines = [
    'zone import a.example FOLDER/small.zone --dry-run',
    'zone apply a.example FOLDER/small.zone --dry-run',
    'zone apply a.example FOLDER/team.zone --dry-run --owner shop',
    'zone diff a.example FOLDER/small.zone',
    'zone drift d.example --owner shop',
    'zone version diff b.example 1',
    'zone version rollback b.example 1 --dry-run',
    `undo ${items[0].seq} --dry-run`,
    'change FOLDER/change.json --dry-run',
    'record bulk a.example FOLDER/records.json --dry-run',
    'record set d.example many A 192.0.2.200 --dry-run',
    `record update ${address} --ttl 30 --dry-run`,
    'record delete d.example many A --dry-run',
    `events ${items[0].seq}`,
  ];
  for (const line of sampleOf(lines, 3)) {
    const { code, out } = await cli(line, terminal);
    expect([line, code, diffLines(out).length]).toEqual([line, 0, 100]);
    expect([line, leftOut(out).length]).toEqual([line, 1]);
    const whole = await cli(`${line} --all`, terminal);
    expect([line, diffLines(whole.out).length >= 150, leftOut(whole.out)]).toEqual([
      line,
      true,
      [],
    ]);
    expect((await cli(line)).out).toBe(whole.out);
  }
});

it('of many zones has no more lines than of one', async () => {
  writeFileSync(join(folder, 'two.json'), JSON.stringify(change(['a.example', 'b.example'])));
  const { out } = await cli('change FOLDER/two.json --dry-run', terminal);
  expect(diffLines(out)).toHaveLength(100);
  expect(leftOut(out)).toEqual([
    '… 50 more RRsets; --all shows everything',
    '… 150 more RRsets; --all shows everything',
  ]);
});

it('is cut above a question too, whose answer shows what was asked for', async () => {
  const line = 'zone apply b.example FOLDER/asked.zone';
  writeFileSync(join(folder, 'asked.zone'), zoneOf(400));
  const { code, out, err } = await cli(line, { terminal: true, stdin: 'n\n' });
  expect([code, out, diffLines(err).length]).toEqual([1, '', 100]);
});

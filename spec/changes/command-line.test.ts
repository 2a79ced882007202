/** Changes on the command line: change, record set, zone apply, zone edit, and what asks before it is done. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { run, type RunOptions } from '../support/command-line.ts';
import { type RunningService, startService } from '../support/service.ts';

let service: RunningService;
let made = 0;
const folder = mkdtempSync(join(tmpdir(), 'zonebook-cli-'));
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const cli = (args: readonly string[], more: RunOptions = {}) =>
  run(args, { dataDir: service.dataDir, ...more });

async function must(args: readonly string[], more: RunOptions = {}): Promise<string> {
  const { code, out, err } = await cli([...args, '-o', 'table'], more);
  expect([args, code, err]).toEqual([args, 0, expect.stringMatching(/^(?:warning: .*\n)*$/)]);
  return out;
}

async function freshZone(): Promise<string> {
  const name = `z${++made}.example`;
  await must(['zone', 'create', name, '--mname', 'ns1.test', '--rname', 'h@test', '--no-apex-ns']);
  return name;
}

const serialOf = async (zone: string) =>
  JSON.parse((await cli(['zone', 'get', zone, '-o', 'json'])).out).zone.serial;

it('applies what a team wants, and shows what differs', async () => {
  const zone = await freshZone();
  const file = join(folder, 'team.zone');
  writeFileSync(file, 'www 60 A 192.0.2.1\n');
  const args = ['zone', 'apply', zone, file, '--owner', 'shop'];
  const added = `zone ${zone} to serial 2: shop owns 1 RRset\n+ www.${zone}. 60 A 192.0.2.1\n`;
  expect(await must([...args, '--dry-run'])).toBe(`would change ${added}`);
  expect(await must([...args, '--yes'])).toBe(`changed ${added}`);
  expect(await must(args)).toBe(`nothing changes in zone ${zone}: shop owns 1 RRset\n`);
  const again = JSON.parse((await cli([...args, '-o', 'json'])).out);
  expect(again).toMatchObject({ applied: true, owned: 1, diff: { entries: [] } });
  // Owners alone may change, which others are refused for from then on.
  await must(['record', 'set', zone, 'api', 'A', '192.0.2.3', '--ttl', '60']);
  writeFileSync(file, 'www 60 A 192.0.2.1\napi 60 A 192.0.2.3\n');
  const dry = await cli([...args, '--dry-run', '--exit-code', '-o', 'table']);
  const moves = `change owners in ${zone}: shop owns 2 RRsets\nshop takes over api.${zone}. A\n`;
  expect([dry.code, dry.out]).toEqual([8, `would ${moves}`]);
  expect(await must(args)).toBe(`changed ${moves.replace('change ', '')}`);
  expect((await cli([...args, '--dry-run', '--exit-code'])).code).toBe(0);
  writeFileSync(file, 'www 60 A 192.0.2.1\n');
  expect(await must(args)).toContain(`\nshop releases api.${zone}. A\n`);
  const other = await cli(['zone', 'apply', zone, file, '--owner', 'mail', '--yes']);
  expect([other.code, other.err]).toEqual([4, expect.stringContaining("belongs to 'shop'")]);
  await must(['record', 'set', zone, 'www', 'A', '192.0.2.2']);
  const drift = ['zone', 'drift', zone, '--owner', 'shop'];
  expect(await must(drift)).toBe(
    `1 of 1 RRset of shop differ in zone ${zone}\n- www.${zone}. 60 A 192.0.2.1\n+ www.${zone}. 60 A 192.0.2.2\n`,
  );
  expect(JSON.parse((await cli([...drift, '-o', 'json'])).out)).toMatchObject({ drifted: 1 });
  expect((await cli(['zone', 'drift', zone])).code).toBe(2);
});

it('compares what a secondary serves', async () => {
  const zone = await freshZone();
  await must(['secondary', 'create', 'gone', '--address', '127.0.0.1:1']);
  const args = ['secondary', 'check', 'gone', zone];
  expect(await must(args)).toMatch(`zone ${zone} was not compared: the server `);
  const { out } = await cli([...args, '-o', 'json']);
  expect(JSON.parse(out)).toMatchObject({ zone, content: 'unknown', refused: false });
  await must(['secondary', 'delete', 'gone']);
});

it('changes what a file says, and only as it was looked at', async () => {
  const [one, two] = [await freshZone(), await freshZone()];
  const set = [{ name: 'www', type: 'A', ttl: 60, values: ['192.0.2.1'] }];
  const changes = JSON.stringify({
    zones: [
      { name: one, set },
      { name: two, delete: [{ name: 'x' }] },
    ],
  });
  const file = join(folder, 'changes.json');
  writeFileSync(file, changes);
  const plan = await must(['change', file, '--dry-run']);
  expect(plan).toMatch(
    `would change zone ${one} to serial 2\n+ www.${one}. 60 A 192.0.2.1\nnothing changes in zone ${two}\nplan_hash `,
  );
  const hash = /plan_hash (\w{64})/.exec(plan)![1]!;
  const done = `changed zone ${one} to serial 2\n+ www.${one}. 60 A 192.0.2.1\nnothing changes in zone ${two}\n`;
  expect(await must(['change', '-', '--plan-hash', hash], { stdin: changes })).toBe(done);
  const stale = await cli(['change', file, '--plan-hash', hash]);
  expect([stale.code, stale.err]).toEqual([4, expect.stringContaining('PLAN_STALE')]);
  expect(JSON.parse((await cli(['change', file, '-o', 'json'])).out).zones).toHaveLength(2);
  const broken = await cli(['change', '-'], { stdin: '[]' });
  expect([broken.code, broken.err]).toEqual([1, expect.stringContaining('no zones')]);
  const empty = { stdin: '{"zones": []}' };
  expect(await must(['change', '-'], empty)).toBe('nothing changes: no zone is named\n');
  expect(await must(['change', '-', '--dry-run'], empty)).toMatch(
    /^nothing changes: no zone is named\nplan_hash /,
  );
});

it('sets an RRset', async () => {
  const zone = await freshZone();
  await must(['record', 'set', zone, 'www', 'A', '192.0.2.1', '192.0.2.2', '--ttl', '60']);
  expect(await must(['record', 'set', zone, 'www', 'A', '192.0.2.2'])).toBe(
    `changed zone ${zone} to serial 3\n- www.${zone}. 60 A 192.0.2.1\n`,
  );
  expect(await must(['record', 'set', zone, '@', 'MX', '10 mx.test.', '--dry-run'])).toContain(
    `+ ${zone}. 3600 MX 10 mx.test.`,
  );
  expect(await serialOf(zone)).toBe(3);
});

it('makes a zone what a file says, asking first on a terminal', async () => {
  const zone = await freshZone();
  const args = ['zone', 'apply', zone, join(folder, 'zone')];
  writeFileSync(join(folder, 'zone'), 'www 60 IN A 192.0.2.1\n');
  expect(await must([...args, '--dry-run'])).toContain('would import 1 record');
  const no = await cli([...args, '-o', 'table'], { terminal: true, stdin: 'n\n' });
  expect([no.code, no.out]).toEqual([1, '']);
  expect(no.err).toContain(
    `192.0.2.1\u001b[39m\nchange zone ${zone}? [y/N] zonebook: nothing is changed`,
  );
  expect(await serialOf(zone)).toBe(1);
  const yes = await cli([...args, '-o', 'table'], { terminal: true, stdin: 'y\n' });
  expect([yes.code, yes.out]).toEqual([0, expect.stringContaining('imported 1 record')]);
  expect(await must(args)).toContain('1 unchanged');
  expect(await must(['zone', 'apply', zone, '-'], { stdin: 'a 60 IN A 192.0.2.2\n' })).toContain(
    '1 deleted',
  );
  expect(await serialOf(zone)).toBe(3);
  const bad = await cli(['zone', 'apply', zone, '-'], { stdin: 'a 60 IN A nonsense\n' });
  expect(bad.code).toBe(1);
  expect(await serialOf(zone)).toBe(3);
});

it('edits a zone, and keeps what is not applied', async () => {
  const zone = await freshZone();
  await must(['record', 'set', zone, 'www', 'A', '192.0.2.1']);
  const env = { EDITOR: 'sed -i s/192.0.2.1/192.0.2.9/' };
  expect(await must(['zone', 'edit', zone, '--yes'], { env })).toContain(
    `+ www.${zone}. 3600 A 192.0.2.9`,
  );
  expect(await serialOf(zone)).toBe(3);
  const same = await cli(['zone', 'edit', zone], { env });
  expect([same.code, same.err]).toEqual([1, 'zonebook: nothing is changed\n']);
  const failing = await cli(['zone', 'edit', zone], { env: { EDITOR: 'false' } });
  expect([failing.code, failing.err]).toEqual([1, expect.stringContaining('ended with a failure')]);
  const lost = await cli(['zone', 'edit', zone, '--yes'], {
    env: { EDITOR: 'sed -i s/192.0.2.9/nonsense/' },
  });
  const [, kept] = /^(\S+) has your text$/m.exec(lost.err)!;
  expect([lost.code, readFileSync(kept!, 'utf8')]).toEqual([
    1,
    expect.stringContaining('nonsense'),
  ]);
  rmSync(join(kept!, '..'), { recursive: true });
  // Somebody else was faster.
  const other = ['record', 'set', zone, 'other', 'A', '192.0.2.3'];
  const script = join(folder, 'editor.sh');
  const program = `${process.execPath} ${join(import.meta.dirname, '../../src/main.ts')}`;
  writeFileSync(
    script,
    `${program} ${other.join(' ')} --data-dir ${service.dataDir} >/dev/null; sed -i s/192.0.2.9/192.0.2.8/ "$1"\n`,
  );
  const late = await cli(['zone', 'edit', zone, '--yes'], { env: { EDITOR: `sh ${script}` } });
  expect([late.code, late.err]).toEqual([4, expect.stringContaining('PRECONDITION_FAILED')]);
  expect(await serialOf(zone)).toBe(4);
  rmSync(join(/^(\S+) has your text$/m.exec(late.err)![1]!, '..'), { recursive: true });
  expect(readdirSync(folder)).toContain('editor.sh');
});

it('asks before a token that may do everything', async () => {
  const args = ['token', 'create', 'boss', '--role', 'admin'];
  const no = await cli(args, { terminal: true, stdin: '' });
  expect([no.code, no.err]).toEqual([1, expect.stringContaining('may do everything? [y/N]')]);
  expect((await cli([...args, '--yes'], { terminal: true, stdin: '' })).code).toBe(0);
});

it('asks before what is dangerous, and refuses what can not be undone where nobody can be asked', async () => {
  const zone = await freshZone();
  await must(['zone', 'guard', zone, '--max-delete-percent', '100']);
  await must([
    'record',
    'set',
    zone,
    'n',
    'A',
    ...Array.from({ length: 21 }, (_, n) => `192.0.2.${n}`),
  ]);
  await must(['record', 'set', zone, 'm', 'A', '192.0.2.1']);
  const now = new Date().toISOString();
  const dangerous = [
    [['zone', 'version', 'rollback', zone, '1'], `take zone ${zone} back to serial 1`],
    [['zone', 'update', zone, '--no-enabled'], `stop serving zone ${zone}`],
    [['zone', 'delete', zone], `delete zone ${zone}`],
  ] as const;
  const final = [
    [['zone', 'forget-history', zone, '--before', now], 'delete old versions'],
  ] as const;
  for (const [args, question] of [...dangerous, ...final]) {
    const { code, out, err } = await cli(args, { terminal: true, stdin: '\n' });
    expect([args, code, out, err]).toEqual([args, 1, '', expect.stringContaining(`${question}`)]);
    expect(err).toMatch(
      /would (?:roll back|update|delete|forget) [\s\S]*\? \[y\/N\] zonebook: nothing is changed\n$/,
    );
  }
  const { code, err } = await cli(final[0][0]);
  expect([code, err]).toEqual([2, expect.stringContaining('--yes')]);
  expect(await serialOf(zone)).toBe(4);
  // A short way back asks nothing; neither does a dry run, nor an update of something else.
  for (const args of [
    ['zone', 'version', 'rollback', zone, '3'],
    ['zone', 'delete', zone, '--dry-run'],
    ['zone', 'update', zone, '--description', 'x'],
  ]) {
    const ran = await cli(args, { terminal: true, stdin: '' });
    expect([args, ran.code, ran.err.includes('y/N')]).toEqual([args, 0, false]);
  }
  for (const [args] of dangerous)
    expect([args, (await cli([...args, '--yes'])).code]).toEqual([args, 0]);
  const purged = await cli(['zone', 'purge', zone], { terminal: true, stdin: 'yes\n' });
  expect([purged.code, purged.err]).toEqual([0, expect.stringContaining(`purge zone ${zone}?`)]);
});

it('goes back to the serial that it presented, though the tag moves meanwhile', async () => {
  const zone = await freshZone();
  await must(['zone', 'guard', zone, '--max-delete-percent', '100']);
  const first = await serialOf(zone);
  const many = Array.from({ length: 21 }, (_, n) => `192.0.2.${n}`);
  for (const name of ['n', 'm']) await must(['record', 'set', zone, name, 'A', ...many]);
  const tag = ['zone', 'tag', 'set', zone, 'good'];
  await must([...tag, `${first}`]);
  const { code, out, err } = await cli(
    ['zone', 'version', 'rollback', zone, 'tag:good', '-o', 'json'],
    // That takes no serial.
    { terminal: true, stdin: 'y\n', meanwhile: () => must([...tag, `${first + 1}`]) },
  );
  expect([code, err]).toEqual([0, expect.stringContaining(`take zone ${zone} back to tag:good?`)]);
  expect(JSON.parse(out).target_serial).toBe(first);
});

it('does what was presented and asked for, or nothing where somebody wrote meanwhile', async () => {
  const zone = await freshZone();
  const many = Array.from({ length: 21 }, (_, n) => `192.0.2.${n}`);
  await must(['record', 'set', zone, 'n', 'A', ...many]);
  let serial = await serialOf(zone);
  for (const args of [
    ['zone', 'version', 'rollback', zone, '1'],
    ['zone', 'update', zone, '--no-enabled'],
    ['zone', 'delete', zone],
    ['undo'],
  ]) {
    const meanwhile = () => must(['record', 'create', zone, `m${++serial}`, 'A', '192.0.2.1']);
    const asked = { terminal: true, stdin: 'y\n', meanwhile };
    const { code, out, err } = await cli([...args, '-o', 'table'], asked);
    expect([args, code, out]).toEqual([args, 4, '']);
    expect(err).toMatch(/would [\s\S]*is at serial \d+ now.*PRECONDITION_FAILED.*look at it again/);
    expect(await serialOf(zone)).toBe(serial);
  }
  // Of two deleted zones of one name the one that was presented goes.
  await must(['zone', 'delete', zone, '--yes']);
  const again = () => ['zone', 'create', zone, '--mname', 'ns1.test', '--rname', 'h@test'];
  const meanwhile = async () => {
    await must(again());
    await must(['zone', 'delete', zone, '--yes']);
  };
  const purged = await cli(['zone', 'purge', zone, '-o', 'json'], {
    terminal: true,
    stdin: 'y\n',
    meanwhile,
  });
  expect([purged.code, JSON.parse(purged.out).records_deleted]).toEqual([0, 25]);
  // Nor does what it was deleted with once more.
  const anew = async () => {
    await must(['zone', 'restore', zone]);
    await must(['zone', 'delete', zone, '--yes']);
  };
  const late = await cli(['zone', 'purge', zone], {
    terminal: true,
    stdin: 'y\n',
    meanwhile: anew,
  });
  expect([late.code, late.err]).toEqual([4, expect.stringContaining('ZONE_CONFLICT')]);
});

/** `undo` on the command line, against a service of its own. */
import { userInfo } from 'node:os';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type RunOptions, run } from '../support/command-line.ts';
import { type RunningService, startService } from '../support/service.ts';

let service: RunningService;
beforeAll(async () => {
  service = await startService({ ZONEBOOK_API_AUTHENTICATION_REQUIRED: 'true' });
});
afterAll(() => service[Symbol.asyncDispose]());

const cli = (line: string, options: RunOptions = {}) =>
  run(line.split(' '), { dataDir: service.dataDir, ...options });

const zones = ['a.example', 'b.example', 'c.example', 'd.example'];
async function make(zone: string): Promise<void> {
  expect((await cli(`zone create ${zone} --mname ns1.example --rname h@${zone}`)).code).toBe(0);
}

it('is named by every write on a terminal, and by none elsewhere', async () => {
  const [zone] = zones as [string];
  await make(zone);
  const add = `record create ${zone} www A 192.0.2.1 -o`;
  const { err } = await cli(`${add} table`, { terminal: true });
  const seq = /^undo this with: zonebook undo (\d+)$/m.exec(err)?.[1];
  expect(seq).toBeDefined();
  const undone = await cli(`undo ${seq} -o table`, { terminal: true });
  expect(stripVTControlCharacters(undone.out)).toBe(
    `undid event ${seq} in ${zone}: serial 3\n- www.${zone}. 3600 A 192.0.2.1\n`,
  );
  expect(undone.err).toMatch(/undo this with: zonebook undo \d+/);
  const twice = await cli(`undo ${seq} -o table`);
  expect([twice.code, twice.out]).toEqual([
    0,
    `nothing changes in zone ${zone}: nothing of event ${seq} is left to undo\n`,
  ]);
  const again = `record create ${zone} again A 192.0.2.1`;
  expect((await cli(`${again} --dry-run -o table`, { terminal: true })).err).not.toContain('undo');
  expect((await cli(`${again} -o json`, { terminal: true })).err).not.toContain('undo');
  const checkout = { terminal: true, env: { ZONEBOOK_COMMAND: 'scripts/zonebook' } };
  const named = await cli(`record create ${zone} more A 192.0.2.1 -o table`, checkout);
  expect(named.err).toMatch(/^undo this with: scripts\/zonebook undo \d+$/m);
  const missing = await cli('zone get nothing.example', checkout);
  expect(missing.err).toContain("'scripts/zonebook zone list' shows the zones");
  const help = await cli('zone create --help', checkout);
  expect(help.out).toMatch(/^ {2}scripts\/zonebook zone create example\.com/m);
  for (const tag of [`set ${zone} before 1`, `delete ${zone} before`]) {
    const ran = await cli(`zone tag ${tag} -o table`, { terminal: true });
    expect([ran.code, ran.err]).toEqual([0, '']);
  }
  const tagged = await cli('undo --yes');
  expect(tagged.err).toMatch(/is zone\.tagged, which can not be undone; name another/);
  const silent = { terminal: true, env: { ZONEBOOK_HINTS: 'off' } };
  expect((await cli(`record delete ${zone} again -o table`, silent)).err).not.toContain('undo');
});

it('shows the last change of its own and asks', async () => {
  const zone = zones[1]!;
  await make(zone);
  await cli(`record create ${zone} www A 192.0.2.1`);
  const no = await cli('undo -o table', { terminal: true, stdin: 'n\n' });
  expect([no.code, no.out]).toEqual([1, '']);
  expect(no.err).toContain(`would undo event`);
  expect(no.err).toContain('nothing was done');
  const nobody = await cli('undo');
  expect([nobody.code, nobody.err]).toEqual([1, expect.stringContaining('--yes')]);
  const yes = await cli('undo -o table', { terminal: true, stdin: 'y\n' });
  expect([yes.code, yes.out]).toEqual([0, expect.stringContaining(`- www.${zone}.`)]);
  const json = await cli('undo --yes -o json');
  expect(JSON.parse(json.out)).toMatchObject({ applied: true, serial: 4 });
});

it('is named for many events by how they are listed, and these are not counted', async () => {
  const many = Array.from({ length: 25 }, (_, index) => `many${index}.example`);
  for (const zone of many) await make(zone);
  const rrset = { name: 'www', type: 'A', ttl: 60, values: ['192.0.2.1'] };
  const stdin = JSON.stringify({ zones: many.map((name) => ({ name, set: [rrset] })) });
  const words = ['change', '-', '-o', 'table'];
  const ran = await run(words, { dataDir: service.dataDir, terminal: true, stdin });
  expect(ran.err).toContain("it made more than 20 events; 'zonebook events --mine' lists them");
});

it('says what stands against it', async () => {
  const zone = zones[2]!;
  await make(zone);
  const { err } = await cli(`record create ${zone} www A 192.0.2.1 -o table`, { terminal: true });
  const seq = /undo (\d+)$/m.exec(err)?.[1];
  await cli(`record create ${zone} www A 192.0.2.2`);
  const taken = await cli(`undo ${seq}`);
  expect([taken.code, taken.err]).toEqual([4, expect.stringContaining('REVERT_CONFLICT')]);
  expect(taken.err).toContain('www A; force_names (--force-names www) takes');
  expect((await cli(`undo ${seq} --force-names www`)).code).toBe(0);
  expect((await cli('undo 1')).err).toContain('EVENT_NOT_REVERTIBLE');
});

it('takes a token for somebody else than the user of its name', async () => {
  const zone = zones[3]!;
  await make(zone);
  await cli(`record create ${zone} ours A 192.0.2.1`);
  // Behind sudo it is who called that.
  const { username } = userInfo();
  const name = process.env.SUDO_USER && process.env.SUDO_UID ? process.env.SUDO_USER : username;
  const made = await cli(`token create ${name} --role admin --yes -o json`);
  const { secret } = JSON.parse(made.out) as { readonly secret: string };
  const remote = ['--url', `http://127.0.0.1:${service.apiPort}`, '--token', secret];
  const theirs = await run(['record', 'create', zone, 'theirs', 'A', '192.0.2.2', ...remote]);
  expect([theirs.code, theirs.err]).toEqual([0, '']);
  await cli(`record create ${zone} ours TXT last`);
  expect((await cli('undo --yes -o table')).out).toContain(`- ours.${zone}. 3600 TXT last`);
  const own = await run(['undo', '--dry-run', '-o', 'table', ...remote]);
  expect(own.out).toContain(`- theirs.${zone}. 3600 A 192.0.2.2`);
});

describe('a change of two zones', () => {
  let made = 0;
  let pair: readonly [string, string];
  beforeEach(async () => {
    made++;
    pair = [`one${made}.example`, `two${made}.example`];
    for (const zone of pair) await make(zone);
  });
  const terminal = { terminal: true };
  const set = async (value: string, more: string[] = []) => {
    const rrset = { name: 'www', type: 'A', ttl: 60, values: [value] };
    const stdin = JSON.stringify({ zones: pair.map((name) => ({ name, set: [rrset] })) });
    const words = ['change', '-', ...more];
    const ran = await run(words, { dataDir: service.dataDir, ...terminal, stdin });
    expect(ran.code).toBe(0);
    return ran.err;
  };
  const values = () =>
    Promise.all(
      pair.map(async (zone) => {
        const { out } = await cli(`record list ${zone} --name www -o json`);
        const { items } = JSON.parse(out) as {
          readonly items: readonly { readonly value: string }[];
        };
        return items.map(({ value }) => value).sort();
      }),
    );

  it('is named in each, and taken back in each', async () => {
    const err = await set('192.0.2.1', ['-o', 'table']);
    const [, later, earlier] = /^undo this with: zonebook undo (\d+) (\d+)$/m.exec(err)!;
    expect(Number(later)).toBe(Number(earlier) + 1);
    const dry = await cli(`undo ${earlier} ${later} --dry-run -o json`);
    expect(JSON.parse(dry.out).items).toMatchObject([
      { event: Number(later), applied: false },
      { event: Number(earlier), applied: false },
    ]);
    const undone = await cli(`undo ${earlier} ${later} -o table`, terminal);
    expect(undone.out.match(/^undid event/gm)).toHaveLength(2);
    expect(await values()).toEqual([[], []]);
    const [, again] = /^undo this with: zonebook (undo \d+ \d+)$/m.exec(undone.err)!;
    expect((await cli(again!)).code).toBe(0);
    expect(await values()).toEqual([['192.0.2.1'], ['192.0.2.1']]);
    const ofOne = await cli(`undo ${again!.split(' ')[1]} ${earlier}`);
    expect([ofOne.code, ofOne.err]).toEqual([2, expect.stringContaining('one after the other')]);
  });

  it('is the last change as a whole: presented, asked for, and undone', async () => {
    await set('192.0.2.1');
    await set('192.0.2.9');
    const asked = await cli('undo -o table', { ...terminal, stdin: 'y\n' });
    expect([asked.code, asked.err.match(/^would undo event/gm)]).toMatchObject([0, { length: 2 }]);
    expect(await values()).toEqual([['192.0.2.1'], ['192.0.2.1']]);
    await set('192.0.2.8');
    expect((await cli('undo --yes')).code).toBe(0);
    expect(await values()).toEqual([['192.0.2.1'], ['192.0.2.1']]);
  });

  it('is taken back also where one of them has another name by now', async () => {
    await set('192.0.2.1');
    await set('192.0.2.9');
    const { out } = await cli(`events --zone ${pair[0]} --limit 1 -o json`);
    const [{ seq }] = JSON.parse(out).items;
    const renamed = `renamed${made}.example`;
    expect((await cli(`zone update ${pair[0]} --name ${renamed}`)).code).toBe(0);
    pair = [renamed, pair[1]];
    const undone = await cli(`undo ${seq} ${seq + 1} --yes`);
    expect([undone.err, undone.code]).toEqual(['', 0]);
    expect(await values()).toEqual([['192.0.2.1'], ['192.0.2.1']]);
  });

  it('says what is left where somebody wrote to one of the zones meanwhile', async () => {
    await set('192.0.2.1');
    await set('192.0.2.9');
    const meanwhile = () => cli(`record create ${pair[0]} more A 192.0.2.2`);
    const late = await cli('undo -o json', { ...terminal, stdin: 'y\n', meanwhile });
    expect(JSON.parse(late.out)).toMatchObject({ applied: true, zone: { name: pair[1] } });
    expect(late.code).toBe(4);
    const { code, hint } = JSON.parse(late.err.split('[y/N] ')[1]!);
    const [, left] = /^what is left is undone with: zonebook (undo \d+)$/.exec(hint)!;
    expect([code, await values()]).toEqual(['PRECONDITION_FAILED', [['192.0.2.9'], ['192.0.2.1']]]);
    expect((await cli(left!)).code).toBe(0);
    expect(await values()).toEqual([['192.0.2.1'], ['192.0.2.1']]);
  });

  it('is not begun to be undone where one of the zones would be refused', async () => {
    await set('192.0.2.1');
    const err = await set('192.0.2.9', ['-o', 'table']);
    const [, undoing] = /zonebook (undo \d+ \d+)$/m.exec(err)!;
    await cli(`record create ${pair[0]} www A 192.0.2.2 --ttl 60`);
    const refused = await cli(undoing!);
    expect([refused.code, refused.err]).toEqual([4, expect.stringContaining('REVERT_CONFLICT')]);
    expect(await values()).toEqual([['192.0.2.2', '192.0.2.9'], ['192.0.2.9']]);
  });
});

/** `undo` on the command line, against a service of its own. */
import { userInfo } from 'node:os';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
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

it('says what stands against it', async () => {
  const zone = zones[2]!;
  await make(zone);
  const { err } = await cli(`record create ${zone} www A 192.0.2.1 -o table`, { terminal: true });
  const seq = /undo (\d+)$/m.exec(err)?.[1];
  await cli(`record create ${zone} www A 192.0.2.2`);
  const taken = await cli(`undo ${seq}`);
  expect([taken.code, taken.err]).toEqual([4, expect.stringContaining('REVERT_CONFLICT')]);
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

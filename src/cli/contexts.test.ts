/** Services by name: what is kept of them, which one a command asks, and whose token it shows. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { CannedService } from '../../spec/support/canned-service.ts';
import { run } from '../../spec/support/command-line.ts';
import { freePort } from '../../spec/support/ports.ts';

let home: string;
let service: CannedService;
let url: string;

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'zonebook-home-'));
  const port = await freePort();
  service = await CannedService.start(port);
  url = `http://127.0.0.1:${port}`;
  service.reply = {
    status: 200,
    body: { items: [], pagination: { limit: 1000, offset: 0, total: 0 } },
  };
});
afterEach(() => {
  service.close();
  rmSync(home, { recursive: true });
});

const cli = (line: string, env: Record<string, string> = {}) =>
  run(line.split(' '), { env: { HOME: home, ...env } });

async function added(name = 'office'): Promise<void> {
  writeFileSync(join(home, name), `zb_of_${name}\n`);
  const words = `context add ${name} --url ${url} --token-file ${join(home, name)}`;
  expect(await cli(words)).toMatchObject({ code: 0, err: '' });
}

/** Tokens of the requests that came. */
const tokens = () => service.authorizations;

it('the first is the current one, and its token is read with each command', async () => {
  await added();
  expect((await cli('role ls')).code).toBe(0);
  writeFileSync(join(home, 'office'), 'zb_another');
  expect((await cli('role ls')).code).toBe(0);
  expect(tokens()).toEqual(['Bearer zb_of_office', 'Bearer zb_another']);
  const file = join(home, '.config/zonebook/contexts.json');
  expect(readFileSync(file, 'utf8')).not.toContain('zb_');
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

it('is chosen by --context, by ZONEBOOK_CONTEXT and by use; local is the service of the host', async () => {
  await added();
  await added('other');
  await cli('role ls --context other');
  await cli('role ls', { ZONEBOOK_CONTEXT: 'other' });
  await cli('context use other');
  await cli('role ls');
  expect(tokens()).toEqual(Array(3).fill('Bearer zb_of_other'));
  expect((await cli('role ls --context local')).code).toBe(7);
  expect((await cli('context use local')).code).toBe(0);
  expect((await cli('role ls')).code).toBe(7);
});

it('stands back behind --url, ZONEBOOK_URL, --data-dir and a token that is given', async () => {
  await added();
  expect((await cli(`role ls --data-dir ${home}`)).code).toBe(7);
  expect((await cli('role ls --url http://127.0.0.1:1')).code).toBe(7);
  expect((await cli('role ls', { ZONEBOOK_URL: 'http://127.0.0.1:1' })).code).toBe(7);
  await cli('role ls --token zb_given');
  await cli('role ls', { ZONEBOOK_TOKEN: 'zb_variable' });
  expect(tokens()).toEqual(['Bearer zb_given', 'Bearer zb_variable']);
});

it('is listed and deleted', async () => {
  await added();
  expect((await cli('context list -o table')).out).toMatch(/^office +yes +http:/m);
  expect(JSON.parse((await cli('context delete office -o json')).out)).toEqual({
    current: 'local',
  });
  expect((await cli('context list -o table')).out).toContain('no contexts');
});

it.each([
  ['context add local --url http://127.0.0.1:1', 2, 'is the service of this host'],
  ['context add a/b --url http://127.0.0.1:1', 2, 'is no name of a context'],
  ['context add office', 2, '--url has to say'],
  ['context add office --url nowhere', 2, 'is no URL'],
  ['context use elsewhere', 3, "there is no context 'elsewhere'"],
  ['context delete elsewhere', 3, "there is no context 'elsewhere'"],
  ['role ls --context elsewhere', 3, "there is no context 'elsewhere'"],
  ['role ls --context office --url http://127.0.0.1:1', 2, '--context excludes --url'],
  ['role ls --url http://127.0.0.1:1 --token x --token-file y', 2, 'exclude each other'],
  ['role ls --url http://127.0.0.1:1 --token-file /no/such/file', 1, 'there is no such file'],
])('%s is refused', async (line, code, says) => {
  expect(await cli(line)).toMatchObject({ code, err: expect.stringContaining(says) });
});

it('a file with more than a token is refused, and contexts that can not be read', async () => {
  writeFileSync(join(home, 'two'), 'zb_one\nzb_two\n');
  const { code, err } = await cli(`role ls --url ${url} --token-file ${join(home, 'two')}`);
  expect([code, err]).toEqual([1, expect.stringContaining('a token and nothing else')]);
  await added();
  writeFileSync(join(home, '.config/zonebook/contexts.json'), '{');
  expect((await cli('role ls')).code).toBe(6);
  expect((await cli(`role ls --url ${url} --token x`)).code).toBe(0);
});

it('completion asks the service of the context for names, with its token', async () => {
  await added();
  const items = [{ name: 'dns-ops', description: null }];
  service.reply = {
    status: 200,
    body: { items, pagination: { limit: 1000, offset: 0, total: 1 }, next_cursor: null },
  };
  const complete = (line: string, env = {}) => cli(`completion bash -- ${line}`, env);
  expect((await complete('role grants dns')).out).toBe('dns-ops\n');
  expect((await complete('role grants --context office dns')).out).toBe('dns-ops\n');
  expect((await complete('role grants dns', { ZONEBOOK_CONTEXT: 'office' })).out).toBe('dns-ops\n');
  expect(tokens()).toEqual(Array(3).fill('Bearer zb_of_office'));
  // One that does not exist has no names, and the shell is told nothing.
  expect(await complete('role grants --context other dns')).toMatchObject({ code: 0, out: '' });
  expect(await complete('role grants --context local dns')).toMatchObject({ code: 0, out: '' });
  expect(tokens()).toHaveLength(3);
});

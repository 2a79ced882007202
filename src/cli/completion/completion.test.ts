import { mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunOptions, run, serveApp } from '../../../spec/support/command-line.ts';
import { fakeServices } from '../../../spec/support/fake-services.ts';
import { verbOf } from '../command.ts';
import { commands, groups } from '../commands/index.ts';
import { completionScript, shells } from './scripts.ts';

const folder = mkdtempSync(join(tmpdir(), 'zonebook-completion-'));
let server: Server;
beforeAll(async () => {
  server = await serveApp(fakeServices(), join(folder, 'zonebook.sock'));
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
  rmSync(folder, { recursive: true });
});

/** What the last word of a line may become. */
async function words(line: string, options: RunOptions = {}): Promise<string[]> {
  const args = ['completion', 'bash', '--', ...line.split(' ')];
  const { code, out, err } = await run(args, { dataDir: folder, ...options });
  expect([line, code, err]).toEqual([line, 0, '']);
  const lines = out.split('\n').filter((each) => each !== '');
  return lines.map((each) => each.split('\t', 1)[0]!);
}

describe('completion', () => {
  it('knows every command and group', async () => {
    expect(await words('')).toEqual([...commands.map(verbOf), ...groups.map(({ name }) => name)]);
    for (const group of groups) {
      expect(await words(`${group.name} `)).toEqual([
        ...group.commands.map(verbOf),
        ...(group.groups ?? []).map(({ name }) => name),
      ]);
    }
    expect(await words('zone version ')).toEqual(['list', 'get', 'diff', 'rollback']);
    expect(await words('zone re')).toEqual(['restore']);
    expect(await words('nonsense ')).toEqual([]);
  });

  it('knows options: those that are left, with their negations', async () => {
    expect(await words('zone list --s')).toEqual([
      '--serial',
      '--signed',
      '--signing',
      '--search',
      '--sort',
    ]);
    expect(await words('zone ls --serial 5 --s')).toEqual([
      '--signed',
      '--signing',
      '--search',
      '--sort',
    ]);
    expect(await words('zone list --no-')).toEqual(['--no-signed', '--no-enabled', '--no-lagging']);
    expect(await words('--data')).toEqual(['--data-dir']);
    expect(await words('role grant x --types A --ty')).toEqual(['--types']);
    expect(await words('record create example.com www TXT -- --')).toEqual([]);
  });

  it('knows values of options and arguments', async () => {
    expect(await words('zone list --sort ')).toEqual([
      'name',
      'serial',
      'default_ttl',
      'created_at',
      'changed_at',
      'records',
    ]);
    expect(await words('zone list --sort=na')).toEqual(['--sort=name']);
    expect(await words('zone list -o ')).toEqual(['table', 'json', 'yaml', 'tsv']);
    expect(await words('completion ')).toEqual([...shells]);
    expect(await words('record create example.com www aaa')).toEqual(['AAAA']);
    expect(await words('record create example.com www SO')).toEqual([]);
    expect(await words('role grant x --actions zone:read,zone:t')).toEqual([
      'zone:read,zone:transfer',
    ]);
    expect(await words('role grant x --types=MX,tl')).toEqual(['--types=MX,TLSA']);
    expect(await words('zone list --limit ')).toEqual([]);
  });

  it('leaves files and folders to the shell', async () => {
    for (const line of ['zone import example.com ', 'backup x', 'zone get x --config ']) {
      expect([line, await words(line)]).toEqual([line, [':files']]);
    }
    expect(await words('zone get --data-dir ')).toEqual([':folders']);
  });

  it('asks the service for names', async () => {
    for (const line of [
      'zone get ',
      'zone get exam',
      'zone version list ex',
      'record list ',
      'record delete EX',
      'journal log ex',
      'zone import ',
    ]) {
      expect([line, await words(line)]).toEqual([line, expect.arrayContaining(['example.com'])]);
    }
    expect(await words('secondary transfers --zone=ex')).toEqual(['--zone=example.com']);
    expect(await words('secondary get n')).toEqual(['ns2']);
    expect(await words('role grants ')).toEqual(['dns-ops']);
    expect(await words('zone get xyz')).toEqual([]);
    // A name that is to be made, an owner, a rename: none that there is.
    for (const line of ['zone create ', 'record create example.com ', 'zone update x --name ']) {
      expect([line, await words(line)]).toEqual([line, []]);
    }
  });

  it('asks the service that the line is meant for, and says nothing when there is none', async () => {
    expect(await words(`--data-dir ${folder} zone get `, { dataDir: '/nowhere' })).toContain(
      'example.com',
    );
    expect(await words('zone get ', { dataDir: '/nowhere' })).toEqual([]);
    expect(await words('--url http://127.0.0.1:1 zone get ')).toEqual([]);
    // The address of a receiver, and no service.
    expect(await words('webhook update --url http://127.0.0.1:1 ')).toContain('chat');
  });

  it('prints a script for each shell, and refuses others', async () => {
    for (const shell of shells) {
      const { code, out } = await run(['completion', shell]);
      expect([code, out]).toEqual([0, completionScript(shell)]);
      expect(out).toContain(`completion ${shell} -- `);
    }
    const { code, err } = await run(['completion', 'tcsh']);
    expect([code, err]).toEqual([2, expect.stringContaining("not 'tcsh'")]);
    expect((await run(['completion'])).code).toBe(2);
  });
});

/** Files and texts of commands for which there is no room: the message names them, and what is half is removed. */
import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { needsPeers } from '../support/peers.ts';
import { program } from '../support/program.ts';
import { type RunningService, startService } from '../support/service.ts';
import { mountSmallVolume, type SmallVolume } from '../support/small-volume.ts';

const zone = 'wide.example';
const space = 'no space is left on its disk';

needsPeers('cc')('a full disk', () => {
  let volume: SmallVolume;
  let service: RunningService;
  beforeAll(async () => {
    volume = await mountSmallVolume(1);
    service = await startService();
    const soa = { mname: 'ns1.example.net', rname: 'root@example.net' };
    await service.must('POST', '/zones', { name: zone, ...soa });
    await service.must('POST', `/zones/${zone}/dnssec`, { parent_ns_addrs: ['127.0.0.1:9'] });
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await volume[Symbol.asyncDispose]();
  });

  /** Runs a command while the volume is full, and says what it has left there. */
  function withoutRoom(words: readonly string[], env: Record<string, string> = {}) {
    for (const name of ['zones', 'keys', '.config/zonebook']) {
      mkdirSync(join(volume.outside, name), { recursive: true });
    }
    volume.fill();
    const entered = [...volume.entry, program.file, ...program.args];
    const [command, ...args] = [...entered, ...words, '--data-dir', service.dataDir];
    const { status, stdout, stderr } = spawnSync(command!, args, {
      encoding: 'utf8',
      env: { ...process.env, ...volume.env, ...env },
    });
    volume.release();
    const left = readdirSync(volume.outside, { recursive: true, encoding: 'utf8' }).sort();
    return { status, said: `${stdout}${stderr}`, left };
  }

  const folders = ['.config', '.config/zonebook', 'keys', 'zones'];
  const on = (name: string) => join(volume.dataDir, name);

  it.each([
    ['zone export --file', () => ['zone', 'export', zone, '--file', on('w.zone')], 'w.zone'],
    ['dnssec key export', () => ['dnssec', 'key', 'export', zone, '--directory', on('keys')], 'K'],
    ['zone edit', () => ['zone', 'edit', zone], 'zonebook-edit-'],
    ['context add', () => ['context', 'add', 'w', '--url', 'http://127.0.0.1:9'], 'contexts.json'],
  ] as const)('%s names the file and leaves none', (_, words, named) => {
    const env = { EDITOR: 'true', TMPDIR: volume.dataDir, XDG_CONFIG_HOME: on('.config') };
    const { status, said, left } = withoutRoom(words(), env);
    expect([status, left]).toEqual([1, folders]);
    expect(said).toMatch(/^zonebook: [^\n]+\n$/);
    expect(said).toContain(named);
    expect(said).toContain(`: ${space}\n`);
    expect(said).not.toContain('.partial');
  });

  it('zone export --all-to-folder names each zone', () => {
    const words = ['zone', 'export', '--all-to-folder', on('zones')];
    const { status, said, left } = withoutRoom(words);
    expect([status, left]).toEqual([1, folders]);
    expect(said).toContain(`zone ${zone} is not exported: ${on('zones')}`);
    expect(said).toContain(`: ${space}\n`);
  });

  it('standard output is told from what was to be done', () => {
    const full = openSync('/dev/full', 'w');
    const said = (words: readonly string[]) => {
      const all = [...program.args, ...words, '--data-dir', service.dataDir];
      const stdio = ['ignore', full, 'pipe'] as const;
      const { status, stderr } = spawnSync(program.file, all, {
        encoding: 'utf8',
        stdio: [...stdio],
      });
      return [status, stderr];
    };
    const lost = `standard output: ${space}\n`;
    const done = `zonebook: it is done, but not all of the answer could be output: ${lost}`;
    expect(said(['record', 'create', zone, 'www', 'A', '192.0.2.1'])).toEqual([1, done]);
    expect(said(['--version'])).toEqual([1, done]);
    expect(said(['zone', 'get', 'none.example'])[0]).toBe(3);
    closeSync(full);
    expect(withoutRoom(['record', 'list', zone]).said).toContain('192.0.2.1');
  });

  it('a long answer ends when nobody gets more of it', async () => {
    const names = Array.from({ length: 5000 }, (_, index) => `h${index} 300 A 192.0.2.1`);
    const content = ['$TTL 300', ...names, ''].join('\n');
    await service.must('POST', `/zones/${zone}/import`, { content, mode: 'append' });
    const full = openSync('/dev/full', 'w');
    const words = ['zone', 'export', zone, '--data-dir', service.dataDir];
    const { status, stderr } = spawnSync(program.file, [...program.args, ...words], {
      encoding: 'utf8',
      stdio: ['ignore', full, 'pipe'],
    });
    closeSync(full);
    expect([status, stderr]).toEqual([1, expect.stringContaining(`standard output: ${space}\n`)]);
  });
});

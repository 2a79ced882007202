/** `console --open`, as a process of its own, with a browser that stays. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { program } from '../support/program.ts';
import { type RunningService, startService } from '../support/service.ts';

describe('the command that opens the console', () => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service[Symbol.asyncDispose]());

  function open(variables: Record<string, string>) {
    const words = [...program.args, 'console', '--open', '--data-dir', service.dataDir];
    const port = String(service.apiPort);
    const env = { PATH: process.env.PATH!, ZONEBOOK_API_LISTEN_PORT: port, ...variables };
    // A command that waited for its browser would not end.
    const { status, stdout, stderr } = spawnSync(program.file, words, { env, encoding: 'utf8' });
    return { status, stdout, stderr };
  }

  it('gives the address that it prints to the program that BROWSER names, and leaves it open', async () => {
    const file = join(service.dataDir, 'browser');
    const seen = join(service.dataDir, 'seen');
    const script = `#!/bin/sh\necho "$$ $*" >"${seen}.new"\nmv "${seen}.new" "${seen}"\nexec sleep 600\n`;
    writeFileSync(file, script);
    chmodSync(file, 0o755);
    const { status, stdout } = open({ BROWSER: `${file} --new-window` });
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^http:\S+#login=[\w-]+\n$/)]);
    await expect.poll(() => existsSync(seen)).toBe(true);
    const [pid, ...words] = readFileSync(seen, 'utf8').trim().split(' ');
    // Nothing ends it but this.
    expect(process.kill(Number(pid), 'SIGTERM')).toBe(true);
    expect(words).toEqual(['--new-window', stdout.trim()]);
  });

  it('prints the address all the same where the browser is not there', () => {
    const { status, stdout, stderr } = open({ BROWSER: '/nowhere/browser' });
    expect([status, stdout]).toEqual([1, expect.stringContaining('#login=')]);
    expect(stderr).toMatch(
      /\/nowhere\/browser: there is no such program.*open the address by hand/s,
    );
  });

  it('says what is missing on a host without a desktop, before it makes an address', () => {
    const { status, stdout, stderr } = open({});
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/no desktop.*BROWSER/s);
  });
});

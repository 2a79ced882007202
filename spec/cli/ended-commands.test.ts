/** A command that a signal ends leaves none of the files that it needed meanwhile. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../support/command-line.ts';
import { FaultyDisk } from '../support/faulty-disk.ts';
import { needsPeers } from '../support/peers.ts';
import { patienceMs } from '../support/patience.ts';
import { endProcess } from '../support/processes.ts';
import { program } from '../support/program.ts';
import { startService } from '../support/service.ts';
import { temporaryFolder } from '../support/stored-zones.ts';

const folder = temporaryFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const patience = { timeout: patienceMs };

/** Starts a command, sends a signal once `isThere`, and waits for the end. */
async function endedBy(
  signal: NodeJS.Signals,
  words: readonly string[],
  env: Readonly<Record<string, string>>,
  isThere: () => boolean,
) {
  const child = spawn(program.file, [...program.args, ...words], {
    env: { ...process.env, ...env },
    stdio: 'ignore',
  });
  try {
    await expect.poll(isThere, patience).toBe(true);
  } finally {
    await endProcess(child, signal);
  }
  return child.signalCode;
}

needsPeers('cc')('of a database', () => {
  const dataDir = join(folder, 'data');
  const backup = join(folder, 'whole.db');
  /** Where the copies are made: on a disk that lets nothing be on it for certain. */
  const copies = join(folder, 'copies');
  let disk: FaultyDisk;
  beforeAll(async () => {
    mkdirSync(dataDir);
    await (await startService({}, { dataDir })).end();
    expect(await run(['backup', backup], { dataDir })).toMatchObject({ code: 0, err: '' });
    // The lock is there already: making it would be held up.
    mkdirSync(join(copies, 'new'), { recursive: true });
    copyFileSync(join(dataDir, 'zonebook.lock'), join(copies, 'new/zonebook.lock'));
    disk = new FaultyDisk(copies);
    disk.fail({ syncDelayUs: -1 });
  });
  afterAll(() => disk[Symbol.dispose]());

  const copiesLeft = () =>
    readdirSync(copies, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /copy\.db|\.partial|trial\.db|restoring/.test(name),
    );

  it.each([
    ['journal verify', 'SIGINT', ['journal', 'verify', '--data-dir', dataDir]],
    ['journal verify', 'SIGTERM', ['journal', 'verify', '--data-dir', dataDir]],
    ['journal verify', 'SIGHUP', ['journal', 'verify', '--data-dir', dataDir]],
    ['journal verify', 'SIGKILL', ['journal', 'verify', '--data-dir', dataDir]],
    ['backup', 'SIGINT', ['backup', join(copies, 'x.bak'), '--data-dir', dataDir]],
    ['restore', 'SIGTERM', ['restore', backup, '--data-dir', join(copies, 'new')]],
    ['restore --dry-run', 'SIGHUP', ['restore', backup, '--dry-run', '--data-dir', copies]],
  ] as const)('%s by %s, also while SQLite is at work', async (_, signal, words) => {
    const env = {
      ...disk.env,
      TMPDIR: copies,
      ZONEBOOK_DNSSEC_KEY_ENCRYPTION_FILE: join(dataDir, 'keys.key'),
    };
    const isThere = () => copiesLeft().length > 0;
    expect(await endedBy(signal, words, env, isThere)).toBe(signal);
    await expect.poll(copiesLeft, patience).toEqual([]);
  });

  it('also what a restore has left behind that a power cut ended', async () => {
    const home = join(folder, 'other');
    mkdirSync(home);
    writeFileSync(join(home, 'zonebook.db.restoring-0a1b2c3d'), 'half');
    const env = { ZONEBOOK_DNSSEC_KEY_ENCRYPTION_FILE: join(dataDir, 'keys.key') };
    const restored = await run(['restore', backup], { dataDir: home, env });
    expect(restored).toMatchObject({ code: 0, err: '' });
    expect(readdirSync(home).filter((name) => name.includes('restoring'))).toEqual([]);
  });
});

describe('of a zone', () => {
  it('zone export by SIGINT keeps the file that was there', async () => {
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/dns' });
      response.write('; half of it\n');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const file = join(folder, 'exported.zone');
    writeFileSync(file, '; former\n');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const words = ['zone', 'export', 'half.example', '--file', file, '--url', url];
    const filesOfIt = () => readdirSync(folder).filter((name) => name.startsWith('exported.zone'));
    try {
      expect(await endedBy('SIGINT', words, {}, () => filesOfIt().length > 1)).toBe('SIGINT');
      await expect.poll(filesOfIt, patience).toEqual(['exported.zone']);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});

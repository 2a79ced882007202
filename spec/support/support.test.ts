import { spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { needsPeers, peer } from './peers.ts';
import { freePort, freePortAt, loopbackAddress } from './ports.ts';
import { inTime } from './rounds.ts';

const root = join(import.meta.dirname, '../..');

/** Milliseconds: of what a test has in any run but a long one, and of what it waits for. */
const leastMs = { test: 300_000, wait: 240_000 };

it('no test has less patience than the run: a busy host takes minutes over what takes seconds elsewhere', () => {
  const impatient = globSync('{src,spec,scripts}/**/*.test.ts', { cwd: root }).flatMap((path) => {
    const text = readFileSync(join(root, path), 'utf8');
    const own = [...text.matchAll(/^\s*(?:\}|it\(.*\)), ([\d_]+)\);$/gm)];
    const polls = [...text.matchAll(/\.poll\([^;]*?timeout: ([\d_]+)/g)];
    return [...own, ...polls]
      .filter(([, milliseconds]) => Number(milliseconds!.replaceAll('_', '')) < leastMs.test)
      .map(([found]) => `${path}: ${found.trim()}`);
  });
  expect(impatient).toEqual([]);
});

it('nothing that is waited for by hand comes sooner than that', () => {
  const hasty = globSync('spec/**/*.ts', { cwd: root }).flatMap((path) => {
    const text = readFileSync(join(root, path), 'utf8');
    const waits = text.matchAll(
      /(?:\bwithinMs = |(?<!new Date\()Date\.now\(\) \+ |performance\.now\(\) \+ )([\d_]+);?[ ,)]/g,
    );
    return [...waits]
      .filter(([, milliseconds]) => Number(milliseconds!.replaceAll('_', '')) < leastMs.wait)
      .map(([found]) => `${path}: ${found}`);
  });
  expect(hasty).toEqual([]);
});

it('every knotd waits for a client that is slow', () => {
  const configs = globSync('spec/**/*.ts', { cwd: root })
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
    .filter(({ text }) => /\brundir: \$/.test(text));
  expect(configs.length).toBeGreaterThan(4);
  const hasty = configs
    .filter(({ text }) => text.split(/\bknotPatience\b/).length < 3)
    .map(({ path }) => path);
  expect(hasty).toEqual([]);
});

describe('a property that is bounded in time', () => {
  it('plays what begins in time to its end', async () => {
    const played: string[] = [];
    const play = inTime(async (...drawn: string[]) => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      played.push(...drawn);
    });
    await play('a', 'b');
    await play('c');
    expect(played).toEqual(['a', 'b', 'c']);
  });

  it('plays nothing that begins later, and does not fail by it', async () => {
    await inTime(() => Promise.reject(new Error('played')), 0)();
  });

  it('fails by what fails in time', async () => {
    const failing = inTime(() => Promise.reject(new Error('played')));
    await expect(failing()).rejects.toThrow('played');
  });
});

describe('peers', () => {
  it('are found on PATH', () => {
    expect(peer('sh')).toMatch(/^\/.*\/sh$/);
    expect(peer('no-such-program')).toBeUndefined();
  });

  it('include dnspython exactly when the system python has it', () => {
    const has = spawnSync('/usr/bin/python3', ['-c', 'import dns']).status === 0;
    expect(peer('dnspython')).toBe(has ? '/usr/bin/python3' : undefined);
  });

  needsPeers('sh')('that are there run their suite', () => {
    it('runs', () => expect(peer('sh')).toBeDefined());
  });

  /** Runs a suite that needs a peer nobody has, in a vitest of its own. */
  function runWithoutPeer(requirePeers: string) {
    const folder = mkdtempSync(join(tmpdir(), 'zonebook-peers-'));
    const helper = join(import.meta.dirname, 'peers.ts');
    const test = join(root, 'node_modules/vitest/dist/index.js');
    writeFileSync(
      join(folder, 'missing.test.ts'),
      `import { it } from ${JSON.stringify(test)};
       import { needsPeers } from ${JSON.stringify(helper)};
       needsPeers('no-such-program')('a suite', () => { it('would run', () => {}); });
       it('another', () => {});`,
    );
    try {
      const vitest = join(root, 'node_modules/vitest/vitest.mjs');
      const report = join(folder, 'report.json');
      const args = [vitest, 'run', '--reporter=json', `--outputFile.json=${report}`];
      const result = spawnSync(process.execPath, args, {
        cwd: folder,
        stdio: 'ignore',
        env: { ...process.env, REQUIRE_PEERS: requirePeers, VITEST: '', NODE_ENV: 'test' },
      });
      return { status: result.status, output: JSON.parse(readFileSync(report, 'utf8')) };
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  it('that are missing skip their suite and say so', () => {
    const { status, output } = runWithoutPeer('');
    expect(status).toBe(0);
    expect([output.numPassedTests, output.numPendingTests, output.numFailedTests]).toEqual([
      1, 1, 0,
    ]);
    expect(JSON.stringify(output)).toContain('missing here: no-such-program');
  });

  it('that are missing fail their suite with REQUIRE_PEERS=1', () => {
    const { status, output } = runWithoutPeer('1');
    expect(status).toBe(1);
    expect([output.numPassedTests, output.numPendingTests, output.numFailedTests]).toEqual([
      1, 0, 1,
    ]);
    expect(JSON.stringify(output)).toContain('REQUIRE_PEERS=1 demands them');
  });
});

describe('ports', () => {
  it('are free on UDP and TCP', async () => {
    const port = await freePort();
    const socket = createSocket('udp4');
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject).bind(port, '127.0.0.1', resolve);
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(port, '127.0.0.1', resolve);
    });
    await new Promise<void>((resolve) => socket.close(resolve));
    await new Promise((resolve) => server.close(resolve));
  });

  it('are never given twice', async () => {
    const ports = await Promise.all(Array.from({ length: 20 }, () => freePort()));
    expect(new Set(ports).size).toBe(20);
  });

  it('are found at other addresses, and at several at once', async () => {
    const addresses = [loopbackAddress(), loopbackAddress(), '127.0.0.1'];
    expect(new Set(addresses).size).toBe(3);
    expect(addresses[0]).toMatch(/^127\./);
    expect(await freePortAt(addresses)).toBeGreaterThan(1023);
  });

  it('at an address that is not ours are refused', async () => {
    await expect(freePort('192.0.2.1')).rejects.toThrow('no port is free at 192.0.2.1');
  });
});

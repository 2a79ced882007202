/**
 * A real Litestream replicates the database of a service that leaves checkpoints to it. Both are ended at
 * any time, by SIGTERM and by SIGKILL, while little is written; what Litestream restores is each time the
 * journal as it was, proved by `journal verify`.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openReader } from '../../src/journal/reader-connection.ts';
import { walLength } from '../../src/journal/wal-progress.ts';
import { run } from '../support/command-line.ts';
import { findLitestream, Litestream } from '../support/litestream.ts';
import { isLong } from '../support/long.ts';
import { program } from '../support/program.ts';
import { type RunningService, startService } from '../support/service.ts';
import { storyWithPeers } from '../support/story.ts';
import { testPage } from '../support/tested-page.ts';

const reason = await findLitestream();
const needsLitestream = storyWithPeers('litestream');
if (reason !== undefined) console.warn(`Litestream can not be built here: ${reason}`);

const restarts = isLong ? 20 : 3;
const seed = 20_261_122;
const external = { ZONEBOOK_DATABASE_CHECKPOINTS: 'external' };

/** The same numbers in every run: a linear congruential generator (Numerical Recipes). */
function numbersFrom(first: number): (below: number) => number {
  let state = first;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

interface Verdict {
  readonly intact: boolean;
  readonly events: number;
  readonly head: string;
}

async function verified(dataDir: string): Promise<Verdict> {
  const { code, out, err } = await run(['journal', 'verify', '-o', 'json'], {
    dataDir,
    env: external,
  });
  expect([code, err]).toEqual([0, '']);
  const { intact, events, head } = JSON.parse(out);
  return { intact, events, head };
}

needsLitestream('Litestream beside a service with external checkpoints', () => {
  const folder = mkdtempSync(join(tmpdir(), 'zonebook-litestream-'));
  let service: RunningService;
  let litestream: Litestream;
  let written = 0;

  async function write(changes: number): Promise<void> {
    for (let change = 0; change < changes; change++) {
      await service.must('POST', '/records', {
        zone_name: 'example.com',
        name: `host-${++written}`,
        type: 'A',
        value: `192.0.2.${written % 250}`,
      });
    }
  }

  function pagesInUse(): number {
    const connection = openReader(join(service.dataDir, 'zonebook.db'));
    try {
      return Math.floor(walLength(connection).bytes / 4120);
    } finally {
      connection.close();
    }
  }

  /** One change after the other until so many pages of WAL are in use; Litestream begins it again at 1000. */
  async function writeUntil(isEnough: (pages: number) => boolean): Promise<void> {
    for (let changes = 0; changes < 1000; changes++) {
      if (isEnough(pagesInUse())) return;
      await write(1);
    }
    throw new Error('the WAL does not grow as it should');
  }

  beforeAll(async () => {
    service = await startService(external);
    litestream = new Litestream(join(service.dataDir, 'zonebook.db'), join(folder, 'litestream'));
    await service.must('POST', '/zones', {
      name: 'example.com',
      mname: 'ns1.example.com',
      rname: 'hostmaster@example.com',
    });
    litestream.start();
    await litestream.sync();
  });
  afterAll(async () => {
    await litestream?.end('SIGKILL');
    await service?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  const next = numbersFrom(seed);
  const drawn = Array.from({ length: restarts }, (_, index) => ({
    index,
    signal: index % 2 === 0 ? 'SIGKILL' : 'SIGTERM',
    pages: 500 + next(300),
    service: (['runs on', 'SIGTERM', 'SIGKILL'] as const)[(index + next(2)) % 3]!,
    after: next(3),
  }));

  it.each(drawn)(
    'restart $index by $signal from $pages pages on, the service: $service, $after changes later',
    async ({ index, signal, pages, service: ending, after }) => {
      await writeUntil((now) => now >= pages && now < 900);
      await litestream.sync();
      await litestream.end(signal as NodeJS.Signals);
      // A service with checkpoints of its own makes one at 1000 pages. Then the WAL begins again, and is shorter
      // than Litestream has seen it: what was written in between is in no frame any more.
      await writeUntil((now) => now > 1010 || now < pages);
      await write(20);
      if (ending !== 'runs on') {
        await service.end(ending);
        await service.start();
      }
      await write(after);
      litestream.start();
      await litestream.sync();
      const restored = join(folder, `restored-${index}`);
      litestream.restore(join(restored, 'zonebook.db'));
      const expected = await verified(service.dataDir);
      expect(expected.events).toBeGreaterThan(written);
      expect(await verified(restored)).toEqual(expected);
      rmSync(restored, { recursive: true });
    },
  );

  it('both are stopped, the service first, and what is written from then on is in the replica', async () => {
    await write(30);
    await service.end();
    await litestream.end('SIGTERM');
    await service.start();
    await write(30);
    litestream.start();
    await litestream.sync();
    const restored = join(folder, 'restored-both');
    litestream.restore(join(restored, 'zonebook.db'));
    expect(await verified(restored)).toEqual(await verified(service.dataDir));
  });

  it('what it restored is served on by another service, with a Litestream of its own', async () => {
    const dataDir = join(folder, 'restored-both');
    // The key file is no part of the database.
    cpSync(join(service.dataDir, 'keys.key'), join(dataDir, 'keys.key'));
    const { events } = await verified(dataDir);
    const { out } = await run(['serve', '--help']);
    const words = out.includes('--recover') ? ['--recover'] : [];
    await using other = await startService(external, { dataDir, words });
    await using own = new Litestream(
      join(dataDir, 'zonebook.db'),
      join(folder, 'litestream-other'),
    );
    own.start();
    await other.must('POST', '/records', {
      zone_name: 'example.com',
      name: 'after',
      type: 'A',
      value: '192.0.2.1',
    });
    await own.sync();
    const again = join(folder, 'restored-again');
    own.restore(join(again, 'zonebook.db'));
    const verdict = await verified(again);
    expect(verdict).toEqual(await verified(dataDir));
    expect(verdict.events).toBeGreaterThan(events);
  });

  it('without the setting neither the service nor a command that writes starts: 6, and the key', async () => {
    await service.end();
    const words = [...program.args, 'serve', '--data-dir', service.dataDir];
    const { status, stdout, stderr } = spawnSync(program.file, words, { encoding: 'utf8' });
    const message = "database.checkpoints is 'own', but it has Litestream's table _litestream_";
    expect(stdout + stderr).toContain(message);
    expect(status).toBe(6);
    const { code, err } = await run(['journal', 'rebuild'], { dataDir: service.dataDir });
    expect(err).toContain(message);
    expect(code).toBe(6);
    await service.start();
  });
});

testPage('spec/manual/operations/replicas.md', ['3000', '5300'], external);

/**
 * What is lost and how long it takes when a host with Litestream beside Zonebook dies: the time between the
 * last change that was answered and the last one in the replica (RPO), and until what Litestream restores is
 * served again (RTO).
 *
 * Usage: npm run bench:litestream [-- RECORDS ROUNDS]        (200000 and 5 when left out)
 */
import { cpSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../../spec/support/command-line.ts';
import { findLitestream, Litestream } from '../../spec/support/litestream.ts';
import { type RunningService, startService } from '../../spec/support/service.ts';
import { openReader } from '../../src/journal/reader-connection.ts';

const [records = 200_000, rounds = 5] = process.argv.slice(2).map(Number);
/** Milliseconds between two changes, and of writing before the end at most. */
const changeMs = 50;
const roundMs = 6000;
const external = { ZONEBOOK_DATABASE_CHECKPOINTS: 'external' };

interface Round {
  readonly lostSeconds: number;
  readonly restoreSeconds: number;
  readonly servedSeconds: number;
  readonly restoredBytes: number;
}

async function prepare(service: RunningService): Promise<void> {
  await service.must('POST', '/zones', {
    name: 'example.com',
    mname: 'ns1.example.com',
    rname: 'hostmaster@example.com',
  });
  const lines = Array.from({ length: records }, (_, index) => `host-${index} 300 IN A 192.0.2.1`);
  const content = `@ 300 IN NS ns1.example.com.\n${lines.join('\n')}\n`;
  await service.must('POST', '/zones/example.com/import', { content, mode: 'replace' });
}

/** Writes until both are killed at a moment that nobody chose; returns when the last answer came. */
async function writeAndKill(service: RunningService, litestream: Litestream): Promise<number> {
  let answeredAt = 0;
  const until = Date.now() + roundMs / 2 + Math.random() * (roundMs / 2);
  while (Date.now() < until) {
    const name = `late-${Date.now()}`;
    const record = { zone_name: 'example.com', name, type: 'A', value: '192.0.2.2' };
    await service.must('POST', '/records', record);
    answeredAt = Date.now();
    await new Promise((resolve) => setTimeout(resolve, changeMs));
  }
  await Promise.all([litestream.end('SIGKILL'), service.end('SIGKILL')]);
  return answeredAt;
}

function lastEventAt(file: string): number {
  const connection = openReader(file);
  try {
    return connection.prepare('SELECT at FROM event ORDER BY seq DESC').pluck().get() as number;
  } finally {
    connection.close();
  }
}

async function measure(service: RunningService, litestream: Litestream): Promise<Round> {
  litestream.start();
  await litestream.sync();
  const answeredAt = await writeAndKill(service, litestream);
  const dataDir = mkdtempSync(join(tmpdir(), 'zonebook-restored-'));
  const file = join(dataDir, 'zonebook.db');
  const startedAt = Date.now();
  litestream.restore(file);
  const restoredAt = Date.now();
  const lostSeconds = Math.max(0, answeredAt - lastEventAt(file)) / 1000;
  cpSync(join(service.dataDir, 'keys.key'), join(dataDir, 'keys.key'));
  const { out } = await run(['serve', '--help']);
  const words = out.includes('--recover') ? ['--recover'] : [];
  const servingAt = Date.now();
  await using restored = await startService(external, { dataDir, words });
  await restored.must('GET', '/zones/example.com');
  const result = {
    lostSeconds,
    restoreSeconds: (restoredAt - startedAt) / 1000,
    servedSeconds: (restoredAt - startedAt + Date.now() - servingAt) / 1000,
    restoredBytes: statSync(file).size,
  };
  await service.start();
  return result;
}

const reason = await findLitestream();
if (reason !== undefined) throw new Error(reason);
const folder = mkdtempSync(join(tmpdir(), 'zonebook-measure-'));
try {
  await using service = await startService(external);
  await using litestream = new Litestream(join(service.dataDir, 'zonebook.db'), folder);
  await prepare(service);
  for (let round = 1; round <= rounds; round++) {
    const { lostSeconds, restoreSeconds, servedSeconds, restoredBytes } = await measure(
      service,
      litestream,
    );
    console.log(
      `round ${round}: ${(restoredBytes / 1e6).toFixed(0)} MB, lost the last ${lostSeconds.toFixed(2)} s, ` +
        `restored in ${restoreSeconds.toFixed(2)} s, served after ${servedSeconds.toFixed(2)} s`,
    );
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/**
 * The thread that writes, seen from outside: whoever asks by DNS or HTTP does not wait for the disk, whoever was
 * answered sees what it did, and a service that has lost its writer ends.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readAnswer, requestMessage } from '../support/dns-messages.ts';
import { askByUdp } from '../support/exchanges.ts';
import { FaultyDisk } from '../support/faulty-disk.ts';
import { freePort } from '../support/ports.ts';
import { endProcess, removeFolder } from '../support/processes.ts';
import { RunningService, startService } from '../support/service.ts';

const zone = 'writer.example';
const soa = { mname: 'ns1.example.net', rname: 'root@example.net' };

/** Much longer than a busy host lets an answer wait, so that what waits for the disk is seen. */
const syncDelayMs = 400;
const writers = 8;
const answersMeasured = 40;

let service: RunningService;
let disk: FaultyDisk;
beforeAll(async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'zonebook-'));
  disk = new FaultyDisk(dataDir);
  service = await startService({ ...disk.env }, { dataDir });
  await service.must('POST', '/zones', { name: zone, ...soa });
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  disk[Symbol.dispose]();
});

const addressOf = (index: number) => `10.0.${index >> 8}.${index & 255}`;

function create(name: string, index: number): Promise<{ record: { id: number } }> {
  const value = addressOf(index);
  return service.must('POST', '/records', { zone_name: zone, name, type: 'A', value });
}

async function ask(name: string): Promise<ReturnType<typeof readAnswer>> {
  const query = requestMessage({ name: `${name}.${zone}`, type: 'A' });
  return readAnswer(await askByUdp(service.dnsPort, query));
}

/** Of the milliseconds that answers take, one after the other, the one in the middle. */
async function medianWait(): Promise<number> {
  const waits: number[] = [];
  for (let asked = 0; asked < answersMeasured; asked++) {
    const began = performance.now();
    await ask('asked');
    waits.push(performance.now() - began);
  }
  return waits.sort((a, b) => a - b)[answersMeasured >> 1]!;
}

describe('while the disk takes its time', () => {
  it('DNS answers as it does when nothing is written', async () => {
    await create('asked', 1);
    const idle = await medianWait();
    disk.fail({ syncDelayUs: syncDelayMs * 1000 });
    let isOver = false;
    let written = 0;
    const writing = Array.from({ length: writers }, async (_, writer) => {
      while (!isOver) await create(`w${writer}-${written++}`, written);
    });
    const busy = await medianWait();
    isOver = true;
    await Promise.all(writing);
    disk.recover();
    expect(written).toBeGreaterThanOrEqual(writers);
    // Who waits for the disk waits for half a sync at least, as there is always one going on.
    expect(busy - idle).toBeLessThan(syncDelayMs / 4);
  });
});

describe('whoever was answered', () => {
  it('invariant 10: sees what it did by the next request and the next query', async () => {
    const clients = Array.from({ length: 4 }, async (_, client) => {
      for (let round = 0; round < 25; round++) {
        const name = `c${client}-${round}`;
        const { record } = await create(name, round);
        const { answers } = await ask(name);
        expect(answers).toHaveLength(1);
        expect((await service.call('GET', `/records/${record.id}`)).status).toBe(200);
        await service.must('DELETE', `/records/${record.id}`);
        expect((await service.call('GET', `/records/${record.id}`)).status).toBe(404);
        expect((await ask(name)).answers).toEqual([]);
      }
    });
    await Promise.all(clients);
  });
});

describe('a service that has lost its writer', () => {
  it('invariant 5: ends with 70, and has what it acknowledged when it starts again', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'zonebook-'));
    const hook = join(dataDir, 'lose-the-writer.mjs');
    writeFileSync(
      hook,
      `process.on('worker', (worker) => {
        if (worker.threadName !== 'writer-thread') return;
        process.on('SIGUSR2', () => void worker.terminate());
      });`,
    );
    const main = join(import.meta.dirname, '../../src/main.ts');
    const [apiPort, dnsPort] = [await freePort(), await freePort()];
    const child = spawn(
      process.execPath,
      ['--import', pathToFileURL(hook).href, main, 'serve', '--data-dir', dataDir],
      {
        env: {
          PATH: process.env.PATH ?? '',
          ZONEBOOK_API_AUTHENTICATION_REQUIRED: 'false',
          ZONEBOOK_API_LISTEN_PORT: String(apiPort),
          ZONEBOOK_DNS_LISTEN_PORT: String(dnsPort),
        },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    const ended = new Promise((resolve) => child.once('close', resolve));
    const lost = new RunningService(dataDir, apiPort, dnsPort, {});
    await expect.poll(() => output).toContain('service.started');
    await lost.must('POST', '/zones', { name: zone, ...soa });
    child.kill('SIGUSR2');
    expect(await ended).toBe(70);
    expect(output).toContain('writer.lost');
    await endProcess(child, 'SIGKILL');
    await lost.start();
    expect(await lost.must('GET', `/zones/${zone}`)).toMatchObject({ zone: { name: zone } });
    await lost.end();
    removeFolder(dataDir);
  });
});

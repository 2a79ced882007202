/** A damaged file is found out, and what is wrong is never served (case 119). */
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../support/command-line.ts';
import {
  copyOf,
  flipByte,
  offsetsIn,
  pageBytes,
  pagesOf,
  tamper,
  zeroPage,
} from '../support/damaged-files.ts';
import { sampleOf } from '../support/long.ts';
import { needsPeers, peer } from '../support/peers.ts';
import { freePort } from '../support/ports.ts';
import { startSecondary } from '../support/secondaries.ts';
import { RunningService, startService } from '../support/service.ts';

const root = mkdtempSync(join(tmpdir(), 'zonebook-damage-'));
const template = join(root, 'template');
const zone = { mname: 'ns1.example.net', rname: 'hostmaster@example.net' };
const marker = 'a text that is found in the file';
/** Hosts of the zone: some blocks of it. */
const hosts = 400;

/** Records of the zone as a transfer brings them, at its last serial. */
let whole: string[];
let lastEvent: number;

beforeAll(async () => {
  const service = await startService();
  await service.must('POST', '/secondaries', { name: 'here', address: '127.0.0.1:9' });
  await service.must('POST', '/zones', { ...zone, name: 'example.com' });
  await service.must('POST', '/zones', { ...zone, name: 'other.example' });
  const records = Array.from({ length: hosts }, (_, at) => ({
    name: `host-${at}`,
    type: 'TXT',
    value: `number ${at}`,
  }));
  await service.must('POST', '/records/bulk', { zone_name: 'example.com', records });
  for (const name of ['marked', 'second', 'third']) {
    const value = name === 'marked' ? marker : name;
    await service.must('POST', '/records', { zone_name: 'example.com', name, type: 'TXT', value });
  }
  whole = axfr(service.dnsPort);
  const log = await run(['journal', 'log', '--limit', '1', '-o', 'json'], {
    dataDir: service.dataDir,
  });
  lastEvent = JSON.parse(log.out).items[0].seq;
  await service.end();
  mkdirSync(template);
  copyOf(join(service.dataDir, 'zonebook.db'), join(template, 'zonebook.db'));
  for (const name of ['keys.key', 'epoch']) {
    copyFileSync(join(service.dataDir, name), join(template, name));
  }
  rmSync(service.dataDir, { recursive: true });
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

function digLines(port: number, ...query: string[]): string[] {
  const options = ['+tries=1', '+time=60', '+noall', '+answer', '+comments'];
  const text = execFileSync(
    peer('dig')!,
    ['@127.0.0.1', '-p', String(port), ...options, ...query],
    {
      encoding: 'utf8',
      maxBuffer: 1 << 26,
    },
  );
  return text.split('\n').filter((line) => line !== '');
}

function recordsOf(lines: readonly string[]): string[] {
  return lines.filter((line) => !line.startsWith(';')).map((line) => line.replace(/\s+/g, ' '));
}

function axfr(port: number): string[] {
  return recordsOf(digLines(port, 'example.com', 'AXFR'));
}

/** A data folder whose database somebody has harmed. */
function harmedFolder(harm: (file: string) => void): string {
  const folder = mkdtempSync(join(root, 'harmed-'));
  cpSync(template, folder, { recursive: true });
  harm(join(folder, 'zonebook.db'));
  return folder;
}

interface Verdict {
  readonly code: number;
  readonly err: string;
  readonly codes: readonly string[];
  readonly advice: string;
  readonly findings: readonly {
    code: string;
    seq: number | null;
    to_seq: number | null;
    zones: string[];
    problem: string;
  }[];
}

async function verify(dataDir: string): Promise<Verdict> {
  const { code, out, err } = await run(['journal', 'verify', '-o', 'json'], { dataDir });
  const { findings, advice } = JSON.parse(out);
  const codes = [...new Set((findings as { code: string }[]).map((found) => found.code))].sort();
  return { code, err, codes, advice, findings };
}

async function serviceIn(folder: string): Promise<RunningService> {
  const env = { ZONEBOOK_DNS_SCHEDULER_INTERVAL_SECS: '0' };
  const service = new RunningService(folder, await freePort(), await freePort(), env);
  await service.start();
  return service;
}

const inTheBlock = (file: string) =>
  flipByte(file, offsetsIn(file, 'block', Buffer.from(marker))[0]! + 3);
const inTheDelta = (file: string) =>
  flipByte(file, offsetsIn(file, 'event_delta', Buffer.from(marker))[0]! + 3);

describe('case 119: what verify finds', () => {
  it('case 119: nothing in a file that is whole', async () => {
    const verdict = await verify(harmedFolder(() => {}));
    expect(verdict).toMatchObject({ code: 0, codes: [], advice: 'none' });
  });

  it('case 119: a flipped byte in a block, which a rebuild puts right', async () => {
    const folder = harmedFolder(inTheBlock);
    const verdict = await verify(folder);
    expect(verdict).toMatchObject({ code: 1, advice: 'rebuild' });
    expect(verdict.codes).toEqual(['BLOCK_DAMAGED', 'PROJECTION_DIFFERS']);
    expect(verdict.findings[0]).toMatchObject({ zones: ['example.com'] });
    expect(verdict.err).toContain("'zonebook journal rebuild'");
    expect(await run(['journal', 'rebuild'], { dataDir: folder })).toMatchObject({ code: 0 });
    expect(await verify(folder)).toMatchObject({ code: 0 });
  });

  it('case 119: a flipped byte in a delta, and in a payload: a backup is the only help', async () => {
    for (const harm of [
      inTheDelta,
      (file: string) => flipByte(file, offsetsIn(file, 'event', Buffer.from('"mname"'))[0]! + 12),
    ]) {
      const folder = harmedFolder(harm);
      const verdict = await verify(folder);
      expect(verdict).toMatchObject({ code: 1, advice: 'restore' });
      expect(verdict.codes).toContain('EVENT_ALTERED');
      expect(verdict.err).toContain('restore a backup');
      const rebuild = await run(['journal', 'rebuild'], { dataDir: folder });
      expect(rebuild).toMatchObject({ code: 1 });
      expect(rebuild.err).toContain('nothing was rebuilt');
    }
  });

  it('case 119: a flipped byte in the page of an index', async () => {
    for (const index of ['block_first', 'event_stream_serial', 'zone_name']) {
      const folder = harmedFolder((file) => {
        // The cells stand at the end of a page.
        const { end } = pagesOf(file, index).at(-1)!;
        flipByte(file, end - 3, 0x10);
      });
      const verdict = await verify(folder);
      expect([index, verdict.code, verdict.advice]).toEqual([index, 1, 'restore']);
      expect(verdict.codes).toContain('DATABASE_DAMAGED');
    }
  });

  it('case 119: events that are cut off at the end, with the zone they were about', async () => {
    const folder = harmedFolder((file) =>
      tamper(file, `DELETE FROM event WHERE seq > ${lastEvent - 2}`),
    );
    const verdict = await verify(folder);
    expect(verdict).toMatchObject({ code: 1, advice: 'restore' });
    expect(verdict.findings.find(({ code }) => code === 'EVENTS_MISSING_AT_END')).toMatchObject({
      seq: lastEvent - 1,
      to_seq: lastEvent,
      zones: ['example.com'],
    });
    expect(verdict.err).toContain('do not rebuild');
    const refused = await run(['journal', 'rebuild'], { dataDir: folder });
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringContaining('nothing was rebuilt'),
    ]);
    const backup = await run(['backup', join(root, 'never.db')], { dataDir: folder });
    expect(backup.code).toBe(1);
    // Whoever says so gets the zone as the journal has it.
    const forced = ['journal', 'rebuild', '--without-missing-events'];
    tamper(
      join(folder, 'zonebook.db'),
      `DELETE FROM event_delta WHERE place / 65536 > ${lastEvent - 2}`,
    );
    expect(await run(forced, { dataDir: folder })).toMatchObject({ code: 0 });
    // That they were served is known until a new epoch begins.
    expect(await verify(folder)).toMatchObject({ codes: ['EVENTS_MISSING_AT_END'] });
  });

  it('case 119: the same cut off with their records, by the rows of zones', async () => {
    const folder = harmedFolder((file) =>
      tamper(
        file,
        `DELETE FROM event WHERE seq > ${lastEvent - 2}`,
        `DELETE FROM event_delta WHERE place / 65536 > ${lastEvent - 2}`,
      ),
    );
    const verdict = await verify(folder);
    expect(verdict.codes).toContain('EVENTS_MISSING_AT_END');
    expect(verdict.advice).toBe('restore');
  });

  it('case 119: the same with everything that was made from them, by the epoch file alone', async () => {
    const folder = harmedFolder((file) => {
      tamper(
        file,
        `DELETE FROM event WHERE seq > ${lastEvent - 1}`,
        `DELETE FROM event_delta WHERE place / 65536 > ${lastEvent - 1}`,
      );
    });
    const dataDir = folder;
    rmSync(join(folder, 'epoch'));
    expect(
      await run(['journal', 'rebuild', '--without-missing-events'], { dataDir }),
    ).toMatchObject({ code: 0 });
    expect(await verify(folder)).toMatchObject({ code: 0 });
    writeFileSync(join(folder, 'epoch'), JSON.stringify({ epoch: 1, seq: lastEvent }));
    const verdict = await verify(folder);
    expect(verdict.codes).toEqual(['EVENTS_MISSING_AT_END']);
    expect(verdict).toMatchObject({ code: 1, advice: 'restore' });
    const rebuild = await run(['journal', 'rebuild'], { dataDir: folder });
    expect(rebuild.code).toBe(1);
  });
});

/** Pages that each start or each question reads, and some of all. */
function pagesToLose(file: string): number[] {
  const read = ['event', 'event_stream_serial', 'counter', 'zone'].map(
    (owner) => pagesOf(file, owner).at(-1)!.start / pageBytes,
  );
  const all = Array.from({ length: statSync(file).size / pageBytes }, (_, page) => page);
  return [...new Set([...read, ...sampleOf(all, 6)])];
}

/** How a start ends: all is well, nothing is answered but by /health, or there is no service. */
async function startOf(service: RunningService): Promise<'healthy' | 'damaged' | 'refused'> {
  const started = service.start().then(
    () => 'healthy' as const,
    () => 'refused' as const,
  );
  for (;;) {
    const end = await Promise.race([started, sleep(100, undefined)]);
    if (end !== undefined) return end;
    const health = await service.call('GET', '/health').catch(() => undefined);
    if (health?.body.storage === 'damaged') return 'damaged';
  }
}

describe('case 119: a start', () => {
  it('case 119: serves with a page that is lost, or says what is lost and what to do', async () => {
    for (const page of pagesToLose(join(template, 'zonebook.db'))) {
      const folder = harmedFolder((file) => zeroPage(file, page));
      await using service = new RunningService(folder, await freePort(), await freePort(), {});
      const end = await startOf(service);
      const health = end === 'damaged' ? await service.call('GET', '/health') : undefined;
      const code = await service.end();
      expect([page, end, code]).toEqual([page, end, end === 'refused' ? 6 : 0]);
      const refusal = service.output.split('\n').find((line) => line.includes('not-started')) ?? '';
      expect(refusal !== '').toBe(end === 'refused');
      if (end === 'healthy') continue;
      if (end === 'refused') {
        expect(refusal).toContain(`${folder}/zonebook.db is damaged (`);
        expect(refusal).toContain("'zonebook restore FILE'");
      } else {
        expect(health).toMatchObject({ status: 503, body: { reason: 'the database is damaged' } });
        expect(health!.body.what_to_do).toContain("'zonebook journal verify'");
      }
      expect(service.output).not.toMatch(/^ +at /m);
      const verify = await run(['journal', 'verify'], { dataDir: folder });
      expect([page, verify.code, verify.err]).toEqual([page, 1, expect.stringMatching('restore')]);
    }
  });

  it('case 119: names a lock that is no lock, and what to do', async () => {
    const folder = harmedFolder((file) =>
      writeFileSync(join(file, '..', 'zonebook.lock'), 'x'.repeat(pageBytes)),
    );
    await using service = new RunningService(folder, await freePort(), await freePort(), {});
    const { code, said } = await service.refusal();
    expect(code).toBe(6);
    expect(said).toContain(`${folder}/zonebook.lock is not what was written: delete it`);
  });
});

/** From three serials back: over the event that added the marked record. */
function ixfr({ dnsPort }: RunningService): string[] {
  const serial = Number(whole[0]!.split(' ')[6]);
  return recordsOf(digLines(dnsPort, 'example.com', `IXFR=${serial - 3}`));
}

needsPeers('dig', 'named')('case 119: what is served', () => {
  it('case 119, invariant 15: a damaged block is refused and made again from the journal', async () => {
    await using service = await serviceIn(harmedFolder(inTheBlock));
    const { dnsPort } = service;
    const answer = () => digLines(dnsPort, 'marked.example.com', 'TXT');
    const first = answer();
    if (recordsOf(first).length === 0) expect(first.join()).toContain('SERVFAIL');
    await expect.poll(() => recordsOf(answer())).toHaveLength(1);
    expect(recordsOf(answer())[0]).toContain(`"${marker}"`);
    expect(axfr(dnsPort)).toEqual(whole);
    await expect.poll(() => service.output).toContain('block.rebuilt');
    const metrics = await service.must('GET', '/metrics');
    expect(metrics).toMatch(/zonebook_block_checksum_failures_total [1-9]/);
    await service.end();
    expect(await verify(service.dataDir)).toMatchObject({ code: 0 });
  });

  it('case 119: no record of it leaves by AXFR or the API before that', async () => {
    // The journal can not tell either: refused for good, and the rest is served.
    const folder = harmedFolder((file) => {
      inTheBlock(file);
      inTheDelta(file);
    });
    await using service = await serviceIn(folder);
    const { dnsPort } = service;
    const listed = () => service.call('GET', '/records?zone_name=example.com&name=marked');
    expect(await listed()).toMatchObject({ status: 503, body: { code: 'STORAGE_UNAVAILABLE' } });
    const exported = await service.call('GET', '/zones/example.com/export').catch(() => undefined);
    expect(exported?.status === 200 && String(exported.body).includes('SOA')).toBe(false);
    expect(recordsOf(digLines(dnsPort, 'marked.example.com', 'TXT'))).toEqual([]);
    const transferred = axfr(dnsPort);
    expect(transferred.filter((line) => line.includes(' SOA '))).not.toHaveLength(2);
    await expect.poll(() => service.output).toContain('block.unrepairable');
    expect(await listed()).toMatchObject({ status: 503 });
    const others = digLines(dnsPort, 'other.example', 'SOA');
    expect(recordsOf(others)).toHaveLength(1);
    const write = await service.call('POST', '/records', {
      zone_name: 'example.com',
      name: 'marked',
      type: 'A',
      value: '192.0.2.1',
    });
    expect(write).toMatchObject({ status: 503, body: { code: 'STORAGE_UNAVAILABLE' } });
  });

  it('case 119: no IXFR leads over a damaged delta or payload: the full zone instead', async () => {
    const payload = Buffer.from(`"serial":${whole[0]!.split(' ')[6]!}`);
    for (const harm of [
      inTheDelta,
      (file: string) => {
        const [at] = offsetsIn(file, 'event', payload);
        flipByte(file, at! + payload.length - 1);
      },
    ]) {
      await using service = await serviceIn(harmedFolder(harm));
      expect(ixfr(service)).toEqual(whole);
    }
    await using service = await serviceIn(harmedFolder(() => {}));
    expect(ixfr(service).length).toBeLessThan(20);
  });

  it('case 119: named takes nothing damaged, and the zone once it is repaired', async () => {
    await using service = await serviceIn(harmedFolder(inTheBlock));
    const serial = Number(whole[0]!.split(' ')[6]);
    await using early = await startSecondary('named', 'example.com', service.dnsPort);
    await expect.poll(() => service.output).toContain('block.rebuilt');
    // It was cut off while the block was damaged, and has nothing until it tries again.
    if (early.serial() !== undefined) expect(early.serial()).toBe(serial);
    await using secondary = await startSecondary('named', 'example.com', service.dnsPort);
    await secondary.waitForSerial(serial);
    const taken = recordsOf(secondary.dig('example.com', 'AXFR'));
    expect([...taken].sort()).toEqual([...whole].sort());
  });

  it('case 119: a damaged index leads to no wrong answer, and is made again', async () => {
    let asked = '';
    const folder = harmedFolder((file) => {
      const key = Buffer.from('host-');
      const entries = offsetsIn(file, 'block_first', key);
      const at = entries[Math.floor(entries.length / 2)]!;
      asked = nameAt(file, at);
      // Out of order now: a search for what follows goes to the block before.
      flipByte(file, at, 0x10);
    });
    await using service = await serviceIn(folder);
    const { dnsPort } = service;
    const answer = () => digLines(dnsPort, `${asked}.example.com`, 'TXT');
    const [first] = recordsOf(answer());
    const right = `"number ${asked.slice('host-'.length)}"`;
    if (first !== undefined) expect(first).toContain(right);
    await expect.poll(() => recordsOf(answer()).join()).toContain(right);
    await expect.poll(() => service.output).toMatch(/block\.rebuilt .*reindexed=true/);
    expect(axfr(dnsPort)).toEqual(whole);
    await service.end();
    expect(await verify(folder)).toMatchObject({ code: 0 });
  });
});

/** The first label of a key that stands in a file. */
function nameAt(file: string, at: number): string {
  const bytes = readFileSync(file);
  return bytes.toString('latin1', at, bytes.indexOf(0, at));
}

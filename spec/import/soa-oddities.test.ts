/**
 * Zones move in whose SOAs say what can not be held: each refusal names what to give in its place, and with
 * just that the zone comes in, goes out to a real secondary as BIND reads its file, and comes back from an
 * export and from that secondary unchanged. The files are those of fixtures/soas.
 */
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { patienceMs } from '../support/patience.ts';
import { sampleOf } from '../support/long.ts';
import { peer } from '../support/peers.ts';
import { freePort } from '../support/ports.ts';
import { startPrimary } from '../support/primaries.ts';
import { RunningSecondary } from '../support/secondaries.ts';
import { type RunningService, startService } from '../support/service.ts';
import { story, storyWithPeers } from '../support/story.ts';
import { sortedRecords, transferOf } from '../support/zone-servers.ts';

const folder = join(import.meta.dirname, '../../fixtures/soas');
const files: [file: string, zone: string][] = Object.entries(
  JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8')),
);

/** What an operator gives where a refusal asks for it. */
const values: Record<string, string | number> = {
  serial: 2026112201,
  mname: 'ns1.moved.example',
  rname: 'dns.ops@moved.example',
  minimum_ttl: 301,
  refresh: 7201,
  retry: 901,
  expire: 1_209_601,
};

/** The fields that each file needs; none for the others. */
const needed: Record<string, string[]> = {
  'mname-root': ['mname'],
  'rname-root': ['rname'],
  nothing: ['mname', 'rname', 'minimum_ttl', 'refresh', 'retry', 'expire'],
  'minimum-zero': ['minimum_ttl'],
  'minimum-greatest': ['minimum_ttl'],
  'refresh-zero': ['refresh'],
  'retry-zero': ['retry'],
  'expire-zero': ['expire'],
  'serial-above-start': ['serial'],
  'serial-half': ['serial'],
  'serial-greatest': ['serial'],
  'rname-at': ['rname'],
  'rname-label': ['rname'],
  'mname-odd': ['mname'],
  'mname-slash': ['mname'],
  'mname-wildcard': ['mname'],
};

/** Fields named at the end of each line; a line of another form fails the test. */
function namedIn(errors: readonly string[]): string[] {
  return errors.map((line) => {
    const match = /^(?:line \d+: )?SOA (\w+): .*; give (\w+)$/.exec(line);
    expect([line, match?.[1]]).toEqual([line, match?.[2]]);
    return match![2]!;
  });
}

const pick = (fields: readonly string[]) =>
  Object.fromEntries(fields.map((field) => [field, values[field]]));

let service: RunningService;
let other: RunningService;
/** Where no zone of these names was before. */
let third: RunningService;
beforeAll(async () => {
  [service, other, third] = await Promise.all([startService(), startService(), startService()]);
});
afterAll(() => Promise.all([service, other, third].map((one) => one[Symbol.asyncDispose]())));

/** Creates a zone with what the refusal asks for; gives those fields. */
async function moveIn(zone: string, source: object, to = service): Promise<string[]> {
  const path = `/zones/${zone}/import`;
  const body = { ...source, create: true };
  const dryRun = await to.call('POST', path, { ...body, dry_run: true });
  const first = await to.call('POST', path, body);
  expect([dryRun.status, dryRun.body.errors]).toEqual([first.status, first.body.errors]);
  if (first.status === 200) return [];
  expect([first.status, first.body.applied]).toEqual([422, false]);
  const fields = namedIn(first.body.errors);
  // Nothing less will do.
  for (const field of fields) {
    const less = { ...body, ...pick(fields.filter((one) => one !== field)), dry_run: true };
    const { status, body: report } = await to.call('POST', path, less);
    expect([field, status, namedIn(report.errors)]).toEqual([field, 422, [field]]);
  }
  expect((await to.call('GET', `/zones/${zone}`)).status).toBe(404);
  await to.must('POST', path, { ...body, ...pick(fields) });
  return fields;
}

const textOf = (file: string) => readFileSync(join(folder, file), 'utf8');

/** The records without the SOA: it is the one thing that is meant to differ. */
const withoutSoa = (text: string) =>
  sortedRecords(text).filter((line) => !/^\S+ \d+ IN SOA /.test(line));

story('zones of odd SOAs', () => {
  describe.each(files)('%s', (file, zone) => {
    it('comes in with what the refusal names, and nothing else changes', async () => {
      const content = textOf(file);
      const fields = await moveIn(zone, { content });
      expect(fields).toEqual(needed[file.replace('.example.zone', '')] ?? []);
      const { zone: made } = await service.must('GET', `/zones/${zone}`);
      expect(made).toMatchObject(pick(fields));
      const soa = /\bSOA\s+(\S+) (\S+) (\d+) (\d+) (\d+) (\d+) (\d+)/.exec(content)!;
      const keys = ['serial', 'refresh', 'retry', 'expire', 'minimum_ttl'];
      for (const [index, key] of keys.entries()) {
        const said = Number(soa[index + 3]);
        if (!fields.includes(key)) expect([key, made[key]]).toEqual([key, said === 0 ? 1 : said]);
      }
    });
  });

  describe('the settings of such zones', () => {
    const settings = async (zone: string) =>
      (await service.must('GET', `/zones/${zone}.example`)).zone;

    it('are what the file says, as far as it can be held', async () => {
      expect((await settings('rname-dots')).rname).toBe('first.middle.last@rname-dots.example');
      expect((await settings('rname-escapes')).rname).toBe('dns+odd$sign@rname-escapes.example');
      const relative = await settings('mname-relative');
      expect(relative).toMatchObject({
        mname: 'ns1.mname-relative.example',
        rname: expect.stringMatching(/^hostmaster@mname-relative\.example$/i),
      });
      expect((await settings('serial-zero')).serial).toBe(1);
      expect((await settings('nothing')).serial).toBe(1);
      // A $TTL that no default can be gives way to the configured one.
      expect((await settings('ttl-zero')).default_ttl).toBe(3600);
      expect((await settings('ttl-greatest')).default_ttl).toBe(3600);
      expect((await settings('class-order')).default_ttl).toBe(600);
    });
  });

  /** A secondary of all these zones, which lets others fetch them. */
  async function startNamed(primaryPort: number): Promise<RunningSecondary> {
    const folderOfNamed = mkdtempSync(join(tmpdir(), 'named-'));
    chmodSync(folderOfNamed, 0o755);
    const port = await freePort();
    const blocks = files.map(
      ([, zone]) =>
        `zone "${zone}" { type secondary; primaries { 127.0.0.1 port ${primaryPort}; }; };`,
    );
    const config = join(folderOfNamed, 'named.conf');
    writeFileSync(
      config,
      `options {
      directory "${folderOfNamed}"; pid-file none; session-keyfile none; recursion no; notify no;
      listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; }; allow-transfer { any; };
      serial-query-rate 1000; transfers-per-ns 50; max-retry-time 1; min-retry-time 1;
    };
    controls { };
    ${blocks.join('\n')}`,
    );
    const child = spawn(peer('named')!, ['-g', '-n', '1', '-c', config], {
      cwd: folderOfNamed,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const setup = { folder: folderOfNamed, port, zone: files[0]![1], primaryPort, key: undefined };
    return new RunningSecondary('named', setup, child);
  }

  storyWithPeers(
    'named',
    'named-compilezone',
    'dig',
  )('BIND', () => {
    let named: RunningSecondary;
    beforeAll(async () => {
      // Whoever is registered may fetch; nobody has to be told.
      const registered = { name: 'named', address: '127.0.0.1:9' };
      for (const one of [service, third]) await one.must('POST', '/secondaries', registered);
      named = await startNamed(service.dnsPort);
    });
    afterAll(() => named[Symbol.asyncDispose]());

    async function waitUntilServed(zone: string, serial: number): Promise<void> {
      // Until named listens, dig fails.
      await vi.waitFor(
        () => expect(named.dig(zone, 'SOA')[0]?.split(/\s+/)[6]).toBe(String(serial)),
        { timeout: patienceMs, interval: 100 },
      );
    }

    /** What BIND reads in the file, in its words. */
    function compiled(file: string, zone: string): string {
      const args = ['-i', 'none', '-k', 'ignore', '-q', '-s', 'full', '-o', '-'];
      const path = join(folder, file);
      const { stdout, stderr, status } = spawnSync(
        peer('named-compilezone')!,
        [...args, zone, path],
        { encoding: 'utf8' },
      );
      expect([file, status, stderr]).toEqual([file, 0, '']);
      return stdout;
    }

    it.each(sampleOf(files, 12))('%s goes out and comes back as it is', async (file, zone) => {
      const { serial } = (await service.must('GET', `/zones/${zone}`)).zone;
      await waitUntilServed(zone, serial);
      const served = await transferOf(named.port, zone);
      expect(sortedRecords(served)).toEqual(sortedRecords(await transferOf(service.dnsPort, zone)));
      expect(withoutSoa(served)).toEqual(withoutSoa(compiled(file, zone)));

      const content = await (
        await fetch(`http://127.0.0.1:${service.apiPort}/zones/${zone}/export`)
      ).text();
      expect(await moveIn(zone, { content }, other)).toEqual([]);
      const again = await fetch(`http://127.0.0.1:${other.apiPort}/zones/${zone}/export`);
      expect(await again.text()).toBe(content);
      expect(await moveIn(zone, { from_server: `127.0.0.1:${named.port}` }, third)).toEqual([]);
      expect(sortedRecords(await transferOf(third.dnsPort, zone))).toEqual(sortedRecords(served));
    });

    it('as a primary hands over what it was given, and the refusal has no lines', async () => {
      const zone = 'nothing.example';
      await using primary = await startPrimary('named', zone, textOf(`${zone}.zone`));
      await service.must('DELETE', `/zones/${zone}`);
      const source = { from_server: `127.0.0.1:${primary.port}` };
      const fields = await moveIn(zone, source);
      expect(fields).toEqual(needed.nothing);
      const { zone: made } = await service.must('GET', `/zones/${zone}`);
      // 1 was served under this name before: a serial of 0 counts as none, and none comes twice.
      expect(made).toMatchObject({ ...pick(fields), serial: 2 });
      const ours = await transferOf(service.dnsPort, zone);
      expect(withoutSoa(ours)).toEqual(withoutSoa(await transferOf(primary.port, zone)));
    });
  });
});

/**
 * All zones of a real PowerDNS move in by its catalog while its secondaries, a real named and knotd, answer: not one
 * answer is lost or wrong, from before the move until they serve what was changed after it. Some tens of zones; all
 * 10,000 with LONG_TESTS=1.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Ran, run } from '../support/command-line.ts';
import { isLong } from '../support/long.ts';
import {
  expectAllAnswered,
  type MovableSecondary,
  movableKnotd,
  movableNamed,
  type Probe,
  Prober,
  startPowerDnsWith,
  type StoredRecord,
  untilServed,
} from '../support/moving.ts';
import { patienceMs } from '../support/patience.ts';
import type { PeerProcess } from '../support/signed-peers.ts';
import { type RunningService, startService } from '../support/service.ts';
import { storyWithPeers } from '../support/story.ts';

const zoneCount = isLong ? 10_000 : 40;
const withinMs = isLong ? 30 * 60_000 : patienceMs;
const catalog = 'catalog.moved.test';

const names = Array.from({ length: zoneCount }, (_, index) => `z${index}.moved.test`);
/** PowerDNS has zones of any age: without a serial, with small ones, with days. */
const serialOf = (index: number) => [7, 0, 2_026_112_301, 1][index % 4]!;
/** A record of a type that only PowerDNS has. */
const hasAlias = (index: number) => index % 10 === 3;
const addressOf = (index: number) => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`;
const newAddressOf = (index: number) => `172.16.${(index >> 8) & 255}.${index & 255}`;

function recordsOf(zone: string, index: number): StoredRecord[] {
  const soa = `ns1.${zone} hostmaster.${zone} ${serialOf(index)} 7200 900 1209600 300`;
  const records = [
    { name: zone, type: 'SOA', content: soa },
    { name: zone, type: 'NS', content: `ns1.${zone}` },
    { name: zone, type: 'MX', priority: 10, content: `mail.${zone}` },
    { name: `ns1.${zone}`, type: 'A', content: '192.0.2.53' },
    { name: `mail.${zone}`, type: 'A', content: '192.0.2.25' },
    { name: `www.${zone}`, type: 'A', content: addressOf(index) },
    { name: `*.wild.${zone}`, type: 'TXT', content: `"zone ${index}"` },
    { name: `ftp.${zone}`, type: 'CNAME', content: `www.${zone}` },
  ];
  const alias = { name: `alias.${zone}`, type: 'ALIAS', content: 'www.example.com' };
  return hasAlias(index) ? [...records, alias] : records;
}

/** What www has: only that of before, either, or only what it was changed to. */
let www: 'before' | 'either' | 'after' = 'before';
let asked = 0;

/** Some question about some zone: the numbers are prime to each other, so that all come. */
function nextProbe(): Probe {
  asked++;
  const index = (asked * 7919) % zoneCount;
  const zone = names[index]!;
  const before = `NOERROR ${addressOf(index)}`;
  const after = `NOERROR ${newAddressOf(index)}`;
  const probes: readonly Probe[] = [
    {
      name: `www.${zone}`,
      type: 'A',
      right: () => ({ before: [before], either: [before, after], after: [after] })[www],
    },
    { name: zone, type: 'MX', right: () => [`NOERROR 10 mail.${zone}`] },
    { name: zone, type: 'NS', right: () => [`NOERROR ns1.${zone}`] },
    { name: `x${asked}.wild.${zone}`, type: 'TXT', right: () => [`NOERROR zone ${index}`] },
    { name: `n${asked}.${zone}`, type: 'A', right: () => ['NXDOMAIN'] },
    { name: `www.${zone}`, type: 'AAAA', right: () => ['NOERROR'] },
  ];
  return probes[Math.floor(asked / zoneCount + asked) % probes.length]!;
}

storyWithPeers(
  'pdns_server',
  'named',
  'knotd',
)(`${zoneCount} zones of PowerDNS`, () => {
  const secondaries: MovableSecondary[] = [];
  let powerDns: PeerProcess;
  let service: RunningService;
  let prober: Prober;
  const startedMs = Date.now();
  const say = (what: string) => {
    const seconds = ((Date.now() - startedMs) / 1000).toFixed(0);
    if (isLong) process.stderr.write(`${seconds} s: ${what}; ${prober?.asked ?? 0} answers\n`);
  };

  const serials = new Map(names.map((name, index) => [name, serialOf(index)]));
  const allServe = () =>
    Promise.all(secondaries.map(({ peer }) => untilServed(peer.port, serials, withinMs)));

  beforeAll(async () => {
    const zones = new Map(names.map((name, index) => [name, recordsOf(name, index)]));
    powerDns = await startPowerDnsWith(zones, catalog);
    await powerDns.waitFor(names[0]!);
    secondaries.push(await movableNamed(names, powerDns.port));
    secondaries.push(await movableKnotd(names, powerDns.port));
    service = await startService();
    await allServe();
    say('the secondaries serve all zones of PowerDNS');
    const [named, knotd] = secondaries.map(({ peer }) => peer.port) as [number, number];
    prober = new Prober({ named, knotd }, nextProbe);
  }, withinMs);
  afterAll(async () => {
    await prober?.stop();
    for (const { peer } of secondaries) await peer[Symbol.asyncDispose]();
    await powerDns?.[Symbol.asyncDispose]();
    await service?.[Symbol.asyncDispose]();
  });

  const importAll = (...words: string[]): Promise<Ran> => {
    const server = `127.0.0.1:${powerDns.port}`;
    const all = ['zone', 'import', '--all-from-server', server, '--catalog', catalog];
    return run([...all, ...words, '-o', 'json'], { dataDir: service.dataDir });
  };

  it(
    'are held back as long as one has what PowerDNS alone has, by name',
    async () => {
      const { code, out } = await importAll();
      expect(code).toBe(1);
      const { summary, zones } = JSON.parse(out);
      const refused = names.filter((_, index) => hasAlias(index)).length;
      expect(summary).toMatchObject({ imported: 0, importable: zoneCount - refused, refused });
      const alias = zones.find(({ zone }: { zone: string }) => zone === names[3]);
      expect(alias.errors[0]).toMatch(
        /^alias ALIAS is not stored: it .*; give --skip-unsupported$/,
      );
      expect((await service.must('GET', '/zones')).pagination.total).toBe(0);
      say('all are tried');
    },
    withinMs,
  );

  it(
    'come in, each at the serial of its secondaries or past it',
    async () => {
      // They have been tried.
      const { code, out } = await importAll('--skip-unsupported', '--skip-refused');
      expect(code).toBe(0);
      expect(JSON.parse(out).summary).toMatchObject({ imported: zoneCount, refused: 0 });
      say('all are imported');
      for (const [index, name] of names.entries()) {
        const serial = serialOf(index) + (hasAlias(index) ? 1 : 0);
        // Whatever is past 0 is past it with a record left out, too.
        serials.set(name, serialOf(index) === 0 ? 1 : serial);
      }
      const listed = await run(['zone', 'list', '--all', '-o', 'json'], {
        dataDir: service.dataDir,
      });
      const { items } = JSON.parse(listed.out);
      const found = items.map(({ name, serial }: { name: string; serial: number }) => [
        name,
        serial,
      ]);
      expect(new Map(found)).toEqual(serials);
      const again = await importAll('--skip-unsupported');
      expect(JSON.parse(again.out).summary).toMatchObject({ imported: 0, exists: zoneCount });
    },
    withinMs,
  );

  it(
    'are followed by the secondaries here, and PowerDNS is switched off',
    async () => {
      for (const [index, { peer, follow }] of secondaries.entries()) {
        follow(service.dnsPort);
        const address = `127.0.0.1:${peer.port}`;
        await service.must('POST', '/secondaries', { name: `ns${index}`, address });
      }
      await powerDns[Symbol.asyncDispose]();
      www = 'either';
      for (let at = 0; at < zoneCount; at += 1000) {
        const zones = names.slice(at, at + 1000).map((name, place) => ({
          name,
          set: [{ name: 'www', type: 'A', ttl: 300, values: [newAddressOf(at + place)] }],
        }));
        const answer = await service.must('POST', '/changes', { zones });
        for (const { name, serial } of answer.zones) serials.set(name, serial);
      }
      say('all are changed');
      await service.must('POST', '/notify');
      await allServe();
      www = 'after';
      say('the secondaries serve what was changed');
    },
    withinMs,
  );

  it('were answered for all the time, and rightly', async () => {
    await expectAllAnswered(prober);
    say('done');
  });
});

/**
 * Signed zones of a real named move in with their K-files, while its secondaries, another named and knotd, serve them
 * and a real unbound validates what they say with the keys as trust anchors: no answer is bogus or missing. Some zones;
 * 300 with LONG_TESTS=1.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { askResolver, startCachingResolver } from '../support/caching-resolver.ts';
import { run } from '../support/command-line.ts';
import { isLong } from '../support/long.ts';
import {
  askOnce,
  expectAllAnswered,
  type MovableSecondary,
  movableKnotd,
  movableNamed,
  type Probe,
  Prober,
  serialAt,
  startNamedWith,
  untilServed,
} from '../support/moving.ts';
import { patienceMs } from '../support/patience.ts';
import type { PeerProcess } from '../support/signed-peers.ts';
import { type RunningService, startService } from '../support/service.ts';
import { storyWithPeers } from '../support/story.ts';

const zoneCount = isLong ? 300 : 6;
const withinMs = isLong ? 30 * 60_000 : patienceMs;
const names = Array.from({ length: zoneCount }, (_, index) => `s${index}.signed.test`);

const textOf = (index: number) => `$TTL 300
@ IN SOA ns1 hostmaster ${index + 1} 7200 900 1209600 300
@ IN NS ns1
@ IN MX 10 mail
ns1 IN A 192.0.2.53
mail IN A 192.0.2.25
www IN A 10.0.${index >> 8}.${index & 255}
*.wild IN TXT "any"
`;

let asked = 0;

function nextProbe(): Probe {
  asked++;
  const zone = names[(asked * 7919) % zoneCount]!;
  const found = () => ['positive secure'];
  const probes: readonly Probe[] = [
    { name: `www.${zone}`, type: 'A', right: found },
    { name: zone, type: 'MX', right: found },
    { name: zone, type: 'DNSKEY', right: found },
    { name: `x${asked}.wild.${zone}`, type: 'TXT', right: found },
    { name: `n${asked}.${zone}`, type: 'A', right: () => ['NXDOMAIN secure'] },
    { name: `www.${zone}`, type: 'AAAA', right: () => ['NODATA secure'] },
  ];
  return probes[Math.floor(asked / zoneCount + asked) % probes.length]!;
}

/** SERVFAIL is what a bogus answer becomes. */
async function judged(port: number, name: string, type: string): Promise<string | undefined> {
  const { kind, isSecure, why } = await askResolver(port, name, type);
  if (kind === 'no answer') return undefined;
  return kind === 'SERVFAIL' ? `SERVFAIL ${why}` : `${kind} ${isSecure ? 'secure' : 'insecure'}`;
}

storyWithPeers(
  'named',
  'knotd',
  'unbound',
)(`${zoneCount} signed zones of named`, () => {
  const secondaries: MovableSecondary[] = [];
  let keyFolder: string | undefined;
  let primary: PeerProcess;
  let unbound: PeerProcess;
  let service: RunningService;
  let prober: Prober;
  const startedMs = Date.now();
  const say = (what: string) => {
    const seconds = ((Date.now() - startedMs) / 1000).toFixed(0);
    if (isLong) process.stderr.write(`${seconds} s: ${what}; ${prober?.asked ?? 0} answers\n`);
  };

  const keyFileOf = (zone: string) =>
    readdirSync(keyFolder!).find((name) => name.startsWith(`K${zone}.+`) && name.endsWith('.key'))!;
  const anchorOf = (zone: string) =>
    readFileSync(join(keyFolder!, keyFileOf(zone)), 'utf8')
      .split('\n')
      .find((line) => line.startsWith(zone))!;
  const signedSerials = async (port: number): Promise<Map<string, number>> => {
    const serials = new Map<string, number>();
    for (const name of names) {
      const { answers } = await askOnce(port, name, 'DNSKEY', 5000);
      serials.set(name, answers.length === 0 ? -1 : ((await serialAt(port, name)) ?? -1));
    }
    return serials;
  };
  const ports = () => secondaries.map(({ peer }) => peer.port);
  const must = async (...words: string[]) => {
    const { code, out, err } = await run([...words, '-o', 'json'], { dataDir: service.dataDir });
    expect([words, code, err]).toEqual([words, 0, '']);
    return JSON.parse(out);
  };
  const allServe = async () => {
    const { items } = await must('zone', 'list', '--all');
    const serials = new Map<string, number>(
      items.map(({ name, serial }: { name: string; serial: number }) => [name, serial]),
    );
    await Promise.all(ports().map((port) => untilServed(port, serials, withinMs)));
  };

  afterAll(async () => {
    await prober?.stop();
    for (const { peer } of secondaries) await peer[Symbol.asyncDispose]();
    await unbound?.[Symbol.asyncDispose]();
    await primary?.[Symbol.asyncDispose]();
    await service?.[Symbol.asyncDispose]();
    if (keyFolder !== undefined) rmSync(keyFolder, { recursive: true, force: true });
  });

  it(
    'are served by its secondaries, and valid',
    async () => {
      keyFolder = mkdtempSync(join(tmpdir(), 'zonebook-moved-'));
      const texts = Object.fromEntries(names.map((name, index) => [name, textOf(index)]));
      primary = await startNamedWith(texts, keyFolder);
      await primary.waitFor(names.at(-1)!);
      await expect
        .poll(async () => [...(await signedSerials(primary.port)).values()], { timeout: withinMs })
        .not.toContain(-1);
      secondaries.push(await movableNamed(names, primary.port));
      secondaries.push(await movableKnotd(names, primary.port));
      service = await startService();
      await expect
        .poll(
          async () => {
            const there = await signedSerials(primary.port);
            const here = await Promise.all(ports().map(signedSerials));
            return here.every((each) => names.every((name) => each.get(name) === there.get(name)));
          },
          { timeout: withinMs },
        )
        .toBe(true);
      unbound = await startCachingResolver({
        servers: Object.fromEntries(names.map((name) => [name, ports()])),
        anchor: anchorOf(names[0]!),
        options: names.slice(1).map((name) => `trust-anchor: "${anchorOf(name)}"`),
        mostSeconds: 1,
      });
      await unbound.waitFor(names[0]!);
      say('unbound validates what the secondaries serve');
      prober = new Prober({ unbound: unbound.port, again: unbound.port }, nextProbe, judged);
    },
    withinMs,
  );

  it(
    'come in past their serials and are signed with their keys',
    async () => {
      const all = ['--all-from-server', `127.0.0.1:${primary.port}`, '--zones', '-'];
      const words = ['zone', 'import', ...all, '--skip-unsupported', '-o', 'json'];
      const stdin = names.join('\n');
      const { code, out } = await run(words, { dataDir: service.dataDir, stdin });
      expect([code, JSON.parse(out).summary.imported]).toEqual([0, zoneCount]);
      const before = await signedSerials(primary.port);
      const { items } = await must('zone', 'list', '--all');
      for (const { name, serial } of items) expect(serial).toBe(before.get(name)! + 1);
      // Nothing of how named signs them, its private records included.
      const { items: records } = await must('record', 'list', names[0]!, '--all');
      const types = records.map(({ type }: { type: string }) => type).sort();
      expect(types).toEqual(['A', 'A', 'A', 'MX', 'NS', 'TXT']);
      say('all are imported');
      await service.end();
      for (const name of names) {
        const file = join(keyFolder!, keyFileOf(name));
        await must('dnssec', 'key', 'import', name, '--file', file, '--parent-ns', '127.0.0.1:9');
      }
      say('all keys are imported');
      await service.start();
    },
    withinMs,
  );

  it(
    'are followed by the secondaries here, and named is switched off',
    async () => {
      for (const [index, { peer, follow }] of secondaries.entries()) {
        follow(service.dnsPort);
        const address = `127.0.0.1:${peer.port}`;
        await service.must('POST', '/secondaries', { name: `ns${index}`, address });
      }
      await service.must('POST', '/notify');
      await allServe();
      say('the secondaries serve what is signed here');
      await primary[Symbol.asyncDispose]();
      const zones = names.map((name) => ({
        name,
        set: [{ name: 'www', type: 'A', ttl: 300, values: ['172.16.0.1'] }],
      }));
      await service.must('POST', '/changes', { zones });
      await allServe();
      for (const port of ports()) {
        const { answers } = await askOnce(port, `www.${names[0]}`, 'A', patienceMs);
        expect(answers).toEqual(['172.16.0.1']);
      }
      say('the secondaries serve what was changed');
    },
    withinMs,
  );

  it('were validated all the time', async () => {
    await expectAllAnswered(prober);
    say('done');
  });
});

/**
 * A zone that was imported once is synchronised again from its old primary, a real named, which went on meanwhile,
 * with its secondaries: they are then pointed here, and serve what is here, after the next changes too.
 */
import { expect, it } from 'vitest';
import { run } from '../support/command-line.ts';
import {
  askOnce,
  type MovableSecondary,
  movableKnotd,
  movableNamed,
  untilServed,
} from '../support/moving.ts';
import { patienceMs } from '../support/patience.ts';
import { needsPeers } from '../support/peers.ts';
import { startPrimary } from '../support/primaries.ts';
import { type RunningService, startService } from '../support/service.ts';
import { sendUpdate } from '../support/updaters.ts';

const zone = 'sync.example';
const text = [
  '$TTL 300',
  `@ IN SOA ns1.${zone}. hostmaster.${zone}. 10 300 60 3600000 60`,
  `@ IN NS ns1.${zone}.`,
  'ns1 IN A 192.0.2.53',
  'old IN A 192.0.2.1',
  'kept IN A 192.0.2.2',
  '',
].join('\n');

const change = (service: RunningService, name: string) =>
  service.must('POST', '/records', { zone_name: zone, name, type: 'A', value: '192.0.2.7' });

const serialOf = async (service: RunningService): Promise<number> =>
  (await service.must('GET', `/zones/${zone}`)).zone.serial;

/** Which of the names that ever were in the zone a server has. */
async function namesAt(port: number): Promise<string[]> {
  const all = ['old', 'kept', 'there-0', 'there-1', 'there-2'].concat(
    [0, 1, 2, 3, 4].flatMap((at) => [`here-${at}`, `later-${at}`]),
  );
  const answers = await Promise.all(
    all.map((name) => askOnce(port, `${name}.${zone}`, 'A', patienceMs)),
  );
  return all.filter((_, index) => answers[index]!.answers.length > 0);
}

needsPeers(
  'named',
  'knotd',
  'nsupdate',
)('the last synchronisation before a move', () => {
  it.each([
    [0, 14],
    [5, 16],
  ])('with %i changes here meanwhile goes on at %i', async (changesHere, serialThen) => {
    await using service = await startService({ ZONEBOOK_DNS_NOTIFY_TIMEOUT_SECS: '1' });
    await using stack = new AsyncDisposableStack();
    const primary = stack.use(await startPrimary('named', zone, text, { takesUpdates: true }));
    const secondaries: MovableSecondary[] = [
      await movableNamed([zone], primary.port),
      await movableKnotd([zone], primary.port),
    ];
    for (const { peer } of secondaries) stack.use(peer);
    const sync = async (...words: string[]) => {
      const server = ['--from-server', `127.0.0.1:${primary.port}`];
      const all = ['zone', 'import', zone, ...server, '--create', ...words];
      const { code, err } = await run(all, { dataDir: service.dataDir });
      expect([code, err]).toEqual([0, '']);
    };
    await sync();
    expect(await serialOf(service)).toBe(10);
    for (let at = 0; at < changesHere; at++) await change(service, `here-${at}`);

    const target = { port: primary.port, zone };
    const updates = [0, 1, 2].map((at) => `update add there-${at}.${zone} 300 A 192.0.2.3`);
    updates[0] += `\nupdate delete old.${zone} A`;
    for (const update of updates) {
      expect(await sendUpdate('nsupdate', target, update)).toBe('NOERROR');
    }
    for (const { peer } of secondaries) {
      await untilServed(peer.port, new Map([[zone, 13]]), patienceMs);
    }
    await sync('--mode', 'replace');
    expect(await serialOf(service)).toBe(serialThen);
    // Once more there is nothing to do.
    await sync('--mode', 'replace');
    expect(await serialOf(service)).toBe(serialThen);

    for (const [index, { peer, follow }] of secondaries.entries()) {
      follow(service.dnsPort);
      const address = `127.0.0.1:${peer.port}`;
      await service.must('POST', '/secondaries', { name: `ns${index}`, address });
    }
    // One that still reads its new configuration refuses it, and asks soon all the same.
    await service.call('POST', `/zones/${zone}/notify`);
    const kept = ['kept', 'there-0', 'there-1', 'there-2'];
    const expectAll = async (later: string[]) => {
      const serial = await serialOf(service);
      for (const { peer } of secondaries) {
        await untilServed(peer.port, new Map([[zone, serial]]), patienceMs);
        expect((await namesAt(peer.port)).sort()).toEqual([...kept, ...later].sort());
      }
    };
    await expectAll([]);
    const later: string[] = [];
    for (let at = 0; at < 3; at++) {
      later.push(`later-${at}`);
      await change(service, `later-${at}`);
      await expectAll(later);
    }
  });
});

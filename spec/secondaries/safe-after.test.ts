/**
 * When caches have let go of what changes replaced: not before the last answer that a resolver could have got has run
 * out, whatever changed since.
 */
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { EarlierTransfers } from '../../src/background/earlier-transfers.ts';
import type { SecondaryReach } from '../../src/background/propagation.ts';
import { limits } from '../../src/base/limits.ts';
import { InProcessService } from '../support/in-process.ts';

const day = 86_400;
const week = 7 * day;
const negative = 900;

/** A zone, and how many seconds after the latest change `safe_after` is. */
async function openZone() {
  const service = new InProcessService();
  onTestFinished(() => service.close());
  service.stopClock();
  const zone = await service.createZone('example.com', { minimum_ttl: negative });
  const safe = async () => {
    const { changed_at, safe_after } = await service.call('GET', '/zones/example.com/propagation');
    return (Date.parse(safe_after) - Date.parse(changed_at)) / 1000;
  };
  const set = (name: string, ttl: number, values: readonly string[], type = 'A') =>
    service.call('POST', '/changes', {
      zones: [{ name: 'example.com', set: [{ name, type, ttl, values }] }],
    });
  const describe = (description: string) =>
    service.call('PUT', '/zones/example.com', { description });
  const pass = (seconds: number) => service.pass(seconds * 1000);
  return { service, zone, safe, set, describe, pass };
}

it('knows the old TTL of an address whose TTL was lowered just before', async () => {
  const { safe, set, describe, pass } = await openZone();
  await set('www', day, ['192.0.2.1']);
  expect(await safe()).toBe(negative);
  pass(week);
  await set('www', 60, ['192.0.2.1']);
  expect(await safe()).toBe(day);
  pass(1);
  await set('www', 60, ['192.0.2.2']);
  expect(await safe()).toBe(day - 1);
  pass(1);
  await describe('of the shop');
  expect(await safe()).toBe(day - 2);
  pass(day);
  await set('www', 60, ['192.0.2.3']);
  expect(await safe()).toBe(60);
  pass(60);
  await describe('of nobody');
  expect(await safe()).toBe(0);
});

it('knows what of an RRset is held when a record comes to it or goes', async () => {
  const { safe, set, pass } = await openZone();
  await set('www', 300, ['192.0.2.1']);
  pass(week);
  await set('www', 300, ['192.0.2.1', '192.0.2.2']);
  expect(await safe()).toBe(300);
  pass(week);
  await set('www', 300, ['192.0.2.2']);
  expect(await safe()).toBe(300);
  pass(week);
  // The name was there without it: caches hold that it has none.
  await set('www', day, ['"x"'], 'TXT');
  expect(await safe()).toBe(negative);
});

it('counts what a wildcard gave for a name that stands by itself now', async () => {
  const { safe, set, pass } = await openZone();
  await set('*', day, ['192.0.2.9']);
  await set('*', 7200, ['"any"'], 'TXT');
  pass(week);
  await set('a.b', 60, ['192.0.2.1']);
  expect(await safe()).toBe(day);
  pass(week);
  // It stood by itself before.
  await set('a.b', 60, ['"own"'], 'TXT');
  expect(await safe()).toBe(negative);
  pass(week);
  // The wildcard comes after the name.
  await set('c', 60, ['192.0.2.1']);
  pass(negative);
  await set('*.c', day, ['192.0.2.1']);
  expect(await safe()).toBe(day);
});

it('counts a wildcard only from when it was there', async () => {
  const { safe, set, pass } = await openZone();
  await set('a', 60, ['192.0.2.1']);
  pass(1);
  await set('*', day, ['192.0.2.9']);
  expect(await safe()).toBe(negative);
});

it('counts what is above a wildcard that comes or goes by itself', async () => {
  const { service, safe, set, pass } = await openZone();
  await set('*', day, ['192.0.2.9']);
  pass(week);
  await set('*.dev', 60, ['192.0.2.1']);
  expect(await safe()).toBe(day);
  pass(week);
  const remove = [{ name: '*.dev' }];
  await service.call('POST', '/changes', { zones: [{ name: 'example.com', delete: remove }] });
  expect(await safe()).toBe(60);
  pass(1);
  await set('x.dev', 60, ['192.0.2.2']);
  expect(await safe()).toBe(day);
});

it('answers a zone whose only change was a wildcard below the first level', async () => {
  const { safe, set } = await openZone();
  await set('*.dev', day, ['192.0.2.1']);
  expect(await safe()).toBe(negative);
});

interface Change {
  readonly seconds: number;
  /** The TTLs that names get, null for those that go. */
  readonly ttls: readonly (readonly [owner: string, ttl: number | null])[];
}

/** What caches keep at most of what changes replaced, change by change. */
class Caches {
  readonly #ttls = new Map<string, number>();
  /** Seconds from now. */
  #left = 0;

  has = (owner: string) => this.#ttls.has(owner);

  change({ seconds, ttls }: Change): number {
    this.#left = Math.max(0, this.#left - seconds);
    const kept = ttls.map(([owner, ttl]) => {
      const old = this.#ttls.get(owner);
      if (old !== undefined || ttl === null) return old ?? 0;
      const labels = owner.split('.');
      const above = labels.map((_, at) => ['*', ...labels.slice(at + 1)].join('.'));
      return Math.max(negative, ...above.map((wildcard) => this.#ttls.get(wildcard) ?? 0));
    });
    for (const [owner, ttl] of ttls) {
      if (ttl === null) this.#ttls.delete(owner);
      else this.#ttls.set(owner, ttl);
    }
    this.#left = Math.max(this.#left, ...kept);
    return this.#left;
  }
}

it('is what caches keep that see each change, with wildcards at all depths', async () => {
  const owners = ['*', 'a', '*.a', 'b.a', '*.b.a', 'c.b.a', '*.c.b.a', 'd.c.b.a', '*.e', 'f.e'];
  const ttl = fc.option(fc.integer({ min: 60, max: 2 * day }), { freq: 3 });
  const change: fc.Arbitrary<Change> = fc.record({
    seconds: fc.nat(day),
    ttls: fc.uniqueArray(fc.tuple(fc.constantFrom(...owners), ttl), {
      minLength: 1,
      maxLength: 3,
      selector: ([owner]) => owner,
    }),
  });
  const { service, pass } = await openZone();
  let value = 0;
  let zones = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 8 }), async (changes) => {
      const name = `z${zones++}.example`;
      await service.createZone(name, { minimum_ttl: negative });
      const caches = new Caches();
      let expected = 0;
      for (const { seconds, ttls } of changes) {
        const some = ttls.filter(([owner, ttl]) => ttl !== null || caches.has(owner));
        if (some.length === 0) continue;
        pass(seconds);
        expected = caches.change({ seconds, ttls: some });
        const set = some.flatMap(([owner, ttl]) => {
          const values = [`192.0.2.${value++ % 256}`];
          return ttl === null ? [] : [{ name: owner, type: 'A', ttl, values }];
        });
        const gone = some.flatMap(([name, ttl]) => (ttl === null ? [{ name }] : []));
        await service.call('POST', '/changes', { zones: [{ name, set, delete: gone }] });
      }
      const { changed_at, safe_after } = await service.call('GET', `/zones/${name}/propagation`);
      expect((Date.parse(safe_after) - Date.parse(changed_at)) / 1000).toBe(expected);
    }),
    { numRuns: 40 },
  );
});

it('counts names that a new delegation hides, and not its own records', async () => {
  const { service, safe, set, pass } = await openZone();
  await set('www.sub', day, ['192.0.2.1']);
  pass(week);
  const ns = { name: 'sub', type: 'NS', ttl: 2 * day, values: ['ns.sub.example.com.'] };
  const glue = { name: 'ns.sub', type: 'A', ttl: 2 * day, values: ['192.0.2.53'] };
  await service.call('POST', '/changes', { zones: [{ name: 'example.com', set: [ns, glue] }] });
  expect(await safe()).toBe(day);
});

it('knows for how long it was kept that something is missing', async () => {
  const { service, safe, set, pass } = await openZone();
  await service.call('PUT', '/zones/example.com', { minimum_ttl: 60 });
  expect(await safe()).toBe(negative);
  pass(100);
  await set('www', day, ['192.0.2.1']);
  expect(await safe()).toBe(negative - 100);
  pass(negative - 100);
  await set('mail', day, ['192.0.2.1']);
  expect(await safe()).toBe(60);
});

it('takes a week where more changed than it looks at', async () => {
  const { service, safe, set, describe, pass } = await openZone();
  const lines = Array.from(
    { length: limits.replacedRecords + 1 },
    (_, at) => `n${at} 60 A 192.0.2.1`,
  );
  await service.call('POST', '/zones/example.com/import', { content: `${lines.join('\n')}\n` });
  expect(await safe()).toBe(week);
  pass(100);
  await describe('x');
  expect(await safe()).toBe(week - 100);
  pass(week);
  await set('www', 60, ['192.0.2.1']);
  expect(await safe()).toBe(negative);
});

it('takes a week after a zone got another name, and nothing of a zone that is new', async () => {
  const { service, safe } = await openZone();
  expect(await safe()).toBe(0);
  await service.createZone('example.net');
  await service.call('PUT', '/zones/example.net', { name: 'example.org' });
  const { at, safe_after } = await service.call('GET', '/zones/example.org/propagation');
  expect(Date.parse(safe_after) - Date.parse(at)).toBe(week * 1000);
});

it('counts a change from when the secondaries served it', async () => {
  const { service, set, describe, pass } = await openZone();
  const reach = (name: string, transfers: SecondaryReach['transfers']): SecondaryReach => {
    const how = { isReached: true, how: 'transfer', since: null, error: null } as const;
    return { name, address: name, visibleSerial: 9, seenAt: service.now(), transfers, ...how };
  };
  await set('www', day, ['192.0.2.1']);
  pass(week);
  await set('www', 60, ['192.0.2.2']);
  const serial = await service.serialOf('example.com');
  pass(5);
  const early = { serial, at: service.now() };
  pass(5);
  const late = { serial, at: service.now() };
  pass(3600);
  await describe('x');
  const safe = async () =>
    Date.parse((await service.call('GET', '/zones/example.com/propagation')).safe_after);
  service.reached = [reach('a', [[early]]), reach('b', [[late]])];
  expect(await safe()).toBe(late.at + day * 1000);
  // What was transferred before the change is no transfer of it.
  const older = { serial: serial + 100, at: early.at - 6000 };
  service.reached = [reach('a', [[older, early]])];
  expect(await safe()).toBe(early.at + day * 1000);
  service.reached = [reach('a', [[early]]), reach('b', [])];
  expect(await safe()).toBe(service.now() + day * 1000);
  // A secondary of several addresses may be several hosts.
  service.reached = [
    reach('a', [
      [older, early],
      [older, late],
    ]),
  ];
  expect(await safe()).toBe(late.at + day * 1000);
  service.reached = [reach('a', [[early], [older]])];
  expect(await safe()).toBe(service.now() + day * 1000);
});

it('remembers transfers that are far apart', () => {
  const transfers = new EarlierTransfers();
  const of = { zoneName: 'example.com', address: '192.0.2.53' };
  const note = (serial: number | null, at: number) =>
    transfers.note({ ...of, at, serial, result: serial === null ? 'failed' : 'ok' });
  note(1, 1000);
  note(null, 1500);
  for (let serial = 2; serial <= 100; serial++) note(serial, 100_000 + serial);
  const kept = transfers.of(of);
  expect(kept).toHaveLength(16);
  expect(kept[0]).toEqual({ serial: 1, at: 1000 });
  expect(kept.at(-1)).toEqual({ serial: 100, at: 100_100 });
  expect(transfers.of({ ...of, zoneName: 'example.net' })).toEqual([]);
});

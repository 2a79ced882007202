/** What secondaries that are late mean for a roll, by a clock that the test sets. */
import { beforeEach, expect, it } from 'vitest';
import { fakeKey } from '../../spec/support/fake-dnssec.ts';
import { Law } from '../../spec/support/memory-state.ts';
import type { MadeKey } from './signing.ts';

const zoneName = 'example.com';
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const largestTtl = 3600;

/** Another with each id. */
function keyOf(id: number, algorithm: number, role: MadeKey['role'] = 'csk'): MadeKey {
  const dnskey = Buffer.from(fakeKey.dnskey);
  dnskey[3] = algorithm;
  dnskey[4] = id;
  return { id, algorithm, role, dnskey, privateKey: Buffer.alloc(0) };
}

let law: Law;
beforeEach(() => {
  law = new Law();
  law.zone(zoneName, { defaultTtl: largestTtl, refresh: 300 });
  law.given({ kind: 'ensure-default-policy' });
  law.given({ kind: 'create-policy', name: 'ed', algorithm: 'ed25519' });
  const parentNsAddrs = ['192.0.2.1'];
  law.given({ kind: 'enable-signing', zoneName, parentNsAddrs, keys: [keyOf(1, 13)], largestTtl });
});

const serial = () => law.state.zoneByName(zoneName)!.serial;
const saying = (said: number) => [{ name: 'ns', address: '192.0.2.9:53', serial: said }];
/** The published key once the secondary has said that it has this serial. */
function publishedAfter(said: number) {
  const { signing } = law.given({ kind: 'note-secondaries', zoneName, secondaries: saying(said) });
  return signing.keys.find(({ state }) => state === 'published')!;
}

it('no parent hears of a new algorithm before caches have its signatures of a secondary that was late', () => {
  const old = serial();
  law.given({
    kind: 'configure-signing',
    ...{ zoneName, policyName: 'ed', keys: [keyOf(2, 15)], largestTtl },
    secondaries: saying(old),
  });
  for (let hour = 0; hour < 5; hour++) {
    const { cdsFrom, dsFrom } = publishedAfter(old);
    // A change of a record brings CDS in that are due, also between two looks.
    expect(Math.min(cdsFrom!, dsFrom!) - law.now).toBeGreaterThanOrEqual(hourMs);
    law.now += hourMs / 2;
  }
  const { eligibleAt, cdsFrom, dsFrom } = publishedAfter(serial());
  expect([cdsFrom, dsFrom]).toEqual([eligibleAt, eligibleAt]);
  expect(eligibleAt! - law.now).toBeGreaterThanOrEqual(hourMs);
});

it('a KSK of a new algorithm waits after a late secondary for all that its ZSK signs', () => {
  const pairOf = (id: number, algorithm: number) => [
    keyOf(id, algorithm, 'ksk'),
    keyOf(id + 1, algorithm, 'zsk'),
  ];
  law.given({ kind: 'create-policy', name: 'pair', splitKeys: true });
  law.given({ kind: 'create-policy', name: 'ed-pair', splitKeys: true, algorithm: 'ed25519' });
  const enable = { kind: 'enable-signing', zoneName, parentNsAddrs: ['192.0.2.1'] } as const;
  const keys = pairOf(1, 13);
  law.given({ ...enable, keys, policyName: 'pair', replaces: true, largestTtl: 10 * largestTtl });
  const old = serial();
  law.given({
    kind: 'configure-signing',
    ...{ zoneName, policyName: 'ed-pair', keys: pairOf(3, 15), secondaries: saying(old) },
  });
  publishedAfter(old);
  law.now += 100 * hourMs;
  const { role, eligibleAt, cdsFrom, dsFrom } = publishedAfter(serial());
  const end = law.now + 10 * hourMs;
  expect([role, eligibleAt, cdsFrom, dsFrom]).toEqual(['ksk', end, end, end]);
});

it('caches get their time after a late secondary, also where the refresh was raised meanwhile', () => {
  const old = serial();
  law.given({
    kind: 'start-key-roll',
    ...{ zoneName, role: null, keys: [keyOf(2, 13)], largestTtl },
    secondaries: saying(old),
  });
  law.given({ kind: 'update-zone', zoneName, refresh: 86_400 });
  law.now += hourMs;
  const { eligibleAt } = publishedAfter(serial());
  expect(eligibleAt).toBe(law.now + hourMs);
});

it('a secondary of a zone that was taken back may serve what it had for its expire from then', () => {
  const old = serial();
  law.given({
    kind: 'start-key-roll',
    ...{ zoneName, role: null, keys: [keyOf(2, 13)], largestTtl },
    secondaries: saying(old),
  });
  law.now += 100 * dayMs;
  law.given({ kind: 'recover-zone', zoneName, jump: 65_536 });
  law.now += dayMs;
  const silent = [{ name: 'ns', address: '192.0.2.9:53', failure: 'no answer' }];
  const promote = {
    kind: 'promote-keys',
    ...{ zoneName, answers: [], secondaries: silent, largestTtl },
    ...{ skipDsCheck: true, skipHolddown: false, skipSecondaries: false },
  } as const;
  expect(law.refusal(promote)).toMatch(
    /^DNSSEC_SECONDARY_BEHIND secondary 'ns' .* does not answer/,
  );
  law.now += 50 * dayMs;
  expect(law.refusal(promote)).toBe('not refused');
});

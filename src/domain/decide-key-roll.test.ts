/** What secondaries that are late mean for a roll, by a clock that the test sets. */
import { beforeEach, expect, it } from 'vitest';
import { fakeKey } from '../../spec/support/fake-dnssec.ts';
import { Law } from '../../spec/support/memory-state.ts';
import { parseAbsoluteName } from '../dns/name.ts';
import { dsRdata } from '../dnssec/dnskey.ts';
import type { ParentsSaid } from '../dnssec/parent-ds.ts';
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
    ...{ zoneName, said: null, secondaries: silent, largestTtl },
    ...{ skipDsCheck: true, skipHolddown: false, skipSecondaries: false },
  } as const;
  expect(law.refusal(promote)).toMatch(
    /^DNSSEC_SECONDARY_BEHIND secondary 'ns' .* does not answer/,
  );
  law.now += 50 * dayMs;
  expect(law.refusal(promote)).toBe('not refused');
});

/** What the parent said of the DS of keys, or of none: just now, and as the servers of the zone. */
function said(...keys: readonly MadeKey[]): ParentsSaid {
  const ds = keys.map(({ dnskey }) => dsRdata(parseAbsoluteName(zoneName), dnskey));
  const answers = [{ address: '192.0.2.1:53', ds, ttlSeconds: 900 }];
  return { answers, servers: ['192.0.2.1:53'], askedAt: law.now };
}

const roll = () =>
  law.given({ kind: 'start-key-roll', zoneName, role: null, keys: [keyOf(2, 13)], largestTtl });
const stored = () => law.state.signing(law.state.zoneByName(zoneName)!.id)!;

it('a promotion goes by what the servers of the zone said within a minute, and by no silence', () => {
  roll();
  law.now += 10 * dayMs;
  const promote = {
    kind: 'promote-keys',
    ...{ zoneName, secondaries: [], largestTtl },
    ...{ skipDsCheck: false, skipHolddown: false, skipSecondaries: false },
  } as const;
  const now = said(keyOf(2, 13));
  expect(law.refusal({ ...promote, said: null })).toMatch(/^DNSSEC_DS_UNVERIFIED .* was not asked/);
  expect(law.refusal({ ...promote, said: { ...now, servers: ['192.0.2.7:53'] } })).toMatch(
    /^DNSSEC_DS_UNVERIFIED .* had other servers/,
  );
  for (const ms of [-61_000, 61_000]) {
    expect(law.refusal({ ...promote, said: { ...now, askedAt: law.now + ms } })).toMatch(
      /^DNSSEC_DS_UNVERIFIED .* 61 s ago/,
    );
  }
  expect(law.refusal({ ...promote, said: now, secondaries: null })).toMatch(
    /^DNSSEC_SECONDARY_BEHIND the secondaries were not asked/,
  );
  expect(law.refusal({ ...promote, said: now })).toBe('not refused');
});

it('an abort of keys that a DS may name is refused where the parent was not asked', () => {
  roll();
  const abort = { kind: 'abort-roll', zoneName, role: null, skipDsCheck: false } as const;
  expect(law.refusal({ ...abort, said: null })).toMatch(/^DNSSEC_DS_UNVERIFIED/);
  expect(law.refusal({ ...abort, said: said() })).toBe('not refused');
});

it('nothing is recorded of servers that the parent has no more', () => {
  const before = stored();
  const seen = said(keyOf(1, 13));
  law.given({ kind: 'note-parents', zoneName, said: { ...seen, servers: ['192.0.2.7:53'] } });
  expect(stored()).toBe(before);
  law.given({ kind: 'note-parents', zoneName, said: seen });
  expect(stored().dsSeen).toMatchObject({ ttlSeconds: 900 });
});

it('keys go that are meant, and none that a DS may name where the parent was not asked', () => {
  roll();
  law.now += 10 * dayMs;
  const how = { skipDsCheck: true, skipHolddown: false, skipSecondaries: true } as const;
  law.given({ kind: 'promote-keys', zoneName, said: null, secondaries: null, ...how });
  law.now += 10 * dayMs;
  const remove = { kind: 'remove-keys', zoneName, secondaries: [] } as const;
  const tags = () => stored().keys.map(({ id }) => id);
  law.given({ ...remove, keyIds: [1], said: null });
  law.given({ ...remove, keyIds: [7], said: said(keyOf(2, 13)) });
  expect(tags()).toEqual([1, 2]);
  law.given({ ...remove, keyIds: [1], said: said(keyOf(2, 13)) });
  expect(tags()).toEqual([2]);
});

it('a TTL that was raised after the zone was looked at is not forgotten', () => {
  const scanned = serial();
  const long = 7 * 86_400;
  const rolled = (id: number, given: { largestTtl: number; scannedSerial?: number }) => {
    const keys = [keyOf(id, 13)];
    const { signing } = law.given({ kind: 'start-key-roll', zoneName, role: null, keys, ...given });
    law.given({ kind: 'abort-roll', zoneName, role: null, skipDsCheck: true, said: null });
    return signing.largestTtls.find(({ servedUntil }) => servedUntil === null)?.ttlSeconds;
  };
  expect(rolled(2, { largestTtl: long })).toBe(long);
  expect(rolled(3, { largestTtl, scannedSerial: scanned })).toBe(long);
  expect(rolled(4, { largestTtl, scannedSerial: serial() })).toBe(largestTtl);
});

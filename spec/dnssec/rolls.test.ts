/**
 * The life of a zone's keys as other programs judge every serial of it: enable, rolls of each kind,
 * a change of algorithm, withdrawal, a change of the way to deny (cases 78, 80, 81 and 82).
 */
import { expect, it } from 'vitest';
import { emptyName } from '../../src/dns/name.ts';
import { printRdata } from '../../src/dns/rdata/rdata.ts';
import { rrtype } from '../../src/dns/rrtype.ts';
import {
  enableKeys,
  keysToAbort,
  promote,
  removableKeys,
  removeKeys,
  startAlgorithmRoll,
  startRoll,
} from '../../src/dnssec/key-roll.ts';
import type { WaitFacts } from '../../src/dnssec/key-timing.ts';
import type { KeyTerms, ZoneKey } from '../../src/dnssec/zone-key.ts';
import { needsPeers } from '../support/peers.ts';
import {
  exampleApex,
  MemoryZone,
  makeKey,
  mustSignWhole,
  recordsOf,
  signAll,
  signStep,
  type TestKey,
  type TestTerms,
} from '../support/signed-zone.ts';
import { complaints, verifiers } from '../support/zone-verifiers.ts';

const facts: WaitFacts = {
  dnskeyTtlSeconds: 3600,
  largestTtlSeconds: 3600,
  soaRefreshSeconds: 300,
  parentDsTtlSeconds: 3600,
};
const records = `
  @ NS ns.other.test.
  a.b A 192.0.2.1
  * TXT "x"
  sub NS ns.other.test.
  sub DS 1 13 2 ${'AB'.repeat(32)}
  c A 192.0.2.2`;

/** A zone on its way: each step is a serial, signed as the program would, and judged. */
class Journey {
  readonly zone = new MemoryZone(recordsOf(records));
  keys: TestKey[] = [];
  terms: TestTerms;
  /** Time as the keys see it; signatures are all of the present, which is all BIND can judge. */
  time = Date.now();
  signedBefore = false;

  constructor(denial: 'nsec' | 'nsec3') {
    this.terms = { apex: exampleApex, serial: 0, keys: [], denial, now: Date.now() };
  }

  async add(terms: readonly KeyTerms[]): Promise<void> {
    for (const each of terms) {
      const made = await makeKey(each.algorithm, each.role, each.state, this.keys);
      this.keys.push({ ...made, ...each });
    }
  }

  keep(keys: readonly ZoneKey[]): void {
    const pairOf = new Map(this.keys.map((key) => [key.id, key.pair]));
    this.keys = keys.map((key) => ({ ...key, pair: pairOf.get(key.id)! }));
  }

  /** Publishes the next serial: by itself where that suffices, else with a whole pass. */
  async step(changes: Partial<TestTerms> = {}): Promise<void> {
    const { keys, time: planNow } = this;
    this.terms = { ...this.terms, ...changes, serial: this.terms.serial + 1, keys, planNow };
    if (!this.signedBefore || mustSignWhole(this.zone, this.terms)) signAll(this.zone, this.terms);
    else signStep(this.zone, this.terms, { removed: [], added: [] });
    this.signedBefore = true;
    expect(await complaints(this.zone, this.terms)).toEqual([]);
  }

  wait(until: number | null): void {
    this.time = until ?? this.time + 86_400_000;
  }

  apex(type: number): string[] {
    return this.zone
      .dnssec(emptyName)
      .filter((record) => record.type === type)
      .map((record) => printRdata(type, record.rdata));
  }

  async promoteAndClear(): Promise<void> {
    this.wait(Math.max(...this.keys.map((key) => key.eligibleAt ?? 0)));
    await this.step();
    this.keep(promote(this.keys, facts, this.time));
    await this.step();
    this.wait(Math.max(...this.keys.map((key) => key.eligibleAt ?? 0)));
    for (const group of removableKeys(this.keys, this.time)) {
      this.keep(removeKeys(this.keys, group));
    }
    await this.step();
    expect(this.keys.every((key) => key.state === 'active')).toBe(true);
  }
}

needsPeers(...verifiers)('keys through the eyes of verifiers', () => {
  it.each([
    ['nsec', false],
    ['nsec3', true],
  ] as const)('case 82: every serial holds (%s, split %s)', async (denial, splitKeys) => {
    const journey = new Journey(denial);
    const ring = () => ({ zoneName: 'example.test', apex: exampleApex, keys: journey.keys });
    await journey.add(enableKeys({ algorithm: 13, splitKeys }, facts, journey.time));
    await journey.step();
    expect(journey.apex(rrtype.CDS)).toEqual([]);
    journey.wait(null);
    await journey.step();
    expect(journey.apex(rrtype.CDS)).toHaveLength(1);

    for (const role of splitKeys ? ['zsk', 'ksk'] : ['csk']) {
      await journey.add(startRoll(ring(), role, facts, journey.time));
      await journey.step();
      expect(journey.apex(rrtype.CDS)).toHaveLength(role === 'zsk' ? 1 : 2);
      await journey.promoteAndClear();
    }

    for (const algorithm of [15, 8, 14]) {
      await journey.add(startAlgorithmRoll(ring(), algorithm, facts, journey.time));
      await journey.step();
      expect(journey.apex(rrtype.CDNSKEY)).toHaveLength(1);
      await journey.promoteAndClear();
      expect(journey.apex(rrtype.DNSKEY)).toHaveLength(splitKeys ? 2 : 1);
    }

    await journey.step({ withdrawing: true });
    expect(journey.apex(rrtype.CDS)).toEqual(['0 0 0 00']);
    expect(journey.apex(rrtype.CDNSKEY)).toEqual(['0 3 0 AA==']);
    await journey.step({ withdrawing: false });
    expect(journey.apex(rrtype.CDS)).toHaveLength(1);
    await journey.step({ denial: denial === 'nsec' ? 'nsec3' : 'nsec' });
    await journey.step({ denial });
    await journey.step({ minimum: 60 });
    await journey.step({ soaTtl: 7200 });
    await journey.step({ reuse: false });
  });

  it('case 107: every serial holds where rolls are aborted', async () => {
    const journey = new Journey('nsec3');
    const ring = () => ({ zoneName: 'example.test', apex: exampleApex, keys: journey.keys });
    await journey.add(enableKeys({ algorithm: 13, splitKeys: true }, facts, journey.time));
    await journey.step();
    journey.wait(null);
    await journey.step();
    const abort = async () => {
      journey.keep(removeKeys(journey.keys, keysToAbort(ring(), null)));
      await journey.step();
    };
    await journey.add(startRoll(ring(), 'ksk', facts, journey.time));
    await journey.step();
    await journey.add(startRoll(ring(), 'zsk', facts, journey.time));
    await journey.step();
    expect(journey.apex(rrtype.DNSKEY)).toHaveLength(4);
    await abort();
    await abort();
    for (const waited of [false, true]) {
      await journey.add(startAlgorithmRoll(ring(), 15, facts, journey.time));
      await journey.step();
      if (waited) {
        journey.wait(Math.max(...journey.keys.map((key) => key.eligibleAt ?? 0)));
        await journey.step();
        expect(journey.apex(rrtype.CDS)).toHaveLength(2);
      }
      await abort();
      expect(journey.apex(rrtype.DNSKEY)).toHaveLength(2);
      expect(journey.apex(rrtype.CDS)).toHaveLength(1);
    }
  });

  it('are not satisfied by a zone with something amiss', async () => {
    const journey = new Journey('nsec3');
    await journey.add(enableKeys({ algorithm: 13, splitKeys: true }, facts, journey.time));
    await journey.step();
    for (const type of [rrtype.NSEC3, rrtype.RRSIG, rrtype.DNSKEY]) {
      const broken = new MemoryZone([...journey.zone.records()]);
      const victims = [...broken.dnssecRecords()].filter((record) => record.type === type);
      broken.remove([victims.at(-1)!]);
      expect((await complaints(broken, journey.terms)).length).toBeGreaterThan(0);
    }
  });
});

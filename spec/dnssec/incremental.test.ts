/**
 * Signing a step gives what signing the whole zone again would give, but for signatures that are kept
 * (cases 17, 72, 73, 74 and 79), and costs what the step costs.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { emptyName, type NameKey, parseAbsoluteName } from '../../src/dns/name.ts';
import type { ResourceRecord } from '../../src/dns/record.ts';
import { rrtype } from '../../src/dns/rrtype.ts';
import { readSignature } from '../../src/dnssec/rrsig.ts';
import { isLong } from '../support/long.ts';
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
import { diceOf, randomChange } from '../support/zone-changes.ts';

const now = Date.UTC(2026, 3, 1);
const runs = isLong ? 40 : 4;
const server = '@ NS ns.other.test.';
let keys: TestKey[];
let otherKey: TestKey;

beforeAll(async () => {
  keys = [await makeKey(15, 'csk')];
  otherKey = await makeKey(15, 'csk', 'active', keys);
});

function termsFor(denial: 'nsec' | 'nsec3'): TestTerms {
  return { apex: exampleApex, serial: 1, keys, denial, now };
}

/** Derived records with what signatures say instead of the signatures themselves. */
function meaning(records: Iterable<ResourceRecord>): string[] {
  return [...records].map(({ owner, type, ttl, rdata }) => {
    if (type !== rrtype.RRSIG) return `${owner} ${type} ${ttl} ${rdata.toString('hex')}`;
    const { typeCovered, algorithm, labels, originalTtl, keyTag } = readSignature(rdata);
    return `${owner} RRSIG ${ttl} ${[typeCovered, algorithm, labels, originalTtl, keyTag]}`;
  });
}

describe.each(['nsec', 'nsec3'] as const)('invariant 13: steps of a zone with %s', (denial) => {
  it.each(Array.from({ length: runs }, (_, run) => run))('equal the whole, run %i', (run) => {
    const dice = diceOf(1000 + run);
    const zone = new MemoryZone(recordsOf(server));
    let terms = termsFor(denial);
    signAll(zone, terms);
    for (let step = 0; step < 60; step++) {
      terms = { ...terms, serial: terms.serial + 1, now: terms.now + dice(1000) };
      signStep(zone, terms, randomChange(zone, dice, { hidesBelowDname: true }));
      const fresh = new MemoryZone(zone.userRecords());
      signAll(fresh, terms);
      expect({ step, found: meaning(zone.dnssecRecords()) }).toEqual({
        step,
        found: meaning(fresh.dnssecRecords()),
      });
    }
    // Every signature that was kept on the way is still the one of its RRset: a whole pass that may
    // use them again finds nothing to do but the SOA.
    const before = new Set(meaningOfAll(zone));
    const pass = signAll(zone, { ...terms, serial: terms.serial + 1 });
    expect(pass.audit.made).toBe(1);
    expect(meaningOfAll(zone).filter((each) => !before.has(each))).toHaveLength(1);
  });

  it('case 17: a delegation above data and away again leaves everything as it was', () => {
    const zone = new MemoryZone(
      recordsOf(`${server}\na.b.sub A 192.0.2.1\nsub A 192.0.2.2\nx.sub TXT "x"`),
    );
    let terms = termsFor(denial);
    signAll(zone, terms);
    const before = meaning(zone.dnssecRecords());
    const delegation = recordsOf('sub NS ns.other.test.');
    terms = { ...terms, serial: 2 };
    signStep(zone, terms, { removed: [], added: delegation });
    const below = parseAbsoluteName('x.sub');
    expect(zone.dnssec(below)).toEqual([]);
    terms = { ...terms, serial: 3 };
    signStep(zone, terms, { removed: delegation, added: [] });
    expect(meaning(zone.dnssecRecords())).toEqual(before);
  });

  it('one record costs a handful of signatures, whatever the size of the zone', () => {
    const hosts = Array.from({ length: 500 }, (_, at) => `h${at} A 192.0.2.1`).join('\n');
    const zone = new MemoryZone(recordsOf(`${server}\n${hosts}`));
    signAll(zone, termsFor(denial));
    const step = (serial: number, removed: string, added: string) => {
      const change = { removed: recordsOf(removed), added: recordsOf(added) };
      return signStep(zone, { ...termsFor(denial), serial }, change);
    };
    // SOA, the RRset, its own denial and the one before it.
    expect(step(2, '', 'new A 192.0.2.2').signatures).toBe(4);
    // SOA and the RRset: the bitmap stays.
    expect(step(3, 'new A 192.0.2.2', 'new A 192.0.2.3').signatures).toBe(2);
    // SOA and the denial that closes the gap.
    expect(step(4, 'new A 192.0.2.3', '').signatures).toBe(2);
    // SOA alone.
    expect(step(5, '', '').signatures).toBe(1);
  });

  it('a step that changes nothing else renews only what runs out', () => {
    const zone = new MemoryZone(recordsOf(`${server}\nw A 192.0.2.1`));
    signAll(zone, termsFor(denial));
    const revisit = [...zone.records()].map((record) => record.owner);
    const at = (days: number) => ({ ...termsFor(denial), serial: 2, now: now + days * 86_400_000 });
    const renewed = (days: number) => {
      const copy = new MemoryZone([...zone.records()]);
      return signStep(copy, at(days), { removed: [], added: [], revisit }).signatures;
    };
    const all = [...zone.records()].filter((record) => record.type === rrtype.RRSIG).length;
    expect(renewed(4)).toBe(1);
    expect(renewed(9)).toBe(all);
    // Each owner alone: all signatures that stand there are renewed, those of hashed owners too.
    for (const owner of new Set(revisit)) {
      const copy = new MemoryZone([...zone.records()]);
      const { dnssecRemoved } = signStep(copy, at(9), {
        removed: [],
        added: [],
        revisit: [owner],
      });
      const here = (records: readonly ResourceRecord[]) =>
        records.filter((record) => record.type === rrtype.RRSIG && record.owner === owner);
      expect(here(dnssecRemoved)).toEqual(here(zone.dnssec(owner)));
    }
  });
});

describe('steps that need the whole zone', () => {
  const zone = () => {
    const signed = new MemoryZone(recordsOf(`${server}\nw A 192.0.2.1`));
    signAll(signed, termsFor('nsec3'));
    return signed;
  };

  it.each<[string, () => Partial<TestTerms>]>([
    ['another key', () => ({ keys: [otherKey] })],
    ['one more signing key', () => ({ keys: [...keys, otherKey] })],
    ['another way to deny', () => ({ denial: 'nsec' })],
    ['another TTL of denial', () => ({ minimum: 60 })],
  ])('are those with %s', (_, change) => {
    expect(mustSignWhole(zone(), termsFor('nsec3'))).toBe(false);
    expect(mustSignWhole(zone(), { ...termsFor('nsec3'), ...change() })).toBe(true);
  });

  it('a whole pass leaves nothing of the other way to deny (case 78)', () => {
    const changed = zone();
    signAll(changed, { ...termsFor('nsec'), serial: 2 });
    const fresh = new MemoryZone(changed.userRecords());
    signAll(fresh, termsFor('nsec'));
    expect(meaning(changed.dnssecRecords())).toEqual(meaning(fresh.dnssecRecords()));
    signAll(changed, { ...termsFor('nsec3'), serial: 3 });
    const parameters = changed.dnssec(emptyName).filter((each) => each.type === rrtype.NSEC3PARAM);
    expect(parameters.map((record) => record.rdata.toString('hex'))).toEqual(['0100000000']);
  });

  it('a whole pass signs anew what a step changes, and everything when asked to', () => {
    const changed = zone();
    const owner = parseAbsoluteName('w') as NameKey;
    changed.remove(recordsOf('w A 192.0.2.1'));
    changed.add(recordsOf('w A 192.0.2.9'));
    const pass = signAll(changed, { ...termsFor('nsec3'), serial: 2 }, (name) => name === owner);
    expect(pass.audit.made).toBe(2);
    const signatures = [...changed.records()].filter((record) => record.type === rrtype.RRSIG);
    const again = signAll(changed, { ...termsFor('nsec3'), serial: 3, reuse: false });
    expect(again.audit.made).toBe(signatures.length);
  });
});

function meaningOfAll(zone: MemoryZone): string[] {
  return [...zone.records()].map(
    ({ owner, type, rdata }) => `${owner} ${type} ${rdata.toString('hex')}`,
  );
}

/** Empty non-terminals: names that hold nothing themselves, above names that do (RFC 5155 7.1). */
import { beforeAll, expect, it } from 'vitest';
import {
  exampleApex,
  makeKey,
  MemoryZone,
  recordsOf,
  signAll,
  signStep,
  type TestTerms,
} from '../../spec/support/signed-zone.ts';
import { emptyName, parseAbsoluteName } from '../dns/name.ts';
import { rrtype } from '../dns/rrtype.ts';
import { denialOf } from './denial.ts';
import { ChangedZone } from './zone-view.ts';

let terms: TestTerms;

beforeAll(async () => {
  const keys = [await makeKey(15, 'csk')];
  const now = Date.UTC(2026, 3, 1);
  terms = { apex: exampleApex, serial: 1, keys, denial: 'nsec3', now };
});

const names = ['@', 'c', 'b.c', 'a.b.c', 'd.b.c', 'x.c'];

/** Those of the names above that the chain of NSEC3 lists. */
function listed(zone: MemoryZone): string[] {
  const denial = denialOf('nsec3', exampleApex);
  return names.filter((name) => {
    const owner = denial.ownerFor(name === '@' ? emptyName : parseAbsoluteName(name));
    return zone.dnssec(owner).some(({ type }) => type === rrtype.NSEC3);
  });
}

it('RFC 5155 7.1: names above records that a step adds join the chain, and leave with the last of them', () => {
  const zone = new MemoryZone(recordsOf('@ NS ns.other.test.'));
  signAll(zone, terms);
  expect(listed(zone)).toEqual(['@']);
  const step = (removed: string, added: string) => {
    terms = { ...terms, serial: terms.serial + 1 };
    signStep(zone, terms, { removed: recordsOf(removed), added: recordsOf(added) });
    return listed(zone);
  };
  expect(step('', 'a.b.c A 192.0.2.1\nd.b.c A 192.0.2.2')).toEqual([
    '@',
    'c',
    'b.c',
    'a.b.c',
    'd.b.c',
  ]);
  expect(step('a.b.c A 192.0.2.1', '')).toEqual(['@', 'c', 'b.c', 'd.b.c']);
  // All below `c` goes, and something else comes there in the same step.
  expect(step('d.b.c A 192.0.2.2', 'x.c A 192.0.2.3')).toEqual(['@', 'c', 'x.c']);
  expect(step('x.c A 192.0.2.3', '')).toEqual(['@']);
});

it('something stands below a name by what is stored, and by what a step adds and takes', () => {
  const zone = new MemoryZone(recordsOf('@ NS ns.other.test.\na.b.c A 192.0.2.1'));
  const hasBelow = (removed: string, added: string, name: string) =>
    new ChangedZone(zone, { removed: recordsOf(removed), added: recordsOf(added) }).hasBelow(
      parseAbsoluteName(name),
    );
  expect(hasBelow('', '', 'c')).toBe(true);
  expect(hasBelow('', '', 'a.b.c')).toBe(false);
  expect(hasBelow('', '', 'y')).toBe(false);
  expect(hasBelow('a.b.c A 192.0.2.1', '', 'b.c')).toBe(false);
  expect(hasBelow('a.b.c A 192.0.2.1', 'x.c A 192.0.2.2', 'b.c')).toBe(false);
  expect(hasBelow('a.b.c A 192.0.2.1', 'x.c A 192.0.2.2', 'c')).toBe(true);
  for (const name of ['y', 'x.y', 'w.x.y']) {
    expect(hasBelow('', 'v.w.x.y A 192.0.2.3\nu.w.x.y A 192.0.2.4', name)).toBe(true);
  }
  expect(hasBelow('', 'v.w.x.y A 192.0.2.3', 'v.w.x.y')).toBe(false);
});

/** Owners of NSEC3 that come and go in one commit. */
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openStoredZones, type StoredZones } from '../../spec/support/stored-zones.ts';
import { keyFromLabels } from '../dns/name.ts';
import type { ResourceRecord } from '../dns/record.ts';
import { rrtype } from '../dns/rrtype.ts';
import { Nsec3Owners } from './nsec3-owners.ts';

let stored: StoredZones;
let owners: Nsec3Owners;

beforeEach(() => {
  stored = openStoredZones({ durable: false });
  owners = new Nsec3Owners(stored.connection);
});
afterEach(() => stored.close());

const keyOf = (name: string) => keyFromLabels([name]);

function recordsAt(names: string): ResourceRecord[] {
  return [...names].map((name) => {
    return { owner: keyOf(name), type: rrtype.NSEC3, ttl: 1, rdata: Buffer.alloc(0) };
  });
}

function apply(removed: string, added: string): void {
  owners.apply(() => 1, recordsAt(removed), recordsAt(added));
}

/** The owner before each of these, and before the end. */
function before(...names: string[]): (string | undefined)[] {
  const keys = [...names.map(keyOf), undefined];
  return keys.map((key) => owners.before(1, key)?.replace('\0', ''));
}

it('are found at once where they are written at once', () => {
  apply('', 'bdf');
  apply('d', 'c');
  expect(before('b', 'd', 'f')).toEqual([undefined, 'c', 'c', 'f']);
});

it('are passed over when they are gone, however many', () => {
  apply('', 'abcdef');
  apply('f', '');
  expect(before('f')).toEqual(['e', 'e']);
  apply('cde', '');
  expect(before('c', 'd', 'f')).toEqual(['b', 'b', 'b', 'b']);
  apply('ab', '');
  expect(before('c')).toEqual([undefined, undefined]);
});

it('are what the latest change made of them', () => {
  apply('', 'ac');
  apply('c', 'b');
  expect(before('b', 'd')).toEqual(['a', 'b', 'b']);
  apply('b', 'c');
  expect(before('c', 'd')).toEqual(['a', 'c', 'c']);
  apply('c', 'b');
  expect(before('c', 'd')).toEqual(['b', 'b', 'b']);
});

it('are those of a sorted list, whatever comes and goes beside another zone', () => {
  const letters = [...'abcdef'];
  const toggled = fc.uniqueArray(fc.constantFrom(...letters));
  fc.assert(
    fc.property(fc.array(toggled), toggled, (steps, others) => {
      stored.connection.prepare('DELETE FROM nsec3_owner').run();
      for (const generation of [0, 2]) {
        owners.apply(() => generation, [], recordsAt(others.join('')));
      }
      let now: string[] = [];
      for (const step of steps) {
        const removed = now.filter((letter) => step.includes(letter));
        const added = step.filter((letter) => !now.includes(letter));
        apply(removed.join(''), added.join(''));
        now = [...now.filter((letter) => !removed.includes(letter)), ...added].sort();
        const expected = letters.map((letter) => now.findLast((each) => each < letter));
        expect(before(...letters)).toEqual([...expected, now.at(-1)]);
      }
    }),
    { numRuns: 100 },
  );
});

/** Owners of NSEC3 that come and go while what was written before may not be on disk. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openStoredZones, type StoredZones } from '../../spec/support/stored-zones.ts';
import { keyFromLabels } from '../dns/name.ts';
import type { ResourceRecord } from '../dns/record.ts';
import { rrtype } from '../dns/rrtype.ts';
import { WriteLog } from '../journal/write-log.ts';
import { Writes } from '../journal/writes.ts';
import { Nsec3Owners } from './nsec3-owners.ts';

let stored: StoredZones;
let writes: Writes;
let owners: Nsec3Owners;

beforeEach(() => {
  stored = openStoredZones({ durable: false });
  writes = new Writes(stored.connection);
  owners = new Nsec3Owners(stored.connection, writes);
});
afterEach(() => stored.close());

const keyOf = (name: string) => keyFromLabels([name]);

function apply(removed: string, added: string): void {
  const records = (names: string): ResourceRecord[] =>
    [...names].map((name) => {
      return { owner: keyOf(name), type: rrtype.NSEC3, ttl: 1, rdata: Buffer.alloc(0) };
    });
  owners.apply(() => 1, records(removed), records(added));
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

it('are passed over when they are gone in what is noted, however many', () => {
  apply('', 'abcdef');
  writes.note(new WriteLog());
  apply('f', '');
  expect(before('f')).toEqual(['e', 'e']);
  apply('cde', '');
  expect(before('c', 'd', 'f')).toEqual(['b', 'b', 'b', 'b']);
  apply('ab', '');
  expect(before('c')).toEqual([undefined, undefined]);
});

it('are what the latest batch made of them, in flight or not', () => {
  apply('', 'ac');
  writes.note(new WriteLog());
  apply('c', 'b');
  owners.handOver();
  expect(before('b', 'd')).toEqual(['a', 'b', 'b']);
  apply('b', 'c');
  expect(before('c', 'd')).toEqual(['a', 'c', 'c']);
  owners.handOver();
  apply('c', 'b');
  expect(before('c', 'd')).toEqual(['b', 'b', 'b']);
});

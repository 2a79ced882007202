import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStoredZones, record, type StoredZones } from '../../spec/support/stored-zones.ts';
import { keyFromLabels, keyToBytes, type NameKey } from '../dns/name.ts';
import { parseOwner } from '../domain/record.ts';
import { apexOf, type Zone } from '../domain/zone.ts';

/** Names enough for many blocks: some above others, some with bytes that keys escape. */
const names = [
  '@',
  ...Array.from({ length: 300 }, (_, at) => `n${at * 7919}`),
  ...Array.from({ length: 60 }, (_, at) => `x${at}.sub${at % 7}`),
  '\\000',
  '\\001',
  'a.\\001',
  '\\255',
];

/** Between, below, before and after the names. */
const probes = [...names, ...names.map((name) => `q.${name}`), ...names.map((name) => `${name}0`)]
  .filter((name) => !name.includes('@'))
  .concat('sub3', '*', '0', 'zz.zz');

let stored: StoredZones;
let zone: Zone;
let owners: NameKey[];
const keyOf = (name: string) => parseOwner(name, apexOf(zone));

beforeAll(async () => {
  stored = openStoredZones({ durable: false });
  await stored.zone('before.test');
  await stored.add('before.test', record('zz', 'A', '192.0.2.9'));
  zone = await stored.zone('example.com');
  await stored.add('example.com', ...names.map((name) => record(name, 'A', '192.0.2.1')));
  zone = stored.zones.byName('example.com')!;
  owners = names.map(keyOf).sort((a, b) => (a < b ? -1 : 1));
});
afterAll(async () => {
  await stored.close();
});

describe('the last owner up to a name', () => {
  it('is the one that a sorted list has', () => {
    for (const probe of probes) {
      const key = keyOf(probe);
      const expected = owners.findLast((owner) => owner <= key);
      expect([probe, stored.nodes.ownerUpTo(zone.id, key)]).toEqual([probe, expected]);
    }
  });

  it('is none in a zone without records, and in no zone', async () => {
    const empty = await stored.zone('empty.test');
    expect(stored.nodes.ownerUpTo(empty.id, keyOf('a'))).toBeUndefined();
    expect(stored.nodes.ownerUpTo(99, keyOf('a'))).toBeUndefined();
  });
});

describe('the owner of the NSEC3 up to a hash', () => {
  const hashes = ['2', '5', '7a', '7b', 'v'].map((hash) => keyFromLabels([hash]));
  const insert = (content: number, owner: NameKey) =>
    stored.connection
      .prepare('INSERT INTO nsec3_owner (content, owner) VALUES (?, ?)')
      .run(content, keyToBytes(owner));
  const contentOf = (id: number) =>
    stored.connection.prepare('SELECT content FROM zone WHERE id = ?').pluck().get(id) as number;

  it('is none while there is no chain', () => {
    stored.connection.exec('DELETE FROM nsec3_owner');
    expect(stored.nodes.nsec3OwnerUpTo(zone.id, hashes[0]!)).toBeUndefined();
    expect(stored.nodes.nsec3OwnerUpTo(99, hashes[0]!)).toBeUndefined();
  });

  it('matches or covers, goes around at the start, and is of the zone', () => {
    const content = contentOf(zone.id);
    insert(content - 1, keyFromLabels(['1']));
    insert(content + 1, keyFromLabels(['z']));
    for (const hash of hashes) insert(content, hash);
    const upTo = (label: string) => stored.nodes.nsec3OwnerUpTo(zone.id, keyFromLabels([label]));
    expect(['2', '5', '6', '7b', '7c', 'v', 'vv', '1', '0'].map(upTo)).toEqual(
      ['2', '5', '5', '7b', '7b', 'v', 'v', 'v', 'v'].map((label) => keyFromLabels([label])),
    );
  });
});

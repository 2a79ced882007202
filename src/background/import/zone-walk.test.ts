import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { testCut } from '../../../spec/support/test-database.ts';
import { keyFromBytes, keyFromLabels, type NameKey } from '../../dns/name.ts';
import {
  compareRecords,
  packRecords,
  type ResourceRecord,
  unpackRecords,
} from '../../dns/record.ts';
import { rrtype } from '../../dns/rrtype.ts';
import type { ZoneRecord } from '../../domain/record.ts';
import { decodeDelta } from '../../journal/delta.ts';
import { packIdentities } from '../../journal/identity.ts';
import { identifiedRecordsOf } from '../../projection/block.ts';
import { noLimit, type StageSlice } from '../../projection/stage-store.ts';
import { StageWriter } from './stage-writer.ts';
import { ownerGroups, usersOf, ZoneWalk } from './zone-walk.ts';

/**
 * A record that is told from all others by its owner, type and RDATA; without an id it is a derived one. Three of the
 * large ones make an owner begin a block.
 */
const record = fc
  .record({
    labels: fc.constantFrom([], ['a'], ['b'], ['x', 'b'], ['c'], ['d'], ['e'], ['f']),
    type: fc.constantFrom(rrtype.A, rrtype.TXT, rrtype.NSEC3),
    last: fc.nat({ max: 3 }),
    ttl: fc.constantFrom(60, 300),
  })
  .map(({ labels, type, last, ttl }): ZoneRecord => {
    const number = [...labels.join()].reduce((sum, letter) => sum + letter.charCodeAt(0), 1);
    const id = type === rrtype.NSEC3 ? 0 : number * 1000 + type * 10 + last;
    const createdAt = id === 0 ? 0 : 7;
    const rdata = Buffer.alloc(last === 3 ? 6000 : 1, last);
    return { owner: keyFromLabels(labels), type, ttl, rdata, id, createdAt };
  });
const records = fc.uniqueArray(record, {
  maxLength: 40,
  selector: ({ owner, type, rdata }) => `${owner} ${type} ${rdata[0]}`,
});

function plain({ owner, type, ttl, rdata, id = 0 }: Partial<ZoneRecord> & ResourceRecord): unknown {
  return { owner, type, ttl, rdata: rdata[0], id };
}

/** What was handed over: the records of the zone in their order, the delta, the owners of NSEC3. */
function contentOf(slices: readonly StageSlice[]) {
  const zone = slices.flatMap(({ blocks }) => {
    if (blocks === undefined) return [];
    return [
      ...identifiedRecordsOf({
        records: Buffer.from(blocks.records),
        ids: Buffer.from(blocks.ids),
      }),
    ];
  });
  const delta = decodeDelta(slices.flatMap(({ parts }) => parts));
  const nsec3 = slices.flatMap(({ nsec3Owners }) => nsec3Owners?.keys.length ?? 0);
  return { zone, delta, nsec3 };
}

/** The keys with which blocks begin, each with the owners in it and the bytes of their records. */
function cutsOf(slices: readonly StageSlice[]) {
  return slices.flatMap(({ blocks }) => {
    const cuts: { first: NameKey; owners: [NameKey, number][] }[] = [];
    const { index = new Uint32Array(), keys, records: packed } = blocks ?? {};
    let [key, at] = [0, 0];
    for (let number = 0; number < index.length; number += 7) {
      const [firstBytes, nextBytes, , , bytes] = index.subarray(number);
      const first = keyFromBytes(keys!.subarray(key, key + firstBytes!));
      key += firstBytes! + (nextBytes === noLimit ? 0 : nextBytes!);
      const unpacked = [...unpackRecords(Buffer.from(packed!.subarray(at, at + bytes!)))];
      at += bytes!;
      const owners = Map.groupBy(unpacked, ({ owner }) => owner);
      cuts.push({
        first,
        owners: [...owners].map(([owner, all]) => [owner, packRecords(all).length]),
      });
    }
    return cuts;
  });
}

describe('a walk over a zone', () => {
  it('writes what stays, without what goes, with what comes, and both into the delta', async () => {
    await fc.assert(
      fc.asyncProperty(records, records, fc.func(fc.boolean()), async (stored, others, goes) => {
        const before = stored.toSorted(compareRecords);
        const isStored = (one: ZoneRecord) =>
          before.some((each) => compareRecords(each, one) === 0 && !goes(each.id, each.ttl));
        const removed = before.filter(({ id, ttl }) => goes(id, ttl));
        const added = others.filter((one) => !isStored(one)).sort(compareRecords);
        const slices: StageSlice[] = [];
        const writer = new StageWriter(testCut, async (slice) => void slices.push(slice), true);
        const walk = new ZoneWalk({ writer, occluded() {} });
        const block = { count: before.length, userCount: 0, records: packRecords(before) };
        walk.open(ownerGroups([{ ...block, ids: packIdentities(before) }]));
        const owners = new Set([...removed, ...added].map(({ owner }) => owner));
        for (const owner of [...owners].sort()) {
          const at = (one: ResourceRecord) => one.owner === owner;
          await walk.write(owner, await walk.to(owner), removed.filter(at), added.filter(at));
        }
        await walk.close();
        const finished = await writer.finish();
        const after = before.filter((one) => !removed.includes(one));
        const { zone, delta, nsec3 } = contentOf(slices);
        expect(zone.map(plain)).toEqual([...after, ...added].sort(compareRecords).map(plain));
        for (const { first, owners } of cutsOf(slices)) {
          for (const [owner, bytes] of owners) {
            expect([owner, testCut.begins(owner, bytes)]).toEqual([owner, owner === first]);
          }
        }
        const users = (all: readonly ZoneRecord[]) => all.filter(({ id }) => id !== 0).map(plain);
        const derived = (all: readonly ZoneRecord[]) => all.filter(({ id }) => id === 0).map(plain);
        expect(delta.removed.map(plain)).toEqual(users(removed));
        expect(delta.added.map(plain)).toEqual(users(added));
        expect(delta.dnssecRemoved.map(plain)).toEqual(derived(removed));
        expect(delta.dnssecAdded.map(plain)).toEqual(derived(added));
        expect(finished.removed + finished.dnssecRemoved).toBe(removed.length);
        expect(finished.added + finished.dnssecAdded).toBe(added.length);
        const hashed = new Set(zone.filter(({ id }) => id === 0).map(({ owner }) => owner));
        const keyBytes = [...hashed].reduce((sum, owner) => sum + owner.length, 0);
        expect(nsec3.reduce((sum, bytes) => sum + bytes, 0)).toBe(keyBytes);
      }),
      { numRuns: 200 },
    );
  });

  it('gives what is stored, and counts what users lose and get', async () => {
    const [apex, below] = [keyFromLabels([]), keyFromLabels(['a'])];
    const one = (owner: NameKey, last: number): ZoneRecord => {
      return { owner, type: rrtype.A, ttl: 60, rdata: Buffer.of(last), id: last, createdAt: 7 };
    };
    const stored = [one(apex, 1), one(below, 2)];
    const walk = new ZoneWalk({ writer: undefined, occluded() {} });
    const block = { count: 2, userCount: 2, records: packRecords(stored) };
    walk.open(ownerGroups([{ ...block, ids: packIdentities(stored) }]));
    const group = await walk.to(below);
    const before = usersOf(group);
    expect(before.map(plain)).toEqual([plain(stored[1]!)]);
    await walk.change(below, group, before, [one(below, 3), one(below, 4)]);
    await walk.close();
    expect(walk.counts).toEqual({ removed: 1, added: 2 });
  });
});

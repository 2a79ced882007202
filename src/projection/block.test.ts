import { describe, expect, it } from 'vitest';
import { testCut } from '../../spec/support/test-database.ts';
import { keyFromLabels, type NameKey, parseAbsoluteName, printRelativeName } from '../dns/name.ts';
import { compareRecords, packRecords, type ResourceRecord, unpackRecords } from '../dns/record.ts';
import { packIdentities } from '../journal/identity.ts';
import {
  type BlockRecords,
  ownerAfter,
  type Rewritten,
  recordsAtOwner,
  rewriteBlock,
  userRecordsOf,
} from './block.ts';

const names = Array.from({ length: 20_000 }, (_, index) => keyFromLabels([`host${index}`]));
/** Owners that begin a block, and owners that do not with a few small records, each in canonical order. */
const beginners = names.filter((name) => testCut.begins(name, 0)).sort();
const others = names.filter((name) => !testCut.begins(name, 0)).sort();

/** An owner that begins a block and one right behind it that does not. */
const beginner = beginners[9]!;
const [follower, nextFollower] = others.filter((name) => name > beginner) as [NameKey, NameKey];
const before = others.filter((name) => name < beginner).at(-1)!;

function record(owner: NameKey, last = 1, ttl = 60): ResourceRecord {
  return { owner, type: 1, ttl, rdata: Buffer.from([192, 0, 2, last]) };
}

/** A record with which an owner begins a block, whatever its name is. */
function large(owner: NameKey, last: number): ResourceRecord {
  return { owner, type: 16, ttl: 60, rdata: Buffer.alloc(50_000, last) };
}

/** The identity a record of these tests has: one that its RDATA tell. */
function identified(one: ResourceRecord) {
  return { ...one, id: one.rdata.at(-1)! + 1, createdAt: one.rdata.at(-1)! * 1000 };
}

function packed(...records: ResourceRecord[]) {
  const sorted = records.sort(compareRecords);
  const ids = packIdentities(sorted.map(identified));
  return { count: sorted.length, records: packRecords(sorted), ids };
}

function change(owner: NameKey, removed: ResourceRecord[], added: ResourceRecord[]) {
  return { owner, removed, added: added.map(identified) };
}

function show({ leftovers: orphans, blocks }: Rewritten) {
  const ownersOf = (generation: BlockRecords) => {
    const records = [...unpackRecords(generation.records)];
    expect(records).toHaveLength(generation.count);
    expect(generation.userCount).toBe(generation.count);
    expect([...userRecordsOf(generation)]).toEqual(records.map(identified));
    return records.map(({ owner }) => owner);
  };
  return {
    orphans: orphans && ownersOf(orphans),
    blocks: blocks.map((block) => ({ first: block.first, owners: ownersOf(block) })),
  };
}

describe('blocks', () => {
  it('tell user records from derived ones', () => {
    const signature = { ...record(follower, 7), type: 46 };
    const rewritten = rewriteBlock(testCut, '' as NameKey, packed(record(follower)), [
      { owner: follower, removed: [], added: [signature] },
    ]);
    const [block] = rewritten.blocks;
    expect([block!.count, block!.userCount]).toEqual([2, 1]);
    expect([...userRecordsOf(block!)]).toEqual([identified(record(follower))]);
  });

  it('are cut where an owner that begins one comes', () => {
    const block = packed(record(before), record(follower));
    const rewritten = rewriteBlock(testCut, '' as NameKey, block, [
      change(beginner, [], [record(beginner)]),
    ]);
    expect(show(rewritten)).toEqual({
      orphans: undefined,
      blocks: [
        { first: '', owners: [before] },
        { first: beginner, owners: [beginner, follower] },
      ],
    });
  });

  it('leave orphans when the owner that began them goes', () => {
    const block = packed(record(beginner, 1), record(beginner, 2), record(follower));
    const gone = [record(beginner, 1), record(beginner, 2)];
    expect(show(rewriteBlock(testCut, beginner, block, [change(beginner, gone, [])]))).toEqual({
      orphans: [follower],
      blocks: [],
    });
    // One of two records is not the owner.
    const one = rewriteBlock(testCut, beginner, block, [
      change(beginner, [record(beginner, 2)], []),
    ]);
    expect(show(one).blocks).toEqual([{ first: beginner, owners: [beginner, follower] }]);
    // Nor is a replacement.
    const replaced = rewriteBlock(testCut, beginner, block, [
      change(beginner, gone, [record(beginner, 3)]),
    ]);
    expect(show(replaced).blocks).toEqual([{ first: beginner, owners: [beginner, follower] }]);
  });

  it('are gone when nothing is left, save for the first of the zone', () => {
    const single = packed(record(beginner));
    const nothing = rewriteBlock(testCut, beginner, single, [
      change(beginner, [record(beginner)], []),
    ]);
    expect(show(nothing)).toEqual({ orphans: undefined, blocks: [] });
    const first = rewriteBlock(testCut, '' as NameKey, packed(record(before)), [
      change(before, [record(before)], []),
    ]);
    expect(show(first)).toEqual({ orphans: undefined, blocks: [{ first: '', owners: [] }] });
  });

  it('take many changes at once, in order', () => {
    const block = packed(record(before), record(follower));
    const rewritten = rewriteBlock(testCut, '' as NameKey, block, [
      change(before, [record(before)], [record(before, 9)]),
      change(beginner, [], [record(beginner, 1), record(beginner, 2)]),
      change(follower, [record(follower)], []),
      change(nextFollower, [], [record(nextFollower)]),
    ]);
    expect(show(rewritten).blocks).toEqual([
      { first: '', owners: [before] },
      { first: beginner, owners: [beginner, beginner, nextFollower] },
    ]);
  });

  it('replace a TTL in place, and keep the order of RDATA', () => {
    const block = packed(record(before, 1), record(before, 3));
    const rewritten = rewriteBlock(testCut, '' as NameKey, block, [
      change(before, [record(before, 3)], [record(before, 2), record(before, 3, 5)]),
    ]);
    const records = [...unpackRecords(rewritten.blocks[0]!.records)];
    expect(records).toEqual([record(before, 1), record(before, 2), record(before, 3, 5)]);
  });

  it('may be larger than 64 KiB, and then are of one large owner and small ones behind it', () => {
    const records = [1, 2, 3].flatMap((last) => [large(before, last), large(follower, last)]);
    const block = packed(...records, record(nextFollower));
    expect(recordsAtOwner(block.records, before)).toEqual(
      [1, 2, 3].map((last) => large(before, last)),
    );
    expect(recordsAtOwner(block.records, follower)).toEqual(
      [1, 2, 3].map((last) => large(follower, last)),
    );
    const rewritten = rewriteBlock(testCut, '' as NameKey, block, [
      change(before, [large(before, 3)], []),
      change(follower, [large(follower, 2)], [record(follower)]),
    ]);
    expect(show(rewritten).blocks).toEqual([
      { first: '', owners: [] },
      { first: before, owners: [before, before] },
      { first: follower, owners: [follower, follower, follower, nextFollower] },
    ]);
  });

  it('are cut where an owner has become large', () => {
    const block = packed(record(before), record(follower), record(nextFollower));
    const grown = rewriteBlock(testCut, '' as NameKey, block, [
      change(follower, [], [large(follower, 1)]),
    ]);
    expect(show(grown)).toEqual({
      orphans: undefined,
      blocks: [
        { first: '', owners: [before] },
        { first: follower, owners: [follower, follower, nextFollower] },
      ],
    });
  });

  it('are one with the block before when the owner that began them has become small', () => {
    const block = packed(record(follower), large(follower, 1), record(nextFollower));
    const smaller = change(follower, [large(follower, 1)], []);
    expect(show(rewriteBlock(testCut, follower, block, [smaller]))).toEqual({
      orphans: [follower, nextFollower],
      blocks: [],
    });
    // The rest of the same step is cut as ever.
    const second = change(nextFollower, [], [large(nextFollower, 2)]);
    expect(show(rewriteBlock(testCut, follower, block, [smaller, second]))).toEqual({
      orphans: [follower],
      blocks: [{ first: nextFollower, owners: [nextFollower, nextFollower] }],
    });
    // With as many bytes as before it stays.
    const replaced = change(follower, [large(follower, 1)], [large(follower, 2)]);
    expect(show(rewriteBlock(testCut, follower, block, [replaced])).blocks).toEqual([
      { first: follower, owners: [follower, follower, nextFollower] },
    ]);
  });

  it('stay at a name that begins one with any records, and at the apex', () => {
    for (const first of [beginner, '' as NameKey]) {
      const block = packed(record(first), large(first, 1), record(follower));
      const rewritten = rewriteBlock(testCut, first, block, [change(first, [large(first, 1)], [])]);
      const owners = [first, follower];
      expect(show(rewritten)).toEqual({ orphans: undefined, blocks: [{ first, owners }] });
    }
  });

  it('refuse to remove what they do not hold: that is a bug', () => {
    const remove = (gone: ResourceRecord) => () =>
      rewriteBlock(testCut, '' as NameKey, packed(record(before)), [
        change(gone.owner, [gone], []),
      ]);
    expect(remove(record(before, 9))).toThrow(/does not hold/);
    expect(remove(record(follower))).toThrow(/does not hold/);
  });

  it('find an owner, and the one after it, whether it is there or not', () => {
    const owners = ['a', 'b.a', '*.a', 'c\\000', 'd'].map(parseAbsoluteName).sort();
    const block = packed(...owners.flatMap((owner) => [record(owner, 1), record(owner, 2)]));
    for (const [index, owner] of owners.entries()) {
      expect(recordsAtOwner(block.records, owner)).toEqual([record(owner, 1), record(owner, 2)]);
      expect(ownerAfter(block.records, owner)).toBe(owners[index + 1]);
    }
    expect(recordsAtOwner(block.records, parseAbsoluteName('c'))).toEqual([]);
    expect(printRelativeName(ownerAfter(block.records, parseAbsoluteName('c'))!)).toBe('c\\000');
    expect(ownerAfter(block.records, '' as NameKey)).toBe(owners[0]);
    expect(ownerAfter(Buffer.alloc(0), owners[0]!)).toBeUndefined();
  });
});

import { describe, expect, it } from 'vitest';
import { emptyName, parseAbsoluteName, printRelativeName } from '../dns/name.ts';
import type { ResourceRecord } from '../dns/record.ts';
import { countDiff, diffRecords } from './diff.ts';

const apex = parseAbsoluteName('example.com');

function a(name: string, last: number, ttl = 60, type = 1): ResourceRecord {
  const owner = name === '@' ? emptyName : parseAbsoluteName(name);
  return { owner, type, ttl, rdata: Buffer.from([192, 0, 2, last]) };
}

function entriesOf(before: ResourceRecord[], after: ResourceRecord[]) {
  return diffRecords(apex, before, after).entries.map(
    ({ change, owner, type, from, to }) =>
      `${change} ${printRelativeName(owner)} ${type} ${from.length}>${to.length}`,
  );
}

describe('record diffs', () => {
  it('count by RRset; from is empty for added, to for removed', () => {
    const before = [a('x', 1), a('x', 2), a('gone', 1)];
    const after = [a('x', 1), a('new', 1), a('new', 2)];
    expect(entriesOf(before, after)).toEqual([
      'removed gone 1 1>0',
      'added new 1 0>2',
      'changed x 1 2>1',
    ]);
    expect(countDiff(diffRecords(apex, before, after))).toEqual({
      added: 1,
      changed: 1,
      removed: 1,
    });
  });

  it('decisions 16: a change of TTL alone is one changed entry; equal RRsets drop out', () => {
    expect(entriesOf([a('x', 1), a('x', 2)], [a('x', 1, 9), a('x', 2, 9)])).toEqual([
      'changed x 1 2>2',
    ]);
    expect(entriesOf([a('x', 1), a('x', 2)], [a('x', 2), a('x', 1)])).toEqual([]);
  });

  it('decisions 16: are in canonical order of name, then type', () => {
    const after = ['z', 'a', 'b.a', '@', '*.a', 'aa'].flatMap((name) => [
      a(name, 1, 60, 28),
      a(name, 1),
    ]);
    const order = ['@', 'a', '*.a', 'b.a', 'aa', 'z'];
    expect(entriesOf([], after)).toEqual(
      order.flatMap((name) => [`added ${name} 1 0>1`, `added ${name} 28 0>1`]),
    );
  });
});

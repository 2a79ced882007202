import { expect, it } from 'vitest';
import { parseAbsoluteName } from '../dns/name.ts';
import { packRecords } from '../dns/record.ts';
import { rrtype } from '../dns/rrtype.ts';
import { OwnerScan } from './owner-scan.ts';

const [a, b, c] = ['a', 'b', 'c'].map(parseAbsoluteName);

function packed(...owners: (typeof a)[]) {
  const rdata = Buffer.from([192, 0, 2, 1]);
  return packRecords(owners.map((owner) => ({ owner: owner!, type: rrtype.A, ttl: 60, rdata })));
}

/** How many records of an owner a scan passes. */
function count(scan: OwnerScan, owner: typeof a): number {
  const start = scan.pass(owner!);
  return scan.count - start.count;
}

it('a scan passes the records of an owner, and what was passed before is found again by others', () => {
  const records = packed(a, a, b);
  for (let times = 0; times < 2; times++) {
    const scan = new OwnerScan(records);
    expect([count(scan, a), count(scan, b), count(scan, c)]).toEqual([2, 1, 0]);
  }
  expect(new OwnerScan(records).pass(b!)).toEqual({ at: packed(a, a).length, count: 2 });
});

it('who asks for what it has passed finds nothing, and misleads nobody', () => {
  const records = packed(a, b);
  const scan = new OwnerScan(records);
  expect([count(scan, a), count(scan, a)]).toEqual([1, 0]);
  expect(count(new OwnerScan(records), a)).toBe(1);
  const late = new OwnerScan(records);
  expect([count(late, b), count(late, a)]).toEqual([1, 0]);
  expect(count(new OwnerScan(records), a)).toBe(1);
});

it('an owner is looked for in each block by itself', () => {
  expect(count(new OwnerScan(packed(a, b)), b)).toBe(1);
  expect(count(new OwnerScan(packed(a, b, b)), b)).toBe(2);
  expect(count(new OwnerScan(packed(a)), b)).toBe(0);
});

/**
 * Case 119: a block is missing between two others, or replaced by one of other owners. Each block that is left fits its
 * own checksum; the damage is that one does not follow on the other.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStoredZones, record, type StoredZones } from '../../spec/support/stored-zones.ts';
import { StoredDamage } from '../journal/damage.ts';
import { type BlockRow, checksumsOf } from '../projection/block-row.ts';
import { BlockScan } from './block-scan.ts';
import { allOwners } from './key-range.ts';

const orders = ['ascending', 'descending'] as const;
type Order = (typeof orders)[number];

let stored: StoredZones;
let scan: BlockScan;
let zoneId: number;
let blocks: readonly BlockRow[];

beforeAll(async () => {
  stored = openStoredZones({ durable: false });
  zoneId = (await stored.zone('large')).id;
  for (let start = 0; start < 10_000; start += 5_000) {
    const names = Array.from({ length: 5_000 }, (_, index) => `h${start + index}`);
    await stored.add('large', ...names.map((name) => record(name, 'A', '192.0.2.1')));
  }
  scan = new BlockScan(stored.connection);
  blocks = read('ascending');
});
afterAll(() => stored.close());

function read(order: Order): BlockRow[] {
  return [...scan[order](zoneId, allOwners)];
}

/** Reads all blocks in the transaction that harms them first, and takes the harm back. */
function readHarmed(order: Order, harm: () => void): BlockRow[] {
  stored.connection.exec('BEGIN');
  try {
    harm();
    return read(order);
  } finally {
    stored.connection.exec('ROLLBACK');
  }
}

function remove({ id }: BlockRow): void {
  stored.connection.prepare('DELETE FROM block WHERE id = ?').run(id);
}

/** The same records, in a block that says that it begins later, with the checksum of what it says. */
function beginLater(block: BlockRow): void {
  const first = Buffer.concat([block.first, Buffer.from('later\0')]);
  stored.connection
    .prepare('UPDATE block SET first = ?, checksum = ? WHERE id = ?')
    .run(first, checksumsOf({ ...block, first })[0], block.id);
}

/** Among the first and last blocks, within a page, and on both sides of where a page ends, from either side. */
function places(): number[] {
  const { length } = blocks;
  return [1, 64, 127, 128, 129, length - 129, length - 128, length - 127, length - 2];
}

describe.each(orders)('case 119: blocks that are read %s', (order) => {
  it('are all of the zone, over several pages', () => {
    expect(blocks.length).toBeGreaterThan(2 * 128);
    const found = readHarmed(order, () => {});
    const inOrder = order === 'ascending' ? found : found.reverse();
    expect(inOrder.map(({ id }) => id)).toEqual(blocks.map(({ id }) => id));
  });

  it('are refused where one is missing between two of them', () => {
    for (const place of places()) {
      const harm = () => remove(blocks[place]!);
      expect(() => readHarmed(order, harm), `block ${place}`).toThrow(StoredDamage);
    }
  });

  it('are refused where one begins later than the one before it ends', () => {
    for (const place of places()) {
      const harm = () => beginLater(blocks[place]!);
      expect(() => readHarmed(order, harm), `block ${place}`).toThrow(StoredDamage);
    }
  });

  it('are refused where the first one is missing, or all', () => {
    expect(() => readHarmed(order, () => remove(blocks[0]!))).toThrow(StoredDamage);
    expect(() => readHarmed(order, () => blocks.forEach(remove))).toThrow(StoredDamage);
  });

  it('are none of a zone that is not there', () => {
    expect([...scan[order](zoneId + 1000, allOwners)]).toEqual([]);
  });

  it('are refused where the last one is missing', () => {
    expect(() => readHarmed(order, () => remove(blocks.at(-1)!))).toThrow(StoredDamage);
  });
});

it('case 119: pages of several transactions need not fit, since the zone may change between them', () => {
  const { connection } = stored;
  const removed = connection.prepare('SELECT * FROM block WHERE id = ?').get(blocks[129]!.id);
  const reading = scan.ascending(zoneId, allOwners);
  const before = Array.from({ length: 129 }, () => reading.next().value!.id);
  try {
    remove(blocks[129]!);
    const after = [...reading].map(({ id }) => id);
    const ids = blocks.map(({ id }) => id);
    expect([...before, ...after]).toEqual([...ids.slice(0, 129), ...ids.slice(130)]);
  } finally {
    // Other tests may come after this one, in any order.
    const columns = Object.keys(removed as object);
    const values = columns.map((column) => `@${column}`);
    connection.prepare(`INSERT INTO block (${columns}) VALUES (${values})`).run(removed);
  }
});

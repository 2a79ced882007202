/**
 * A zone as one sum for each RRset: two zones are the same when their sums are.
 *
 * A sum adds the hashes of records, so their order does not count, and a record can be taken away again: the sums of
 * one serial become those of another by the records that were removed and added between them. TTLs count; what an
 * RRset holds is not kept. An RRset takes some 200 bytes of memory.
 */
import { hash } from 'node:crypto';
import type { NameKey } from '../../dns/name.ts';
import type { ResourceRecord } from '../../dns/record.ts';

interface Sum {
  /** Records; below 0 where more were taken away than there were. */
  count: number;
  /** Parts of the sum of their hashes, each modulo 2^48. */
  low: number;
  high: number;
}

/** An RRset that one of two zones lacks, or that they have differently. */
export interface RrsetDifference {
  /** Relative to the apex. */
  readonly owner: NameKey;
  readonly type: number;
  /** `missing`: the other zone lacks it; `extra`: only that has it. */
  readonly difference: 'missing' | 'extra' | 'differing';
}

const partBytes = 6;
const modulus = 2 ** (8 * partBytes);

export class RrsetSums {
  /** By the type as one character, and the owner behind it. */
  readonly #sums = new Map<string, Sum>();

  add(record: ResourceRecord): void {
    this.#change(record, 1);
  }

  remove(record: ResourceRecord): void {
    this.#change(record, -1);
  }

  get size(): number {
    return this.#sums.size;
  }

  /** What differs in another zone, in canonical order. */
  differences(other: RrsetSums): RrsetDifference[] {
    const found: RrsetDifference[] = [];
    for (const [key, { count, low, high }] of this.#sums) {
      const theirs = other.#sums.get(key);
      if (theirs?.count === count && theirs.low === low && theirs.high === high) continue;
      found.push(differenceOf(key, count > 0, (theirs?.count ?? 0) > 0));
    }
    for (const [key, { count }] of other.#sums) {
      if (!this.#sums.has(key)) found.push(differenceOf(key, false, count > 0));
    }
    return found.sort((a, b) => (a.owner < b.owner ? -1 : a.owner > b.owner ? 1 : a.type - b.type));
  }

  /** RRsets that one of them has, or both. */
  either(other: RrsetSums): number {
    let count = this.#sums.size;
    for (const key of other.#sums.keys()) if (!this.#sums.has(key)) count++;
    return count;
  }

  #change({ owner, type, ttl, rdata }: ResourceRecord, sign: 1 | -1): void {
    const key = String.fromCharCode(type) + owner;
    let sum = this.#sums.get(key);
    if (sum === undefined) {
      sum = { count: 0, low: 0, high: 0 };
      this.#sums.set(key, sum);
    }
    const bytes = Buffer.allocUnsafe(4 + rdata.length);
    bytes.writeUInt32BE(ttl, 0);
    bytes.set(rdata, 4);
    const digest = hash('sha256', bytes, 'buffer');
    sum.count += sign;
    sum.low = added(sum.low, sign * digest.readUIntBE(0, partBytes));
    sum.high = added(sum.high, sign * digest.readUIntBE(partBytes, partBytes));
    if (sum.count === 0 && sum.low === 0 && sum.high === 0) this.#sums.delete(key);
  }
}

function added(sum: number, part: number): number {
  return (sum + part + modulus) % modulus;
}

function differenceOf(key: string, isOurs: boolean, isTheirs: boolean): RrsetDifference {
  const type = key.charCodeAt(0);
  const owner = key.slice(1) as NameKey;
  const difference = isOurs && isTheirs ? 'differing' : isOurs || !isTheirs ? 'missing' : 'extra';
  return { owner, type, difference };
}

/** Keeps, of very many records, those that a page of a sorted list can show. */
import { Memory } from '../base/memory.ts';
import { printType, rrtype } from '../dns/rrtype.ts';
import type { Page } from '../projection/page.ts';
import type { RecordCursor } from './record-cursor.ts';

export interface RecordSort {
  readonly key: 'name' | 'type' | 'ttl' | 'priority' | 'created_at';
  readonly descending: boolean;
}

/** A record by its place; `key` is what it is sorted by. */
export interface Candidate {
  readonly key: number;
  readonly id: number;
  readonly blockId: number;
  readonly zoneId: number;
  /** Among all records of its block. */
  readonly index: number;
}

/** As much of a record as it is sorted by. */
type Sorted = Pick<RecordCursor, 'type' | 'ttl' | 'createdAt' | 'rdata'>;
type Offered = Sorted & Pick<RecordCursor, 'id' | 'index' | 'owner'>;

/** What a record is sorted by. Records without a priority come before those with one. */
export function sortValueOf(record: Sorted, { key }: Pick<RecordSort, 'key'>): number {
  switch (key) {
    case 'type':
      return record.type;
    case 'ttl':
      return record.ttl;
    case 'created_at':
      return record.createdAt;
    case 'priority': {
      const { type } = record;
      return type === rrtype.MX || type === rrtype.SRV ? record.rdata.readUInt16BE(0) : -1;
    }
    case 'name':
      return 0;
  }
}

/** The last record of the page before, and whether one that ties with it comes after it. */
export interface SelectedAfter {
  readonly value: number;
  isLaterInTie(record: Offered): boolean;
}

/** Candidates beyond a page's end that are collected before the worse half is dropped. */
const roomBeyond = 10_000;

export class Selection {
  readonly #sort: RecordSort;
  readonly #page: Page;
  readonly #after: SelectedAfter | undefined;
  readonly #needed: number;
  readonly #typeNames = new Memory<number, string>();
  #candidates: Candidate[] = [];

  constructor(sort: RecordSort, page: Page, after?: SelectedAfter) {
    this.#sort = sort;
    this.#page = page;
    this.#after = after;
    this.#needed = page.offset + page.limit;
  }

  offer(cursor: Offered, blockId: number, zoneId: number): void {
    const { id, index } = cursor;
    const key = sortValueOf(cursor, this.#sort);
    if (this.#after !== undefined && !this.#isBehind(cursor, key, this.#after)) return;
    this.#candidates.push({ key, id, blockId, zoneId, index });
    if (this.#candidates.length >= 2 * this.#needed + roomBeyond) this.#dropWorse();
  }

  finish(): readonly Candidate[] {
    this.#dropWorse();
    return this.#candidates.slice(this.#page.offset, this.#needed);
  }

  #dropWorse(): void {
    this.#candidates.sort((a, b) => this.#compare(a, b));
    this.#candidates.length = Math.min(this.#candidates.length, this.#needed);
  }

  #isBehind(record: Offered, key: number, after: SelectedAfter): boolean {
    if (key === after.value) return after.isLaterInTie(record);
    return this.#before(key, after.value) === this.#sort.descending;
  }

  /** Ties are in the order of ids, whichever way the list goes. */
  #compare(a: Candidate, b: Candidate): number {
    const order = a.key === b.key ? 0 : this.#before(a.key, b.key) ? -1 : 1;
    if (order === 0) return a.id - b.id;
    return this.#sort.descending ? -order : order;
  }

  /** Types have an order that people know by their mnemonics, not by their numbers. */
  #before(a: number, b: number): boolean {
    return this.#sort.key === 'type' ? this.#typeName(a) < this.#typeName(b) : a < b;
  }

  #typeName(type: number): string {
    return this.#typeNames.of(type, printType);
  }
}

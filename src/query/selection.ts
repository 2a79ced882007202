/** Keeps, of very many records, those that a page of a sorted list can show. */
import { printType, rrtype } from '../dns/rrtype.ts';
import type { Page } from '../projection/tables.ts';
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
type Offered = Pick<RecordCursor, 'id' | 'index' | 'type' | 'ttl' | 'createdAt' | 'rdata'>;

/** Candidates beyond a page's end that are gathered before the worse half is dropped. */
const roomBeyond = 10_000;

export class Selection {
  readonly #sort: RecordSort;
  readonly #page: Page;
  readonly #needed: number;
  readonly #typeNames = new Map<number, string>();
  #candidates: Candidate[] = [];

  constructor(sort: RecordSort, page: Page) {
    this.#sort = sort;
    this.#page = page;
    this.#needed = page.offset + page.limit;
  }

  offer(cursor: Offered, blockId: number, zoneId: number): void {
    const { id, index } = cursor;
    this.#candidates.push({ key: this.#keyOf(cursor), id, blockId, zoneId, index });
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

  /** Records without a priority come before those with one. */
  #keyOf(cursor: Offered): number {
    switch (this.#sort.key) {
      case 'type':
        return cursor.type;
      case 'ttl':
        return cursor.ttl;
      case 'created_at':
        return cursor.createdAt;
      case 'priority': {
        const { type } = cursor;
        return type === rrtype.MX || type === rrtype.SRV ? cursor.rdata.readUInt16BE(0) : -1;
      }
      case 'name':
        return 0;
    }
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
    let name = this.#typeNames.get(type);
    if (name === undefined) {
      name = printType(type);
      this.#typeNames.set(type, name);
    }
    return name;
  }
}

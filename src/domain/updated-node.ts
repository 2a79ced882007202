/**
 * The records at one owner while the steps of an update change them. A step costs what it changes, not what stands
 * there: a message has thousands of steps, and a name may have thousands of records.
 */
import type { ResourceRecord } from '../dns/record.ts';
import { rrtype } from '../dns/rrtype.ts';

/**
 * Types of which one record replaces another, and the bytes that these two have in common: a name has one CNAME (RFC
 * 2136 3.4.2.2) and one DNAME (RFC 6672 5.2), and one WKS of an address and protocol (RFC 2136 3.4.2.2).
 */
const sharedBytesOf: ReadonlyMap<number, number> = new Map([
  [rrtype.CNAME, 0],
  [rrtype.DNAME, 0],
  [rrtype.WKS, 5],
]);

export class UpdatedNode {
  /** In the order in which they came. */
  readonly #records = new Map<string, ResourceRecord>();
  /** The keys of the records of each type that is there. */
  readonly #ofType = new Map<number, Set<string>>();
  /** The keys of records that replace each other, by what they have in common. */
  readonly #rivals = new Map<string, Set<string>>();
  /** Of RRsets that a step added to. */
  readonly #ttls = new Map<number, number>();

  constructor(records: readonly ResourceRecord[]) {
    for (const record of records) this.#put(record);
  }

  get size(): number {
    return this.#records.size;
  }

  /** How many records there are of a type. */
  count(type: number): number {
    return this.#ofType.get(type)?.size ?? 0;
  }

  has({ type, rdata }: Pick<ResourceRecord, 'type' | 'rdata'>): boolean {
    return this.#records.has(keyOf(type, rdata));
  }

  /** The records in whose place another one comes. */
  replacedBy(record: ResourceRecord): ResourceRecord[] {
    const shared = sharedKeyOf(record);
    const keys = shared === undefined ? [] : [...(this.#rivals.get(shared) ?? [])];
    return keys.map((key) => this.#records.get(key)!);
  }

  types(): number[] {
    return [...this.#ofType.keys()];
  }

  /** Adds a record unless it is there; its RRset has one TTL, that of the record added last (RFC 2181 5.2). */
  add(record: ResourceRecord): void {
    this.#ttls.set(record.type, record.ttl);
    if (!this.has(record)) this.#put(record);
  }

  delete({ type, rdata }: Pick<ResourceRecord, 'type' | 'rdata'>): void {
    const key = keyOf(type, rdata);
    if (!this.#records.delete(key)) return;
    removeFrom(this.#ofType, type, key);
    removeFrom(this.#rivals, sharedKeyOf({ type, rdata }), key);
    if (!this.#ofType.has(type)) this.#ttls.delete(type);
  }

  deleteType(type: number): void {
    for (const key of this.#ofType.get(type) ?? []) this.delete(this.#records.get(key)!);
  }

  /** What there is by now; what is as it was is the same object. */
  records(): ResourceRecord[] {
    return [...this.#records.values()].map((record) => {
      const ttl = this.#ttls.get(record.type) ?? record.ttl;
      return ttl === record.ttl ? record : { ...record, ttl };
    });
  }

  #put(record: ResourceRecord): void {
    const key = keyOf(record.type, record.rdata);
    this.#records.set(key, record);
    addTo(this.#ofType, record.type, key);
    const shared = sharedKeyOf(record);
    if (shared !== undefined) addTo(this.#rivals, shared, key);
  }
}

function addTo<K>(sets: Map<K, Set<string>>, name: K, key: string): void {
  const set = sets.get(name);
  if (set === undefined) sets.set(name, new Set([key]));
  else set.add(key);
}

function removeFrom<K>(sets: Map<K, Set<string>>, name: K | undefined, key: string): void {
  const set = name === undefined ? undefined : sets.get(name);
  set?.delete(key);
  if (set?.size === 0) sets.delete(name!);
}

/** What a record has in common with those that it replaces; undefined for types whose records stand together. */
function sharedKeyOf({ type, rdata }: Pick<ResourceRecord, 'type' | 'rdata'>): string | undefined {
  const bytes = sharedBytesOf.get(type);
  return bytes === undefined ? undefined : keyOf(type, rdata.subarray(0, bytes));
}

function keyOf(type: number, rdata: Buffer): string {
  return `${type} ${rdata.latin1Slice()}`;
}

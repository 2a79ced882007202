/**
 * The records at one owner while the steps of an update change them. A step costs what it changes, not what stands
 * there: a message has thousands of steps, and a name may have thousands of records.
 */
import type { ResourceRecord } from '../dns/record.ts';

export class UpdatedNode {
  /** In the order in which they came. */
  readonly #records = new Map<string, ResourceRecord>();
  /** The keys of the records of each type that is there. */
  readonly #ofType = new Map<number, Set<string>>();
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

  /** The records of the type whose RDATA begin with the same bytes, which are as many as given. */
  beginningLike(
    { type, rdata }: Pick<ResourceRecord, 'type' | 'rdata'>,
    bytes: number,
  ): ResourceRecord[] {
    const beginning = keyOf(type, rdata.subarray(0, bytes));
    const keys = [...(this.#ofType.get(type) ?? [])].filter((key) => key.startsWith(beginning));
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
    const keys = this.#ofType.get(type)!;
    keys.delete(key);
    if (keys.size === 0) this.deleteType(type);
  }

  deleteType(type: number): void {
    for (const key of this.#ofType.get(type) ?? []) this.#records.delete(key);
    this.#ofType.delete(type);
    this.#ttls.delete(type);
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
    const keys = this.#ofType.get(record.type);
    if (keys === undefined) this.#ofType.set(record.type, new Set([key]));
    else keys.add(key);
  }
}

function keyOf(type: number, rdata: Buffer): string {
  return `${type} ${rdata.latin1Slice()}`;
}

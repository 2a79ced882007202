/**
 * RRsets of one zone that lose and gain records, gathered before any is looked up, then put onto the zone.
 *
 * What is both removed and added stays. The TTL of what is added is that of the whole RRset (RFC 2181
 * 5.2); two TTLs for one RRset are RECORD_CONFLICT.
 */
import { Problem } from '../base/problem.ts';
import type { NameKey } from '../dns/name.ts';
import { type ResourceRecord, rdataKey } from '../dns/record.ts';
import { printType } from '../dns/rrtype.ts';
import type { ZoneRecord } from './record.ts';
import type { WorkingSet } from './working-set.ts';

interface RrsetChange {
  readonly owner: NameKey;
  readonly type: number;
  readonly removed: Set<string>;
  readonly added: Map<string, Buffer>;
  /** Of the records added. */
  ttl: number | undefined;
}

export class RrsetChanges {
  readonly #rrsets = new Map<string, RrsetChange>();

  remove(owner: NameKey, type: number, rdatas: readonly Buffer[]): void {
    const { removed } = this.#at(owner, type);
    for (const rdata of rdatas) removed.add(rdataKey(type, rdata));
  }

  add(owner: NameKey, type: number, ttl: number, rdatas: readonly Buffer[]): void {
    const rrset = this.#at(owner, type);
    if (rrset.ttl !== undefined && rrset.ttl !== ttl) {
      throw new Problem(
        'RECORD_CONFLICT',
        `ttl: ${ttl} and ${rrset.ttl} are asked for, but the ${printType(type)} records of one name share one TTL`,
      );
    }
    rrset.ttl = ttl;
    for (const rdata of rdatas) rrset.added.set(rdataKey(type, rdata), rdata);
  }

  owners(): NameKey[] {
    return [...new Set([...this.#rrsets.values()].map(({ owner }) => owner))];
  }

  /** `make` gives a new record its identity. Records that stay as they are stay the same objects. */
  applyTo(work: WorkingSet, make: (record: ResourceRecord) => ZoneRecord): void {
    for (const rrset of this.#rrsets.values()) {
      work.replace(rrset.owner, changed(work.at(rrset.owner), rrset, make));
    }
  }

  #at(owner: NameKey, type: number): RrsetChange {
    const key = `${type} ${owner}`;
    let rrset = this.#rrsets.get(key);
    if (rrset === undefined) {
      rrset = { owner, type, removed: new Set(), added: new Map(), ttl: undefined };
      this.#rrsets.set(key, rrset);
    }
    return rrset;
  }
}

function changed(
  records: readonly ZoneRecord[],
  { owner, type, removed, added, ttl }: RrsetChange,
  make: (record: ResourceRecord) => ZoneRecord,
): ZoneRecord[] {
  const missing = new Map(added);
  const after: ZoneRecord[] = [];
  for (const record of records) {
    const key = record.type === type ? rdataKey(type, record.rdata) : undefined;
    if (key === undefined) {
      after.push(record);
      continue;
    }
    const isWanted = missing.delete(key);
    if (!isWanted && removed.has(key)) continue;
    after.push(ttl === undefined || record.ttl === ttl ? record : { ...record, ttl });
  }
  for (const rdata of missing.values()) after.push(make({ owner, type, ttl: ttl!, rdata }));
  return after;
}

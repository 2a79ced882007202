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
import { planNode } from './file-node.ts';
import type { ZoneRecord } from './record.ts';
import type { WorkingSet } from './working-set.ts';

/** Records of one RRset. */
interface RrsetPart {
  readonly owner: NameKey;
  readonly type: number;
  readonly rdatas: readonly Buffer[];
}

interface RrsetChange {
  readonly owner: NameKey;
  readonly type: number;
  readonly removed: Set<string>;
  readonly added: Map<string, Buffer>;
  /** Of the records added. */
  ttl: number | undefined;
}

/** Gives a new record its identity. */
type Make = (record: ResourceRecord) => ZoneRecord;

export class RrsetChanges {
  readonly #rrsets = new Map<NameKey, RrsetChange[]>();

  remove({ owner, type, rdatas }: RrsetPart): void {
    const { removed } = this.#at(owner, type);
    for (const rdata of rdatas) removed.add(rdataKey(type, rdata));
  }

  /** Throws RECORD_CONFLICT for a second TTL, before anything changes. */
  add({ owner, type, ttl, rdatas }: RrsetPart & { readonly ttl: number }): void {
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
    return [...this.#rrsets.keys()];
  }

  /** Records that stay as they are stay the same objects. */
  applyTo(work: WorkingSet): void {
    for (const owner of this.#rrsets.keys()) {
      work.replace(owner, this.changed(owner, work.at(owner), work.make));
    }
  }

  /** The records at an owner, after the changes of its RRsets. */
  changed(owner: NameKey, records: readonly ZoneRecord[], make: Make): ZoneRecord[] {
    let after = records as ZoneRecord[];
    for (const rrset of this.#rrsets.get(owner) ?? []) after = changed(after, rrset, make);
    return after;
  }

  /** Whether an RRset is all removed, or what is left is exactly what is added; `keys` are its values (rdataKey). */
  leaves(owner: NameKey, type: number, keys: ReadonlySet<string>): boolean {
    const { removed, added } = this.#at(owner, type);
    const staying = [...keys].filter((key) => !removed.has(key));
    if (staying.length === 0) return true;
    return staying.length === added.size && staying.every((key) => added.has(key));
  }

  #at(owner: NameKey, type: number): RrsetChange {
    let rrsets = this.#rrsets.get(owner);
    if (rrsets === undefined) {
      rrsets = [];
      this.#rrsets.set(owner, rrsets);
    }
    let rrset = rrsets.find((each) => each.type === type);
    if (rrset === undefined) {
      rrset = { owner, type, removed: new Set(), added: new Map(), ttl: undefined };
      rrsets.push(rrset);
    }
    return rrset;
  }
}

function changed(
  records: readonly ZoneRecord[],
  { owner, type, removed, added, ttl }: RrsetChange,
  make: Make,
): ZoneRecord[] {
  const isRemoved = (record: ZoneRecord) =>
    record.type === type && removed.has(rdataKey(type, record.rdata));
  const kept: ResourceRecord[] = records.filter((record) => !isRemoved(record));
  for (const rdata of added.values()) kept.push({ owner, type, ttl: ttl!, rdata });
  return planNode('replace', records, kept, make).after;
}

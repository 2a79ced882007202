/** A stored zone as incremental signing reads it (dnssec/zone-view.ts), in the open commit. */
import type { NameKey } from '../dns/name.ts';
import { type ResourceRecord, unpackRecords } from '../dns/record.ts';
import { derivedTypes, rrtype } from '../dns/rrtype.ts';
import type { ZoneView } from '../dnssec/zone-view.ts';
import type { Pending } from './pending.ts';

export class SignedView implements ZoneView {
  readonly #pending: Pick<Pending, 'blocks' | 'derived' | 'nsec3Owners'>;
  readonly #zoneId: number;

  constructor(pending: Pick<Pending, 'blocks' | 'derived' | 'nsec3Owners'>, zoneId: number) {
    this.#pending = pending;
    this.#zoneId = zoneId;
  }

  user(owner: NameKey): readonly ResourceRecord[] {
    return this.#pending.blocks.recordsAt(this.#zoneId, owner);
  }

  derived(owner: NameKey): readonly ResourceRecord[] {
    return this.#pending.derived.at(this.#zoneId, owner);
  }

  *ownersBelow(owner: NameKey): Generator<NameKey> {
    let last = owner;
    for (const records of this.#pending.blocks.blocksFrom(this.#zoneId, owner)) {
      for (const record of unpackRecords(records)) {
        if (record.owner <= last) continue;
        if (!record.owner.startsWith(owner)) return;
        if (derivedTypes.has(record.type)) continue;
        last = record.owner;
        yield last;
      }
    }
  }

  lastHolding(type: number, owner: NameKey | undefined): NameKey | undefined {
    const { blocks, derived, nsec3Owners } = this.#pending;
    if (type === rrtype.NSEC3) return nsec3Owners.before(blocks.contentOf(this.#zoneId), owner);
    derived.handOver();
    for (const records of blocks.blocksBack(this.#zoneId, owner)) {
      let last: NameKey | undefined;
      for (const record of unpackRecords(records)) {
        if (owner !== undefined && record.owner >= owner) break;
        if (record.type === type) last = record.owner;
      }
      if (last !== undefined) return last;
    }
    return undefined;
  }

  /** Every record of the zone, user and DNSSEC, in canonical order. */
  *records(): Generator<ResourceRecord> {
    this.#pending.derived.handOver();
    for (const records of this.#pending.blocks.blocksFrom(this.#zoneId, '' as NameKey)) {
      yield* unpackRecords(records);
    }
  }
}

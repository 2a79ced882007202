/** A stored zone as incremental signing reads it (dnssec/zone-view.ts), in the open commit. */
import type { NameKey } from '../dns/name.ts';
import { type ResourceRecord, unpackRecords } from '../dns/record.ts';
import { dnssecTypes, rrtype } from '../dns/rrtype.ts';
import type { ZoneView } from '../dnssec/zone-view.ts';
import type { Pending } from './pending.ts';

export class SignedView implements ZoneView {
  readonly #pending: Pick<Pending, 'blocks' | 'dnssec' | 'nsec3Owners'>;
  readonly #zoneId: number;

  constructor(pending: Pick<Pending, 'blocks' | 'dnssec' | 'nsec3Owners'>, zoneId: number) {
    this.#pending = pending;
    this.#zoneId = zoneId;
  }

  user(owner: NameKey): readonly ResourceRecord[] {
    return this.#pending.blocks.recordsAt(this.#zoneId, owner);
  }

  dnssec(owner: NameKey): readonly ResourceRecord[] {
    return this.#pending.dnssec.at(this.#zoneId, owner);
  }

  *ownersBelow(owner: NameKey): Generator<NameKey> {
    let last = owner;
    for (const records of this.#pending.blocks.blocksFrom(this.#zoneId, owner)) {
      for (const record of unpackRecords(records)) {
        if (record.owner <= last) continue;
        if (!record.owner.startsWith(owner)) return;
        if (dnssecTypes.has(record.type)) continue;
        last = record.owner;
        yield last;
      }
    }
  }

  lastHolding(type: number, owner: NameKey | undefined): NameKey | undefined {
    const { blocks, dnssec, nsec3Owners } = this.#pending;
    if (type === rrtype.NSEC3) return nsec3Owners.before(blocks.generationOf(this.#zoneId), owner);
    dnssec.handOver();
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
    this.#pending.dnssec.handOver();
    for (const records of this.#pending.blocks.blocksFrom(this.#zoneId, '' as NameKey)) {
      yield* unpackRecords(records);
    }
  }
}

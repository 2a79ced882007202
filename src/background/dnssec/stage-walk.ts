/**
 * Walks over what a zone holds, the user records of a step and the derived changes side by side, and
 * writes what the zone will hold into a stage. Owners that nothing changes at are copied as octets, and
 * so are the stored records of the others.
 */
import { assert } from '../../base/problem.ts';
import type { NameKey } from '../../dns/name.ts';
import { compareRecords, fixedOctets, type ResourceRecord } from '../../dns/record.ts';
import { rrtype } from '../../dns/rrtype.ts';
import type { OwnerChange } from '../../dnssec/reconcile-owner.ts';
import type { ZoneRecord } from '../../domain/record.ts';
import { identityOctets } from '../../journal/identity.ts';
import { nextOf, type OwnerGroup } from '../import/owner-groups.ts';
import type { SignedStage } from './signed-stage.ts';

/** User records that a step takes and gives, each half in canonical order. */
export interface StepRecords {
  readonly removed: readonly ZoneRecord[];
  readonly added: readonly ZoneRecord[];
}

export class StageWalk {
  readonly #stage: SignedStage;
  readonly #groups: Iterator<OwnerGroup>;
  #group: OwnerGroup | undefined;
  readonly #removed: readonly ZoneRecord[];
  readonly #added: readonly ZoneRecord[];
  #nextRemoved = 0;
  #nextAdded = 0;

  /** `groups` are the owners of the zone before the step. */
  constructor(groups: Iterator<OwnerGroup>, { removed, added }: StepRecords, stage: SignedStage) {
    this.#stage = stage;
    this.#removed = removed;
    this.#added = added;
    this.#groups = groups;
    this.#advance();
  }

  #advance(): void {
    this.#group = nextOf(this.#groups);
  }

  /**
   * Writes everything before the owner of a change, and the owner with it. Yields when the stage should be
   * handed over before it goes on.
   */
  *upTo(change: OwnerChange): Generator<void> {
    yield* this.#before(change.owner);
    yield* this.#owner(change.owner, change);
  }

  /** Writes what no change comes after. */
  *rest(): Generator<void> {
    yield* this.#before(undefined);
  }

  *#before(limit: NameKey | undefined): Generator<void> {
    while (true) {
      const owner = lesser(
        lesser(this.#group?.owner, this.#removed[this.#nextRemoved]?.owner),
        this.#added[this.#nextAdded]?.owner,
      );
      if (owner === undefined || (limit !== undefined && owner >= limit)) return;
      yield* this.#owner(owner, undefined);
    }
  }

  *#owner(owner: NameKey, change: OwnerChange | undefined): Generator<void> {
    const group = this.#group?.owner === owner ? this.#group : undefined;
    const removed = takeOf(this.#removed, this.#nextRemoved, owner);
    const added = takeOf(this.#added, this.#nextAdded, owner);
    this.#nextRemoved += removed.length;
    this.#nextAdded += added.length;
    if (change !== undefined) this.#stage.derived(change.removed, change.added);
    const gone = merged(removed, change?.removed ?? []);
    const come = merged<ResourceRecord>(added, change?.added ?? []);
    const holds = come.length > 0 || (group !== undefined && countOf(group) > gone.length);
    if ((holds || owner === '') && this.#stage.owner(owner)) yield;
    if (group === undefined) {
      assert(gone.length === 0, 'a zone holds every record that a step removes');
      this.#put(come, 0, undefined);
    } else {
      this.#merge(group, gone, come);
      this.#advance();
    }
  }

  /** Writes the stored records of an owner without those that go, and those that come among them. */
  #merge(group: OwnerGroup, gone: readonly ResourceRecord[], come: readonly ResourceRecord[]) {
    const { records, owner } = group;
    const labelOctets = labelOctetsOf(records);
    let nextGone = 0;
    let nextCome = 0;
    let index = 0;
    let kept: Place = { at: 0, index: 0 };
    for (let at = 0; at < records.length; index++) {
      const typeAt = at + labelOctets + pointerOctets;
      const rdataAt = at + labelOctets + fixedOctets;
      const end = rdataAt + ((records[rdataAt - 2]! << 8) | records[rdataAt - 1]!);
      const isGone = nextGone < gone.length && order(gone[nextGone]!, records, typeAt, end) === 0;
      const comesNow = nextCome < come.length && order(come[nextCome]!, records, typeAt, end) < 0;
      if (isGone || comesNow) {
        this.#copy(group, kept, { at, index });
        kept = { at, index };
      }
      if (comesNow) {
        nextCome = this.#put(come, nextCome, (record) => order(record, records, typeAt, end) < 0);
      }
      if (isGone) {
        nextGone++;
        kept = { at: end, index: index + 1 };
      } else if (typeOf(records, typeAt) === rrtype.NSEC3) this.#stage.noteNsec3(owner);
      at = end;
    }
    assert(nextGone === gone.length, 'a zone holds every record that a step removes');
    this.#copy(group, kept, { at: records.length, index });
    this.#put(come, nextCome, undefined);
  }

  #copy({ records, ids }: OwnerGroup, from: Place, to: Place): void {
    if (from.at === to.at) return;
    this.#stage.copy(
      records.subarray(from.at, to.at),
      ids.subarray(from.index * identityOctets, to.index * identityOctets),
    );
  }

  /** Writes records from one on, as long as they are wanted; returns the next one. */
  #put(
    records: readonly ResourceRecord[],
    start: number,
    isWanted: ((record: ResourceRecord) => boolean) | undefined,
  ): number {
    let next = start;
    while (next < records.length && isWanted?.(records[next]!) !== false) {
      this.#stage.put(records[next++]!);
    }
    return next;
  }
}

/** A place in the packed records of an owner, and the number of records before it. */
interface Place {
  readonly at: number;
  readonly index: number;
}

function countOf({ ids }: OwnerGroup): number {
  return ids.length / identityOctets;
}

/** Octets of the pointer that closes the labels of a packed record (dns/record.ts). */
const pointerOctets = 2;

/** Octets of the labels of the owner whose packed records these are. */
function labelOctetsOf(packed: Buffer): number {
  let end = 0;
  while (packed[end]! < 0xc0) end += packed[end]! + 1;
  return end;
}

function typeOf(packed: Buffer, typeAt: number): number {
  return (packed[typeAt]! << 8) | packed[typeAt + 1]!;
}

/** The canonical order of a record and a packed one of the same owner. */
function order({ type, rdata }: ResourceRecord, packed: Buffer, typeAt: number, end: number) {
  return (
    type - typeOf(packed, typeAt) ||
    rdata.compare(packed, typeAt + fixedOctets - pointerOctets, end)
  );
}

function lesser(a: NameKey | undefined, b: NameKey | undefined): NameKey | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a < b ? a : b;
}

const noRecords: readonly ZoneRecord[] = [];

function takeOf(records: readonly ZoneRecord[], start: number, owner: NameKey) {
  let end = start;
  while (end < records.length && records[end]!.owner === owner) end++;
  return end === start ? noRecords : records.slice(start, end);
}

/** Records of one owner from two halves in canonical order, in that order. */
function merged<Kind extends ResourceRecord>(
  a: readonly Kind[],
  b: readonly Kind[],
): readonly Kind[] {
  if (a.length === 0) return b;
  return b.length === 0 ? a : [...a, ...b].sort(compareRecords);
}

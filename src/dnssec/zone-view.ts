/**
 * What incremental signing reads of a zone: its state before a change, at single owners and next to
 * them (`ZoneView`), and the zone as the change leaves it (`ChangedZone`). Nothing here reads a whole
 * zone unless the change uncovers or hides one.
 */
import { Memory } from '../base/memory.ts';
import { emptyName, type NameKey, parentOf } from '../dns/name.ts';
import { compareRecords, rdataKey, type ResourceRecord } from '../dns/record.ts';
import { occludesBelow, type Rrset, rrsetsOf, sameRrset } from './rrset.ts';

/** Owners are relative to the apex. Records of one owner come in canonical order. */
export interface ZoneView {
  /** User records at an owner; the SOA is not among them. */
  user(owner: NameKey): readonly ResourceRecord[];
  /** DNSSEC records at an owner: signatures, keys, NSEC, NSEC3. */
  dnssec(owner: NameKey): readonly ResourceRecord[];
  /** Owners of user records strictly below `owner`, in canonical order, read as they are taken. */
  ownersBelow(owner: NameKey): Iterable<NameKey>;
  /**
   * The last owner strictly before `owner` (of all, when undefined) that holds a record of `type`,
   * NSEC or NSEC3. Undefined when there is none.
   */
  lastHolding(type: number, owner: NameKey | undefined): NameKey | undefined;
}

/** User records that a step takes and gives; a record that changes is in both. */
export interface UserChange {
  readonly removed: readonly ResourceRecord[];
  readonly added: readonly ResourceRecord[];
  /** Owners to look at though no record of theirs changes: their signatures run out. */
  readonly revisit?: Iterable<NameKey>;
}

interface NodeChange {
  readonly removed: ResourceRecord[];
  readonly added: ResourceRecord[];
}

/** The stored zone with the user records of a change laid over it, and what that means for names below. */
export class ChangedZone {
  readonly #view: ZoneView;
  readonly #changes = new Map<NameKey, NodeChange>();
  readonly #before = new Memory<NameKey, readonly Rrset[]>();
  readonly #after = new Memory<NameKey, readonly Rrset[]>();
  readonly #dnssec = new Memory<NameKey, readonly ResourceRecord[]>();
  #aboveChanges: ReadonlySet<NameKey> | undefined;

  constructor(view: ZoneView, change: UserChange) {
    this.#view = view;
    for (const record of change.removed) this.#changeOf(record.owner).removed.push(record);
    for (const record of change.added) this.#changeOf(record.owner).added.push(record);
  }

  /** DNSSEC records at an owner before the step. */
  dnssec(owner: NameKey): readonly ResourceRecord[] {
    return this.#dnssec.of(owner, () => this.#view.dnssec(owner));
  }

  /** Whether one of them was of a type. */
  isGenerated(owner: NameKey, type: number): boolean {
    return this.dnssec(owner).find((record) => record.type === type) !== undefined;
  }

  /** The last owner before `owner` (of all, when undefined) that held a record of `type`. */
  lastHolding(type: number, owner: NameKey | undefined): NameKey | undefined {
    return this.#view.lastHolding(type, owner);
  }

  /** Owners that the step takes records from or gives records to. */
  get changedOwners(): Iterable<NameKey> {
    return this.#changes.keys();
  }

  #changeOf(owner: NameKey): NodeChange {
    const known = this.#changes.get(owner);
    if (known !== undefined) return known;
    const change = { removed: [], added: [] };
    this.#changes.set(owner, change);
    return change;
  }

  /** User RRsets at an owner before the step. */
  before(owner: NameKey): readonly Rrset[] {
    return this.#before.of(owner, () => rrsetsOf(this.#view.user(owner)));
  }

  /** User RRsets at an owner after the step. */
  after(owner: NameKey): readonly Rrset[] {
    const change = this.#changes.get(owner);
    if (change === undefined) return this.before(owner);
    return this.#after.of(owner, () => {
      const removed = new Set(change.removed.map((record) => rdataKey(record.type, record.rdata)));
      const kept = this.#view
        .user(owner)
        .filter((record) => !removed.has(rdataKey(record.type, record.rdata)));
      return rrsetsOf([...kept, ...change.added].sort(compareRecords));
    });
  }

  /** The types at an owner whose RRset differs between before and after. */
  changedTypes(owner: NameKey): ReadonlySet<number> {
    const changed = new Set<number>();
    if (!this.#changes.has(owner)) return changed;
    const find = (rrsets: readonly Rrset[], type: number) =>
      rrsets.find((rrset) => rrset.type === type);
    for (const { type } of [...this.before(owner), ...this.after(owner)]) {
      if (!sameRrset(find(this.before(owner), type), find(this.after(owner), type))) {
        changed.add(type);
      }
    }
    return changed;
  }

  /** True when a delegation or DNAME above the owner hides it after the step. */
  isOccluded(owner: NameKey): boolean {
    for (let above = parentOf(owner); above !== undefined; above = parentOf(above)) {
      if (occludesBelow(above, this.after(above))) return true;
    }
    return false;
  }

  /** Owners before the step that a delegation or DNAME of it comes to hide, or hides no more. */
  *coveredOwners(): Generator<NameKey> {
    for (const owner of this.#changes.keys()) {
      const before = occludesBelow(owner, this.before(owner));
      const after = occludesBelow(owner, this.after(owner));
      if (before !== after) yield* this.#view.ownersBelow(owner);
    }
  }

  /** True when user records stand below an owner after the step. */
  hasBelow(owner: NameKey): boolean {
    if (this.#namesAboveChanges().has(owner)) return true;
    for (const below of this.#view.ownersBelow(owner)) {
      if (this.after(below).length > 0) return true;
    }
    return false;
  }

  /** The names above changed owners that hold something after the step. */
  #namesAboveChanges(): ReadonlySet<NameKey> {
    if (this.#aboveChanges !== undefined) return this.#aboveChanges;
    const names = new Set<NameKey>();
    for (const owner of this.#changes.keys()) {
      if (this.after(owner).length === 0) continue;
      for (const above of namesAbove(owner)) {
        if (names.has(above)) break;
        names.add(above);
      }
    }
    this.#aboveChanges = names;
    return names;
  }
}

/** The names above an owner up to the apex, the apex itself left out. */
export function* namesAbove(owner: NameKey): Iterable<NameKey> {
  let above = parentOf(owner);
  while (above !== undefined && above !== emptyName) {
    yield above;
    above = parentOf(above);
  }
}

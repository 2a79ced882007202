/**
 * What incremental signing reads of a zone: its state before the step, at single owners and next to
 * them. A zone in memory and a stored one both can say it; nothing here reads a whole zone unless the
 * step uncovers or hides one.
 */
import type { NameKey } from '../dns/name.ts';
import type { ResourceRecord } from '../dns/record.ts';

/** Owners are relative to the apex. Records of one owner come in canonical order. */
export interface ZoneView {
  /** User records at an owner; the SOA is not among them. */
  user(owner: NameKey): readonly ResourceRecord[];
  /** Derived records at an owner: signatures, keys, NSEC, NSEC3. */
  derived(owner: NameKey): readonly ResourceRecord[];
  /** Owners of user records strictly below `owner`, in canonical order, read as they are taken. */
  ownersBelow(owner: NameKey): Iterable<NameKey>;
  /**
   * The last owner strictly before `owner` (of all, when undefined) that holds a record of `type`,
   * NSEC or NSEC3. Undefined when there is none.
   */
  lastHolding(type: number, owner: NameKey | undefined): NameKey | undefined;
}

/** User records that a step takes and gives; a record that changes stands in both. */
export interface UserChange {
  readonly removed: readonly ResourceRecord[];
  readonly added: readonly ResourceRecord[];
  /** Owners to look at though no record of theirs changes: their signatures run out. */
  readonly revisit?: Iterable<NameKey>;
}

/**
 * Names that leave no room for a wildcard before them, in a zone that is or will be signed with NSEC3. Signing refuses
 * those that join its chain (`refuseLongName`). What is judged without being signed, as a dry run is, meets them here.
 */
import { emptyName, isWithin, type NameKey } from '../dns/name.ts';
import { rrtype } from '../dns/rrtype.ts';
import { denialOf, leavesNoWildcard, maxLabelBytes, refuseLongName } from './denial.ts';
import { ChangedZone, type UserChange, type ZoneView } from './zone-view.ts';

/** The first of them are enough to be refused by. */
const maxFound = 100;

/** Finds them among the owners of a zone with user records, which come in canonical order. */
export class LongOwners {
  readonly #apex: NameKey;
  readonly #found: NameKey[] = [];
  /** Hides all below it. */
  #cut: NameKey | undefined;

  constructor(apex: NameKey) {
    this.#apex = apex;
  }

  /** Those that nothing which was passed hides. */
  get found(): readonly NameKey[] {
    return this.#found;
  }

  pass(owner: NameKey, hidesBelow: boolean): void {
    if (this.#cut !== undefined && isWithin(owner, this.#cut)) return;
    this.#cut = hidesBelow ? owner : undefined;
    if (this.#found.length < maxFound && isLong(owner, this.#apex)) this.#found.push(owner);
  }
}

interface StagedNames {
  readonly longOwners?: readonly NameKey[] | undefined;
  /** Set where a stage has only some owners of the zone. */
  readonly isPatch?: boolean;
}

/** Refuses names that a step brings records to, unless something hides them or they are in the chain. */
export function refuseNewNames(
  view: ZoneView,
  apex: NameKey,
  change: UserChange,
  staged: StagedNames | undefined,
): void {
  const names = staged?.longOwners ?? change.added.map(({ owner }) => owner);
  const long = names.filter((owner) => isLong(owner, apex));
  if (long.length === 0) return;
  const zone = new ChangedZone(view, change);
  const isHidden = (owner: NameKey) => {
    if (staged === undefined || staged.isPatch === true) return zone.isOccluded(owner);
    // A stage of the whole zone was looked through.
    return false;
  };
  for (const owner of long) {
    if (!isHidden(owner) && !isChained(zone, owner, apex)) refuseLongName(owner, apex);
  }
}

/**
 * Refuses stored names that a step brings into the chain: those that it uncovers, and all where there is no chain yet.
 * A large zone takes time to look through, and a step that is signed meets them then. `longOwners` are those of the
 * zone whose labels have more bytes than `maxBytes`.
 */
export function refuseStoredNames(
  view: ZoneView,
  apex: NameKey,
  change: UserChange,
  longOwners: (maxBytes: number) => Iterable<NameKey>,
): void {
  const zone = new ChangedZone(view, change);
  const hasChain = zone.isGenerated(emptyName, rrtype.NSEC3PARAM);
  const owners = hasChain ? zone.coveredOwners() : longOwners(maxLabelBytes(apex));
  for (const owner of owners) {
    if (!isLong(owner, apex) || zone.after(owner).length === 0) continue;
    if (!zone.isOccluded(owner) && !isChained(zone, owner, apex)) refuseLongName(owner, apex);
  }
}

function isLong(owner: NameKey, apex: NameKey): boolean {
  return leavesNoWildcard('nsec3', owner, apex);
}

function isChained(zone: ChangedZone, owner: NameKey, apex: NameKey): boolean {
  return zone.isGenerated(denialOf('nsec3', apex).ownerFor(owner), rrtype.NSEC3);
}

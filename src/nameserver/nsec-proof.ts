/**
 * Which NSEC show that something is not there (RFC 4035 3.1.3). An NSEC shows what its own name
 * holds, and that no name stands between it and its next one; empty non-terminals have none, and are
 * shown by the one before them, whose next name lies below.
 */
import { unreachable } from '../base/problem.ts';
import { type NameKey, parentOf, wildcardBelow } from '../dns/name.ts';
import { rrtype } from '../dns/rrtype.ts';
import { type Denial, holdsType } from './answer.ts';
import type { NodeSource } from './lookup.ts';

/** The owners of these NSEC, relative to the apex. */
export function nsecOwners(
  source: NodeSource,
  zoneId: number,
  denial: Denial,
): readonly (NameKey | undefined)[] {
  const upTo = (name: NameKey) => nsecOwnerUpTo(source, zoneId, name);
  switch (denial.kind) {
    case 'no-name':
      return [upTo(denial.name), upTo(wildcardBelow(denial.closestEncloser))];
    case 'no-type':
    case 'no-ds':
    case 'wildcard':
      return [upTo(denial.name)];
    case 'wildcard-no-type':
      return [upTo(denial.name), upTo(denial.wildcard)];
    default:
      return unreachable(denial);
  }
}

/**
 * The owner of the last NSEC at or before a name. A name without NSEC is hidden by a delegation or a
 * DNAME above it, and so is all that stands between it and them: the next one up that has an NSEC is
 * the owner, however much it hides.
 */
function nsecOwnerUpTo(source: NodeSource, zoneId: number, name: NameKey): NameKey | undefined {
  let owner = source.ownerUpTo(zoneId, name);
  while (owner !== undefined && !holdsType(source.node(zoneId, owner), rrtype.NSEC)) {
    owner = parentOf(owner);
  }
  return owner;
}

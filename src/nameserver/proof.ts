/**
 * Proofs of what an answer denies: the NSEC or NSEC3 that show it, with their signatures, each once,
 * in the authority section (RFC 4035 3.1.3, RFC 5155 7.2). A zone denies by NSEC3 exactly when its apex holds
 * NSEC3PARAM (RFC 5155 4).
 *
 * An NSEC shows what its own name holds, and that no name stands between it and its next one; empty non-terminals have
 * none, and are proved by the one before them, whose next name lies below. Of NSEC3 every name of the zone has one,
 * empty non-terminals too (there is no opt-out), so a name is either matched or covered: the record asked for is the
 * last one at or before its hash.
 */
import { unreachable } from '../base/problem.ts';
import { emptyName, type NameKey, parentOf, wildcardBelow } from '../dns/name.ts';
import { rrtype } from '../dns/rrtype.ts';
import { denialOf } from '../dnssec/denial.ts';
import { type Answer, type Denial, holdsType, type NodeSource, rrsetFor } from './answer.ts';

/** Adds the proofs of all that a signed answer denies. */
export function addProofs(source: NodeSource, apex: NameKey, answer: Answer): void {
  const { zone, denials } = answer;
  if (denials.length === 0) return;
  const byHash = holdsType(source.node(zone.id, emptyName), rrtype.NSEC3PARAM);
  const owners = new Set<NameKey | undefined>();
  for (const denial of denials) {
    const proving = byHash
      ? nsec3Owners(source, zone.id, apex, denial)
      : nsecOwners(source, zone.id, denial);
    for (const owner of proving) owners.add(owner);
  }
  const type = byHash ? rrtype.NSEC3 : rrtype.NSEC;
  for (const owner of owners) {
    // Without an owner the zone lacks the record: what there is of the proof is sent all the same.
    if (owner === undefined) continue;
    const records = source.node(zone.id, owner);
    const rrset = rrsetFor(answer, records, type, (apex + owner) as NameKey);
    if (rrset !== undefined) answer.authorities.push(rrset);
  }
}

/** The owners, relative to the apex, of the NSEC that show what is denied. */
function nsecOwners(
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
  while (owner !== undefined && !source.outline(zoneId, owner).hasNsec) {
    owner = parentOf(owner);
  }
  return owner;
}

/** The same of NSEC3. */
function nsec3Owners(
  source: NodeSource,
  zoneId: number,
  apex: NameKey,
  denial: Denial,
): readonly (NameKey | undefined)[] {
  const { ownerFor } = denialOf('nsec3', apex);
  return namesToShow(denial).map((name) => source.nsec3OwnerUpTo(zoneId, ownerFor(name)));
}

/** Names of which a validator has to see what the NSEC3 at their hash says. */
function namesToShow(denial: Denial): readonly NameKey[] {
  switch (denial.kind) {
    case 'no-name': {
      const { name, closestEncloser } = denial;
      return [closestEncloser, nextCloser(name, closestEncloser), wildcardBelow(closestEncloser)];
    }
    case 'no-type':
    case 'no-ds':
      return [denial.name];
    case 'wildcard':
      return [nextCloser(denial.name, denial.closestEncloser)];
    case 'wildcard-no-type': {
      const { name, wildcard } = denial;
      const closestEncloser = parentOf(wildcard)!;
      return [closestEncloser, nextCloser(name, closestEncloser), wildcard];
    }
    default:
      return unreachable(denial);
  }
}

/** The name one label longer than its closest encloser on the way down to a name (RFC 5155 1.3). */
function nextCloser(name: NameKey, closestEncloser: NameKey): NameKey {
  return name.slice(0, name.indexOf('\0', closestEncloser.length) + 1) as NameKey;
}

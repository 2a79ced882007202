/**
 * Which NSEC3 show that something is not there (RFC 5155 7.2). Every name of the zone has one, empty
 * non-terminals too (there is no opt-out), so a name is either matched or covered: the record asked for
 * is the last one at or before its hash.
 */
import { unreachable } from '../base/problem.ts';
import { type NameKey, parentOf, wildcardBelow } from '../dns/name.ts';
import { denialOf } from '../dnssec/denial.ts';
import type { Denial } from './answer.ts';
import type { NodeSource } from './lookup.ts';

/** The owners of these NSEC3, relative to the apex. */
export function nsec3Owners(
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

/**
 * Proofs of what an answer denies: the NSEC or NSEC3 that show it, with their signatures, each once,
 * in the authority section (RFC 4035 3.1.3, RFC 5155 7.2).
 *
 * Which records show what is said beside each way to deny, in nsec-proof.ts and nsec3-proof.ts. A zone
 * denies by NSEC3 exactly when its apex holds NSEC3PARAM (RFC 5155 4).
 */
import { emptyName, type NameKey } from '../dns/name.ts';
import { rrtype } from '../dns/rrtype.ts';
import { type Answer, holdsType, rrsetFor } from './answer.ts';
import type { NodeSource } from './lookup.ts';
import { nsecOwners } from './nsec-proof.ts';
import { nsec3Owners } from './nsec3-proof.ts';

/** Adds the proofs of all that a signed answer denies. */
export function addProofs(source: NodeSource, apex: NameKey, answer: Answer): void {
  const { zone, denials } = answer;
  if (denials.length === 0) return;
  const byHash = holdsType(source.node(zone.id, emptyName), rrtype.NSEC3PARAM);
  const owners = new Set<NameKey | undefined>();
  for (const denial of denials) {
    const shown = byHash
      ? nsec3Owners(source, zone.id, apex, denial)
      : nsecOwners(source, zone.id, denial);
    for (const owner of shown) owners.add(owner);
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

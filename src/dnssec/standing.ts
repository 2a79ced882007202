/**
 * What a zone may say with authority at a name (RFC 4035 2.2 to 2.4): all of its data, the DS at a
 * delegation, or nothing at all at names below a delegation or a DNAME (RFC 6672 2.3).
 */
import { emptyName, type NameKey } from '../dns/name.ts';
import { rrtype } from '../dns/rrtype.ts';
import type { Rrset } from './rrset.ts';

export type Standing = 'authoritative' | 'delegation' | 'occluded';

/** True when `rrsets` at `owner` hide whatever stands below: a delegation, or a DNAME. */
export function occludesBelow(owner: NameKey, types: Iterable<number>): boolean {
  for (const type of types) {
    if (type === rrtype.DNAME || (type === rrtype.NS && owner !== emptyName)) return true;
  }
  return false;
}

/** The standing of an owner, given whether a name above it occludes it. */
export function standingOf(owner: NameKey, rrsets: readonly Rrset[], occluded: boolean): Standing {
  if (occluded) return 'occluded';
  const delegates = owner !== emptyName && rrsets.some((rrset) => rrset.type === rrtype.NS);
  return delegates ? 'delegation' : 'authoritative';
}

/** The RRsets that are signed at a name of this standing. */
export function signedRrsets(standing: Standing, rrsets: readonly Rrset[]): readonly Rrset[] {
  if (standing === 'authoritative') return rrsets;
  if (standing === 'occluded') return [];
  return rrsets.filter((rrset) => rrset.type === rrtype.DS);
}

/** The types that NSEC and NSEC3 list besides those of signing (RFC 4035 2.3, RFC 5155 7.1). */
export function listedTypes(standing: Standing, rrsets: readonly Rrset[]): number[] {
  const types = rrsets.map((rrset) => rrset.type);
  if (standing === 'authoritative') return types;
  if (standing === 'occluded') return [];
  return types.filter((type) => type === rrtype.NS || type === rrtype.DS);
}

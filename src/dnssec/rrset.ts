/**
 * RRsets: the records of one owner and type with the one TTL they share (RFC 2181 5), which is what
 * a signature covers; and which of them a zone says with authority at a name (RFC 4035 2.2 to 2.4).
 */
import { emptyName, type NameKey } from '../dns/name.ts';
import type { ResourceRecord } from '../dns/record.ts';
import { rrtype } from '../dns/rrtype.ts';

export interface Rrset {
  readonly type: number;
  readonly ttl: number;
  /** In canonical order, without duplicates. */
  readonly rdatas: readonly Buffer[];
}

/** The RRsets of one owner's records, which come in canonical order, as they are stored. */
export function rrsetsOf(records: readonly ResourceRecord[]): Rrset[] {
  const rrsets: { type: number; ttl: number; rdatas: Buffer[] }[] = [];
  for (const { type, ttl, rdata } of records) {
    const last = rrsets.at(-1);
    if (last?.type === type) last.rdatas.push(rdata);
    else rrsets.push({ type, ttl, rdatas: [rdata] });
  }
  return rrsets;
}

export function sameRrset(a: Rrset | undefined, b: Rrset | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  if (a.ttl !== b.ttl || a.rdatas.length !== b.rdatas.length) return false;
  return a.rdatas.every((rdata, index) => rdata.equals(b.rdatas[index]!));
}

/**
 * All data of a name, the DS at a delegation, or nothing at all at names below a delegation or a DNAME
 * (RFC 6672 2.3).
 */
export type Authority = 'authoritative' | 'delegation' | 'occluded';

/** True when `rrsets` at `owner` hide whatever stands below: a delegation, or a DNAME. */
export function occludesBelow(owner: NameKey, rrsets: readonly Pick<Rrset, 'type'>[]): boolean {
  const occludes = ({ type }: Pick<Rrset, 'type'>) =>
    type === rrtype.DNAME || (type === rrtype.NS && owner !== emptyName);
  return rrsets.some(occludes);
}

/** The authority over an owner, given whether a name above it occludes it. */
export function authorityOf(
  owner: NameKey,
  rrsets: readonly Rrset[],
  occluded: boolean,
): Authority {
  if (occluded) return 'occluded';
  const delegates = owner !== emptyName && rrsets.some((rrset) => rrset.type === rrtype.NS);
  return delegates ? 'delegation' : 'authoritative';
}

/** The RRsets that are signed at a name of this authority. */
export function signedRrsets(authority: Authority, rrsets: readonly Rrset[]): readonly Rrset[] {
  if (authority === 'authoritative') return rrsets;
  if (authority === 'occluded') return [];
  return rrsets.filter((rrset) => rrset.type === rrtype.DS);
}

/** The types that NSEC and NSEC3 list besides those of signing (RFC 4035 2.3, RFC 5155 7.1). */
export function listedTypes(authority: Authority, rrsets: readonly Rrset[]): number[] {
  const types = rrsets.map((rrset) => rrset.type);
  if (authority === 'authoritative') return types;
  if (authority === 'occluded') return [];
  return types.filter((type) => type === rrtype.NS || type === rrtype.DS);
}

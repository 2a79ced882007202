/**
 * RRsets: the records of one owner and type with the one TTL they share (RFC 2181 5), which is what
 * a signature covers.
 */
import type { ResourceRecord } from '../dns/record.ts';

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

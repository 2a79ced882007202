/**
 * What the signatures of a zone come to: how many, when the first runs out, and at which owners some run
 * out soon. Looks at every record, without taking any apart but the signatures.
 */
import { keyFromWire, type NameKey } from '../dns/name.ts';
import { fixedOctets, packedEndOf } from '../dns/record.ts';
import { rrtype } from '../dns/rrtype.ts';
import { timeNear } from '../dnssec/window.ts';
import type { Connection } from '../journal/database.ts';
import { BlockScan } from './block-scan.ts';
import { largestGoneTtl } from './gone-ttl.ts';
import { allOwners } from './key-range.ts';

/** Times are seconds since 1970. */
export interface SignatureFacts {
  readonly total: number;
  readonly expired: number;
  /** Null when there is none. */
  readonly earliestExpiration: number | null;
  /** Owners with signatures that run out by the time asked about, in canonical order. */
  readonly expiring: readonly NameKey[];
  /** The largest TTL of all records, derived ones too. */
  readonly largestTtl: number;
}

export interface SignatureQuestion {
  readonly now: number;
  /** Signatures that expire by then are told by their owners. */
  readonly expiringBy: number;
  readonly mostOwners: number;
  /** Whether what is gone counts for the largest TTL as long as caches may hold it. */
  readonly withGone?: boolean;
}

const expirationOffset = 8;

export function scanSignatures(
  connection: Connection,
  zoneId: number,
  { now, expiringBy, mostOwners, withGone = false }: SignatureQuestion,
): SignatureFacts {
  let total = 0;
  let expired = 0;
  let earliest: number | null = null;
  let largestTtl = withGone ? largestGoneTtl(connection, zoneId, now) : 0;
  const expiring: NameKey[] = [];
  for (const { records } of new BlockScan(connection).ascending(zoneId, allOwners)) {
    let at = 0;
    while (at < records.length) {
      const start = at;
      at = packedEndOf(records, at);
      const end = labelsEnd(records, start);
      const ttl = records.readUInt32BE(end + 6);
      if (ttl > largestTtl) largestTtl = ttl;
      if (records.readUInt16BE(end + 2) !== rrtype.RRSIG) continue;
      total++;
      const bits = records.readUInt32BE(end + fixedOctets + expirationOffset);
      const expiration = timeNear(bits, now);
      if (expiration <= now) expired++;
      if (earliest === null || expiration < earliest) earliest = expiration;
      if (expiration > expiringBy || expiring.length >= mostOwners) continue;
      const owner = keyFromWire(records.subarray(start, end));
      if (expiring.at(-1) !== owner) expiring.push(owner);
    }
  }
  return { total, expired, earliestExpiration: earliest, expiring, largestTtl };
}

/** Where the pointer to the apex begins, behind the labels of the owner. */
function labelsEnd(records: Buffer, start: number): number {
  let at = start;
  while (records[at]! < 0xc0) at += records[at]! + 1;
  return at;
}

/**
 * What the signatures of a zone come to: how many, when the first runs out, and at which owners some run
 * out soon. Looks at every record, without taking any apart but the signatures.
 */
import { keyFromWire, type NameKey } from '../dns/name.ts';
import { fixedOctets, packedEndOf } from '../dns/record.ts';
import { rrtype } from '../dns/rrtype.ts';
import { timeNear } from '../dnssec/rrsig.ts';
import type { Connection } from '../journal/database.ts';
import { BlockScan } from './block-scan.ts';
import { largestGone } from './gone-ttl.ts';
import { allOwners } from './key-range.ts';

/** Times are seconds since 1970. */
export interface SignatureFacts {
  readonly total: number;
  readonly expired: number;
  /** Signatures that begin after now: the clock was ahead when they were made. */
  readonly future: number;
  /** Null when there is none. */
  readonly earliestExpiration: number | null;
  /**
   * Owners with signatures that run out by the time asked about, or begin after now, in canonical order.
   */
  readonly expiring: readonly NameKey[];
  /** The largest TTL of all records, derived ones too. */
  readonly largestTtl: number;
  /** The largest refresh of the SOA that went lately, for secondaries that go by it; 0 when not asked. */
  readonly largestGoneRefresh: number;
}

export interface SignatureQuestion {
  readonly now: number;
  /** Signatures that expire by then are told by their owners. */
  readonly expiringBy: number;
  readonly mostOwners: number;
  /** Whether what is gone counts as long as others may hold it. */
  readonly withGone?: boolean;
}

const expirationOffset = 8;
const inceptionOffset = 12;

export function scanSignatures(
  connection: Connection,
  zoneId: number,
  { now, expiringBy, mostOwners, withGone = false }: SignatureQuestion,
): SignatureFacts {
  let total = 0;
  let expired = 0;
  let future = 0;
  let earliest: number | null = null;
  const gone = withGone ? largestGone(connection, zoneId, now) : { ttl: 0, refresh: 0 };
  let largestTtl = gone.ttl;
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
      const inceptionBits = records.readUInt32BE(end + fixedOctets + inceptionOffset);
      const isFuture = timeNear(inceptionBits, now) > now;
      if (isFuture) future++;
      if (earliest === null || expiration < earliest) earliest = expiration;
      const isDue = isFuture || expiration <= expiringBy;
      if (!isDue || expiring.length >= mostOwners) continue;
      const owner = keyFromWire(records.subarray(start, end));
      if (expiring.at(-1) !== owner) expiring.push(owner);
    }
  }
  const largestGoneRefresh = gone.refresh;
  const found = { total, expired, future, earliestExpiration: earliest, expiring };
  return { ...found, largestTtl, largestGoneRefresh };
}

/** Where the pointer to the apex begins, behind the labels of the owner. */
function labelsEnd(records: Buffer, start: number): number {
  let at = start;
  while (records[at]! < 0xc0) at += records[at]! + 1;
  return at;
}

/**
 * What the signatures of a zone come to: how many, when the first runs out, and at which owners some run
 * out soon. Looks at every record, without taking any apart but the signatures.
 */
import type { NameKey } from '../dns/name.ts';
import { PackedCursor } from '../dns/packed.ts';
import { unpackRecords } from '../dns/record.ts';
import { rrtype } from '../dns/rrtype.ts';
import { refreshedWithin } from '../dnssec/key-timing.ts';
import { timeNear } from '../dnssec/rrsig.ts';
import type { Connection } from '../journal/database.ts';
import { rangeOfDelta, removedSet, userLayer } from '../journal/delta.ts';
import { PartQuery } from '../journal/delta-row.ts';
import { BlockScan } from './block-scan.ts';
import { allOwners } from './key-range.ts';

/** Times are seconds since 1970. */
export interface SignatureFacts {
  readonly total: number;
  readonly expired: number;
  /** Signatures that begin after now: the clock was ahead when they were made. */
  readonly future: number;
  /** Null when there is none. */
  readonly earliestExpiration: number | null;
  /** How many run out on each day (UTC), by days since 1970. */
  readonly expirations: ReadonlyMap<number, number>;
  /**
   * Owners with signatures that run out by the time asked about, or begin after now, in canonical order.
   */
  readonly expiring: readonly NameKey[];
  /** The largest TTL of all records, DNSSEC records too. */
  readonly largestTtl: number;
  /** The largest refresh of the SOA that went lately, for secondaries that go by it; 0 when not asked. */
  readonly largestFormerRefresh: number;
}

export interface SignatureQuestion {
  readonly now: number;
  /** The owners of signatures that expire by then are listed. */
  readonly expiringBy: number;
  readonly maxOwners: number;
  /** Whether what is no longer served counts as long as others may hold it. */
  readonly withFormer?: boolean;
}

/** Where they stand in the RDATA of an RRSIG (RFC 4034 3.1). */
const expirationOffset = 8;
const inceptionOffset = 12;
const secondsPerDay = 86_400;

export function scanSignatures(
  connection: Connection,
  zoneId: number,
  { now, expiringBy, maxOwners, withFormer = false }: SignatureQuestion,
): SignatureFacts {
  let total = 0;
  let expired = 0;
  let future = 0;
  let earliest: number | null = null;
  const former = withFormer ? largestFormer(connection, zoneId, now) : { ttl: 0, refresh: 0 };
  let largestTtl = former.ttl;
  const expiring: NameKey[] = [];
  const expirations = new Map<number, number>();
  const cursor = new PackedCursor(Buffer.alloc(0));
  for (const { records } of new BlockScan(connection).ascending(zoneId, allOwners)) {
    cursor.open(records);
    while (cursor.next()) {
      largestTtl = Math.max(largestTtl, cursor.ttl);
      if (cursor.type !== rrtype.RRSIG) continue;
      total++;
      const { rdata } = cursor;
      const expiration = timeNear(rdata.readUInt32BE(expirationOffset), now);
      if (expiration <= now) expired++;
      const day = Math.floor(expiration / secondsPerDay);
      expirations.set(day, (expirations.get(day) ?? 0) + 1);
      const isFuture = timeNear(rdata.readUInt32BE(inceptionOffset), now) > now;
      if (isFuture) future++;
      if (earliest === null || expiration < earliest) earliest = expiration;
      const isDue = isFuture || expiration <= expiringBy;
      if (!isDue || expiring.length >= maxOwners) continue;
      if (expiring.at(-1) !== cursor.owner) expiring.push(cursor.owner);
    }
  }
  const largestFormerRefresh = former.refresh;
  const found = { total, expired, future, earliestExpiration: earliest, expirations, expiring };
  return { ...found, largestTtl, largestFormerRefresh };
}

/** Seconds that are looked back: caches keep nothing longer than a week (RFC 8767 4). */
const lookedBack = 7 * secondsPerDay;
/** Seconds that a secondary may have served it after us. */
const slack = secondsPerDay;

interface SerialEvent {
  readonly delta: number;
  readonly at: number;
  /** Null where the step did not change it. */
  readonly defaultTtl: number | null;
  readonly refresh: number | null;
}

/** In seconds; 0 when nothing of the kind is held. */
interface FormerLimits {
  readonly ttl: number;
  readonly refresh: number;
}

/**
 * What caches may still hold of what a zone served lately and serves no more, and the refresh that secondaries may
 * still go by: what was lowered before a zone is signed shortens no wait. Nobody keeps books on a zone that is not
 * signed, so its journal is looked at. `now` is in seconds since 1970.
 */
function largestFormer(connection: Connection, zoneId: number, now: number): FormerLimits {
  const events = connection.prepare(
    `SELECT delta, at, payload ->> '$.before.defaultTtl' AS defaultTtl,
       payload ->> '$.before.refresh' AS refresh FROM event
     WHERE stream = ? AND serial IS NOT NULL ORDER BY serial DESC`,
  );
  const parts = new PartQuery(connection, 'packed', 'WHERE place BETWEEN ? AND ?');
  let largest = 0;
  let largestRefresh = 0;
  for (const { delta, at, defaultTtl, refresh } of events.iterate(
    zoneId,
  ) as Iterable<SerialEvent>) {
    const replacedAt = at / 1000;
    if (replacedAt + lookedBack < now) break;
    const note = (served: number) => {
      const ttl = Math.min(served, lookedBack);
      if (ttl > largest && replacedAt + ttl + slack > now) largest = ttl;
    };
    if (defaultTtl !== null) note(defaultTtl);
    if (refresh !== null && replacedAt + refreshedWithin(refresh) > now) {
      largestRefresh = Math.max(largestRefresh, refresh);
    }
    for (const { change, layer, records } of parts.iterate(...rangeOfDelta(delta))) {
      if (change !== removedSet || layer !== userLayer) continue;
      for (const { ttl } of unpackRecords(records)) note(ttl);
    }
  }
  return { ttl: largest, refresh: largestRefresh };
}

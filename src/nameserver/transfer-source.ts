/**
 * What a transfer reads: one zone at one moment, with the steps that led there (case 34).
 *
 * A stored zone is read through a snapshot; a zone that is computed, such as a catalog, can offer
 * the same. Records are packed (dns/record.ts): they may stand in any message whose question is the
 * apex.
 */
import type { NameKey } from '../dns/name.ts';
import { packRecords } from '../dns/record.ts';
import { rrtype } from '../dns/rrtype.ts';
import { apexOf, soaRdata, type Zone } from '../domain/zone.ts';
import type {
  DeltaRecords,
  PackedBlock,
  Difference as StoredDifference,
} from '../query/snapshot.ts';

/** Packed records, one after the other. */
export type PackedRecords = PackedBlock;

export type DeltaPart = DeltaRecords;

/** One step of the serial, without its records. */
export interface Difference extends Omit<StoredDifference, 'delta' | 'largestPartBytes'> {
  /** Bytes of the records in its largest part; left out where all parts are small. */
  readonly largestPartBytes?: number;
}

export interface TransferSource {
  readonly zoneName: string;
  readonly serial: number;
  /** The packed SOA. */
  readonly soa: PackedRecords;
  /** Records besides the SOA. */
  readonly recordCount: number;
  blocks(): Iterable<PackedRecords>;
  /** The steps from a serial to now, oldest first; undefined when nobody can tell them. */
  differences(fromSerial: number): readonly Difference[] | undefined;
  parts(difference: Difference): Iterable<DeltaPart>;
  close(): void;
}

/** The part of a projection's snapshot that a transfer needs. */
export interface ZoneSnapshot {
  findZone(name: NameKey): Zone | undefined;
  blocks(zoneId: number): Iterable<PackedRecords>;
  differences(zone: Zone, fromSerial: number): readonly Difference[] | undefined;
  /** Takes only steps that came from this snapshot. */
  parts(difference: Difference): Iterable<DeltaPart>;
  close(): void;
}

export function packSoa(ttl: number, rdata: Buffer): PackedRecords {
  const owner = '' as NameKey;
  return { count: 1, records: packRecords([{ owner, type: rrtype.SOA, ttl, rdata }]) };
}

/**
 * Opens the enabled zone whose apex is `apex`. When the snapshot has none, it is closed and
 * undefined comes back.
 */
export function openZoneSource(snapshot: ZoneSnapshot, apex: NameKey): TransferSource | undefined {
  try {
    const zone = snapshot.findZone(apex);
    if (zone === undefined || !zone.enabled || apexOf(zone) !== apex) {
      snapshot.close();
      return undefined;
    }
    return {
      zoneName: zone.name,
      serial: zone.serial,
      soa: packSoa(zone.defaultTtl, soaRdata(zone)),
      recordCount: zone.recordCount + zone.dnssecCount,
      blocks: () => snapshot.blocks(zone.id),
      differences: (fromSerial) => snapshot.differences(zone, fromSerial),
      parts: (difference) => snapshot.parts(difference),
      close: () => snapshot.close(),
    };
  } catch (error) {
    snapshot.close();
    throw error;
  }
}

/**
 * Resource records as they are stored and sent: owner, type, TTL and RDATA in canonical wire form; and their
 * packed form (packed.ts).
 */
import { emptyName, labelsToWire, type NameKey } from './name.ts';
import { fixedBytes, PackedCursor, writeFixed } from './packed.ts';

export { fixedBytes, packedEndOf } from './packed.ts';

/** A record without identity: what a delta or a block holds. Owner is relative to the apex. */
export interface ResourceRecord {
  readonly owner: NameKey;
  readonly type: number;
  readonly ttl: number;
  readonly rdata: Buffer;
}

let cachedOwner: NameKey = emptyName;
let cachedLabels: Buffer = Buffer.alloc(0);

/** Wire labels of an owner; the last one is kept, because records come grouped by owner. */
function ownerLabels(owner: NameKey): Buffer {
  if (owner !== cachedOwner) {
    cachedLabels = labelsToWire(owner);
    cachedOwner = owner;
  }
  return cachedLabels;
}

export function packedBytes(record: ResourceRecord): number {
  return ownerLabels(record.owner).length + fixedBytes + record.rdata.length;
}

/** Writes the packed form at `at`; the caller has made room. Returns the byte after it. */
export function packRecord(record: ResourceRecord, into: Buffer, at: number): number {
  const labels = ownerLabels(record.owner);
  into.set(labels, at);
  const { type, ttl, rdata } = record;
  const next = writeFixed(type, ttl, rdata.length, into, at + labels.length);
  into.set(rdata, next);
  return next + rdata.length;
}

/** The packed forms of `records`, one after the other. */
export function packRecords(records: readonly ResourceRecord[]): Buffer {
  let bytes = 0;
  for (const record of records) bytes += packedBytes(record);
  const packed = Buffer.allocUnsafe(bytes);
  let at = 0;
  for (const record of records) at = packRecord(record, packed, at);
  return packed;
}

/** Reads packed records one after the other. RDATA are views into `packed`, not copies. */
export function* unpackRecords(packed: Buffer): Generator<ResourceRecord> {
  const cursor = new PackedCursor(packed);
  while (cursor.next()) {
    const { owner, type, ttl, rdata } = cursor;
    yield { owner, type, ttl, rdata };
  }
}

/** A record whose bytes came from another thread, without the class that reads them. */
export function withBuffer<Sent extends ResourceRecord>(record: Sent): Sent {
  const { buffer, byteOffset, length } = record.rdata;
  return { ...record, rdata: Buffer.from(buffer, byteOffset, length) };
}

/** A text that is equal for equal RDATA of equal type, for use as a Map key. */
export function rdataKey(type: number, rdata: Buffer): string {
  return `${type} ${rdata.latin1Slice()}`;
}

/** Canonical order: owner, type, then RDATA as bytes (RFC 4034 6). */
export function compareRecords(a: ResourceRecord, b: ResourceRecord): number {
  if (a.owner !== b.owner) return a.owner < b.owner ? -1 : 1;
  return a.type - b.type || Buffer.compare(a.rdata, b.rdata);
}

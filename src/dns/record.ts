/**
 * Resource records as they are stored and sent: owner, type, TTL and RDATA in canonical wire form.
 *
 * The **packed form** of a record is its wire form (RFC 1035 4.1.3) with the owner's labels
 * relative to the apex and closed by the pointer C0 0C: in every message whose question is the apex, the
 * name at octet 12, packed records can be sent as they are (RFC 5936 3.4). Class is always IN; names inside RDATA are not
 * compressed, so a rename of the zone leaves packed records as they are.
 */
import { emptyName, keyFromWire, labelsToWire, type NameKey } from './name.ts';

/** A record without identity: what a delta or a block holds. Owner is relative to the apex. */
export interface ResourceRecord {
  readonly owner: NameKey;
  readonly type: number;
  readonly ttl: number;
  readonly rdata: Buffer;
}

/** Octet of a message at which the question's name starts. */
const apexOffset = 12;
export const pointerToApex: number = 0xc000 | apexOffset;
const classIn = 1;

/** Octets of a packed record besides its owner labels and RDATA: pointer, type, class, TTL, length. */
export const fixedOctets = 12;

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

export function packedOctets(record: ResourceRecord): number {
  return ownerLabels(record.owner).length + fixedOctets + record.rdata.length;
}

/** Writes the packed form at `at`; the caller has made room. Returns the octet after it. */
export function packRecord(record: ResourceRecord, into: Buffer, at: number): number {
  const labels = ownerLabels(record.owner);
  into.set(labels, at);
  let next = at + labels.length;
  next = into.writeUInt16BE(pointerToApex, next);
  next = into.writeUInt16BE(record.type, next);
  next = into.writeUInt16BE(classIn, next);
  next = into.writeUInt32BE(record.ttl, next);
  next = into.writeUInt16BE(record.rdata.length, next);
  into.set(record.rdata, next);
  return next + record.rdata.length;
}

/** The packed forms of `records`, one after the other. */
export function packRecords(records: readonly ResourceRecord[]): Buffer {
  let octets = 0;
  for (const record of records) octets += packedOctets(record);
  const packed = Buffer.allocUnsafe(octets);
  let at = 0;
  for (const record of records) at = packRecord(record, packed, at);
  return packed;
}

/** Reads packed records one after the other. RDATA are views into `packed`, not copies. */
export function* unpackRecords(packed: Buffer): Generator<ResourceRecord> {
  let at = 0;
  let previousLabels: Buffer | undefined;
  let owner = emptyName;
  while (at < packed.length) {
    const start = at;
    while (packed[at]! < 0xc0) at += packed[at]! + 1;
    const labels = packed.subarray(start, at);
    if (previousLabels === undefined || !labels.equals(previousLabels)) {
      owner = keyFromWire(labels);
      previousLabels = labels;
    }
    const type = packed.readUInt16BE(at + 2);
    const ttl = packed.readUInt32BE(at + 6);
    const end = at + fixedOctets + packed.readUInt16BE(at + 10);
    yield { owner, type, ttl, rdata: packed.subarray(at + fixedOctets, end) };
    at = end;
  }
}

/** A record whose octets came from another thread, without the class that reads them. */
export function withBuffer<Sent extends ResourceRecord>(record: Sent): Sent {
  const { buffer, byteOffset, length } = record.rdata;
  return { ...record, rdata: Buffer.from(buffer, byteOffset, length) };
}

/** The octet after the packed record that starts at `at`. */
export function packedEndOf(packed: Buffer, at: number): number {
  let end = at;
  while (packed[end]! < 0xc0) end += packed[end]! + 1;
  return end + fixedOctets + ((packed[end + 10]! << 8) | packed[end + 11]!);
}

/** A text that is equal for equal RDATA of equal type, for use as a Map key. */
export function rdataKey(type: number, rdata: Buffer): string {
  return `${type} ${rdata.latin1Slice()}`;
}

/** Canonical order: owner, type, then RDATA as octets (RFC 4034 6). */
export function compareRecords(a: ResourceRecord, b: ResourceRecord): number {
  if (a.owner !== b.owner) return a.owner < b.owner ? -1 : 1;
  return a.type - b.type || Buffer.compare(a.rdata, b.rdata);
}

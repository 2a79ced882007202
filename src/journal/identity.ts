/**
 * Identities of user records as bytes, beside their packed records: id (32 bits), then the time of
 * creation in milliseconds (a double), 12 bytes each. A DNSSEC record among user records has the id 0.
 */
import type { ResourceRecord } from '../dns/record.ts';
import type { ZoneRecord } from '../domain/record.ts';

export const identityBytes = 12;

/** A record with its identity, or a DNSSEC record without. */
export type IdentifiedRecord = ResourceRecord & Partial<Pick<ZoneRecord, 'id' | 'createdAt'>>;

/** Writes one identity at `at`, where there is room for it. Returns the byte after it. */
export function writeIdentity(record: IdentifiedRecord, into: Buffer, at: number): number {
  const next = into.writeUInt32BE(record.id ?? 0, at);
  return into.writeDoubleBE(record.createdAt ?? 0, next);
}

export function packIdentities(records: readonly IdentifiedRecord[]): Buffer {
  const ids = Buffer.allocUnsafe(records.length * identityBytes);
  let at = 0;
  for (const record of records) at = writeIdentity(record, ids, at);
  return ids;
}

/** The id of the record that comes at `index`; 0 for a DNSSEC record. */
export function idAt(ids: Buffer, index: number): number {
  return ids.readUInt32BE(index * identityBytes);
}

export function createdAt(ids: Buffer, index: number): number {
  return ids.readDoubleBE(index * identityBytes + 4);
}

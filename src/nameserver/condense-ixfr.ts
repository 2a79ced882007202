/**
 * Condensing (RFC 1995 5): many steps become one that leads from the first state to the last.
 *
 * A record is the same when owner, type and RDATA are. What was added and removed again, or removed
 * and added again with the TTL it had, drops out. The work is on packed bytes: the key of a record
 * is its packed form without the TTL, and the record is put together from key and TTL again.
 */
import { packedEndOf } from '../dns/record.ts';
import type { DeltaStep, PackedRecords, TransferSource } from './transfer-source.ts';

/** The TTL before all steps and after them; undefined where the record does not exist. */
interface NetChange {
  before: number | undefined;
  after: number | undefined;
}

/** Bytes from a packed record's pointer to its TTL, and of the TTL. */
const ttlOffset = 6;
const ttlBytes = 4;

export interface CondensedDelta {
  readonly removed: PackedRecords;
  readonly added: PackedRecords;
}

export function condenseSteps(source: TransferSource, steps: readonly DeltaStep[]): CondensedDelta {
  const changes = new Map<string, NetChange>();
  for (const step of steps) {
    for (const { change, records } of source.parts(step)) {
      for (let at = 0; at < records.length; ) {
        const end = packedEndOf(records, at);
        const ttlAt = ttlPosition(records, at);
        const key = records.latin1Slice(at, ttlAt) + records.latin1Slice(ttlAt + ttlBytes, end);
        add(changes, key, change, records.readUInt32BE(ttlAt));
        at = end;
      }
    }
  }
  const removed: Buffer[] = [];
  const added: Buffer[] = [];
  for (const [key, { before, after }] of changes) {
    if (before === after) continue;
    if (before !== undefined) removed.push(packedRecord(key, before));
    if (after !== undefined) added.push(packedRecord(key, after));
  }
  return { removed: joined(removed), added: joined(added) };
}

function add(
  changes: Map<string, NetChange>,
  key: string,
  change: 'removed' | 'added',
  ttl: number,
): void {
  const known = changes.get(key);
  const after = change === 'added' ? ttl : undefined;
  if (known === undefined) {
    changes.set(key, { before: change === 'removed' ? ttl : undefined, after });
  } else {
    known.after = after;
  }
}

function ttlPosition(records: Buffer, start: number): number {
  let at = start;
  while (records[at]! < 0xc0) at += records[at]! + 1;
  return at + ttlOffset;
}

function packedRecord(key: string, ttl: number): Buffer {
  const bytes = Buffer.from(key, 'latin1');
  const record = Buffer.allocUnsafe(bytes.length + ttlBytes);
  const ttlAt = ttlPosition(bytes, 0);
  bytes.copy(record, 0, 0, ttlAt);
  record.writeUInt32BE(ttl, ttlAt);
  bytes.copy(record, ttlAt + ttlBytes, ttlAt);
  return record;
}

function joined(records: readonly Buffer[]): PackedRecords {
  return { count: records.length, records: Buffer.concat(records) };
}

/**
 * The records of a transfer in order, full (RFC 5936 2.2) or incremental (RFC 1995), and which form an IXFR takes.
 *
 * The client's serial decides: as new as ours or newer, one SOA; history is missing, the steps hold
 * as many records as the zone, or one that fits no message, the full zone; else the steps, oldest first, each as old
 * SOA, removed records, new SOA, added records between two SOAs of now (RFC 1995 4).
 *
 * Condensed (RFC 1995 5), the steps become one that leads from the first state to the last. A record is the same when
 * owner, type and RDATA are. What was added and removed again, or removed and added again with the TTL it had, drops
 * out. The work is on packed bytes: the key of a record is its packed form without the TTL, and the record is put
 * together from key and TTL again.
 */
import { PackedCursor } from '../dns/packed.ts';
import { compareSerials } from '../dns/serial.ts';
import { nameserverLimits } from './limits.ts';
import {
  type DeltaPart,
  type Difference,
  type PackedRecords,
  packSoa,
  type TransferSource,
} from './transfer-source.ts';

export type IxfrForm = 'current' | 'full' | 'delta';

export interface IxfrPlan {
  readonly form: IxfrForm;
  /** Records in the order they are sent; read when they are asked for. */
  readonly runs: Iterable<PackedRecords>;
}

export function planIxfr(
  source: TransferSource,
  clientSerial: number,
  condense: boolean,
): IxfrPlan {
  // A serial exactly half the circle away is neither older nor newer: the full zone is sent.
  const comparison = compareSerials(clientSerial, source.serial);
  if (comparison !== undefined && comparison >= 0) return { form: 'current', runs: [source.soa] };
  const differences = comparison === undefined ? undefined : source.differences(clientSerial);
  if (differences === undefined || differences.length === 0) return fullPlan(source);
  const deltaRecords = countRecords(differences);
  // Counted before anything is read, so a long history costs no more than the zone itself.
  if (deltaRecords >= source.recordCount && deltaRecords > 0) return fullPlan(source);
  if (!differences.every((difference) => isSendable(source, difference))) return fullPlan(source);
  const condensed =
    condense && differences.length > 1 && deltaRecords <= nameserverLimits.condensedRecords;
  return {
    form: 'delta',
    runs: condensed ? condensedDelta(source, differences) : stepwiseDelta(source, differences),
  };
}

/** The SOA, everything else in stored order, the SOA. */
export function* fullZone(source: TransferSource): Generator<PackedRecords> {
  yield source.soa;
  yield* source.blocks();
  yield source.soa;
}

function fullPlan(source: TransferSource): IxfrPlan {
  return { form: 'full', runs: fullZone(source) };
}

/**
 * Whether every record of a step fits a message. Since an RRset has a limit all do; a journal may be older than the
 * limit, and then the zone of now may be sendable all the same.
 */
function isSendable(source: TransferSource, difference: Difference): boolean {
  if ((difference.largestPartBytes ?? 0) <= nameserverLimits.transferRecordBytes) return true;
  for (const { records } of source.parts(difference)) {
    for (const cursor = new PackedCursor(records); cursor.next(); ) {
      if (cursor.end - cursor.start > nameserverLimits.transferRecordBytes) return false;
    }
  }
  return true;
}

function countRecords(differences: readonly Difference[]): number {
  return differences.reduce(
    (sum, difference) => sum + difference.removedCount + difference.addedCount,
    0,
  );
}

function* stepwiseDelta(
  source: TransferSource,
  differences: readonly Difference[],
): Generator<PackedRecords> {
  yield source.soa;
  for (const difference of differences) {
    yield packSoa(difference.soaTtlBefore, difference.soaBefore);
    let adding = false;
    for (const part of source.parts(difference)) {
      if (part.change === 'added' && !adding) {
        adding = true;
        yield packSoa(difference.soaTtlAfter, difference.soaAfter);
      }
      yield part;
    }
    if (!adding) yield packSoa(difference.soaTtlAfter, difference.soaAfter);
  }
  yield source.soa;
}

function* condensedDelta(
  source: TransferSource,
  differences: readonly Difference[],
): Generator<PackedRecords> {
  const { removed, added } = condenseDifferences(source, differences);
  const first = differences[0]!;
  yield source.soa;
  yield packSoa(first.soaTtlBefore, first.soaBefore);
  yield removed;
  yield source.soa;
  yield added;
  yield source.soa;
}

/** The TTL of a record before all steps and after them; undefined where the record does not exist. */
interface NetChange {
  readonly before: number | undefined;
  after: number | undefined;
  /** Where the TTL goes in the key. */
  readonly ttlAt: number;
}

/** Bytes from the end of a packed record's labels to its TTL, and of the TTL. */
const ttlOffset = 6;
const ttlBytes = 4;

function condenseDifferences(
  source: TransferSource,
  differences: readonly Difference[],
): Readonly<Record<DeltaPart['change'], PackedRecords>> {
  const changes = new Map<string, NetChange>();
  for (const difference of differences) {
    for (const { change, records } of source.parts(difference)) {
      for (const cursor = new PackedCursor(records); cursor.next(); ) {
        const { start, labelsEnd, end, ttl } = cursor;
        const ttlAt = labelsEnd + ttlOffset;
        const key = records.latin1Slice(start, ttlAt) + records.latin1Slice(ttlAt + ttlBytes, end);
        const before = change === 'removed' ? ttl : undefined;
        const after = change === 'added' ? ttl : undefined;
        const known = changes.get(key);
        if (known !== undefined) known.after = after;
        else changes.set(key, { before, after, ttlAt: ttlAt - start });
      }
    }
  }
  const removed: Buffer[] = [];
  const added: Buffer[] = [];
  for (const [key, { before, after, ttlAt }] of changes) {
    if (before === after) continue;
    if (before !== undefined) removed.push(withTtl(key, ttlAt, before));
    if (after !== undefined) added.push(withTtl(key, ttlAt, after));
  }
  return { removed: joined(removed), added: joined(added) };
}

/** A packed record from its key and its TTL. */
function withTtl(key: string, ttlAt: number, ttl: number): Buffer {
  const record = Buffer.allocUnsafe(key.length + ttlBytes);
  record.latin1Write(key.slice(0, ttlAt), 0);
  record.writeUInt32BE(ttl, ttlAt);
  record.latin1Write(key.slice(ttlAt), ttlAt + ttlBytes);
  return record;
}

function joined(records: readonly Buffer[]): PackedRecords {
  return { count: records.length, records: Buffer.concat(records) };
}

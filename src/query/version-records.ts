/**
 * What a zone holds now, with the owners put back that changes have touched since an earlier serial. Records of other
 * owners are handed on where they stand, without anything being made of them.
 */
import { emptyName, keyToBytes, labelsToWire, type NameKey } from '../dns/name.ts';
import { OwnerOrder } from '../dns/packed.ts';
import type { ZoneRecord } from '../domain/record.ts';
import { UserRecordScan } from '../projection/block.ts';
import type { JoinedBlockQuery, JoinedBlocks } from '../projection/block-row.ts';
import { type Layer, RecordCursor } from './record-cursor.ts';
import type { TouchedRange } from './version-undo.ts';

/** Blocks of a long run: about 6,000 records, some hundred KB. */
const blocksPerRun = 64;
/** Owners of a block, about. */
const ownersPerBlock = 32;
/** Records handed on at a time. */
const recordsPerBatch = 1000;

/** An owner whose user records differ between two serials, with those of each in canonical order. */
export interface ChangedNode {
  readonly owner: NameKey;
  readonly before: readonly ZoneRecord[];
  readonly after: readonly ZoneRecord[];
}

/** Reads the user records at some owners of a zone, which are asked for in canonical order. */
export class NodesNow {
  readonly #blocks: JoinedBlockQuery;
  readonly #zoneId: number;
  readonly #blocksPerRun: number;
  #run: JoinedBlocks | undefined;
  #scan: UserRecordScan | undefined;

  /** `owners`: how many of the zone's `records` will be asked for. Where many are, all is read. */
  constructor(blocks: JoinedBlockQuery, zoneId: number, owners: number, records: number) {
    this.#blocks = blocks;
    this.#zoneId = zoneId;
    this.#blocksPerRun = owners * ownersPerBlock > records ? blocksPerRun : 1;
  }

  at(owner: NameKey): readonly ZoneRecord[] {
    const limit = this.#run?.limit;
    if (this.#run === undefined || (limit !== undefined && owner >= limit)) {
      this.#run = this.#blocks.get(this.#zoneId, keyToBytes(owner), this.#blocksPerRun);
      this.#scan = this.#run && new UserRecordScan(this.#run);
    }
    return this.#scan?.at(owner) ?? [];
  }
}

/** Is given the records of then, in canonical order. */
export interface VersionSink {
  /** One that is still as it was. */
  now(cursor: RecordCursor): void;
  /** One of an owner that was touched since. */
  passed(record: ZoneRecord): void;
}

/** Gives a sink the records of a range as they were; yields between the runs of blocks, and at the end. */
export function* walkThen(
  blocks: JoinedBlockQuery,
  zoneId: number,
  touched: TouchedRange,
  layer: Layer,
  sink: VersionSink,
): Generator<void> {
  const walk = new Walk(touched, layer, sink);
  for (const run of blocks.runs(zoneId, blocksPerRun, touched.range)) {
    walk.take(run);
    yield;
  }
  walk.putBackBefore(undefined);
  yield;
}

class Walk {
  readonly #touched: TouchedRange;
  readonly #cursor: RecordCursor;
  readonly #sink: VersionSink;
  readonly #from: OwnerOrder | undefined;
  /** The first key beyond, which need not be that of a name. */
  readonly #to: NameKey | undefined;
  /** Records of now of the next owner to be put back. */
  #node: ZoneRecord[] = [];
  #nextOwner = 0;
  #nextOrder: OwnerOrder | undefined;

  constructor(touched: TouchedRange, layer: Layer, sink: VersionSink) {
    const { from, to } = touched.range;
    this.#touched = touched;
    this.#cursor = new RecordCursor(layer);
    this.#sink = sink;
    this.#from = from === emptyName ? undefined : orderOf(from);
    this.#to = to;
    this.#begin(0);
  }

  #begin(owner: number): void {
    this.#nextOwner = owner;
    const next = this.#touched.owners[owner];
    this.#nextOrder = next && orderOf(next[0]);
    this.#node = [];
  }

  take(run: JoinedBlocks): void {
    const cursor = this.#cursor.openBlock(run);
    // Only the last run has records beyond.
    const to =
      run.limit !== undefined && run.limit <= (this.#to ?? run.limit) ? undefined : this.#to;
    while (cursor.next()) {
      if (this.#from !== undefined && cursor.compareOwner(this.#from) < 0) continue;
      if (to !== undefined && cursor.owner >= to) return;
      const order = this.#nextOrder === undefined ? -1 : cursor.compareOwner(this.#nextOrder);
      if (order < 0) this.#sink.now(cursor);
      else this.#atTouched(cursor, order);
    }
  }

  /** A record that does not come before the next owner to be put back. */
  #atTouched(cursor: RecordCursor, order: number): void {
    if (order > 0) this.putBackBefore(cursor.owner);
    const isTouched =
      this.#nextOrder !== undefined && (order === 0 || cursor.compareOwner(this.#nextOrder) === 0);
    if (isTouched) this.#node.push(cursor.zoneRecord());
    else this.#sink.now(cursor);
  }

  /** Puts back the owners before one, or all that are left. */
  putBackBefore(limit: NameKey | undefined): void {
    const { owners } = this.#touched;
    while (this.#nextOwner < owners.length) {
      const [owner, { before }] = owners[this.#nextOwner]!;
      if (limit !== undefined && owner >= limit) return;
      for (const record of before.recordsThen(this.#node)) this.#sink.passed(record);
      this.#begin(this.#nextOwner + 1);
    }
  }
}

function orderOf(owner: NameKey): OwnerOrder {
  return new OwnerOrder(labelsToWire(owner));
}

/** The user records or the DNSSEC records of some ranges as they were, in batches. */
export function* recordsThen(
  blocks: JoinedBlockQuery,
  zoneId: number,
  ranges: Iterable<TouchedRange>,
  layer: Layer = 'user',
): Generator<readonly ZoneRecord[]> {
  const records: ZoneRecord[] = [];
  const sink: VersionSink = {
    now: (cursor) => records.push(cursor.zoneRecord()),
    passed: (record) => records.push(record),
  };
  for (const touched of ranges) {
    for (const _ of walkThen(blocks, zoneId, touched, layer, sink)) {
      while (records.length >= recordsPerBatch) yield records.splice(0, recordsPerBatch);
    }
    if (records.length > 0) yield records.splice(0);
  }
}

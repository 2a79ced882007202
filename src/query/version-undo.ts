/**
 * Owners that changes have touched since an earlier serial, with what undoes those: collected range by range of a
 * zone, so that changes of any size take a bounded amount of memory. The more they touched, the more often they
 * are read.
 *
 * No two records of a zone have the same owner, type and RDATA. So what the first change since then says about such
 * a one decides: if it was removed, it was there as the change has it, and if it was added, it was not. Whatever no
 * change names is as it is now.
 */
import { limits } from '../base/limits.ts';
import { emptyName, labelsToWire, type NameKey } from '../dns/name.ts';
import { OwnerOrder, OwnerScan } from '../dns/packed.ts';
import { compareRecords, rdataKey } from '../dns/record.ts';
import type { ZoneRecord } from '../domain/record.ts';
import { identityBytes } from '../journal/identity.ts';
import type { WantsOwners } from '../projection/net-change-store.ts';
import { allOwners, type KeyRange } from './key-range.ts';
import { type Layer, RecordCursor } from './record-cursor.ts';
import type { ChangePart, VersionChanges } from './version-changes.ts';

/** What the first change that names a record says of it. */
interface UndoEntry {
  readonly key: string;
  /** As it was; undefined when it was not there. */
  readonly record: ZoneRecord | undefined;
}

/** About what an entry takes in memory besides the bytes of the record. */
export const bytesPerEntry = 300;
/** Entries that are looked through one by one; most owners have but one. */
const maxUnindexed = 8;

/** The records of one owner as they were at an earlier serial. */
export class OwnerUndo {
  readonly #entries: UndoEntry[] = [];
  #byKey: Map<string, UndoEntry> | undefined;

  /** Takes in a record that a change removed or added; changes come oldest first. Returns bytes used. */
  take(cursor: RecordCursor, wasThere: boolean): number {
    const key = rdataKey(cursor.type, cursor.rdata);
    if (this.#find(key) !== undefined) return 0;
    const entry = { key, record: wasThere ? detached(cursor.zoneRecord()) : undefined };
    this.#entries.push(entry);
    if (this.#byKey !== undefined) this.#byKey.set(key, entry);
    else if (this.#entries.length > maxUnindexed) {
      this.#byKey = new Map(this.#entries.map((one) => [one.key, one]));
    }
    return bytesPerEntry + 2 * key.length;
  }

  #find(key: string): UndoEntry | undefined {
    if (this.#byKey !== undefined) return this.#byKey.get(key);
    for (const entry of this.#entries) if (entry.key === key) return entry;
    return undefined;
  }

  /** The records of then, in canonical order, from those of now. */
  recordsThen(recordsNow: readonly ZoneRecord[]): ZoneRecord[] {
    const then: ZoneRecord[] = [];
    for (const record of recordsNow) {
      if (this.#find(rdataKey(record.type, record.rdata)) === undefined) then.push(record);
    }
    for (const { record } of this.#entries) if (record !== undefined) then.push(record);
    return then.length < 2 ? then : then.sort(compareRecords);
  }
}

/** A record of its own: as a view it would keep many changes in memory. */
export function detached({ owner, type, ttl, rdata, id, createdAt }: ZoneRecord): ZoneRecord {
  return { id, owner, type, ttl, rdata: Buffer.from(rdata), createdAt };
}

/** One owner at two serials: the one changes are counted from, and the one they are counted to. */
export interface TouchedOwner {
  readonly before: OwnerUndo;
  /** Undefined when no change after that serial names the owner: then it is as it is now. */
  after: OwnerUndo | undefined;
}

export interface CollectedRange<Owner> {
  readonly range: KeyRange;
  /** In canonical order. */
  readonly owners: readonly (readonly [NameKey, Owner])[];
}

export type TouchedRange = CollectedRange<TouchedOwner>;

/** About what an owner takes in memory besides its entries. */
const bytesPerOwner = 300;
/** Memory for one range: about 100,000 owners with a change each. */
export const bytesPerRange = 64 * 1024 * 1024;
/** Memory for the first range: about 100 owners. Most pages end in it, and pay for no more. */
const bytesOfFirstRange = 64 * 1024;
/** How many times as much each range after it may take. */
const rangeGrowth = 16;

/**
 * The ranges of a zone, or within one, in canonical order, with owners that changes after `from` up to `to` touched.
 * Both serials were the zone's own, and all changes since `from` are retained.
 */
export function* touchedRanges(
  changes: VersionChanges,
  zoneId: number,
  { from, to }: { readonly from: number; readonly to: number },
  memoryBytes: number,
  layer: Layer = 'user',
  within: KeyRange = allOwners,
): Generator<TouchedRange> {
  yield* inGrowingRanges(within, memoryBytes, (range, bytes) => {
    const gathering = new Gathering(range, bytes, layer, touchedOwner);
    const wants: WantsOwners = (first, last) => gathering.reaches(first, last);
    for (const part of changes.parts(zoneId, from, to, wants)) gathering.take(part, touchEarlier);
    const has: WantsOwners = (first, last) => gathering.hasAny(first, last);
    for (const part of changes.parts(zoneId, to, limits.serial, has)) {
      gathering.takeKnown(part, touchLater);
    }
    return gathering.finish();
  });
}

/** A range piece by piece, in order: `gather` ends a piece where its bytes are used up. */
export function* inGrowingRanges<Owner>(
  within: KeyRange,
  memoryBytes: number,
  gather: (range: KeyRange, maxBytes: number) => CollectedRange<Owner>,
): Generator<CollectedRange<Owner>> {
  let start = within.from;
  for (let growing = bytesOfFirstRange; ; growing *= rangeGrowth) {
    const range = { from: start, to: within.to };
    const piece = gather(range, Math.min(growing, memoryBytes));
    yield piece;
    if (piece.range.to === within.to) return;
    start = piece.range.to!;
  }
}

function touchedOwner(): TouchedOwner {
  return { before: new OwnerUndo(), after: undefined };
}

function touchEarlier({ before }: TouchedOwner, cursor: RecordCursor, wasThere: boolean): number {
  return before.take(cursor, wasThere);
}

/** By a change that is not one of those looked for, but a later one. */
function touchLater(touched: TouchedOwner, cursor: RecordCursor, wasThere: boolean): number {
  touched.after ??= new OwnerUndo();
  return touched.before.take(cursor, wasThere) + touched.after.take(cursor, wasThere);
}

/** Takes in a record that a change removed (`wasThere`) or added; returns the bytes that it uses. */
export type Touch<Owner> = (owner: Owner, cursor: RecordCursor, wasThere: boolean) => number;

/** Owners of a range with what changes did to their records, in a bounded amount of memory. */
export class Gathering<Owner> {
  readonly #make: () => Owner;
  readonly #from: NameKey;
  readonly #fromOrder: OwnerOrder;
  readonly #maxBytes: number;
  readonly #cursor: RecordCursor;
  readonly #owners = new Map<NameKey, { readonly owner: Owner; bytes: number }>();
  /** In order, while they are the same. */
  #sorted: readonly NameKey[] | undefined;
  #to: NameKey | undefined;
  #bytes = 0;

  constructor({ from, to }: KeyRange, maxBytes: number, layer: Layer, make: () => Owner) {
    this.#make = make;
    this.#cursor = new RecordCursor(layer);
    this.#from = from;
    this.#to = to;
    this.#fromOrder = new OwnerOrder(labelsToWire(from));
    this.#maxBytes = maxBytes;
  }

  /** Whether some of a run of owners are in the range. */
  reaches(first: NameKey, last: NameKey): boolean {
    return last >= this.#from && (this.#to === undefined || first < this.#to);
  }

  /** Whether some of a run of owners may be among those collected. */
  hasAny(first: NameKey, last: NameKey): boolean {
    const found = this.#inOrder()[firstFrom(this.#inOrder(), first)];
    return found !== undefined && found <= last;
  }

  #inOrder(): readonly NameKey[] {
    this.#sorted ??= [...this.#owners.keys()].sort();
    return this.#sorted;
  }

  take(part: ChangePart, touch: Touch<Owner>): void {
    const cursor = this.#cursor.openBlock(this.#from === emptyName ? part : this.#fromStart(part));
    const wasThere = part.change === 'removed';
    while (cursor.next()) {
      const { owner } = cursor;
      if (this.#to !== undefined && owner >= this.#to) return;
      const touched = this.#owners.get(owner) ?? this.#add(owner);
      const bytes = touch(touched.owner, cursor, wasThere);
      touched.bytes += bytes;
      this.#bytes += bytes;
      if (this.#bytes > this.#maxBytes) this.#dropGreaterOwners();
    }
  }

  /** Only of owners that are there already: from one of them it leaps to the next. */
  takeKnown({ change, records, ids }: ChangePart, touch: Touch<Owner>): void {
    const sorted = this.#inOrder();
    const scan = new OwnerScan(records);
    for (let at = 0; at < sorted.length; ) {
      scan.skipBefore(new OwnerOrder(labelsToWire(sorted[at]!)));
      if (scan.at >= records.length) return;
      const rest = {
        records: records.subarray(scan.at),
        ids: ids.subarray(scan.count * identityBytes),
      };
      const cursor = this.#cursor.openBlock(rest);
      cursor.next();
      at = firstFrom(sorted, cursor.owner, at);
      const known = sorted[at];
      if (known !== cursor.owner) continue;
      const touched = this.#owners.get(known)!;
      let isThere = true;
      while (isThere && cursor.owner === known) {
        const bytes = touch(touched.owner, cursor, change === 'removed');
        touched.bytes += bytes;
        this.#bytes += bytes;
        isThere = cursor.next();
      }
      at++;
    }
    if (this.#bytes > this.#maxBytes) this.#dropGreaterOwners();
  }

  /** What of a part does not come before the range. */
  #fromStart({ records, ids }: ChangePart): Omit<ChangePart, 'change'> {
    const scan = new OwnerScan(records);
    scan.skipBefore(this.#fromOrder);
    return {
      records: records.subarray(scan.at),
      ids: ids.subarray(scan.count * identityBytes),
    };
  }

  #add(owner: NameKey) {
    const bytes = bytesPerOwner + 2 * owner.length;
    const touched = { owner: this.#make(), bytes };
    this.#owners.set(owner, touched);
    this.#sorted = undefined;
    this.#bytes += bytes;
    return touched;
  }

  /** Ends the range earlier: what is beyond comes in the next one. */
  #dropGreaterOwners(): void {
    const owners = this.#owners;
    if (owners.size < 2) return;
    const sorted = [...owners.keys()].sort();
    const beyond = sorted.splice(sorted.length >>> 1);
    this.#to = beyond[0];
    this.#sorted = undefined;
    for (const owner of beyond) {
      this.#bytes -= owners.get(owner)!.bytes;
      owners.delete(owner);
    }
  }

  finish(): CollectedRange<Owner> {
    const sorted = [...this.#owners].sort(([a], [b]) => (a < b ? -1 : 1));
    const owners = sorted.map(([name, { owner }]) => [name, owner] as const);
    return { range: { from: this.#from, to: this.#to }, owners };
  }
}

/** The index of the first owner in a sorted list that does not come before one. */
function firstFrom(sorted: readonly NameKey[], owner: NameKey, from = 0): number {
  let low = from;
  for (let high = sorted.length; low < high; ) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < owner) low = middle + 1;
    else high = middle;
  }
  return low;
}

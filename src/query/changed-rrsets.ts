/**
 * The RRsets of a zone that one actor changed last, or that were changed since a time: a filter of records. It tells
 * what blame tells, made the other way round: a walk over the changes, oldest first, keeps the RRsets whose last
 * change so far passes.
 *
 * It costs the changes since the time, or since the first one of the actor, and a bounded amount of memory: where they
 * touched more RRsets than fit, a zone is read range by range, and the changes again for each.
 */
import { emptyName, labelsToWire, type NameKey } from '../dns/name.ts';
import { OwnerOrder, OwnerScan, PackedCursor } from '../dns/packed.ts';
import type { Connection, Statement } from '../journal/database.ts';
import { PartCheck, PartQuery } from '../journal/delta-row.ts';
import type { KeyRange } from './key-range.ts';
import { partsOfEvent } from './version-changes.ts';
import { bytesPerRange } from './version-undo.ts';
import { ZoneEvents } from './zone-events.ts';

export interface ChangeFilter {
  /** Name of the token, TSIG key or user of the host that made the last change. */
  readonly changedBy?: string | undefined;
  /** The time of the last change is this one or later. */
  readonly changedSince?: number | undefined;
}

export function asksForChanges({ changedBy, changedSince }: ChangeFilter): boolean {
  return (changedBy ?? changedSince) !== undefined;
}

interface FromActor {
  readonly isOwn: 0 | 1;
}

const inSpan = 'stream = (? + 0) AND serial > (? + 0) AND serial <= (? + 0)';

export class LastChanges {
  readonly #events: ZoneEvents;
  readonly #firstOf: Statement;
  readonly #parts: PartQuery<FromActor>;
  readonly #partCheck: PartCheck;
  readonly #memoryBytes: number;

  constructor(connection: Connection, memoryBytes = bytesPerRange) {
    this.#memoryBytes = memoryBytes;
    this.#events = new ZoneEvents(connection);
    this.#partCheck = new PartCheck(connection);
    this.#firstOf = connection
      .prepare(
        `SELECT serial FROM event WHERE ${inSpan} AND actor_name = ? ORDER BY serial LIMIT 1`,
      )
      .pluck();
    this.#parts = new PartQuery(
      connection,
      'packed',
      `WHERE ${inSpan} AND layer = 0 ORDER BY serial, place`,
      {
        from: `event CROSS JOIN event_delta ON ${partsOfEvent}`,
        also: ', coalesce(actor_name = ?, 0) AS isOwn',
      },
    );
  }

  /** Undefined where nothing is asked: then every RRset passes. */
  upTo(zoneId: number, serial: number, filter: ChangeFilter): ChangedRrsets | undefined {
    if (!asksForChanges(filter)) return undefined;
    const { changedBy, changedSince } = filter;
    const isBefore = ({ at }: { readonly at: number }) => at < (changedSince ?? 0);
    const before = changedSince && this.#events.lastPassing(zoneId, serial, isBefore)?.serial;
    const span = this.#spanOf(zoneId, [before ?? 0, serial], changedBy);
    if (span !== undefined) this.#partCheck.requireChanges(zoneId, ...span);
    return new ChangedRrsets((range) => {
      const rrsets = new RrsetsOfRange(range, this.#memoryBytes);
      const parts = span ? this.#parts.iterate(changedBy ?? null, zoneId, ...span) : [];
      for (const { records, isOwn } of parts) {
        rrsets.take(records, changedBy === undefined || isOwn === 1);
      }
      return rrsets;
    });
  }

  /** From after one serial up to another; undefined where the actor changed nothing in between. */
  #spanOf(
    zoneId: number,
    [after, upTo]: readonly [number, number],
    actor: string | undefined,
  ): readonly [number, number] | undefined {
    if (actor === undefined) return [after, upTo];
    const first = this.#firstOf.get(zoneId, after, upTo, actor) as number | undefined;
    return first === undefined ? undefined : [first - 1, upTo];
  }
}

/** The RRsets of a range that pass so far; the range ends earlier where there are too many. */
class RrsetsOfRange {
  readonly from: NameKey;
  /** The first owner beyond; undefined for the end of the zone. */
  to: NameKey | undefined;
  readonly #fromOrder: OwnerOrder;
  readonly #maxBytes: number;
  readonly #ownersOf = new Map<number, Set<NameKey>>();
  #bytes = 0;

  constructor({ from, to }: KeyRange, maxBytes: number) {
    this.from = from;
    this.to = to;
    this.#fromOrder = new OwnerOrder(labelsToWire(from));
    this.#maxBytes = maxBytes;
  }

  has(owner: NameKey, type: number): boolean {
    return this.#ownersOf.get(type)?.has(owner) ?? false;
  }

  owners(): Set<NameKey> {
    const owners = new Set<NameKey>();
    for (const ofType of this.#ownersOf.values()) for (const owner of ofType) owners.add(owner);
    return owners;
  }

  /** Records that a change removed or added, in canonical order. */
  take(records: Buffer, passes: boolean): void {
    const scan = new OwnerScan(records);
    if (this.from !== emptyName) scan.skipBefore(this.#fromOrder);
    const cursor = new PackedCursor(records, scan.at);
    while (cursor.next()) {
      const { owner, type } = cursor;
      if (this.to !== undefined && owner >= this.to) return;
      const owners = this.#ownersOf.get(type);
      if (!passes) {
        if (owners?.delete(owner) === true) this.#bytes -= bytesOf(owner);
      } else if (owners?.has(owner) !== true) {
        if (owners === undefined) this.#ownersOf.set(type, new Set([owner]));
        else owners.add(owner);
        this.#bytes += bytesOf(owner);
        if (this.#bytes > this.#maxBytes) this.#endEarlier();
      }
    }
  }

  /** What is beyond comes in the next range. */
  #endEarlier(): void {
    const sorted = [...this.owners()].sort();
    if (sorted.length < 2) return;
    const end = sorted[sorted.length >>> 1]!;
    this.to = end;
    for (const owners of this.#ownersOf.values()) {
      for (const owner of owners) {
        if (owner >= end && owners.delete(owner)) this.#bytes -= bytesOf(owner);
      }
    }
  }
}

/** About what an RRset takes in memory. */
const bytesOf = (owner: NameKey) => 80 + owner.length;

/** Holds one range of a zone at a time; who asks in the order of names, or against it, has each made once or twice. */
export class ChangedRrsets {
  readonly #read: (range: KeyRange) => RrsetsOfRange;
  /** Where the ranges begin, as far as they are known. */
  readonly #starts: NameKey[] = [emptyName];
  #range: RrsetsOfRange | undefined;

  constructor(read: (range: KeyRange) => RrsetsOfRange) {
    this.#read = read;
  }

  has(owner: NameKey, type: number): boolean {
    return this.#rangeOf(owner).has(owner, type);
  }

  /** The owners that have any; undefined where there are more than `max`. */
  owners(max: number): ReadonlySet<NameKey> | undefined {
    const range = this.#rangeOf(emptyName);
    const owners = range.to === undefined ? range.owners() : undefined;
    return owners !== undefined && owners.size <= max ? owners : undefined;
  }

  #rangeOf(owner: NameKey): RrsetsOfRange {
    const isIn = ({ from, to }: KeyRange) => owner >= from && (to === undefined || owner < to);
    if (this.#range !== undefined && isIn(this.#range)) return this.#range;
    for (let index = this.#starts.findLastIndex((start) => start <= owner); ; index++) {
      const range = this.#read({ from: this.#starts[index]!, to: undefined });
      this.#range = range;
      if (isIn(range)) return range;
      this.#starts[index + 1] = range.to!;
    }
  }
}

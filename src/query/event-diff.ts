/**
 * Pages of what one event changed, RRset by RRset in canonical order, as far as a caller may read it. As in lists of
 * events an entry has the records that the event removed and added, and none that stayed.
 */
import { labelsToWire, type NameKey } from '../dns/name.ts';
import { OwnerOrder, OwnerScan } from '../dns/packed.ts';
import { type ResourceRecord, unpackRecords } from '../dns/record.ts';
import type { Rights } from '../domain/access/rights.ts';
import { type DiffEntry, diffNodes, nodesOf, type OwnerRecords } from '../domain/diff.ts';
import type { Connection } from '../journal/database.ts';
import { rangeOfDelta } from '../journal/delta.ts';
import { changeNumber, PartCheck, PartQuery } from '../journal/delta-row.ts';
import type { SeenEvent } from './event-reader.ts';
import { EventRows } from './event-rows.ts';
import { ReadableRecords } from './record-scope.ts';
import type { RrsetKey } from './rrset-cursor.ts';
import { EntryPage, ownersOf, type WantedPart } from './version-page.ts';

export interface EventPart {
  /** With the page instead of the first entries. */
  readonly event: SeenEvent;
  /** What the page ended with; null at the end. */
  readonly next: RrsetKey | null;
}

export class EventDiffs {
  readonly #rows: EventRows;
  readonly #check: PartCheck;
  readonly #removed: PartQuery;
  readonly #added: PartQuery;

  constructor(connection: Connection) {
    this.#rows = new EventRows(connection);
    this.#check = new PartCheck(connection);
    const partsOf = (name: 'removed' | 'added') => {
      const rest = `WHERE place BETWEEN ? AND ? AND layer = 0 AND change = ${changeNumber(name)}
        ORDER BY place`;
      return new PartQuery(connection, 'packed', rest);
    };
    this.#removed = partsOf('removed');
    this.#added = partsOf('added');
  }

  /** Costs the page where the event has all entries, and else what it changed up to the end of the page. */
  page(rights: Rights, event: SeenEvent, part: WantedPart): EventPart {
    const { zone, diff } = event;
    if (zone === null || diff === null) return { event, next: null };
    const page = new EntryPage(part);
    const entries: DiffEntry[] = [];
    for (const batch of event.diffTruncated ? this.#all(rights, event, part) : [diff.entries]) {
      entries.push(...page.take(batch));
      if (page.next !== null) break;
    }
    const { next } = page;
    return { event: { ...event, diff: { ...diff, entries }, diffTruncated: next !== null }, next };
  }

  *#all(
    rights: Rights,
    { seq, zone, diff }: SeenEvent,
    part: WantedPart,
  ): Generator<readonly DiffEntry[]> {
    const readable = new ReadableRecords(rights).in(zone!.id);
    this.#check.requireEvent(seq);
    const range = rangeOfDelta(this.#rows.at(seq)!.delta);
    const { from } = ownersOf(part);
    const removed = byOwner(recordsFrom(this.#removed.iterate(...range), from));
    const added = byOwner(recordsFrom(this.#added.iterate(...range), from));
    try {
      for (const node of nodesOf(removed, added)) {
        const { entries } = diffNodes(diff!.apex, [node]);
        yield entries.filter(({ owner, type }) => readable.has(owner, type));
      }
    } finally {
      removed.return(undefined);
      added.return(undefined);
    }
  }
}

/** The records of parts whose owners do not come before one. */
function* recordsFrom(
  parts: Iterable<{ readonly records: Buffer }>,
  from: NameKey,
): Generator<ResourceRecord> {
  const order = new OwnerOrder(labelsToWire(from));
  for (const { records } of parts) {
    const scan = new OwnerScan(records);
    scan.skipBefore(order);
    yield* unpackRecords(records.subarray(scan.at));
  }
}

/** Records in canonical order, those of each owner together. */
function* byOwner(records: Iterable<ResourceRecord>): Generator<OwnerRecords> {
  let together: ResourceRecord[] = [];
  for (const record of records) {
    if (together.length > 0 && together[0]!.owner !== record.owner) {
      yield { owner: together[0]!.owner, records: together };
      together = [];
    }
    together.push(record);
  }
  if (together.length > 0) yield { owner: together[0]!.owner, records: together };
}

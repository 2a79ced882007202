/**
 * The job of the search index (search-indexer.ts): reads events, zones and deltas. It writes nothing.
 *
 * What it reads is written by another while it reads on, so no snapshot lasts from one batch to the next: it would keep
 * the WAL from beginning again, and a zone of a million records has gigabytes written. What is read twice, or later
 * than the events that are still to be followed, comes out the same once they are.
 */
import type { Parts } from '../../base/jobs.ts';
import { pagesOf } from '../../base/lists.ts';
import type { NameKey } from '../../dns/name.ts';
import { PackedCursor } from '../../dns/packed.ts';
import { StoredDamage } from '../../journal/damage.ts';
import { addedSet, rangeOfDelta, removedSet } from '../../journal/delta.ts';
import { PartCheck, PartQuery } from '../../journal/delta-row.ts';
import type { Connection, Statement } from '../../journal/database.ts';
import { openReader } from '../../journal/reader-connection.ts';
import {
  type IndexedOwner,
  type IndexBatch,
  type SearchProgress,
  searchProgressQuery,
  type StaleRows,
} from '../../projection/search-index.ts';
import { keysOfValue, type SearchKey } from '../../projection/search-terms.ts';
import { BlockScan } from '../../query/block-scan.ts';
import { allOwners } from '../../query/key-range.ts';
import { userRecordsOf } from '../../projection/block.ts';
import type { BlockRow } from '../../projection/block-row.ts';
import { StaleRowQuery } from './stale-rows.ts';

/** Keys and owners of one batch: some 10 ms of the one who writes. */
const entriesPerBatch = 1000;
/** Events of the past that are looked at in one call. */
const eventsPerRecall = 2000;
/** What is read at a time: some hundred KB each. */
const eventsPerRead = 500;
const partsPerRead = 16;
const blocksPerRead = 100;

const removedFirst: readonly number[] = [removedSet, addedSet];
const noBytes = Buffer.alloc(0);

/** A part of what is read: a batch of the index, or a zone that is to be forgotten first. */
export interface IndexPart {
  readonly purged?: number | undefined;
  readonly batch: IndexBatch;
  /** Rows that go. */
  readonly stale?: StaleRows;
}

interface EventRow {
  readonly seq: number;
  readonly zoneId: number;
  readonly kind: string;
  readonly delta: number;
}

export interface IndexState {
  readonly progress: SearchProgress | undefined;
  /** The number of the newest event. */
  readonly last: number;
}

export class SearchJob {
  readonly #connection: Connection;
  readonly #state: Statement;
  readonly #last: Statement;
  readonly #after: Statement;
  readonly #before: Statement;
  readonly #parts: PartQuery;
  readonly #partCheck: PartCheck;
  readonly #nextZone: Statement;
  readonly #blocks: BlockScan;
  readonly #stale: StaleRowQuery;

  constructor(file: string) {
    const connection = openReader(file);
    const columns = 'seq, stream AS zoneId, kind, delta';
    const changes = `stream <> 0 AND payload IS NOT NULL AND kind <> 'zone.signed' AND
      (serial IS NOT NULL OR kind = 'zone.purged')`;
    this.#connection = connection;
    this.#state = connection.prepare(searchProgressQuery);
    this.#last = connection.prepare('SELECT coalesce(max(seq), 0) FROM event').pluck();
    this.#after = connection.prepare(
      `SELECT ${columns} FROM event WHERE seq > ? AND seq <= ? AND ${changes}
       ORDER BY seq LIMIT ${eventsPerRead}`,
    );
    this.#before = connection.prepare(
      `SELECT ${columns} FROM event WHERE seq < ? AND seq >= ? AND ${changes}
       ORDER BY seq DESC LIMIT ${eventsPerRead}`,
    );
    this.#partCheck = new PartCheck(connection);
    this.#parts = new PartQuery(
      connection,
      'packed',
      `WHERE place BETWEEN ? AND ? AND layer = 0 AND change = (? + 0)
       ORDER BY place LIMIT ${partsPerRead}`,
    );
    this.#nextZone = connection
      .prepare(
        `SELECT min(id) FROM
         (SELECT min(id) AS id FROM zone WHERE id > ? UNION ALL SELECT min(id) FROM deleted_zone WHERE id > ?)`,
      )
      .pluck();
    this.#blocks = new BlockScan(connection, 'ever');
    this.#stale = new StaleRowQuery(connection, this.#blocks);
  }

  [Symbol.dispose](): void {
    this.#connection.close();
  }

  state(): IndexState {
    return this.#connection.transaction(() => ({
      progress: this.#state.get() as SearchProgress | undefined,
      last: this.#last.get() as number,
    }))();
  }

  /** What events have done, from after one up to the newest. */
  async follow(after: number, parts: Parts<IndexPart>): Promise<void> {
    const last = this.#last.get() as number;
    const batch = new BatchWriter(false, (part) => parts.send(part));
    for (const event of eventsOf(this.#after, after, last)) {
      if (event.kind === 'zone.purged') {
        await batch.flush();
        await parts.send({ purged: event.zoneId, batch: emptyBatch({ followed: event.seq }) });
        continue;
      }
      await this.#addEvent(batch, event);
      await batch.flushIfFull({ followed: event.seq });
    }
    await batch.flush({ followed: last });
  }

  /** What some events before one have removed, the newest first. */
  async recall(before: number, parts: Parts<IndexPart>): Promise<void> {
    const first = Math.max(1, before - eventsPerRecall);
    const batch = new BatchWriter(true, (part) => parts.send(part));
    for (const event of eventsOf(this.#before, before, first)) {
      if (event.kind === 'zone.purged') continue;
      await this.#addEvent(batch, event, [removedSet]);
      await batch.flushIfFull({ recalled: event.seq });
    }
    await batch.flush({ recalled: first });
  }

  /** What finds nothing any more. */
  async sweep(_: undefined, parts: Parts<StaleRows>): Promise<void> {
    for (const stale of this.#stale.batches()) await parts.send(stale);
  }

  /** The records of the next zone after one; no part when there is none. */
  async zone(after: number, parts: Parts<IndexPart>): Promise<void> {
    const zoneId = this.#nextZone.get(after, after) as number | null;
    if (zoneId === null) return;
    const batch = new BatchWriter(false, (part) => parts.send(part));
    await this.#addZone(batch, zoneId);
    await batch.flush({ zoneId });
  }

  /** What a zone has, and the rows that say more of it. */
  async compare(zoneId: number, parts: Parts<IndexPart>): Promise<void> {
    const batch = new BatchWriter(false, (part) => parts.send(part));
    await this.#addZone(batch, zoneId);
    await batch.flush();
    for (const stale of this.#stale.ofZone(zoneId))
      await parts.send({ batch: emptyBatch({}), stale });
  }

  async #addZone(batch: BatchWriter, zoneId: number): Promise<void> {
    let from: NameKey | undefined = allOwners.from;
    while (from !== undefined) {
      const blocks = this.#blocksFrom(zoneId, from);
      for (const block of blocks) {
        for (const { owner, type, rdata } of userRecordsOf(block)) {
          batch.add(zoneId, owner, type, rdata, 0);
        }
        await batch.flushIfFull();
      }
      const last = blocks.at(-1);
      from = last && this.#blocks.limitOf(last);
    }
  }

  /** Some blocks of a zone from the one on that an owner stands in. */
  #blocksFrom(zoneId: number, from: NameKey): readonly BlockRow[] {
    return this.#connection.transaction(() => {
      const blocks = this.#blocks.ascending(zoneId, { from, to: undefined });
      return [...blocks.take(blocksPerRead)];
    })();
  }

  /** What it removed, and then what it added: of records that are in both, the later word counts. */
  async #addEvent(batch: BatchWriter, event: EventRow, changes = removedFirst): Promise<void> {
    const { zoneId } = event;
    const cursor = new PackedCursor(noBytes);
    try {
      this.#partCheck.requireEvent(event.seq);
      for (const change of changes) {
        for (const { place, records } of this.#partsOf(event, change)) {
          const removed = change === addedSet ? 0 : place;
          cursor.open(records);
          while (cursor.next()) batch.add(zoneId, cursor.owner, cursor.type, cursor.rdata, removed);
          await batch.flushIfFull();
        }
      }
    } catch (error) {
      // The damage is reported; what can not be read is not found.
      if (!(error instanceof StoredDamage)) throw error;
    }
  }

  *#partsOf({ delta }: EventRow, change: number) {
    const [first, end] = rangeOfDelta(delta);
    const read = (last: { readonly place: number } | undefined) =>
      this.#parts.all(last === undefined ? first : last.place + 1, end, change);
    for (const parts of pagesOf(partsPerRead, read)) yield* parts;
  }
}

/** Events between two numbers in the order of the statement, read some at a time. */
function* eventsOf(statement: Statement, from: number, to: number): Generator<EventRow> {
  const read = (last: EventRow | undefined) => statement.all(last?.seq ?? from, to) as EventRow[];
  for (const events of pagesOf(eventsPerRead, read)) yield* events;
}

function emptyBatch(progress: Partial<SearchProgress>): IndexBatch {
  return { owners: [], isHistory: false, progress };
}

interface OpenOwner {
  readonly zoneId: number;
  readonly owner: NameKey;
  removed: number;
  readonly keys: Map<SearchKey, number>;
}

/** Gathers what becomes of owners, and sends it when it is much. */
class BatchWriter {
  readonly #isHistory: boolean;
  readonly #send: (part: IndexPart) => Promise<void>;
  #owners = new Map<string, OpenOwner>();
  #entries = 0;
  #last: OpenOwner | undefined;

  constructor(isHistory: boolean, send: (part: IndexPart) => Promise<void>) {
    this.#isHistory = isHistory;
    this.#send = send;
  }

  add(zoneId: number, owner: NameKey, type: number, rdata: Buffer, removed: number): void {
    const at = this.#at(zoneId, owner, removed);
    for (const key of keysOfValue(type, rdata)) {
      if (this.#isHistory && at.keys.has(key)) continue;
      this.#entries++;
      at.keys.set(key, removed);
    }
  }

  #at(zoneId: number, owner: NameKey, removed: number): OpenOwner {
    const last = this.#last;
    if (last !== undefined && last.owner === owner && last.zoneId === zoneId) {
      if (!this.#isHistory) last.removed = removed;
      return last;
    }
    const key = `${zoneId} ${owner}`;
    let open = this.#owners.get(key);
    if (open === undefined) {
      open = { zoneId, owner, removed, keys: new Map() };
      this.#owners.set(key, open);
      this.#entries++;
    } else if (!this.#isHistory) {
      open.removed = removed;
    }
    this.#last = open;
    return open;
  }

  async flushIfFull(progress: Partial<SearchProgress> = {}): Promise<void> {
    if (this.#entries >= entriesPerBatch) await this.flush(progress);
  }

  async flush(progress: Partial<SearchProgress> = {}): Promise<void> {
    const owners = [...this.#owners.values()].map(({ keys, ...rest }): IndexedOwner => {
      return { ...rest, keys: [...keys] };
    });
    this.#owners = new Map();
    this.#last = undefined;
    this.#entries = 0;
    if (owners.length === 0 && Object.keys(progress).length === 0) return;
    await this.#send({ batch: { owners, isHistory: this.#isHistory, progress } });
  }
}

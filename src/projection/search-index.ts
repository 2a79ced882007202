/**
 * The index of searches, over all zones and all that is retained of their past. A row says where to look: who reads it
 * compares what the zone, or the delta, holds there with what is asked for, so that a row too many finds nothing.
 *
 * It follows the journal in the background (background/search), so it is behind the newest events by a moment; its
 * progress says how far it has come. A rebuild empties it, and it is made again.
 */
import { Memory } from '../base/memory.ts';
import { keyToBytes, type NameKey } from '../dns/name.ts';
import { inSearchIndex } from '../journal/damage.ts';
import type { Connection, Statement } from '../journal/database.ts';
import { minCharacters, type SearchKey, searchedName } from './search-terms.ts';

/** What some events have done, or a zone holds, at one owner. */
export interface IndexedOwner {
  readonly zoneId: number;
  readonly owner: NameKey;
  /** The part of a delta that took records from it; 0 when some were added, or are there. */
  readonly removed: number;
  /** The same of records by the keys of their values. */
  readonly keys: readonly (readonly [key: SearchKey, removed: number])[];
}

/** How far it has come. */
export interface SearchProgress {
  readonly followed: number;
  readonly recalled: number;
  readonly zoneId: number | null;
}

/** What is written in one commit. */
export interface IndexBatch {
  readonly owners: readonly IndexedOwner[];
  /** What is known already is newer, and stays. */
  readonly isHistory: boolean;
  readonly progress: Partial<SearchProgress>;
  /** Zones whose records were taken in and looked for after this progress: what it passes over is in the index. */
  readonly compared?: readonly number[];
}

/** What it has: one of an earlier edition is not read, and is made again. */
const edition = 3;

/** How far the index has come; no row while there is none. */
export const searchProgressQuery = `SELECT followed, recalled, zone_id AS zoneId
  FROM search_progress WHERE id = ${edition}`;

/** No part of a delta. */
const nowhere = -1;

/** Owners of a purged zone that are forgotten in one commit. */
const ownersPerCommit = 500;

/** Rows that find nothing any more, by the ids of their owners; `removed` as it was read. */
export interface StaleRows {
  readonly keys: readonly (readonly [key: SearchKey, owner: number, removed: number])[];
  readonly owners: readonly (readonly [owner: number, removed: number])[];
}

/** For the one who writes. */
export class SearchIndex {
  readonly #connection: Connection;
  #statements: ReturnType<typeof statementsOf> | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  get #prepared() {
    this.#statements ??= statementsOf(this.#connection);
    return this.#statements;
  }

  /** The index is empty, and follows events from after one on. */
  begin(followed: number): void {
    this.clear();
    this.#prepared.begin.run(followed, followed + 1);
  }

  /**
   * Returns zones whose events the progress would pass over because retention, or somebody who forgot history, was
   * first. It follows no further until these zones were compared.
   */
  put(batch: IndexBatch): readonly number[] {
    return inSearchIndex(this.#connection, () => this.#put(batch));
  }

  #put({ owners, isHistory, progress, compared = [] }: IndexBatch): readonly number[] {
    const stored = new Memory<number, boolean>();
    const isStored = (id: number) => this.#prepared.isStored.get(id, id) !== undefined;
    for (const one of owners) {
      // A zone may have been purged since it was read.
      if (stored.of(one.zoneId, isStored)) this.#putOwner(one, isHistory);
    }
    const missed = this.#missedUpTo(progress.followed).filter(
      (zoneId) => !compared.includes(zoneId),
    );
    if (missed.length > 0) return missed;
    for (const [name, set] of Object.entries(this.#prepared.progress)) {
      const value = progress[name as keyof SearchProgress];
      if (value !== undefined) set.run(value);
    }
    return [];
  }

  /** Zones with events that it has not followed, up to one, and that are without what they did. */
  #missedUpTo(seq: number | undefined): readonly number[] {
    return seq === undefined ? [] : (this.#prepared.missed.all(seq) as number[]);
  }

  #putOwner({ zoneId, owner, removed, keys }: IndexedOwner, isHistory: boolean): void {
    const { byOwner, insertOwner, insertText, updateOwner, putKey, recallKey } = this.#prepared;
    const bytes = keyToBytes(owner);
    const known = byOwner.get(zoneId, bytes) as { id: number; removed: number } | undefined;
    const id = known?.id ?? Number(insertOwner.run(zoneId, bytes, removed).lastInsertRowid);
    if (known === undefined) {
      const text = searchedName(owner);
      if (text.length >= minCharacters) insertText.run(id, text);
    } else if (!isHistory && known.removed !== removed) {
      updateOwner.run(removed, id);
    }
    const write = isHistory ? recallKey : putKey;
    for (const [key, keyRemoved] of keys) write.run(Buffer.from(key, 'latin1'), id, keyRemoved);
  }

  /** Deletes 500 owners of a purged zone; returns whether more is left. */
  forget(zoneId: number): boolean {
    return inSearchIndex(this.#connection, () => this.#forget(zoneId));
  }

  #forget(zoneId: number): boolean {
    const { idsOf, deleteKeys, deleteText, deleteOwner } = this.#prepared;
    const ids = idsOf.all(zoneId, ownersPerCommit) as number[];
    for (const id of ids) {
      deleteKeys.run(id);
      deleteText.run(id);
      deleteOwner.run(id);
    }
    return ids.length === ownersPerCommit;
  }

  /** Deletes rows that are as they were read; an owner stays while it has keys. */
  sweep(stale: StaleRows): void {
    inSearchIndex(this.#connection, () => {
      const { markKey, sweepKey, sweepOwner, markOwner, deleteText } = this.#prepared;
      for (const [key, owner, removed] of stale.keys) {
        const bytes = Buffer.from(key, 'latin1');
        if (removed === 0) markKey.run(bytes, owner);
        sweepKey.run(bytes, owner, removed === 0 ? nowhere : removed);
      }
      for (const [id, removed] of stale.owners) {
        if (sweepOwner.run(id, removed).changes > 0) deleteText.run(id);
        else if (removed === 0) markOwner.run(id);
      }
    });
  }

  clear(): void {
    emptySearchIndex(this.#connection);
  }
}

/** It is made again from its beginning. */
export function emptySearchIndex(connection: Connection): void {
  connection.exec(
    `DELETE FROM search_progress; DELETE FROM search_key; DELETE FROM search_owner;
     INSERT INTO search_text (search_text) VALUES ('delete-all')`,
  );
}

function statementsOf(connection: Connection) {
  const update = (column: string) =>
    connection.prepare(`UPDATE search_progress SET ${column} = ? WHERE id = ${edition}`);
  return {
    begin: connection.prepare(
      `INSERT INTO search_progress (id, followed, recalled, zone_id) VALUES (${edition}, ?, ?, 0)`,
    ),
    progress: {
      followed: update('followed'),
      recalled: update('recalled'),
      zoneId: update('zone_id'),
    } satisfies Record<keyof SearchProgress, Statement>,
    isStored: connection.prepare(
      'SELECT 1 FROM zone WHERE id = ? UNION ALL SELECT 1 FROM deleted_zone WHERE id = ?',
    ),
    byOwner: connection.prepare(
      'SELECT id, removed FROM search_owner WHERE zone_id = ? AND owner = ?',
    ),
    insertOwner: connection.prepare(
      'INSERT INTO search_owner (zone_id, owner, removed) VALUES (?, ?, ?)',
    ),
    insertText: connection.prepare('INSERT INTO search_text (rowid, name) VALUES (?, ?)'),
    updateOwner: connection.prepare('UPDATE search_owner SET removed = ? WHERE id = ?'),
    putKey: connection.prepare(
      'INSERT OR REPLACE INTO search_key (key, owner, removed) VALUES (?, ?, ?)',
    ),
    recallKey: connection.prepare(
      'INSERT OR IGNORE INTO search_key (key, owner, removed) VALUES (?, ?, ?)',
    ),
    idsOf: connection.prepare('SELECT id FROM search_owner WHERE zone_id = ? LIMIT ?').pluck(),
    deleteKeys: connection.prepare('DELETE FROM search_key WHERE owner = ?'),
    sweepKey: connection.prepare(
      'DELETE FROM search_key WHERE key = ? AND owner = ? AND removed = ?',
    ),
    sweepOwner: connection.prepare(
      `DELETE FROM search_owner WHERE id = ? AND removed = ?
       AND NOT EXISTS (SELECT 1 FROM search_key WHERE owner = search_owner.id)`,
    ),
    /** Tells it from one that is replaced, of which nothing is erased (journal/erasure.ts). */
    markKey: connection.prepare(
      `UPDATE search_key SET removed = ${nowhere} WHERE key = ? AND owner = ? AND removed = 0`,
    ),
    /** Nothing is there any more: what it has was removed. */
    markOwner: connection.prepare(
      `UPDATE search_owner SET removed = (SELECT max(removed) FROM search_key WHERE owner = search_owner.id)
       WHERE id = ? AND removed = 0 AND EXISTS (SELECT 1 FROM search_key WHERE owner = search_owner.id)`,
    ),
    missed: connection
      .prepare(
        `SELECT DISTINCT stream FROM event
         WHERE seq > (SELECT followed FROM search_progress WHERE id = ${edition}) AND seq <= ?
          AND payload IS NULL AND stream <> 0 AND serial IS NOT NULL AND kind <> 'zone.signed'`,
      )
      .pluck(),
    deleteText: connection.prepare('DELETE FROM search_text WHERE rowid = ?'),
    deleteOwner: connection.prepare('DELETE FROM search_owner WHERE id = ?'),
  };
}

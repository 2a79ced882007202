/**
 * Damage that is found when a row is read: the read is refused, and the repair is notified, whichever
 * thread of the process found it.
 */
import { BroadcastChannel } from 'node:worker_threads';
import { Problem } from '../base/problem.ts';
import type { Connection } from './sqlite.ts';

/** What can not be trusted. */
export type DamagedRow =
  /** A block of a content, or the index that leads to it. */
  | { readonly table: 'block'; readonly content: number }
  /** A part of a delta, by the number it stands under. */
  | { readonly table: 'event_delta'; readonly delta: number }
  /** A net change of a zone. */
  | { readonly table: 'net_change'; readonly zoneId: number }
  /** The index of searches. */
  | { readonly table: 'search_index' };

/** As a refusal names it. */
const damaged: Readonly<Record<DamagedRow['table'], string>> = {
  block: 'records of the zone',
  event_delta: 'a past change of the zone',
  net_change: 'a past change of the zone',
  search_index: 'the index of searches',
};

/** Seconds after which a zone of usual size is repaired. */
const repairSeconds = 5;

/** STORAGE_UNAVAILABLE (HTTP 503, SERVFAIL): rows of the zone are not what was written. */
export class StoredDamage extends Problem {
  readonly row: DamagedRow;

  constructor(row: DamagedRow) {
    const message = `${damaged[row.table]} can not be read: the database is damaged there`;
    super('STORAGE_UNAVAILABLE', message, repairSeconds);
    this.row = row;
  }
}

/** Reports damage, and returns the error to throw. */
export function damageIn(connection: Connection, row: DamagedRow): StoredDamage {
  const channel = new BroadcastChannel(channelOf(connection.name));
  channel.postMessage(row);
  channel.close();
  return new StoredDamage(row);
}

/** Does what reads or writes the index of searches; StoredDamage where SQLite says that it is damaged. */
export function inSearchIndex<Result>(connection: Connection, run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    if (typeof code !== 'string' || !code.startsWith('SQLITE_CORRUPT')) throw error;
    throw damageIn(connection, { table: 'search_index' });
  }
}

/** Calls `listener` with all damage that is found in a database from now on. Returns how to end that. */
export function listenForDamage(file: string, listener: (row: DamagedRow) => void): () => void {
  const channel = new BroadcastChannel(channelOf(file));
  channel.onmessage = (message) => listener((message as { data: DamagedRow }).data);
  channel.unref();
  return () => channel.close();
}

function channelOf(file: string): string {
  return `zonebook.damage ${file}`;
}

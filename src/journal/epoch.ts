/**
 * The epoch of a database, and whether the database is the one that was served from its folder last.
 *
 * The number stands in the header of the file (`user_version`), so every copy of the file has it. Beside
 * the database the epoch file (epoch-file.ts) says how far the service had come. Both are written in an
 * order that leaves no moment in which a database that goes on looks like one that was taken back:
 *
 * ```
 *   file {old, next: new}  -->  database: the new epoch, in one commit  -->  file {new}
 * ```
 */
import type { EpochEntry, EpochFile } from './epoch-file.ts';
import { genesisHash } from './event-row.ts';
import { headQuery } from './head.ts';
import type { Connection } from './sqlite.ts';

/** 0 before the first start of a service that knows epochs. */
function epochOf(connection: Connection): number {
  return connection.pragma('user_version', { simple: true }) as number;
}

/** In the open transaction, if there is one. */
export function setEpoch(connection: Connection, epoch: number): void {
  connection.pragma(`user_version = ${epoch}`);
}

/** What an epoch file would say of a database as it is. */
export function entryOf(connection: Connection): EpochEntry {
  const head = connection.prepare(headQuery).get() as { seq: number; hash: Buffer } | undefined;
  const { seq, hash } = head ?? { seq: 0, hash: genesisHash };
  const counter = connection.prepare("SELECT value FROM counter WHERE name = 'jumped'").pluck();
  const jumped = (counter.get() as number | undefined) ?? 0;
  return { epoch: epochOf(connection), seq, hash: hash.toString('hex'), jumped };
}

/** What a start finds. */
export type EpochState =
  /** The database goes on where it was served last. */
  | { readonly kind: 'current' }
  /** It never had an epoch, and begins the first. */
  | { readonly kind: 'first' }
  | { readonly kind: 'taken-back'; readonly reason: string };

export function judgeEpoch(connection: Connection, file: EpochFile | undefined): EpochState {
  const epoch = epochOf(connection);
  if (file === undefined) {
    if (epoch === 0) return { kind: 'first' };
    return {
      kind: 'taken-back',
      reason: `it was served in epoch ${epoch}, and no epoch file that can be read is beside it: it was copied from elsewhere, or the file was deleted`,
    };
  }
  const { next, ...last } = file;
  if (next !== undefined && differenceFrom(connection, next) === undefined) {
    return { kind: 'current' };
  }
  const reason = differenceFrom(connection, last);
  if (reason !== undefined) return { kind: 'taken-back', reason };
  return { kind: epoch === 0 ? 'first' : 'current' };
}

/** Why a database can not be the one that an entry was written of; undefined when it can. */
function differenceFrom(connection: Connection, entry: EpochEntry): string | undefined {
  const epoch = epochOf(connection);
  if (epoch !== entry.epoch) {
    return `it is in epoch ${epoch}, and epoch ${entry.epoch} was served from here`;
  }
  if (entry.seq === 0) return undefined;
  const hash = connection.prepare('SELECT hash FROM event WHERE seq = ?').pluck().get(entry.seq);
  if (hash === undefined) {
    const { seq } = entryOf(connection);
    return `it ends with event ${seq}, and event ${entry.seq} was served from here`;
  }
  if (entry.hash === undefined || (hash as Buffer).toString('hex') === entry.hash) return undefined;
  return `its event ${entry.seq} is not the one that was served from here`;
}

/** How far epochs that a database never saw may have moved anything, by what a file says of them. */
export function missedJumps(now: EpochEntry, file: EpochFile | undefined): number {
  const furthest = Math.max(file?.jumped ?? 0, file?.next?.jumped ?? 0);
  return Math.max(0, furthest - (now.jumped ?? 0));
}

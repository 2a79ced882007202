/**
 * A read-only connection for the thread that answers: all that is read in one turn of the event loop is of one
 * state of the database, however many statements that takes and whatever another thread commits meanwhile.
 *
 * ```
 *   idle --first statement of a turn--> one snapshot --end of the turn, or `renew`--> idle
 * ```
 * A snapshot that lasted longer would keep the WAL from being begun again.
 */
import { openReader } from './reader-connection.ts';
import type { Connection, Statement } from './sqlite.ts';

export interface TurnReader {
  readonly connection: Connection;
  /** What is read from now on is of the newest state. */
  renew(): void;
  close(): void;
}

/** Kilobytes of page cache: blocks are asked for again and again. */
const cacheKiB = 16 * 1024;

export function openTurnReader(file: string): TurnReader {
  const connection = openReader(file);
  connection.pragma(`cache_size = -${cacheKiB}`);
  const begin = connection.prepare('BEGIN');
  const commit = connection.prepare('COMMIT');
  let isOpen = false;
  const renew = () => {
    if (!isOpen) return;
    isOpen = false;
    // A read that fails may have ended it already.
    if (connection.open && connection.inTransaction) end();
  };
  const end = () => {
    try {
      commit.run();
    } catch (error) {
      // SQLite repeats the error of a read that met damage, which its caller has.
      if (connection.inTransaction) throw error;
    }
  };
  const hold = () => {
    if (isOpen) return;
    begin.run();
    isOpen = true;
    setImmediate(renew);
  };
  const prepare = connection.prepare.bind(connection) as (sql: string) => Statement;
  const held = (sql: string): Statement => {
    const statement = prepare(sql);
    const { get, all, iterate } = statement;
    statement.get = (...values) => {
      hold();
      return get.apply(statement, values);
    };
    statement.all = (...values) => {
      hold();
      return all.apply(statement, values);
    };
    statement.iterate = (...values) => {
      hold();
      return iterate.apply(statement, values);
    };
    return statement;
  };
  connection.prepare = held as Connection['prepare'];
  return {
    connection,
    renew,
    close: () => connection.close(),
  };
}

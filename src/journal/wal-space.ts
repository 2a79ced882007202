/**
 * Lays the WAL out ahead, as zeros: a commit that writes where the file has blocks already is synced in about half
 * the time of one that makes the file longer, which has the file system write its journal too. How far is said by
 * wal-room.ts.
 *
 * SQLite takes what is no frame of its current WAL for its end, and uses the file from its beginning again and
 * again. Nobody else writes while a piece is laid out, so that it can not meet a frame.
 */
import { closeSync, fdatasyncSync, fstatSync, openSync, writeSync } from 'node:fs';
import type { Connection } from './sqlite.ts';
import { laidOutBytesFor } from './wal-room.ts';

/** Written while others wait: some milliseconds. */
const pieceOctets = 1024 * 1024;

/** Lays out one more piece. False when there is enough of it; throws when there is no room. */
export function layOutWal(connection: Connection, bytesInUse: number): boolean {
  // From here on SQLite's file is there.
  connection.exec('BEGIN IMMEDIATE');
  try {
    const file = openSync(`${connection.name}-wal`, 'r+');
    try {
      const { size } = fstatSync(file);
      const missing = Math.floor(laidOutBytesFor(connection.name, bytesInUse) - size);
      if (missing <= 0) return false;
      const octets = Math.min(pieceOctets, missing);
      writeSync(file, Buffer.alloc(octets), 0, octets, size);
      fdatasyncSync(file);
      return true;
    } finally {
      closeSync(file);
    }
  } finally {
    connection.exec('ROLLBACK');
  }
}

/**
 * Lays the WAL out ahead, as zeros: a commit that writes where the file has blocks already is synced in about half
 * the time of one that makes the file longer, which has the file system write its journal too.
 *
 * SQLite takes what is no frame of its current WAL for its end, and uses the file from its beginning again and
 * again. Nobody else writes while a piece is laid out, so that it can not meet a frame.
 */
import { closeSync, fdatasyncSync, fstatSync, openSync, writeSync } from 'node:fs';
import type { Connection } from './sqlite.ts';
import { frameHeaderBytes } from './wal-progress.ts';
import { leftPages } from './writer-settings.ts';

const pageOctets = 4096;
/** What the WAL comes to under load. */
const wholeOctets = leftPages * (pageOctets + frameHeaderBytes);
/** Written while others wait: some milliseconds. */
const pieceOctets = 1024 * 1024;

/** Lays out one more piece. False when there is enough of it; throws when there is no room. */
export function layOutWal(connection: Connection): boolean {
  // From here on SQLite's file is there.
  connection.exec('BEGIN IMMEDIATE');
  try {
    const file = openSync(`${connection.name}-wal`, 'r+');
    try {
      const { size } = fstatSync(file);
      if (size >= wholeOctets) return false;
      writeSync(file, Buffer.alloc(pieceOctets), 0, pieceOctets, size);
      fdatasyncSync(file);
      return true;
    } finally {
      closeSync(file);
    }
  } finally {
    connection.exec('ROLLBACK');
  }
}

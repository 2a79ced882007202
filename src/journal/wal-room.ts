/**
 * How long the WAL may get: by what is free where it stands. It is there for speed, and a volume that it fills has no
 * room for what it is to be copied into.
 *
 * It is laid out ahead, as zeros: a commit that writes where the file has blocks already is synced in about half
 * the time of one that makes the file longer, which has the file system write its journal too.
 */
import { closeSync, fdatasyncSync, openSync, statfsSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Connection } from './sqlite.ts';
import { frameHeaderBytes } from './wal-progress.ts';

const pageBytes = 4096;
export const walFrameBytes: number = pageBytes + frameHeaderBytes;

/** Pages of WAL, 64 MiB, after which whoever writes checkpoints too, where there is room for them. */
const maxPages = 16_384;
/** What the file keeps when it is begun anew: where somebody read for long, it may have become much longer. */
export const maxWalBytes: number = maxPages * walFrameBytes;
/** A megabyte: less would have each commit checkpoint. */
const minPages = 256;
/** What the WAL may take of the room that it and what is free make up. */
const share = 1 / 4;
/** Bytes that are laid out ahead for a database however small. */
const minLaidOutBytes = 4 * 1024 * 1024;
/** Bytes written while others wait: some milliseconds. */
const pieceBytes = 1024 * 1024;

/** Pages of WAL after which it is time for a checkpoint, as the volume is now. */
export function walPagesFor(file: string): number {
  const pages = Math.floor((roomBytes(file) * share) / walFrameBytes);
  return Math.min(maxPages, Math.max(minPages, pages));
}

/**
 * Bytes that the WAL is laid out to: twice what is in use or as much as the database has, and never more than half of
 * what it may take.
 */
function laidOutBytesFor(file: string, bytesInUse: number): number {
  const wanted = Math.max(minLaidOutBytes, sizeOf(file), 2 * bytesInUse);
  return Math.min(wanted, maxPages * walFrameBytes, (roomBytes(file) * share) / 2);
}

/**
 * Lays out one more piece. False when there is enough of it; throws when there is no room.
 *
 * SQLite takes what is no frame of its current WAL for its end, and uses the file from its beginning again and
 * again. Nobody else writes while a piece is written, so that it can not meet a frame. But nobody waits while it is
 * synced: where the disk does not answer, a commit that waits for it is what tells so (storage.ts).
 */
export function layOutWal(
  connection: Connection,
  bytesInUse: number,
  sync: (file: number) => void = fdatasyncSync,
): boolean {
  const file = writePiece(connection, bytesInUse);
  if (file === undefined) return false;
  try {
    sync(file);
    return true;
  } finally {
    closeSync(file);
  }
}

/** The WAL, with a piece to be synced at its end; undefined when none is missing. */
function writePiece(connection: Connection, bytesInUse: number): number | undefined {
  // From here on SQLite's file is there.
  connection.exec('BEGIN IMMEDIATE');
  try {
    const wal = `${connection.name}-wal`;
    const size = sizeOf(wal);
    const missing = Math.floor(laidOutBytesFor(connection.name, bytesInUse) - size);
    if (missing <= 0) return undefined;
    const bytes = Math.min(pieceBytes, missing);
    const file = openSync(wal, 'r+');
    try {
      writeSync(file, Buffer.alloc(bytes), 0, bytes, size);
    } catch (error) {
      closeSync(file);
      throw error;
    }
    return file;
  } finally {
    connection.exec('ROLLBACK');
  }
}

/** Bytes that are free, or are the WAL's already. 0 where nobody can tell. */
function roomBytes(file: string): number {
  try {
    const { bavail, bsize } = statfsSync(dirname(file));
    return bavail * bsize + sizeOf(`${file}-wal`);
  } catch {
    return 0;
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/**
 * What has to be done to a WAL after a commit that failed, before anything else is appended to it.
 *
 * - The frames of the refused commit may stand in the file, whole and with right checksums: only their fsync failed.
 *   SQLite has forgotten them, but who opens the file after a kill would take them for committed. So the frame that
 *   follows the last committed one is overwritten (`voidRefused`).
 * - After an fsync that failed, the system may have dropped what it could not write, and says nothing of it when it
 *   is asked to sync again. So all committed frames are read, compared with their chain of checksums, written
 *   once more and synced (`rewriteFrames`).
 *
 * The database file needs no such thing: a checkpoint that failed copies all of its pages again. Format:
 * https://www.sqlite.org/fileformat2.html#walformat
 */
import { closeSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import { endianness } from 'node:os';
import type { Connection } from './sqlite.ts';
import { frameHeaderBytes, walHeaderBytes } from './wal-progress.ts';

/** Frames that are read and written at a time. */
const framesAtOnce = 64;
/** Of a WAL whose checksums are counted in big-endian words; the other one is less by 1. */
const bigEndianMagic = 0x377f0683;
/** Of a frame's header, what its checksum covers; the salts and the checksum itself follow. */
const coveredHeaderBytes = 8;
const checksumOffset = 16;

/** Committed frames are not in the file any more as they were written. */
export class LostFrames extends Error {
  override readonly name = 'LostFrames';
}

/**
 * Makes sure that a commit which was refused is not found in the WAL later. `connection` is in no transaction, and
 * `committedBytes` tells the length of the WAL up to its last commit while nobody else writes.
 */
export function voidRefused(connection: Connection, committedBytes: () => number): void {
  underWriteLock(connection, () => {
    const file = openSync(`${connection.name}-wal`, 'r+');
    try {
      voidFrameAt(file, committedBytes());
    } finally {
      closeSync(file);
    }
  });
}

/** The same, and has every committed frame on disk. Throws LostFrames. */
export function mendWal(connection: Connection, committedBytes: () => number): void {
  underWriteLock(connection, () => {
    const pageBytes = connection.pragma('page_size', { simple: true }) as number;
    const file = openSync(`${connection.name}-wal`, 'r+');
    try {
      const end = committedBytes();
      voidFrameAt(file, end);
      rewriteFrames(file, end, pageBytes + frameHeaderBytes);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  });
}

function underWriteLock(connection: Connection, work: () => void): void {
  connection.exec('BEGIN IMMEDIATE');
  try {
    work();
  } finally {
    if (connection.inTransaction) connection.exec('ROLLBACK');
  }
}

/** `end` is 0 of a WAL that holds no frame yet. */
function voidFrameAt(file: number, end: number): void {
  const at = Math.max(end, walHeaderBytes);
  if (fstatSync(file).size <= at) return;
  writeAll(file, Buffer.alloc(frameHeaderBytes), at);
}

function rewriteFrames(file: number, end: number, frameBytes: number): void {
  if (end <= walHeaderBytes) return;
  const header = readAll(file, walHeaderBytes, 0);
  const swaps = (header.readUInt32BE(0) === bigEndianMagic) !== (endianness() === 'BE');
  const chain = new WalChecksum(swaps);
  chain.add(header.subarray(0, walHeaderBytes - 8));
  if (!chain.is(header, walHeaderBytes - 8)) throw new LostFrames('the header of the WAL is lost');
  writeAll(file, header, 0);
  for (let at = walHeaderBytes; at < end; at += framesAtOnce * frameBytes) {
    const frames = readAll(file, Math.min(framesAtOnce * frameBytes, end - at), at);
    for (let start = 0; start < frames.length; start += frameBytes) {
      const frame = frames.subarray(start, start + frameBytes);
      chain.add(frame.subarray(0, coveredHeaderBytes));
      chain.add(frame.subarray(frameHeaderBytes));
      if (!chain.is(frame, checksumOffset)) {
        throw new LostFrames(`the frame at ${at + start} of the WAL is lost`);
      }
    }
    writeAll(file, frames, at);
  }
}

/** The checksum that runs through a WAL: each frame's goes on from the one before. */
class WalChecksum {
  readonly #swaps: boolean;
  #first = 0;
  #second = 0;

  constructor(swaps: boolean) {
    this.#swaps = swaps;
  }

  /** Bytes in eights. */
  add(bytes: Buffer): void {
    // Copied, because bytes of a view need not begin where words do.
    const copy = Buffer.from(new Uint8Array(bytes).buffer);
    if (this.#swaps) copy.swap32();
    const words = new Int32Array(copy.buffer);
    let first = this.#first;
    let second = this.#second;
    for (let at = 0; at < words.length; at += 2) {
      first = (first + words[at]! + second) | 0;
      second = (second + words[at + 1]! + first) | 0;
    }
    this.#first = first;
    this.#second = second;
  }

  /** Whether it is the one that stands there, which is big-endian in any WAL. */
  is(bytes: Buffer, at: number): boolean {
    return bytes.readInt32BE(at) === this.#first && bytes.readInt32BE(at + 4) === this.#second;
  }
}

function readAll(file: number, length: number, at: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(length);
  let done = 0;
  while (done < length) {
    const read = readSync(file, bytes, done, length - done, at + done);
    if (read === 0) throw new LostFrames(`the WAL ends at ${at + done}, before its last commit`);
    done += read;
  }
  return bytes;
}

function writeAll(file: number, bytes: Buffer, at: number): void {
  let done = 0;
  while (done < bytes.length) {
    done += writeSync(file, bytes, done, bytes.length - done, at + done);
  }
}

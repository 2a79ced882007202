/**
 * The file `last-backup` beside the database: what the last backup was made of, and when. The service and doctor say by
 * it how old that backup is; nothing depends on it, so what it says wrongly, or not at all, stops nothing.
 */
import { readFileSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { formatTime, monotonicMs, parseTime } from '../base/clock.ts';
import { replaceFile } from './data-file.ts';
import { isCount } from './epoch-file.ts';
import type { Connection } from './sqlite.ts';

/** Its name in a data folder. */
export const backupNoteName = 'last-backup';

export interface BackupNote {
  /** When the copy was begun, in milliseconds since 1970. */
  readonly at: number;
  /** The name of the file that was made, without its folder. */
  readonly file: string;
  readonly bytes: number;
  /** The last event that is in it. */
  readonly seq: number;
  /** The hash of that event in hex: another database may count as far. */
  readonly hash: string;
}

/** Replaces the file; it is on disk when this returns. */
export function writeBackupNote(dataDir: string, note: BackupNote): void {
  const path = join(dataDir, backupNoteName);
  const { at, file, bytes, seq, hash } = note;
  const text = JSON.stringify({ at: formatTime(at), file: basename(file), bytes, seq, hash });
  // Several may be made at once.
  replaceFile(path, `${text}\n`, `${path}.${process.pid}`);
}

/** A database that was restored was not backed up as it is now. */
export function removeBackupNote(dataDir: string): void {
  rmSync(join(dataDir, backupNoteName), { force: true });
}

/** More than any note has. */
const maxBytes = 4096;

/** Undefined when there is none, or it holds something else, or is of another database. */
export function readBackupNote(dataDir: string, connection: Connection): BackupNote | undefined {
  const note = storedNote(join(dataDir, backupNoteName));
  return note !== undefined && isOf(note, connection) ? note : undefined;
}

function storedNote(path: string): BackupNote | undefined {
  try {
    const stats = statSync(path);
    if (!stats.isFile() || stats.size > maxBytes) return undefined;
    const { at, file, bytes, seq, hash } = JSON.parse(readFileSync(path, 'utf8'));
    const time = typeof at === 'string' ? parseTime(at) : undefined;
    if (time === undefined || typeof file !== 'string' || typeof hash !== 'string') {
      return undefined;
    }
    return isCount(bytes) && isCount(seq) ? { at: time, file, bytes, seq, hash } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a database goes on from what the backup holds. */
function isOf({ seq, hash }: BackupNote, connection: Connection): boolean {
  if (seq === 0) return true;
  const stored = connection.prepare('SELECT hash FROM event WHERE seq = ?').pluck().get(seq);
  return (stored as Buffer | undefined)?.toString('hex') === hash;
}

/** Milliseconds between two looks at the file. */
const betweenLooksMs = 3000;

/** The note as the service has it: looked for when somebody asks, and read when it is another one. */
export class LastBackup {
  readonly #dataDir: string;
  readonly #connection: Connection;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #seen: string | undefined;
  #note: BackupNote | undefined;

  constructor(dataDir: string, connection: Connection) {
    this.#dataDir = dataDir;
    this.#connection = connection;
  }

  note(now = monotonicMs()): BackupNote | undefined {
    if (now - this.#lookedAt < betweenLooksMs) return this.#note;
    this.#lookedAt = now;
    const stats = statSync(join(this.#dataDir, backupNoteName), { throwIfNoEntry: false });
    const seen = stats && `${stats.ino} ${stats.mtimeMs} ${stats.size}`;
    if (seen !== this.#seen) {
      this.#note = readBackupNote(this.#dataDir, this.#connection);
      this.#seen = seen;
    }
    return this.#note;
  }
}

/** Database files of a stopped service with some bytes changed, as a disk or a copy may change them. */
import { closeSync, copyFileSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import { openSqlite } from '../../src/journal/sqlite.ts';

/** Changes one byte of a file. */
export function flipByte(file: string, offset: number, mask = 0x01): void {
  const handle = openSync(file, 'r+');
  try {
    const byte = Buffer.alloc(1);
    readSync(handle, byte, 0, 1, offset);
    byte[0] = byte[0]! ^ mask;
    writeSync(handle, byte, 0, 1, offset);
  } finally {
    closeSync(handle);
  }
}

/** Writes zeros over a page, as a disk does that lost it; pages count from 0. */
export function zeroPage(file: string, page: number): void {
  const handle = openSync(file, 'r+');
  try {
    writeSync(handle, Buffer.alloc(pageBytes), 0, pageBytes, page * pageBytes);
  } finally {
    closeSync(handle);
  }
}

/** Bytes of a page of the databases that the service makes. */
export const pageBytes = 4096;

/** Every place of some bytes in the pages of a table or an index. */
export function offsetsIn(file: string, owner: string, bytes: Buffer): number[] {
  const whole = readFileSync(file);
  const ranges = pagesOf(file, owner);
  const found: number[] = [];
  for (let at = whole.indexOf(bytes); at >= 0; at = whole.indexOf(bytes, at + 1)) {
    if (ranges.some(({ start, end }) => at >= start && at < end)) found.push(at);
  }
  return found;
}

/** The pages of a table or an index, as places in the file. */
export function pagesOf(file: string, owner: string): { start: number; end: number }[] {
  const connection = openSqlite(file, { readonly: true });
  try {
    const size = connection.pragma('page_size', { simple: true }) as number;
    const pages = connection
      .prepare('SELECT pageno FROM dbstat WHERE name = ? ORDER BY pageno')
      .pluck()
      .all(owner) as number[];
    return pages.map((page) => ({ start: (page - 1) * size, end: page * size }));
  } finally {
    connection.close();
  }
}

/** Puts all of a closed database into one file and copies it. */
export function copyOf(file: string, target: string): void {
  const connection = openSqlite(file);
  connection.pragma('wal_checkpoint(TRUNCATE)');
  connection.close();
  copyFileSync(file, target);
}

/** Runs statements that nothing refuses: without the triggers that keep the journal append-only. */
export function tamper(file: string, ...statements: string[]): void {
  const connection = openSqlite(file);
  const triggers = connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'");
  const all = triggers.pluck().all() as string[];
  const texts = connection
    .prepare("SELECT sql FROM sqlite_schema WHERE type = 'trigger'")
    .pluck()
    .all() as string[];
  for (const name of all) connection.exec(`DROP TRIGGER ${name}`);
  for (const statement of statements) connection.exec(statement);
  for (const text of texts) connection.exec(text);
  connection.pragma('wal_checkpoint(TRUNCATE)');
  connection.close();
}

/**
 * What a master file is read into: records, its SOA, and lines about what is wrong with it; and the bounds of reading
 * and printing one, each with its unit and reason.
 */
import type { ResourceRecord } from '../record.ts';
import type { SoaFields } from '../soa.ts';

export const fileLimits = {
  /**
   * Bytes of one entry, all its lines together. The longest that is printed here is a CSYNC of all
   * types with some 655,000, a TXT of 65,535 bytes outside ASCII comes to 263,000.
   */
  entryBytes: 1024 * 1024,
  /** Refused lines that are listed; the rest is counted only. */
  listedErrors: 1000,
  /** Records of types that are not stored that are listed; a signed zone can hold millions. */
  listedSkipped: 100_000,
  /**
   * Bytes that are read again, in all, because a parenthesis above them was never closed. Several in
   * an ordinary file are each reported; a file made of nothing else must not cost more and more.
   */
  rereadBytes: 8 * 1024 * 1024,
  /** Records in a batch: enough to make passing one on cheap. */
  batchRecords: 1000,
  /** Characters of a text that are turned into bytes at a time. */
  textCharacters: 64 * 1024,
  /** Characters of a printed piece. */
  pieceCharacters: 64 * 1024,
} as const;

/** A record of a file; the owner is relative to the apex. */
export interface FileRecord extends ResourceRecord {
  /** Number of the line where its entry begins. */
  readonly line: number;
}

/** The SOA of a file. Names are absolute. */
export interface FileSoa extends SoaFields {
  readonly line: number;
  readonly ttl: number;
  readonly rdata: Buffer;
}

/** What one entry turned out to be. */
export type Entry =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'record'; readonly record: FileRecord }
  | { readonly kind: 'soa'; readonly soa: FileSoa }
  | { readonly kind: 'skipped'; readonly description: string };

/** Why an entry is refused; the message is one clause for people. */
export class ZoneFileError extends Error {
  override readonly name = 'ZoneFileError';
}

/** Lines about a file, `line 12: ...`, of which only a number is kept and all are counted. */
export class ReportedLines {
  readonly lines: string[] = [];
  /** All of them, kept or not. */
  count = 0;
  private readonly maxLines: number;

  constructor(maxLines: number) {
    this.maxLines = maxLines;
  }

  /** Line 0: what came without lines. */
  add(line: number, message: string): void {
    this.count++;
    if (this.lines.length >= this.maxLines) return;
    this.lines.push(line === 0 ? message : `line ${line}: ${message}`);
  }
}

/**
 * What a master file is read into.
 */
import type { NameKey } from '../name.ts';
import type { ResourceRecord } from '../record.ts';

/** A record of a file; the owner is relative to the apex. */
export interface FileRecord extends ResourceRecord {
  /** Number of the line where its entry begins. */
  readonly line: number;
}

/** The SOA of a file. Names are absolute. */
export interface FileSoa {
  readonly line: number;
  readonly ttl: number;
  readonly rdata: Buffer;
  readonly mname: NameKey;
  readonly rname: NameKey;
  readonly serial: number;
  /** Seconds, as the three below; the range is 32 bits unsigned. */
  readonly refresh: number;
  readonly retry: number;
  readonly expire: number;
  readonly minimum: number;
}

/** What one entry turned out to be. */
export type Entry =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'record'; readonly record: FileRecord }
  | { readonly kind: 'soa'; readonly soa: FileSoa }
  | { readonly kind: 'skipped'; readonly description: string };

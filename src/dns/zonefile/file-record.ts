/**
 * What a master file is read into.
 */
import type { ResourceRecord } from '../record.ts';
import type { SoaFields } from '../soa.ts';

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

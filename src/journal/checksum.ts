/**
 * Checksums of rows that hold packed records: blocks and parts of deltas. They are compared whenever such a row is
 * read, so that what a disk, a controller or a copy has changed is never served.
 *
 * CRC-32 over the records, begun with a hash (FNV-1a) of the columns beside them: any change of one run of 32 bits
 * is found, and of others all but one in 4,000,000,000. Nothing here keeps out who changes a file on purpose: the
 * chain of hashes tells of that. Identities have a checksum of their own, because transfers do not read them.
 */
import { crc32 } from 'node:zlib';
import { partsPerEvent } from './delta.ts';
import type { Connection } from './sqlite.ts';

const offsetBasis = 0x811c9dc5;
const prime = 0x01000193;

function mixed(hash: number, value: number): number {
  return Math.imul(hash ^ value, prime);
}

function mixedBytes(hash: number, bytes: Uint8Array, start: number, end: number): number {
  let next = mixed(hash, end - start);
  for (let at = start; at < end; at++) next = Math.imul(next ^ bytes[at]!, prime);
  return next;
}

/** Stands for the length of a key that does not exist: no key has this length. */
const noKey = -1;

/** A key among other bytes. */
export interface KeySpan {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
}

/**
 * The checksum of the records of a block that holds `count` of them, of the owners from `first` to before `next`
 * (undefined: to the end). The content's number is added, so that it moves along with a block that is given to
 * another content.
 */
export function checksumOfBlock(
  generation: number,
  first: KeySpan,
  next: KeySpan | undefined,
  count: number,
  records: Uint8Array,
): number {
  let head = mixedBytes(mixed(offsetBasis, count), first.bytes, first.start, first.end);
  if (next === undefined) head = mixed(head, noKey);
  else head = mixedBytes(head, next.bytes, next.start, next.end);
  return generation + crc32(records, head >>> 0);
}

/** All of some bytes, as a key. */
export function spanOfAll(bytes: Uint8Array): KeySpan {
  return { bytes, start: 0, end: bytes.length };
}

/** The checksum of identities; `count` is that of the records they belong to. 0 where there are none. */
export function checksumOfIds(ids: Uint8Array | null, count: number): number {
  return ids === null ? 0 : crc32(ids, count >>> 0);
}

/** The checksum of the payload of an event and the number of its parts; 0 where there is no payload any more. */
export function checksumOfPayload(payload: string | null, parts: number): number {
  return payload === null ? 0 : crc32(payload, parts >>> 0);
}

/** A part of a delta, as far as its checksum covers it. */
export interface CheckedPart {
  /** Its number among those of its delta. */
  readonly part: number;
  readonly change: number;
  readonly layer: number;
  readonly count: number;
  readonly records: Uint8Array;
}

export function checksumOfPart({ part, change, layer, count, records }: CheckedPart): number {
  const head = mixed(mixed(mixed(mixed(offsetBasis, part), change), layer), count);
  return crc32(records, head >>> 0);
}

/** Lets SQL make checksums: for the migration that brings them. */
export function addChecksumFunctions(connection: Connection): void {
  const options = { deterministic: true, directOnly: true };
  connection.function(
    'block_checksum',
    options,
    (generation: number, first: Buffer, next: Buffer | null, count: number, records: Buffer) => {
      const limit = next === null ? undefined : spanOfAll(next);
      return checksumOfBlock(generation, spanOfAll(first), limit, count, records);
    },
  );
  connection.function(
    'delta_checksum',
    options,
    (number: number, change: number, layer: number, count: number, records: Buffer) =>
      checksumOfPart({ part: number % partsPerEvent, change, layer, count, records }),
  );
  connection.function('ids_checksum', options, checksumOfIds);
  connection.function('payload_checksum', options, checksumOfPayload);
}

/** The owners of a stored zone in canonical order, each with its records as they are stored. */
import { keyFromWire, type NameKey } from '../../dns/name.ts';
import { packedEndOf, unpackRecords } from '../../dns/record.ts';
import type { ZoneRecord } from '../../domain/record.ts';
import { createdAt, idAt, identityOctets } from '../../journal/identity.ts';
import type { BlockContent } from '../../projection/block.ts';

export interface OwnerGroup {
  readonly owner: NameKey;
  readonly records: Buffer;
  readonly ids: Buffer;
}

export function* ownerGroups(blocks: Iterable<BlockContent>): Generator<OwnerGroup> {
  for (const { records, ids } of blocks) {
    let at = 0;
    let index = 0;
    while (at < records.length) {
      const labels = labelsAt(records, at);
      let end = packedEndOf(records, at);
      let count = 1;
      while (end < records.length && startsWith(records, end, labels)) {
        end = packedEndOf(records, end);
        count++;
      }
      yield {
        owner: keyFromWire(labels.subarray(0, -1)),
        records: records.subarray(at, end),
        ids: ids.subarray(index * identityOctets, (index + count) * identityOctets),
      };
      at = end;
      index += count;
    }
  }
}

const pointerOctet = 0xc0;

/** The labels of the owner at `at` and the first octet of the pointer that closes them. */
function labelsAt(records: Buffer, at: number): Buffer {
  let end = at;
  while (records[end]! < pointerOctet) end += records[end]! + 1;
  return records.subarray(at, end + 1);
}

function startsWith(records: Buffer, at: number, labels: Buffer): boolean {
  for (let index = 0; index < labels.length; index++) {
    if (records[at + index] !== labels[index]) return false;
  }
  return true;
}

/** The user records of a group. */
export function userRecordsOfGroup(group: OwnerGroup): ZoneRecord[] {
  return recordsOfGroup(group).filter(({ id }) => id !== 0);
}

/** The derived records of a group; they have the id 0. */
export function derivedRecordsOfGroup(group: OwnerGroup): ZoneRecord[] {
  return recordsOfGroup(group).filter(({ id }) => id === 0);
}

function recordsOfGroup({ records, ids }: OwnerGroup): ZoneRecord[] {
  return [...unpackRecords(records)].map(({ owner, type, ttl, rdata }, index) => {
    return { owner, type, ttl, rdata, id: idAt(ids, index), createdAt: createdAt(ids, index) };
  });
}

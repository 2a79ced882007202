/** The owners of a stored zone in canonical order, each with its records as they are stored. */
import { keyFromWire, type NameKey } from '../../dns/name.ts';
import { packedEndOf } from '../../dns/record.ts';
import { rrtype } from '../../dns/rrtype.ts';
import type { DnameWalk, Occlusion } from '../../domain/dname-rules.ts';
import type { ZoneRecord } from '../../domain/record.ts';
import { identityOctets } from '../../journal/identity.ts';
import { type BlockContent, countIds, identifiedRecordsOf } from '../../projection/block.ts';

export interface OwnerGroup {
  readonly owner: NameKey;
  readonly records: Buffer;
  readonly ids: Buffer;
  readonly hasDname: boolean;
}

export function* ownerGroups(blocks: Iterable<BlockContent>): Generator<OwnerGroup> {
  for (const { records, ids } of blocks) {
    let at = 0;
    let index = 0;
    while (at < records.length) {
      const labels = labelsAt(records, at);
      let end = packedEndOf(records, at);
      let count = 1;
      let hasDname = isDname(records, at, labels);
      while (end < records.length && startsWith(records, end, labels)) {
        hasDname ||= isDname(records, end, labels);
        end = packedEndOf(records, end);
        count++;
      }
      yield {
        owner: keyFromWire(labels.subarray(0, -1)),
        records: records.subarray(at, end),
        ids: ids.subarray(index * identityOctets, (index + count) * identityOctets),
        hasDname,
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

/** Whether the record at `at`, whose owner has these labels, is a DNAME: its type follows the pointer of two bytes. */
function isDname(records: Buffer, at: number, labels: Buffer): boolean {
  return records.readUInt16BE(at + labels.length + 1) === rrtype.DNAME;
}

function startsWith(records: Buffer, at: number, labels: Buffer): boolean {
  for (let index = 0; index < labels.length; index++) {
    if (records[at + index] !== labels[index]) return false;
  }
  return true;
}

/** The next of a walk; undefined at its end. */
export function nextOf<Item>(walk: Iterator<Item>): Item | undefined {
  const { done, value } = walk.next();
  return done === true ? undefined : value;
}

/** Passes a stored owner that stays as it is, so far as it counts: owners of DNSSEC records alone do not. */
export function passGroup(
  walk: DnameWalk,
  { owner, ids, hasDname }: OwnerGroup,
): Occlusion | undefined {
  return hasDname || (walk.isOpen && countIds(ids, ids.length / identityOctets) > 0)
    ? walk.pass(owner, hasDname)
    : undefined;
}

/** The records of an owner, those of users and the derived ones; none of one that is not stored. */
export function layersOf(group: OwnerGroup | undefined): {
  readonly users: readonly ZoneRecord[];
  readonly derived: readonly ZoneRecord[];
} {
  const stored = group === undefined ? [] : [...identifiedRecordsOf(group)];
  const users = stored.filter(({ id }) => id !== 0);
  return { users, derived: stored.filter(({ id }) => id === 0) };
}

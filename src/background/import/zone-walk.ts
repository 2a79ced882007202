/**
 * Walks over a zone as it is stored and writes what it will hold: the one merge of every large change. Who plans a
 * change names the owners it changes, in canonical order. All others are copied as bytes, and so are the records
 * that stay at an owner that changes.
 *
 * ```
 *   open(owners)
 *   for each owner that changes:  stored = to(owner), then change(owner, stored, before, after)
 *   close()
 * ```
 * A walk of some ranges of a zone is opened and closed for each of them.
 */
import { assert } from '../../base/problem.ts';
import { emptyName, type NameKey } from '../../dns/name.ts';
import { PackedCursor } from '../../dns/packed.ts';
import { compareRecords, type ResourceRecord } from '../../dns/record.ts';
import { rrtype } from '../../dns/rrtype.ts';
import { LongOwners } from '../../dnssec/long-names.ts';
import { occludesBelow } from '../../dnssec/rrset.ts';
import { DnameWalk, hasDname, type Occlusion } from '../../domain/dname-rules.ts';
import { DeletionCount } from '../../domain/guard.ts';
import type { Guarded } from '../../domain/guard-setting.ts';
import type { ZoneRecord } from '../../domain/record.ts';
import { holds } from '../../domain/target-state.ts';
import { type IdentifiedRecord, identityBytes } from '../../journal/identity.ts';
import { type BlockRecords, bytesOf, countIds, userRecordsOf } from '../../projection/block.ts';
import { packedBytesOf, type PresentedRecord } from './file-table.ts';
import type { StageWriter } from './stage-writer.ts';

/** An owner of a stored zone with its records as they are stored. */
export interface OwnerGroup {
  readonly owner: NameKey;
  readonly records: Buffer;
  readonly ids: Buffer;
  readonly hasDname: boolean;
  readonly hasNsec3: boolean;
  readonly hasNs: boolean;
}

/** The owners of a stored zone in canonical order. */
export function* ownerGroups(blocks: Iterable<BlockRecords>): Generator<OwnerGroup> {
  for (const { records, ids } of blocks) {
    const cursor = new PackedCursor(records);
    let isLeft = cursor.next();
    for (let index = 0; isLeft; ) {
      const { start, labels, owner } = cursor;
      const first = index;
      let end = start;
      let hasDname = false;
      let hasNsec3 = false;
      let hasNs = false;
      do {
        hasDname ||= cursor.type === rrtype.DNAME;
        hasNsec3 ||= cursor.type === rrtype.NSEC3;
        hasNs ||= cursor.type === rrtype.NS;
        end = cursor.end;
        index++;
        isLeft = cursor.next();
      } while (isLeft && cursor.hasLabels(labels));
      yield {
        owner,
        records: records.subarray(start, end),
        ids: ids.subarray(first * identityBytes, index * identityBytes),
        hasDname,
        hasNsec3,
        hasNs,
      };
    }
  }
}

/** The user records of an owner; none of one that is not stored. */
export function usersOf(group: OwnerGroup | undefined): readonly ZoneRecord[] {
  return group === undefined ? [] : [...userRecordsOf(group)];
}

export interface WalkOptions {
  /** None in a dry run, which only judges. */
  readonly writer: StageWriter | undefined;
  /** Is called for names below a DNAME; may throw. */
  readonly occluded: (occlusion: Occlusion) => void;
  /** Names below it that NSEC3 has no room for are found. */
  readonly apex?: NameKey;
  /** The zone of which records may go, and which may protect some. */
  readonly guarded?: Guarded | undefined;
  /** Takes the owners that nobody names, in place of copying them. */
  readonly unnamed?: (group: OwnerGroup) => Promise<void>;
}

export class ZoneWalk {
  readonly #options: WalkOptions;
  readonly #writer: StageWriter | undefined;
  readonly #dnames = new DnameWalk();
  readonly #long: LongOwners | undefined;
  #groups: Iterator<OwnerGroup> = [][Symbol.iterator]();
  #group: OwnerGroup | undefined;
  /** The owner whose block has to begin before any other. */
  #first: NameKey | undefined;
  /** User records removed and added so far. */
  readonly counts = { removed: 0, added: 0 };
  /** What a guard is asked about. */
  readonly deletions: DeletionCount;

  constructor(options: WalkOptions) {
    this.#options = options;
    this.#writer = options.writer;
    this.#long = options.apex === undefined ? undefined : new LongOwners(options.apex);
    this.deletions = new DeletionCount(options.guarded);
  }

  /** Whether the apex, once it was passed, has a DNAME. */
  get hasApexDname(): boolean {
    return this.#dnames.hasApexDname;
  }

  get longOwners(): readonly NameKey[] {
    return this.#long?.found ?? [];
  }

  /** Whether the next names may be below a DNAME. */
  get isBelowDname(): boolean {
    return this.#dnames.isOpen;
  }

  /** Begins a range with its stored owners. The block of `first` is written even when nothing is left in it. */
  open(groups: Iterator<OwnerGroup>, first: NameKey = emptyName): void {
    this.#groups = groups;
    this.#first = first;
    this.#advance();
  }

  /** Goes on to an owner that changes; gives what is stored there. */
  async to(owner: NameKey): Promise<OwnerGroup | undefined> {
    if (this.#group !== undefined && this.#group.owner < owner) await this.#pass(owner);
    const group = this.#group;
    if (group?.owner !== owner) return undefined;
    this.#advance();
    return group;
  }

  /** Ends a range before `limit`, an owner that stays; undefined at the end of the zone. */
  async close(limit?: NameKey): Promise<void> {
    await this.#pass(undefined);
    // Ranges without changes are left out, and what begins the next one may be below a DNAME.
    this.#tell(this.#dnames.skipTo(limit));
    if (this.#first !== undefined) this.#writer?.open(this.#first);
    this.#writer?.endRange(limit);
  }

  /** Copies the owners before `limit`. */
  async #pass(limit: NameKey | undefined): Promise<void> {
    while (this.#group !== undefined && (limit === undefined || this.#group.owner < limit)) {
      const group = this.#group;
      this.#advance();
      if (this.#options.unnamed === undefined) await this.#copy(group);
      else await this.#options.unnamed(group);
    }
  }

  #advance(): void {
    const { done, value } = this.#groups.next();
    this.#group = done === true ? undefined : value;
  }

  async #copy({ owner, records, ids, hasDname, hasNsec3, hasNs }: OwnerGroup): Promise<void> {
    this.#long?.pass(owner, hasDname || (hasNs && owner !== emptyName));
    // Owners of DNSSEC records alone do not count.
    const isOpen = this.#dnames.isOpen;
    if (hasDname || (isOpen && countIds(ids, ids.length / identityBytes) > 0)) {
      this.#tell(this.#dnames.pass(owner, hasDname));
    }
    const writer = this.#writer;
    if (writer === undefined) return;
    await this.#begin(owner, records.length);
    writer.copy(records, ids);
    if (hasNsec3) writer.noteNsec3(owner);
  }

  #tell(occlusion: Occlusion | undefined): void {
    if (occlusion !== undefined) this.#options.occluded(occlusion);
  }

  /** `bytes`: of the packed records that the owner will have. */
  async #begin(owner: NameKey, bytes: number): Promise<void> {
    const writer = this.#writer;
    if (writer === undefined) return;
    const first = this.#first;
    this.#first = undefined;
    if (first !== undefined && first !== owner) writer.open(first);
    if (writer.begin(owner, bytes)) await writer.handOver();
  }

  /** Takes a new record, alone at an owner that is not stored. Its place is the caller's to tell. */
  async putAlone(
    owner: NameKey,
    presented: PresentedRecord,
    id: number,
    createdAt: number,
  ): Promise<void> {
    this.counts.added++;
    this.#long?.pass(owner, occludesBelow(owner, [presented]));
    if (this.#writer === undefined) return;
    await this.#begin(owner, packedBytesOf(presented));
    this.#writer.putAlone(presented, id, createdAt);
  }

  /** Changes the user records of an owner. Those that stay are the same objects before and after. */
  async change(
    owner: NameKey,
    stored: OwnerGroup | undefined,
    before: readonly ZoneRecord[],
    after: readonly ZoneRecord[],
  ): Promise<void> {
    if (after.length > 0) {
      this.#tell(this.#dnames.pass(owner, hasDname(after)));
      this.#long?.pass(owner, occludesBelow(owner, after));
    }
    const kept = new Set(before);
    const stays = new Set(after);
    const removed = before.filter((record) => !stays.has(record));
    const added = after.filter((record) => !kept.has(record));
    this.counts.removed += removed.length;
    this.counts.added += added.length;
    this.deletions.take(removed, added, (_, type) => holds(before, type));
    await this.write(owner, stored, removed, added.sort(compareRecords));
  }

  /** Writes the stored records of an owner without those removed, and with those added, into zone and delta. */
  async write(
    owner: NameKey,
    stored: OwnerGroup | undefined,
    removed: readonly ResourceRecord[],
    added: readonly IdentifiedRecord[],
  ): Promise<void> {
    const writer = this.#writer;
    if (writer === undefined) return;
    const storedCount = stored === undefined ? 0 : stored.ids.length / identityBytes;
    assert(removed.length <= storedCount, 'a zone holds every record that a change removes');
    if (added.length > 0 || storedCount > removed.length) {
      const storedBytes = stored?.records.length ?? 0;
      await this.#begin(owner, storedBytes - bytesOf(removed) + bytesOf(added));
    }
    for (const record of removed) writer.removed(record);
    if (stored === undefined) for (const record of added) writer.add(record);
    else merge(writer, stored, removed, added);
  }
}

/** Writes the records that an owner has then, in canonical order; runs of those that stay are copied. */
function merge(
  writer: StageWriter,
  { owner, records, ids }: OwnerGroup,
  removed: readonly ResourceRecord[],
  added: readonly IdentifiedRecord[],
): void {
  const cursor = new PackedCursor(records);
  let index = 0;
  let nextRemoved = 0;
  let nextAdded = 0;
  let kept = { at: 0, index: 0 };
  const copyUpTo = (at: number, next: { at: number; index: number }) => {
    if (at > kept.at) {
      const firstId = kept.index * identityBytes;
      writer.copy(records.subarray(kept.at, at), ids.subarray(firstId, index * identityBytes));
    }
    kept = next;
  };
  const comesFirst = () => nextAdded < added.length && compareTo(added[nextAdded]!, cursor) < 0;
  for (; cursor.next(); index++) {
    const { start, end } = cursor;
    if (comesFirst()) {
      copyUpTo(start, { at: start, index });
      while (comesFirst()) writer.add(added[nextAdded++]!);
    }
    if (nextRemoved < removed.length && compareTo(removed[nextRemoved]!, cursor) === 0) {
      nextRemoved++;
      copyUpTo(start, { at: end, index: index + 1 });
    } else if (cursor.type === rrtype.NSEC3) writer.noteNsec3(owner);
  }
  assert(nextRemoved === removed.length, 'a zone holds every record that a change removes');
  copyUpTo(records.length, kept);
  while (nextAdded < added.length) writer.add(added[nextAdded++]!);
}

/** The canonical order of a record and the one under a cursor, which has the same owner. */
function compareTo({ type, rdata }: ResourceRecord, cursor: PackedCursor): number {
  return type - cursor.type || rdata.compare(cursor.packed, cursor.rdataStart, cursor.end);
}

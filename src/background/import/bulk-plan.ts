/**
 * Plans very many new records from a table of them: walks over the zone, or only over its blocks that they
 * fall into, and them side by side, owner by owner, and writes what the zone will show and the delta that
 * leads there. A new record alone at a new owner stays octets all the way.
 */
import { assert } from '../../base/problem.ts';
import { diffEntryText } from '../../contract/record-json.ts';
import { emptyName, keyFromBytes, type NameKey } from '../../dns/name.ts';
import { compareRecords } from '../../dns/record.ts';
import { diffNodes } from '../../domain/diff.ts';
import { DnameWalk, hasDname, type Occlusion, occlusionProblem } from '../../domain/dname-rules.ts';
import { checkChange, hasRulesAlone } from '../../domain/node-rules.ts';
import type { ZoneRecord } from '../../domain/record.ts';
import { hasTarget, type WarningRules } from '../../domain/warnings.ts';
import { identifiedRecordsOf } from '../../projection/block.ts';
import type { BlockScan } from '../../query/block-scan.ts';
import { allOwners } from '../../query/key-range.ts';
import { type FileTable, ShownRecord } from './file-table.ts';
import { nextOf, type OwnerGroup, ownerGroups, passGroup } from './owner-groups.ts';
import type { StageWriter } from './stage-writer.ts';

export interface BulkPlanInput {
  readonly apex: NameKey;
  readonly zoneId: number;
  readonly blocks: BlockScan;
  /** Sorted; each with its number among all of them as its line. */
  readonly table: FileTable;
  /** 0 in a dry run: then no record has an id. */
  readonly firstId: number;
  readonly createdAt: number;
  /** Writes only the blocks that change, not all of the zone. */
  readonly isPatch: boolean;
  /** Are told of every owner that gets records, in canonical order. */
  readonly rules: Pick<WarningRules, 'node' | 'record'>;
}

/** The entries of the diff at an owner whose records were judged together. */
export interface JudgedOwner {
  /** The place after its last new record. */
  readonly end: number;
  readonly text: Buffer;
}

export class BulkPlan {
  readonly #input: BulkPlanInput;
  readonly #writer: StageWriter | undefined;
  readonly #shown = new ShownRecord();
  readonly #walk = new DnameWalk();
  #at = 0;
  #groups: Iterator<OwnerGroup> = [][Symbol.iterator]();
  #group: OwnerGroup | undefined;
  /** By the places of their first new records. Others have one record, and nothing beside it. */
  readonly judged = new Map<number, JudgedOwner>();
  readonly summary = { added: 0, changed: 0, removed: 0 };

  /** Without a writer the records are only judged. */
  constructor(input: BulkPlanInput, writer: StageWriter | undefined) {
    this.#input = input;
    this.#writer = writer;
  }

  /** Throws when records that are there and new ones can not stand together. */
  async run(): Promise<void> {
    const { blocks, zoneId, table, isPatch } = this.#input;
    if (!isPatch) {
      const all = ownerGroups(blocks.ascending(zoneId, allOwners));
      await this.#range(emptyName, all, undefined);
      return;
    }
    while (this.#at < table.count) {
      const block = blocks.blockOf(zoneId, table.ownerAt(this.#at));
      assert(block !== undefined, 'every owner has a block at or before it');
      await this.#range(keyFromBytes(block.first), ownerGroups([block]), blocks.limitOf(block));
    }
  }

  /** Owners that are there from `first` on, and the new ones before `limit`. */
  async #range(
    first: NameKey,
    groups: Iterator<OwnerGroup>,
    limit: NameKey | undefined,
  ): Promise<void> {
    const { table } = this.#input;
    this.#groups = groups;
    this.#next();
    // The block of the apex is there even when it has no records.
    if (this.#group?.owner !== first && table.ownerAt(this.#at) !== first) await this.#begin(first);
    while (true) {
      const owner = this.#at < table.count ? table.ownerAt(this.#at) : undefined;
      const isLeft = owner !== undefined && (limit === undefined || owner < limit);
      const group = this.#group;
      if (group !== undefined && (!isLeft || group.owner < owner)) {
        this.#refuse(passGroup(this.#walk, group));
        await this.#begin(group.owner);
        this.#writer?.copy(group.records, group.ids);
        this.#next();
      } else if (isLeft) {
        await this.#create(owner, group?.owner === owner ? group : undefined);
      } else break;
    }
    // Blocks without new owners are left out. Each begins with an owner that stays.
    this.#refuse(this.#walk.skipTo(limit));
    this.#writer?.endRange(limit);
  }

  #refuse(occlusion: Occlusion | undefined): void {
    if (occlusion !== undefined) throw occlusionProblem(this.#input.apex, occlusion);
  }

  #next(): void {
    this.#group = nextOf(this.#groups);
  }

  async #begin(owner: NameKey): Promise<void> {
    if (this.#writer?.owner(owner)) await this.#writer.handOver();
  }

  #idOf(line: number): number {
    const { firstId } = this.#input;
    return firstId === 0 ? 0 : firstId + line;
  }

  async #create(owner: NameKey, group: OwnerGroup | undefined): Promise<void> {
    const { table, createdAt } = this.#input;
    const start = this.#at;
    const end = table.endOfOwner(start);
    this.#at = end;
    table.show(start, this.#shown);
    const isAlone = group === undefined && end === start + 1 && !this.#walk.isOpen;
    if (isAlone && !hasRulesAlone(this.#shown.type, this.#shown.rdataBytes)) {
      this.summary.added++;
      if (hasTarget(this.#shown.type)) this.#input.rules.record(this.#shown);
      if (this.#writer?.ownerOf(this.#shown)) await this.#writer.handOver();
      this.#writer?.putAlone(this.#shown, this.#idOf(this.#shown.number), createdAt);
      return;
    }
    if (group !== undefined) this.#next();
    const added = table.recordsAt(start, end).map(({ line, type, ttl, rdata }): ZoneRecord => {
      return { owner, type, ttl, rdata, id: this.#idOf(line), createdAt };
    });
    const stored = group === undefined ? [] : [...identifiedRecordsOf(group)];
    this.#judge(start, end, owner, stored, added);
    await this.#write(owner, stored, added);
  }

  #judge(
    start: number,
    end: number,
    owner: NameKey,
    stored: readonly ZoneRecord[],
    added: readonly ZoneRecord[],
  ): void {
    const { apex } = this.#input;
    const before = stored.filter(({ id }) => id !== 0);
    const after = [...before, ...added];
    checkChange(apex, owner, before, after);
    this.#refuse(this.#walk.pass(owner, hasDname(after)));
    this.#input.rules.node(owner, before, after);
    const { entries } = diffNodes(apex, [{ owner, before, after }]);
    for (const { change } of entries) this.summary[change]++;
    const text = entries.map((entry) => diffEntryText(entry, apex)).join(',');
    this.judged.set(start, { end, text: Buffer.from(text) });
  }

  async #write(
    owner: NameKey,
    stored: readonly ZoneRecord[],
    added: readonly ZoneRecord[],
  ): Promise<void> {
    const writer = this.#writer;
    if (writer === undefined) return;
    await this.#begin(owner);
    const isAdded = new Set(added);
    const all = stored.length === 0 ? added : [...stored, ...added].sort(compareRecords);
    for (const record of all) writer.put(record, isAdded.has(record));
  }
}

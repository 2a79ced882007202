/**
 * Plans very many new records from a table of them, over the whole zone or only over its blocks that they fall into. A
 * new record alone at a new owner stays bytes all the way.
 */
import { diffEntryText } from '../../contract/record-json.ts';
import { keyFromBytes, type NameKey } from '../../dns/name.ts';
import type { Rights } from '../../domain/access/rights.ts';
import { diffNodes, redactDiff } from '../../domain/diff.ts';
import { hasAny, occlusionProblem } from '../../domain/dname-rules.ts';
import { checkChange } from '../../domain/node-rules.ts';
import type { ZoneRecord } from '../../domain/record.ts';
import { isJudgedAlone } from '../../domain/record-rules.ts';
import type { WarningRules } from '../../domain/warnings.ts';
import { apexOf, noZone, type Zone } from '../../domain/zone.ts';
import type { BlockScan } from '../../query/block-scan.ts';
import { allOwners } from '../../query/key-range.ts';
import type { FileTable, PresentedRecord } from './file-table.ts';
import type { StageWriter } from './stage-writer.ts';
import { type TablePlan, walkTable } from './table-walk.ts';
import { type OwnerGroup, ownerGroups, usersOf, ZoneWalk } from './zone-walk.ts';

export interface BulkPlanInput {
  readonly zone: Zone;
  /** Of the caller, whose diff shows only what it may read. */
  readonly rights: Rights;
  readonly blocks: BlockScan;
  /** Sorted; each with its number among all of them as its line. */
  readonly table: FileTable;
  /** 0 in a dry run: then no record has an id. */
  readonly firstId: number;
  readonly createdAt: number;
  /** Writes only the blocks that change, not all of the zone. */
  readonly isPatch: boolean;
  /** Are called for every owner that gets records, in canonical order. */
  readonly rules: Pick<WarningRules, 'node' | 'record' | 'judgesTtls'>;
}

/** The entries of the diff at an owner whose records were judged together. */
export interface JudgedOwner {
  /** The place after its last new record. */
  readonly end: number;
  readonly text: Buffer;
}

export class BulkPlan implements TablePlan {
  readonly #input: BulkPlanInput;
  readonly walk: ZoneWalk;
  /** By the places of their first new records. Others have one record, and nothing beside it. */
  readonly judged = new Map<number, JudgedOwner>();
  readonly summary = { added: 0, changed: 0, removed: 0 };

  /** Without a writer the records are only judged. */
  constructor(input: BulkPlanInput, writer: StageWriter | undefined) {
    this.#input = input;
    const { zone, table, rights } = input;
    this.walk = new ZoneWalk({
      writer,
      apex: apexOf(zone),
      guarded: zone,
      occluded(occlusion) {
        throw occlusionProblem(
          apexOf(zone),
          occlusion,
          (owner, type) =>
            hasAny(table.recordsOf(owner), type) ||
            rights.onRecord('record:read', zone.id, owner, type),
        );
      },
    });
  }

  /** Throws when records that are there and new ones can not stand together. */
  async run(): Promise<void> {
    const { blocks, zone, table, isPatch } = this.#input;
    const { walk } = this;
    const zoneId = zone.id;
    if (!isPatch) {
      walk.open(ownerGroups(blocks.ascending(zoneId, allOwners)));
      await walkTable(walk, table, this);
      await walk.close();
      return;
    }
    for (let at = 0; at < table.count; ) {
      const block = blocks.blockOf(zoneId, table.ownerAt(at));
      if (block === undefined) throw noZone(zone.name);
      const limit = blocks.limitOf(block);
      walk.open(ownerGroups([block]), keyFromBytes(block.first));
      at = await walkTable(walk, table, this, at, limit);
      await walk.close(limit);
    }
  }

  #idOf(line: number): number {
    const { firstId } = this.#input;
    return firstId === 0 ? 0 : firstId + line;
  }

  async alone(owner: NameKey, presented: PresentedRecord): Promise<void> {
    this.summary.added++;
    const { rules } = this.#input;
    if (rules.judgesTtls || isJudgedAlone(presented.type)) rules.record(presented);
    await this.walk.putAlone(owner, presented, this.#idOf(presented.number), this.#input.createdAt);
  }

  async owner(
    owner: NameKey,
    stored: OwnerGroup | undefined,
    start: number,
    end: number,
  ): Promise<void> {
    const { zone, rights, table, createdAt, rules } = this.#input;
    const apex = apexOf(zone);
    const added = table.recordsAt(start, end).map(({ line, type, ttl, rdata }): ZoneRecord => {
      return { owner, type, ttl, rdata, id: this.#idOf(line), createdAt };
    });
    const before = usersOf(stored);
    const after = [...before, ...added];
    checkChange(apex, owner, before, after);
    await this.walk.change(owner, stored, before, after);
    rules.node(owner, before, after);
    const diff = diffNodes(apex, [{ owner, before, after }]);
    const { entries } = redactDiff(diff, rights, zone, added);
    for (const { change } of entries) this.summary[change]++;
    const text = entries.map((entry) => diffEntryText(entry, apex)).join(',');
    this.judged.set(start, { end, text: Buffer.from(text) });
  }
}

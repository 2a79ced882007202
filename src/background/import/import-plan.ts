/**
 * Plans a large import: what the records of the file make of each owner that it names, and in mode `replace` of all
 * others.
 */
import type { NameKey } from '../../dns/name.ts';
import type { ImportMode, ImportSummary } from '../../domain/command.ts';
import { diffNodes } from '../../domain/diff.ts';
import type { KnowsOwner } from '../../domain/dname-rules.ts';
import { type NodeError, errorOfOcclusion, importNode } from '../../domain/file-node.ts';
import type { Guarded } from '../../domain/guard-setting.ts';
import type { ZoneRecord } from '../../domain/record.ts';
import { isJudgedAlone } from '../../domain/record-rules.ts';
import type { WarningRules } from '../../domain/warnings.ts';
import type { DiffSpool } from './diff-spool.ts';
import type { FileTable, PresentedRecord } from './file-table.ts';
import type { StageWriter } from './stage-writer.ts';
import { type TablePlan, walkTable } from './table-walk.ts';
import { type OwnerGroup, usersOf, ZoneWalk } from './zone-walk.ts';

export interface PlanInput {
  readonly apex: NameKey;
  readonly mode: ImportMode;
  readonly current: Iterator<OwnerGroup>;
  /** Sorted. */
  readonly file: FileTable;
  readonly firstId: number;
  readonly now: number;
  /** What the caller may read of what is stored. */
  readonly reads: KnowsOwner;
  /** As it is stored; undefined for a new zone. */
  readonly guarded: Guarded | undefined;
  /** None in a dry run. */
  readonly writer: StageWriter | undefined;
  /** Are called for every owner that differs, in canonical order. */
  readonly rules: Pick<WarningRules, 'node' | 'record' | 'judgesTtls'>;
  readonly diff: DiffSpool;
}

export class ImportPlan implements TablePlan {
  readonly #input: PlanInput;
  readonly walk: ZoneWalk;
  #nextId: number;
  /** What is wrong with the file; when there is anything, nothing may be published. */
  readonly nodeErrors: NodeError[] = [];
  readonly summary = { parsed: 0, added: 0, deleted: 0, updated: 0, unchanged: 0 };

  constructor(input: PlanInput) {
    const { apex, file, mode, firstId, writer, guarded, reads } = input;
    this.#input = input;
    this.#nextId = firstId;
    this.walk = new ZoneWalk({
      writer,
      apex,
      guarded,
      occluded: (occlusion) => {
        const fileAt = (owner: NameKey) => file.recordsOf(owner);
        this.nodeErrors.push(errorOfOcclusion(apex, occlusion, fileAt, reads));
      },
      ...(mode === 'replace' && { unnamed: (group) => this.owner(group.owner, group, 0, 0) }),
    });
  }

  /** The greatest id given to a record; 0 when none was, for a replay counts only what it sees. */
  get greatestId(): number {
    return this.#nextId > this.#input.firstId ? this.#nextId - 1 : 0;
  }

  async run(): Promise<void> {
    this.walk.open(this.#input.current);
    await walkTable(this.walk, this.#input.file, this);
    await this.walk.close();
  }

  async alone(owner: NameKey, presented: PresentedRecord): Promise<void> {
    const { apex, diff, now, rules, writer } = this.#input;
    const id = this.#nextId++;
    this.summary.parsed++;
    this.summary.added++;
    diff.addNew(apex, presented);
    if (rules.judgesTtls || isJudgedAlone(presented.type)) rules.record(presented);
    await this.walk.putAlone(owner, presented, id, now);
    writer?.addLocation(presented, id);
  }

  async owner(
    owner: NameKey,
    stored: OwnerGroup | undefined,
    start: number,
    end: number,
  ): Promise<void> {
    const { apex, mode, now, file, writer } = this.#input;
    const before = usersOf(stored);
    const created: ZoneRecord[] = [];
    const node = { apex, owner, current: before, file: file.recordsAt(start, end) };
    const { after, counts, nodeErrors } = importNode(mode, node, ({ type, ttl, rdata }) => {
      const record = { owner, type, ttl, rdata, id: this.#nextId++, createdAt: now };
      created.push(record);
      return record;
    });
    for (const error of nodeErrors) this.nodeErrors.push(error);
    for (const key of Object.keys(this.summary) as (keyof ImportSummary)[]) {
      this.summary[key] += counts[key];
    }
    await this.walk.change(owner, stored, before, after);
    for (const record of created) writer?.placed(record);
    this.#tellDiff(owner, before, after);
  }

  #tellDiff(owner: NameKey, before: readonly ZoneRecord[], after: readonly ZoneRecord[]): void {
    const { apex, diff, rules } = this.#input;
    const { entries } = diffNodes(apex, [{ owner, before, after }]);
    if (entries.length === 0) return;
    rules.node(owner, before, after);
    const kept = new Set(before);
    const added = after.filter((record) => !kept.has(record));
    diff.add(apex, entries, added);
  }
}

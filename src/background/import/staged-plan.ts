/**
 * Plans a large import: walks over the zone and the file side by side, owner by owner, and writes what
 * the zone will show and the delta that leads there. Owners that the file does not name are copied.
 */
import type { NameKey } from '../../dns/name.ts';
import type { FileRecord, ImportMode, ImportSummary } from '../../domain/command.ts';
import { type DiffEntry, diffNodes } from '../../domain/diff.ts';
import { DnameWalk, hasDname, type Occlusion } from '../../domain/dname-rules.ts';
import { type Fault, faultOfOcclusion, importNode } from '../../domain/file-node.ts';
import { hasRulesAlone } from '../../domain/node-rules.ts';
import type { ZoneRecord } from '../../domain/record.ts';
import { ShownRecord, type FileTable } from './file-table.ts';
import { layersOf, nextOf, type OwnerGroup, passGroup } from './owner-groups.ts';
import { copyNode, writeNode } from './staged-node.ts';
import type { StageWriter } from './stage-writer.ts';

export interface PlanInput {
  readonly apex: NameKey;
  readonly mode: ImportMode;
  readonly current: Iterator<OwnerGroup>;
  /** Sorted. */
  readonly file: FileTable;
  readonly firstId: number;
  readonly now: number;
}

export interface PlanOutput {
  /** None in a dry run. */
  readonly writer: StageWriter | undefined;
  diff(entries: readonly DiffEntry[], added: readonly ZoneRecord[]): void;
  /** Every owner that differs, in canonical order. */
  changed(owner: NameKey, before: readonly ZoneRecord[], after: readonly ZoneRecord[]): void;
  /** The same for a new record, alone at a new owner. */
  diffNew(record: ShownRecord): void;
  fault(fault: Fault): void;
}

export class StagedPlan {
  readonly #input: PlanInput;
  readonly #output: PlanOutput;
  #nextId: number;
  readonly counts = { parsed: 0, added: 0, deleted: 0, updated: 0, unchanged: 0 };

  constructor(input: PlanInput, output: PlanOutput) {
    this.#input = input;
    this.#output = output;
    this.#nextId = input.firstId;
  }

  /** The greatest id given to a record; 0 when none was, for a replay counts only what it sees. */
  get greatestId(): number {
    return this.#nextId > this.#input.firstId ? this.#nextId - 1 : 0;
  }

  get hasApexDname(): boolean {
    return this.#walk.hasApexDname;
  }

  async run(): Promise<void> {
    const { current, file } = this.#input;
    const { writer } = this.#output;
    let group = nextOf(current);
    let at = 0;
    const firstOwner = file.count === 0 ? undefined : file.ownerAt(0);
    if (writer !== undefined && group?.owner !== '' && firstOwner !== '') {
      writer.owner('' as NameKey);
    }
    while (group !== undefined || at < file.count) {
      const end = at < file.count ? file.endOfOwner(at) : at;
      const isFirst = at < file.count && (group === undefined || file.ownerAt(at) < group.owner);
      if (isFirst && end === at + 1) {
        file.show(at, this.#shown);
        if (!this.#walk.isOpen && !hasRulesAlone(this.#shown.type, this.#shown.rdataBytes)) {
          if (this.#isSliceFull()) await writer!.handOver();
          this.#putNew();
          at = end;
          continue;
        }
      }
      const fileOwner = at < file.count ? file.ownerAt(at) : undefined;
      const isStored = group !== undefined && (fileOwner === undefined || group.owner <= fileOwner);
      const owner = isStored ? group!.owner : fileOwner!;
      const isNamed = owner === fileOwner;
      const named = isNamed ? file.recordsAt(at, end) : [];
      await this.#owner(owner, isStored ? group : undefined, named);
      if (isNamed) at = end;
      if (isStored) group = nextOf(current);
    }
  }

  readonly #shown = new ShownRecord();
  readonly #walk = new DnameWalk();
  /** What the file has at the last DNAME. */
  #atDname: readonly FileRecord[] = [];

  #reportOcclusion(occlusion: Occlusion | undefined, named: readonly FileRecord[]): void {
    if (occlusion === undefined) return;
    const fileAt = (name: NameKey) => (name === occlusion.owner ? named : this.#atDname);
    this.#output.fault(faultOfOcclusion(this.#input.apex, occlusion, fileAt));
  }

  /** Begins the owner that is shown. */
  #isSliceFull(): boolean {
    return this.#output.writer?.ownerOf(this.#shown) ?? false;
  }

  /** A new record alone at a new owner, of a type without rules for that. */
  #putNew(): void {
    const id = this.#nextId++;
    this.counts.parsed++;
    this.counts.added++;
    this.#output.diffNew(this.#shown);
    this.#output.writer?.putNew(this.#shown, id, this.#input.now);
  }

  async #owner(
    owner: NameKey,
    group: OwnerGroup | undefined,
    named: readonly FileRecord[],
  ): Promise<void> {
    const { apex, mode, now } = this.#input;
    if (named.length === 0 && mode !== 'replace') {
      const { writer } = this.#output;
      this.#reportOcclusion(passGroup(this.#walk, group!), []);
      if (group!.hasDname) this.#atDname = [];
      if (writer !== undefined) await copyNode(writer, group!);
      return;
    }
    const { users: before, derived } = layersOf(group);
    const created: ZoneRecord[] = [];
    const node = { apex, owner, current: before, file: named };
    const { after, counts, faults } = importNode(mode, node, ({ type, ttl, rdata }) => {
      const record = { owner, type, ttl, rdata, id: this.#nextId++, createdAt: now };
      created.push(record);
      return record;
    });
    for (const fault of faults) this.#output.fault(fault);
    const isDname = hasDname(after);
    if (after.length > 0) this.#reportOcclusion(this.#walk.pass(owner, isDname), named);
    if (isDname) this.#atDname = named;
    this.#count(counts);
    this.#tellDiff(owner, before, after);
    await this.#write(owner, derived, before, after, created);
  }

  #count(counts: ImportSummary): void {
    this.counts.parsed += counts.parsed;
    this.counts.added += counts.added;
    this.counts.deleted += counts.deleted;
    this.counts.updated += counts.updated;
    this.counts.unchanged += counts.unchanged;
  }

  #tellDiff(owner: NameKey, before: readonly ZoneRecord[], after: readonly ZoneRecord[]): void {
    const { entries } = diffNodes(this.#input.apex, [{ owner, before, after }]);
    if (entries.length === 0) return;
    this.#output.changed(owner, before, after);
    const kept = new Set(before);
    this.#output.diff(
      entries,
      before.length === 0 ? after : after.filter((record) => !kept.has(record)),
    );
  }

  async #write(
    owner: NameKey,
    derived: readonly ZoneRecord[],
    before: readonly ZoneRecord[],
    after: readonly ZoneRecord[],
    created: readonly ZoneRecord[],
  ): Promise<void> {
    const { writer } = this.#output;
    if (writer === undefined) return;
    await writeNode(writer, { owner, derived, before, after });
    for (const record of created) writer.placed(record);
  }
}

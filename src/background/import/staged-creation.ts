/**
 * Plans very many new records: walks over the zone and them side by side, owner by owner, and writes what
 * the zone will show and the delta that leads there.
 */
import type { NameKey } from '../../dns/name.ts';
import { compareRecords } from '../../dns/record.ts';
import { DnameWalk, hasDname, type Occlusion, occlusionProblem } from '../../domain/dname-rules.ts';
import type { ZoneRecord } from '../../domain/record.ts';
import { identifiedRecordsOf } from '../../projection/block.ts';
import type { FileTable } from './file-table.ts';
import { nextOf, type OwnerGroup, passGroup } from './owner-groups.ts';
import type { StageWriter } from './stage-writer.ts';

export interface CreationInput {
  readonly apex: NameKey;
  /** The zone as it is. */
  readonly current: Iterator<OwnerGroup>;
  /** The new records, sorted, each with its number as its line. */
  readonly table: FileTable;
}

/** Throws when the records that are there and the new ones can not stand together. */
type Judge = (owner: NameKey, before: readonly ZoneRecord[], added: readonly ZoneRecord[]) => void;

export class StagedCreation {
  readonly #input: CreationInput;
  readonly #created: readonly ZoneRecord[];
  readonly #writer: StageWriter | undefined;
  readonly #judge: Judge;
  readonly #walk = new DnameWalk();
  #group: OwnerGroup | undefined;
  #at = 0;
  #isBegun = false;

  /** Without a writer the records are only judged. */
  constructor(
    input: CreationInput,
    created: readonly ZoneRecord[],
    writer: StageWriter | undefined,
    judge: Judge,
  ) {
    this.#input = input;
    this.#created = created;
    this.#writer = writer;
    this.#judge = judge;
  }

  get hasApexDname(): boolean {
    return this.#walk.hasApexDname;
  }

  /** Plans some owners; true when all are planned. */
  async step(): Promise<boolean> {
    const { table } = this.#input;
    if (!this.#isBegun) await this.#beginFirst();
    for (let owners = 0; owners < ownersPerStep; owners++) {
      const group = this.#group;
      const isLeft = this.#at < table.count;
      if (group === undefined && !isLeft) return true;
      const owner = isLeft ? table.ownerAt(this.#at) : undefined;
      if (owner === undefined || (group !== undefined && group.owner < owner)) {
        await this.#begin(group!.owner);
        this.#refuse(passGroup(this.#walk, group!));
        this.#writer?.copy(group!.records, group!.ids);
        this.#next();
        continue;
      }
      await this.#create(owner, group?.owner === owner ? group : undefined);
    }
    return false;
  }

  /** The block of the apex is there even when it has no records. */
  async #beginFirst(): Promise<void> {
    this.#isBegun = true;
    this.#next();
    const { table } = this.#input;
    if (this.#group?.owner !== '' && table.ownerAt(0) !== '') await this.#begin('' as NameKey);
  }

  #next(): void {
    this.#group = nextOf(this.#input.current);
  }

  async #begin(owner: NameKey): Promise<void> {
    if (this.#writer?.owner(owner)) await this.#writer.handOver();
  }

  #refuse(occlusion: Occlusion | undefined): void {
    if (occlusion !== undefined) throw occlusionProblem(this.#input.apex, occlusion);
  }

  async #create(owner: NameKey, group: OwnerGroup | undefined): Promise<void> {
    const { table } = this.#input;
    const end = table.endOfOwner(this.#at);
    const added = table.recordsAt(this.#at, end).map(({ line }) => this.#created[line]!);
    this.#at = end;
    const stored = group === undefined ? [] : [...identifiedRecordsOf(group)];
    const before = stored.filter(({ id }) => id !== 0);
    this.#judge(owner, before, added);
    this.#refuse(this.#walk.pass(owner, hasDname(before) || hasDname(added)));
    if (group !== undefined) this.#next();
    if (this.#writer === undefined) return;
    await this.#begin(owner);
    const isAdded = new Set(added);
    const all = stored.length === 0 ? added : [...stored, ...added].sort(compareRecords);
    for (const record of all) this.#writer.put(record, isAdded.has(record));
  }
}

/** Owners between two looks at the clock. */
const ownersPerStep = 64;

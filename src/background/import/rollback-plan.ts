/**
 * Plans a large rollback: walks over the zone and the version side by side, owner by owner, and writes what
 * the zone will show and the delta that leads there. Owners that are as they were are copied.
 */
import type { NameKey } from '../../dns/name.ts';
import type { NodeVersion } from '../../domain/command.ts';
import { rolledBackNode } from '../../domain/decide-rollback.ts';
import { DnameWalk, hasDname, type Occlusion, occlusionProblem } from '../../domain/dname-rules.ts';
import type { ZoneRecord } from '../../domain/record.ts';
import { layersOf, nextOf, type OwnerGroup, passGroup } from './owner-groups.ts';
import type { StageWriter } from './stage-writer.ts';
import { copyNode, writeNode } from './staged-node.ts';

export interface RollbackInput {
  readonly apex: NameKey;
  readonly current: Iterator<OwnerGroup>;
  /** Owners that differ, as they were then, in canonical order. */
  readonly version: Iterator<NodeVersion>;
  /** Of all the records of those. */
  readonly idsOfVersion: ReadonlySet<number>;
  /** None in a dry run. */
  readonly writer: StageWriter | undefined;
  /** Is told of every owner that differs, in canonical order. */
  changed(owner: NameKey, before: readonly ZoneRecord[], after: readonly ZoneRecord[]): void;
}

export class RollbackPlan {
  readonly #input: RollbackInput;
  readonly #walk = new DnameWalk();
  readonly counts = { removed: 0, added: 0 };

  constructor(input: RollbackInput) {
    this.#input = input;
  }

  get hasApexDname(): boolean {
    return this.#walk.hasApexDname;
  }

  /** Throws the Problem of the first owner that can not be again as it was. */
  async run(): Promise<void> {
    const { current, version, writer } = this.#input;
    let group = nextOf(current);
    let node = nextOf(version);
    if (writer !== undefined && group?.owner !== '' && node?.owner !== '') {
      writer.owner('' as NameKey);
    }
    while (group !== undefined || node !== undefined) {
      if (node === undefined || (group !== undefined && group.owner < node.owner)) {
        this.#refuse(passGroup(this.#walk, group!));
        if (writer !== undefined) await copyNode(writer, group!);
        group = nextOf(current);
        continue;
      }
      const isStored = group?.owner === node.owner;
      await this.#rollBack(node, isStored ? group : undefined);
      if (isStored) group = nextOf(current);
      node = nextOf(version);
    }
  }

  #refuse(occlusion: Occlusion | undefined): void {
    if (occlusion !== undefined) throw occlusionProblem(this.#input.apex, occlusion);
  }

  async #rollBack(node: NodeVersion, group: OwnerGroup | undefined): Promise<void> {
    const { apex, idsOfVersion, writer } = this.#input;
    const { owner } = node;
    const { users: before, derived } = layersOf(group);
    const after = rolledBackNode(apex, node, before, idsOfVersion);
    if (after.length > 0) this.#refuse(this.#walk.pass(owner, hasDname(after)));
    this.#input.changed(owner, before, after);
    const stays = new Set(after);
    const kept = before.reduce((count, record) => count + (stays.has(record) ? 1 : 0), 0);
    this.counts.removed += before.length - kept;
    this.counts.added += after.length - kept;
    if (writer === undefined) return;
    await writeNode(writer, { owner, derived, before, after });
    const idsHere = new Set(before.map(({ id }) => id));
    for (const record of after) if (!idsHere.has(record.id)) writer.restored(record);
  }
}

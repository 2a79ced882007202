/**
 * What is left of a difference when only the RRsets count that one actor changed: the owners that differ and those that
 * the actor's changes touched, side by side in canonical order, each in a bounded amount of memory.
 */
import type { NameKey } from '../dns/name.ts';
import type { KeyRange } from './key-range.ts';
import type { VersionChanges } from './version-changes.ts';
import type { ChangedNode } from './version-records.ts';
import { Gathering, inGrowingRanges } from './version-undo.ts';

/** About what a type takes in memory among those of an owner. */
const bytesPerType = 40;

interface ActorChanges {
  /** Of the actor alone. */
  readonly changes: VersionChanges;
  readonly zoneId: number;
  /** From after one serial up to another. */
  readonly from: number;
  readonly to: number;
  readonly within: KeyRange;
  readonly memoryBytes: number;
}

/** `nodes` come in canonical order. Costs the actor's changes, once for each piece of the range. */
export function* touchedBy(
  actors: ActorChanges,
  nodes: Iterable<ChangedNode>,
): Generator<ChangedNode> {
  const touched = typesByOwner(actors);
  let next = touched.next();
  for (const node of nodes) {
    while (next.done !== true && next.value[0] < node.owner) next = touched.next();
    if (next.done === true) return;
    const [owner, types] = next.value;
    if (owner === node.owner) yield only(node, types);
  }
}

function only({ owner, before, after }: ChangedNode, types: ReadonlySet<number>): ChangedNode {
  return {
    owner,
    before: before.filter(({ type }) => types.has(type)),
    after: after.filter(({ type }) => types.has(type)),
  };
}

function* typesByOwner(actors: ActorChanges): Generator<readonly [NameKey, ReadonlySet<number>]> {
  const { changes, zoneId, from, to, within, memoryBytes } = actors;
  const ranges = inGrowingRanges(within, memoryBytes, (range, bytes) => {
    const gathering = new Gathering(range, bytes, 'user', () => new Set<number>());
    for (const part of changes.parts(zoneId, from, to)) {
      gathering.take(part, (types, { type }) => {
        if (types.has(type)) return 0;
        types.add(type);
        return bytesPerType;
      });
    }
    return gathering.finish();
  });
  for (const { owners } of ranges) yield* owners;
}

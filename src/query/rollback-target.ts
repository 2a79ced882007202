/**
 * What becomes of each owner when a zone, or only RRsets of it that are named, returns to a version, or when one change
 * is undone and those after it stay.
 *
 * One change is undone RRset by RRset. An RRset that is still as the change left it gets what was there before.
 * One that changed since is a conflict, unless it is taken all the same; one that is as before is left alone.
 */
import type { NameKey } from '../dns/name.ts';
import { type DiffEntry, sameRecords } from '../domain/diff.ts';
import type { ZoneRecord } from '../domain/record.ts';
import type { Zone } from '../domain/zone.ts';
import type { TouchedNode, VersionQueries } from './version-queries.ts';
import type { ChangedNode } from './version-records.ts';

/** What is rolled back, and to where. Owners are relative to the apex. */
export interface RollbackTarget {
  /** The version that comes back, or the change that is undone. */
  readonly serial: number;
  readonly isUndo: boolean;
  /** Only these owners, and RRsets of these types; all where nothing is said. */
  readonly names?: readonly NameKey[] | undefined;
  readonly types?: readonly number[] | undefined;
  /** Owners whose RRsets are undone even where they changed since. */
  readonly forced?: readonly NameKey[] | undefined;
}

/** An owner as it will be in `before`, and as it is now in `after`. */
export interface RollbackNode extends ChangedNode {
  /** RRsets that changed since: `from` what is there, `to` what would come. They are left alone. */
  readonly conflicts: readonly DiffEntry[];
}

/** True when the rest of the zone stays as it is. */
export function isPartial({ isUndo, names, types }: RollbackTarget): boolean {
  return isUndo || names !== undefined || types !== undefined;
}

/** The owners that differ, in canonical order. Throws VERSION_NOT_FOUND for what is not retained. */
export function* rollbackNodes(
  versions: VersionQueries,
  zone: Zone,
  target: RollbackTarget,
): Generator<RollbackNode> {
  const { serial, isUndo } = target;
  const names = target.names && new Set(target.names);
  const forced = new Set(target.forced);
  const nodes: Iterable<ChangedNode & Partial<TouchedNode>> = isUndo
    ? versions.touchedNodes(zone, serial)
    : versions.changedNodes(zone, serial, zone.serial);
  for (const node of nodes) {
    if (names !== undefined && !names.has(node.owner)) continue;
    if (isPartial(target)) {
      const back = rollbackNode(node, target, forced.has(node.owner));
      if (back !== undefined) yield back;
    } else yield { ...node, conflicts: [] };
  }
}

function rollbackNode(
  { owner, before, after, now = after }: ChangedNode & Partial<TouchedNode>,
  { isUndo, types }: RollbackTarget,
  isForced: boolean,
): RollbackNode | undefined {
  const conflicts: DiffEntry[] = [];
  let result = now;
  for (const type of new Set([...before, ...after].map((record) => record.type))) {
    if (types !== undefined && !types.includes(type)) continue;
    const ofType = (records: readonly ZoneRecord[]) => records.filter((one) => one.type === type);
    const [then, left, current] = [ofType(before), ofType(after), ofType(now)];
    const isDone = sameRecords(then, current) || (isUndo && sameRecords(then, left));
    if (isDone) continue;
    if (isUndo && !isForced && !sameRecords(left, current)) {
      conflicts.push({ change: 'changed', owner, type, from: current, to: then });
    } else {
      result = [...result.filter((one) => one.type !== type), ...then];
    }
  }
  if (result === now && conflicts.length === 0) return undefined;
  return { owner, before: result, after: now, conflicts };
}

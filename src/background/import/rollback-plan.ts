/**
 * Plans a large rollback: what each owner that differs between the zone as it is and a version holds then.
 */
import { Problem } from '../../base/problem.ts';
import type { Warning } from '../../base/warning.ts';
import { emptyName, parseAbsoluteName } from '../../dns/name.ts';
import { rrtype } from '../../dns/rrtype.ts';
import { Rights } from '../../domain/access/rights.ts';
import { rolledBackNode } from '../../domain/decide-rollback.ts';
import { type DiffEntry, diffNodes } from '../../domain/diff.ts';
import { occlusionProblem } from '../../domain/dname-rules.ts';
import { holds } from '../../domain/target-state.ts';
import { printWarnings, WarningRules } from '../../domain/warnings.ts';
import type { Connection } from '../../journal/database.ts';
import { BlockScan } from '../../query/block-scan.ts';
import { allOwners } from '../../query/key-range.ts';
import { RecordQueries } from '../../query/record-queries.ts';
import { StoredOwners } from '../../query/stored-owners.ts';
import { VersionQueries } from '../../query/version-queries.ts';
import { isPartial, type RollbackNode, rollbackNodes } from '../../query/rollback-target.ts';
import { ZoneQueries } from '../../query/zone-queries.ts';
import { rolledBackRecords, rolledInThread, scopeOfThread } from './planned-records.ts';
import type { DiffSpool } from './diff-spool.ts';
import type { RollbackJob } from './protocol.ts';
import type { StageWriter } from './stage-writer.ts';
import { ownerGroups, usersOf, ZoneWalk } from './zone-walk.ts';

/** RRsets that a refusal lists. */
const maxConflicts = 1000;

export interface PlannedRollback {
  /** The serial of the zone that was planned for. */
  readonly atSerial: number;
  readonly walk: ZoneWalk;
  readonly warnings: readonly Warning[];
  readonly conflicts: readonly DiffEntry[];
}

/** Where the plan goes: a dry run has no writer, and only a dry run shows the difference. */
interface PlanTargets {
  readonly writer: StageWriter | undefined;
  readonly diff: DiffSpool | undefined;
}

/**
 * Reads the zone in the open transaction. Throws the Problem of the first owner that can not be again as it was.
 * Without a writer the records are only judged.
 */
export async function planRollback(
  connection: Connection,
  { zoneName, zoneId, target, rights }: RollbackJob,
  { writer, diff }: PlanTargets,
): Promise<PlannedRollback> {
  const apex = parseAbsoluteName(zoneName);
  const zones = new ZoneQueries(connection);
  const zone = zones.byName(zoneName);
  // The name may have passed to another zone.
  if (zone?.id !== zoneId) throw new Problem('ZONE_NOT_FOUND', `zone '${zoneName}' does not exist`);
  const versions = new VersionQueries(connection);
  // The owners that differ, as they were then before and as they are now after.
  const changed = () => rollbackNodes(versions, zone, target);
  const { idsOfVersion, conflicts } = requireIds(connection, changed(), isPartial(target));
  const blocks = new BlockScan(connection);
  const rules = new WarningRules(
    scopeOfThread(zones, apex, zone.id, Rights.of(rights)),
    rolledInThread(connection, zone),
  );
  if (!isPartial(target)) rules.wholeZone();
  const walk = new ZoneWalk({
    writer,
    apex,
    guarded: zone,
    occluded(occlusion) {
      // Only who reads the whole zone takes so much of it back.
      throw occlusionProblem(apex, occlusion, () => true);
    },
  });
  walk.open(ownerGroups(blocks.ascending(zone.id, allOwners)));
  for (const { owner, before: records } of changed()) {
    const stored = await walk.to(owner);
    const before = usersOf(stored);
    const after = rolledBackNode(apex, { owner, records }, before, idsOfVersion);
    rules.node(owner, before, after);
    diff?.add(apex, diffNodes(apex, [{ owner, before, after }]).entries, []);
    await walk.change(owner, stored, before, after);
    const idsHere = new Set(before.map(({ id }) => id));
    for (const record of after) if (!idsHere.has(record.id)) writer?.restored(record);
  }
  await walk.close();
  const asked = new Set([...rules.namesAsked(), emptyName]);
  const records = rolledBackRecords(new StoredOwners(blocks, zone.id), changed(), asked);
  if (!holds(records.at(emptyName), rrtype.NS)) rules.missingApexNs();
  const warnings = printWarnings(rules.report(records));
  return { atSerial: zone.serial, walk, warnings, conflicts };
}

/**
 * The ids of the records that come back, and the first conflicts. Where the rest of the zone stays, one of the ids may
 * be another record's by now: so much is not given new ones.
 */
function requireIds(connection: Connection, nodes: Iterable<RollbackNode>, isOfPart: boolean) {
  const idsOfVersion = new Set<number>();
  const conflicts: DiffEntry[] = [];
  const restored = new Set<number>();
  const emptied = new Set<number>();
  for (const { before, after, conflicts: found } of nodes) {
    if (conflicts.length < maxConflicts) conflicts.push(...found);
    const here = new Set(after.map(({ id }) => id));
    for (const { id } of before) {
      if (isOfPart && idsOfVersion.has(id)) throw idTaken(id);
      idsOfVersion.add(id);
      if (isOfPart && !here.has(id)) restored.add(id);
    }
    for (const { id } of after) if (isOfPart) emptied.add(id);
  }
  const records = new RecordQueries(connection);
  for (const id of restored) {
    if (!emptied.has(id) && records.byId(id) !== undefined) throw idTaken(id);
  }
  return { idsOfVersion, conflicts };
}

function idTaken(id: number): Problem {
  return new Problem('RECORD_CONFLICT', `record ${id} has another name or type by now`);
}

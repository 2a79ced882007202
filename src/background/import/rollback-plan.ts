/**
 * Plans a large rollback: what each owner that differs between the zone as it is and a version holds then.
 */
import { Problem } from '../../base/problem.ts';
import type { Warning } from '../../base/warning.ts';
import { emptyName, parseAbsoluteName } from '../../dns/name.ts';
import { rrtype } from '../../dns/rrtype.ts';
import { Rights } from '../../domain/access/rights.ts';
import { rolledBackNode } from '../../domain/decide-rollback.ts';
import { occlusionProblem } from '../../domain/dname-rules.ts';
import { holds } from '../../domain/target-state.ts';
import { printWarnings, WarningRules } from '../../domain/warnings.ts';
import type { Connection } from '../../journal/database.ts';
import { BlockScan } from '../../query/block-scan.ts';
import { allOwners } from '../../query/key-range.ts';
import { VersionQueries } from '../../query/version-queries.ts';
import { ZoneQueries } from '../../query/zone-queries.ts';
import { rolledBackRecords, scopeOfThread, StoredOwners } from './planned-records.ts';
import type { RollbackJob } from './protocol.ts';
import type { StageWriter } from './stage-writer.ts';
import { ownerGroups, usersOf, ZoneWalk } from './zone-walk.ts';

export interface PlannedRollback {
  /** The serial of the zone that was planned for. */
  readonly atSerial: number;
  readonly walk: ZoneWalk;
  readonly warnings: readonly Warning[];
}

/**
 * Reads the zone in the open transaction. Throws the Problem of the first owner that can not be again as it was.
 * Without a writer the records are only judged.
 */
export async function planRollback(
  connection: Connection,
  { zoneName, targetSerial, rights }: RollbackJob,
  writer: StageWriter | undefined,
): Promise<PlannedRollback> {
  const apex = parseAbsoluteName(zoneName);
  const zones = new ZoneQueries(connection);
  const zone = zones.byName(zoneName);
  if (zone === undefined) throw new Problem('ZONE_NOT_FOUND', `zone '${zoneName}' is gone`);
  const versions = new VersionQueries(connection);
  // The owners that differ, as they were then before and as they are now after.
  const changed = () => versions.changedNodes(zone, targetSerial, zone.serial);
  const idsOfVersion = new Set<number>();
  for (const { before } of changed()) for (const { id } of before) idsOfVersion.add(id);
  const blocks = new BlockScan(connection);
  const rules = new WarningRules(scopeOfThread(zones, apex, zone.id, Rights.of(rights)));
  const walk = new ZoneWalk({
    writer,
    occluded(occlusion) {
      throw occlusionProblem(apex, occlusion);
    },
  });
  walk.open(ownerGroups(blocks.ascending(zone.id, allOwners)));
  for (const { owner, before: records } of changed()) {
    const stored = await walk.to(owner);
    const before = usersOf(stored);
    const after = rolledBackNode(apex, { owner, records }, before, idsOfVersion);
    rules.node(owner, before, after);
    await walk.change(owner, stored, before, after);
    const idsHere = new Set(before.map(({ id }) => id));
    for (const record of after) if (!idsHere.has(record.id)) writer?.restored(record);
  }
  await walk.close();
  const asked = new Set([...rules.namesAsked(), emptyName]);
  const records = rolledBackRecords(new StoredOwners(blocks, zone.id), changed(), asked);
  if (!holds(records.at(emptyName), rrtype.NS)) rules.missingApexNs();
  const warnings = printWarnings(rules.report(records));
  return { atSerial: zone.serial, walk, warnings };
}

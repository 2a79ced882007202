/**
 * Rollback: records and SOA return to an earlier version, under a new serial. Name,
 * description and enabled stay. What is restored gets its old id and time back; what the zone holds
 * anyway keeps its own.
 *
 * The caller has read the version and tells the serial at which it did. When the zone has moved since,
 * nothing is done: the caller reads again. Rules are those of today, not of the version's time.
 */
import { limits } from '../base/limits.ts';
import { Problem } from '../base/problem.ts';
import type { Warning } from '../base/warning.ts';
import { type NameKey, nameBytes, printLabels, printRelativeName } from '../dns/name.ts';
import { rdataKey } from '../dns/record.ts';
import { requireInZone, requireWhole } from './access/require.ts';
import type { Rights } from './access/rights.ts';
import type { Decision, DecisionContext } from './decision.ts';
import type { RecordDiff } from './diff.ts';
import type { StagedDelta } from './event.ts';
import { checkChange } from './node-rules.ts';
import type { ZoneRecord } from './record.ts';
import { printWarnings } from './warnings.ts';
import { WorkingSet } from './working-set.ts';
import { apexOf, noZone, soaSettings, type Zone, type ZoneSettings } from './zone.ts';
import { changeZone, findZone, nextSerial, type OfZone } from './zone-change.ts';

/** The user records at an owner at some serial, with the ids, times and TTLs of then. */
export interface NodeVersion {
  readonly owner: NameKey;
  readonly records: readonly ZoneRecord[];
}

interface OfVersion extends OfZone {
  readonly zoneId: number;
  readonly targetSerial: number;
  /** The serial of the zone at which it was compared with the version. */
  readonly atSerial: number;
  /** Of the target version. */
  readonly settings: ZoneSettings;
  /** True when only some names or types go back: the settings stay then. */
  readonly isPartial?: boolean;
}

/** Records and SOA return to an earlier version, under a new serial. */
interface RollbackZone extends OfVersion {
  /** Owners whose user records differ between now and the target, as they were then. */
  readonly nodes: readonly NodeVersion[];
}

/** The same, where the difference was staged before. */
interface PublishRollback extends OfVersion {
  readonly staged: StagedDelta;
}

interface RollbackSummary {
  readonly added: number;
  readonly deleted: number;
  readonly unchanged: number;
  readonly soaChanged: boolean;
}

/** What a rollback did or, in a dry run, would do. The diff of what was prepared ahead has no entries. */
export interface RollbackOutcome {
  /** The zone is no longer at the serial that the command was made at: nothing was done. */
  readonly moved: boolean;
  readonly zone: Zone;
  readonly targetSerial: number;
  readonly newSerial: number;
  readonly summary: RollbackSummary;
  readonly diff: RecordDiff;
  /** None of what was prepared ahead: who prepared it has them. */
  readonly warnings: readonly Warning[];
}

type Decided = Decision<RollbackOutcome>;

/** What a rollback needs in a zone that the caller sees. */
export function requireRollback(rights: Rights, zone: Zone): void {
  requireInZone(rights, 'zone:update', zone);
  requireWhole(rights, 'record:read', zone);
  requireWhole(rights, 'record:create', zone);
  requireWhole(rights, 'record:delete', zone);
}

/** Refuses what can be no target: only an older serial can. */
export function checkRollbackTarget(zone: Zone, targetSerial: number): void {
  if (targetSerial >= 1 && targetSerial < zone.serial) return;
  throw new Problem(
    'INVALID_INPUT',
    `serial: ${targetSerial} is not older than the current serial ${zone.serial} of zone '${zone.name}'`,
  );
}

function decideRollbackZone(command: RollbackZone, context: DecisionContext): Decided {
  const zone = findTarget(command, context);
  const work = new WorkingSet(context, zone);
  const moved = zone.serial !== command.atSerial;
  if (!moved) takeVersion(work, command.nodes, command.isPartial ? context : undefined);
  const net = judgedToday(() => work.netChange());
  const { removed, added } = net;
  const beside = command.isPartial ? {} : { isWhole: true, after: command.settings };
  const warnings = moved ? [] : printWarnings(work.warningsOf(net, true, beside));
  const counts = { added: added.length, deleted: removed.length };
  const details = { diff: work.diffOf(net), warnings, moved };
  return rolledBack(zone, command, { removed, added }, counts, details);
}

/** The same where the records were judged and staged before. */
function decidePublishRollback(command: PublishRollback, context: DecisionContext): Decided {
  const zone = findTarget(command, context);
  const { staged, atSerial } = command;
  const moved = zone.serial !== atSerial;
  const counts = { added: staged.added, deleted: staged.removed };
  const details = { diff: { apex: apexOf(zone), entries: [] }, warnings: [], moved };
  return rolledBack(zone, command, { staged }, counts, details);
}

type Target = Omit<OfVersion, 'atSerial'>;

/** The name may have passed to another zone since the version was read: that one has no such version. */
function findTarget({ zoneName, zoneId, targetSerial }: Target, context: DecisionContext): Zone {
  const zone = findZone(context, zoneName);
  if (zone.id !== zoneId) throw noZone(zoneName);
  requireRollback(context.rights, zone);
  checkRollbackTarget(zone, targetSerial);
  return zone;
}

function rolledBack(
  zone: Zone,
  { targetSerial, settings: then, isPartial = false }: Target,
  parts: { removed?: readonly ZoneRecord[]; added?: readonly ZoneRecord[]; staged?: StagedDelta },
  { added, deleted }: Pick<RollbackSummary, 'added' | 'deleted'>,
  details: Pick<RollbackOutcome, 'diff' | 'warnings' | 'moved'>,
): Decided {
  const soaChanged = !isPartial && soaSettings.some((name) => then[name] !== zone[name]);
  const summary = { added, deleted, unchanged: zone.recordCount - deleted, soaChanged };
  const outcome = { ...details, zone, targetSerial, newSerial: zone.serial, summary };
  if (details.moved || (added === 0 && deleted === 0 && !soaChanged)) {
    return { event: undefined, outcome };
  }
  const { name, description, enabled, guard } = zone;
  const settings = isPartial ? zone : { ...then, name, description, enabled, guard };
  const change = changeZone('zone.rolled-back', zone, nextSerial(zone), { ...parts, settings });
  const newSerial = change.zone.serial;
  return { event: change.event, outcome: { ...outcome, zone: change.zone, newSerial } };
}

/**
 * Gives each owner the records of the version, or names the first that no longer fits. `partial` is given where
 * the rest of the zone stays: a record whose id another one has by now comes back under a new one.
 */
export function takeVersion(
  work: WorkingSet,
  nodes: readonly NodeVersion[],
  partial?: Pick<DecisionContext, 'view'>,
): void {
  work.load(nodes.map(({ owner }) => owner));
  const idsOfVersion = new Set(nodes.flatMap(({ records }) => records.map(({ id }) => id)));
  for (const { owner, records } of nodes) {
    requireRoom(work.apex, owner, records);
    work.replace(owner, versionOf(work.at(owner), records, idsOfVersion));
  }
  if (partial !== undefined) giveOwnIds(work, nodes, partial);
}

/** A record that stays keeps its id; one that comes back with the same is given another. */
function giveOwnIds(
  work: WorkingSet,
  nodes: readonly NodeVersion[],
  { view }: Pick<DecisionContext, 'view'>,
): void {
  const owners = new Set(nodes.map(({ owner }) => owner));
  const keyOf = ({ type, rdata }: ZoneRecord) => rdataKey(type, rdata);
  const kept = new Set<ZoneRecord>();
  const taken = new Set<number>();
  for (const owner of owners) {
    const before = new Map(work.before(owner).map((record) => [record.id, keyOf(record)]));
    for (const record of work.at(owner)) {
      if (before.get(record.id) !== keyOf(record)) continue;
      kept.add(record);
      taken.add(record.id);
    }
  }
  for (const owner of owners) {
    for (const [index, record] of work.at(owner).entries()) {
      if (kept.has(record)) continue;
      const now = view.recordById(record.id)?.record.owner;
      const isElsewhere = now !== undefined && !owners.has(now);
      if (isElsewhere || taken.has(record.id)) work.at(owner)[index] = work.make(record);
      taken.add(record.id);
    }
  }
}

/** The zone may have been renamed to a longer name since the version. */
function requireRoom(apex: NameKey, owner: NameKey, records: readonly ZoneRecord[]): void {
  const bytes = nameBytes(owner) + nameBytes(apex) - 1;
  if (records.length === 0 || bytes <= limits.nameBytes) return;
  throw new Problem(
    'RECORD_CONFLICT',
    `the name ${printRelativeName(owner)} would have ${bytes} bytes ` +
      `under '${printLabels(apex)}' (at most ${limits.nameBytes})`,
  );
}

/**
 * The records of one owner after a rollback: those of `now` that stay are the same objects. Throws the
 * Problem of a version that no longer fits. `idsOfVersion`: of all records that the rollback touches.
 */
export function rolledBackNode(
  apex: NameKey,
  { owner, records }: NodeVersion,
  now: readonly ZoneRecord[],
  idsOfVersion: ReadonlySet<number>,
): ZoneRecord[] {
  requireRoom(apex, owner, records);
  const after = versionOf(now, records, idsOfVersion);
  judgedToday(() => checkChange(apex, owner, now, after));
  return after;
}

/** Records that were once taken are no invalid input, whatever rule they break now. */
export function judgedToday<Result>(judge: () => Result): Result {
  try {
    return judge();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw new Problem('RECORD_CONFLICT', error.message);
  }
}

/**
 * The records of `then`, as the objects of `now` where those are equal. One that was deleted and made
 * again since stays as it is, unless the version has its id elsewhere.
 */
function versionOf(
  now: readonly ZoneRecord[],
  then: readonly ZoneRecord[],
  idsOfVersion: ReadonlySet<number>,
): ZoneRecord[] {
  if (now.length === 0) return then.slice();
  const byRdata = new Map(now.map((record) => [rdataKey(record.type, record.rdata), record]));
  return then.map((record) => {
    const same = byRdata.get(rdataKey(record.type, record.rdata));
    if (same === undefined) return record;
    if (same.id !== record.id && idsOfVersion.has(same.id)) return record;
    return same.ttl === record.ttl ? same : { ...same, ttl: record.ttl };
  });
}

export const rollbackDecisions = {
  'rollback-zone': decideRollbackZone,
  'publish-rollback': decidePublishRollback,
};

/**
 * Rollback: records and SOA return to an earlier version, in a new step of the serial. Name,
 * description and enabled stay. What is restored gets its old id and time back; what the zone holds
 * anyway keeps its own.
 *
 * The caller has read the version and tells the serial at which it did. When the zone has moved since,
 * nothing is done: the caller reads again. Rules are those of today, not of the version's time.
 */
import { limits } from '../base/limits.ts';
import { Problem } from '../base/problem.ts';
import { type NameKey, nameOctets, printLabels, printRelativeName } from '../dns/name.ts';
import { rdataKey } from '../dns/record.ts';
import { requireInZone, requireWhole } from './access/require.ts';
import type { Rights } from './access/rights.ts';
import type {
  NodeVersion,
  PublishRollback,
  RollbackOutcome,
  RollbackSummary,
  RollbackZone,
} from './command.ts';
import { findZone, nextSerial, settingsOf } from './decide-zone.ts';
import type { Decision, DecisionContext } from './decision.ts';
import { emptyDelta, type ZoneEvent } from './event.ts';
import { checkNode } from './node-rules.ts';
import type { ZoneRecord } from './record.ts';
import { printWarnings } from './warnings.ts';
import { stepOf, WorkingSet } from './working-set.ts';
import { apexOf, changedZone, type Zone, type ZoneSettings } from './zone.ts';

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

export function decideRollbackZone(
  command: RollbackZone,
  context: DecisionContext,
): Decision<RollbackOutcome> {
  const zone = findZone(context, command.zoneName);
  requireRollback(context.rights, zone);
  const { targetSerial } = command;
  checkRollbackTarget(zone, targetSerial);
  const work = new WorkingSet(context, zone);
  const moved = zone.serial !== command.atSerial;
  if (!moved) takeVersion(work, command.nodes);
  const settlement = judgedToday(() => work.settle());
  const { removed, added } = settlement;
  const diff = work.diffOf(settlement);
  const wanted = settingsAfter(zone, command.settings);
  const summary = summaryOf(zone, wanted, removed.length, added.length);
  const warnings = moved ? [] : printWarnings(work.warningsOf(settlement, 'zone'));
  const outcome = { moved, zone, targetSerial, newSerial: zone.serial, summary, diff, warnings };
  if (moved || isNothing(summary)) return { event: undefined, outcome };
  const after = { ...wanted, serial: nextSerial(zone) };
  const step = stepOf('zone.rolled-back', zone, after, settlement);
  return { event: step.event, outcome: { ...outcome, zone: step.zone, newSerial: after.serial } };
}

/** The same where the records were judged and written ahead. */
export function decidePublishRollback(
  command: PublishRollback,
  context: DecisionContext,
): Decision<RollbackOutcome> {
  const zone = findZone(context, command.zoneName);
  requireRollback(context.rights, zone);
  const { targetSerial, staged, zoneId, atSerial } = command;
  checkRollbackTarget(zone, targetSerial);
  const moved = zone.id !== zoneId || zone.serial !== atSerial;
  const wanted = settingsAfter(zone, command.settings);
  const summary = summaryOf(zone, wanted, staged.removed, staged.added);
  const diff = { apex: apexOf(zone), entries: [] };
  const shown = { summary, diff, warnings: [] };
  const outcome = { moved, zone, targetSerial, newSerial: zone.serial, ...shown };
  if (moved || isNothing(summary)) return { event: undefined, outcome };
  const before = settingsOf(zone);
  const after = { ...wanted, serial: nextSerial(zone) };
  const event: ZoneEvent = {
    kind: 'zone.rolled-back',
    zoneId,
    before,
    after,
    delta: emptyDelta,
    staged,
  };
  const recordCount = zone.recordCount + staged.added - staged.removed;
  const now = changedZone(zone, after, { recordCount });
  return { event, outcome: { ...outcome, zone: now, newSerial: after.serial } };
}

function summaryOf(
  zone: Zone,
  wanted: ZoneSettings,
  deleted: number,
  added: number,
): RollbackSummary {
  const soaChanged = soaFields.some((field) => wanted[field] !== zone[field]);
  return { added, deleted, unchanged: zone.recordCount - deleted, soaChanged };
}

function isNothing({ added, deleted, soaChanged }: RollbackSummary): boolean {
  return added === 0 && deleted === 0 && !soaChanged;
}

/** The settings that the SOA shows, its serial left out. */
const soaFields = [
  'mname',
  'rname',
  'defaultTtl',
  'minimumTtl',
  'refresh',
  'retry',
  'expire',
] as const satisfies readonly (keyof ZoneSettings)[];

/** What no rollback changes stays as the zone has it. */
function settingsAfter(zone: Zone, target: ZoneSettings): ZoneSettings {
  const { name, serial, description, enabled } = zone;
  return { ...target, name, serial, description, enabled };
}

/** Gives each owner the records of the version, or names the first that no longer fits. */
function takeVersion(work: WorkingSet, nodes: readonly NodeVersion[]): void {
  work.load(nodes.map(({ owner }) => owner));
  const idsOfVersion = new Set(nodes.flatMap(({ records }) => records.map(({ id }) => id)));
  for (const { owner, records } of nodes) {
    requireRoom(work.apex, owner, records);
    work.replace(owner, versionOf(work.at(owner), records, idsOfVersion));
  }
}

/** The zone may have been renamed to a longer name since the version. */
function requireRoom(apex: NameKey, owner: NameKey, records: readonly ZoneRecord[]): void {
  const octets = nameOctets(owner) + nameOctets(apex) - 1;
  if (records.length === 0 || octets <= limits.nameOctets) return;
  throw new Problem(
    'RECORD_CONFLICT',
    `the name ${printRelativeName(owner)} would have ${octets} octets under '${printLabels(apex)}' (at most ${limits.nameOctets})`,
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
  judgedToday(() => checkNode(apex, owner, after));
  return after;
}

/** Records that were once taken are no invalid input, whatever rule they break now. */
function judgedToday<Result>(judge: () => Result): Result {
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
  const byContent = new Map(now.map((record) => [rdataKey(record.type, record.rdata), record]));
  return then.map((record) => {
    const same = byContent.get(rdataKey(record.type, record.rdata));
    if (same === undefined) return record;
    if (same.id !== record.id && idsOfVersion.has(same.id)) return record;
    return same.ttl === record.ttl ? same : { ...same, ttl: record.ttl };
  });
}

/**
 * Desired state: a team says all that it wants of a zone, and the RRsets that it owns become that. What it owned and
 * does not name any more is deleted and owned by nobody; what nobody owned and it names is its own from then on; what
 * another team owns is refused (OWNED). What is so already is no change.
 *
 * Rights: those of changes of RRsets (decide-changes.ts); besides, record:update on an RRset that is taken over, and
 * record:delete on one that is released.
 */
import { createHash } from 'node:crypto';
import { limits } from '../base/limits.ts';
import { Problem } from '../base/problem.ts';
import type { Warning } from '../base/warning.ts';
import { joinNames, type NameKey, printAbsoluteName } from '../dns/name.ts';
import { printType } from '../dns/rrtype.ts';
import type { FileRecord } from '../dns/zonefile/zone-file.ts';
import { requireOnRecord } from './access/require.ts';
import { hashPlan } from './change-zones.ts';
import { requireNet } from './decide-changes.ts';
import type { Decision, DecisionContext } from './decision.ts';
import {
  type DesiredFact,
  desiredOf,
  type DesiredRrset,
  isSameDesired,
  recordsOf,
  type RrsetName,
  rrsetKey,
} from './desired.ts';
import type { RecordDiff } from './diff.ts';
import type { ZoneEvent } from './event.ts';
import {
  collapseNode,
  planNode,
  printNodeErrors,
  type ReadRecords,
  recordsFor,
} from './file-node.ts';
import { parseIdentifier } from './identifier.ts';
import { printWarnings } from './warnings.ts';
import { type NetChange, WorkingSet } from './working-set.ts';
import { apexOf, type Zone } from './zone.ts';
import { changeZone, findZone, type ZoneChange } from './zone-change.ts';

/** The records are all that the team wants of the zone. */
interface ApplyDesired extends ReadRecords {
  readonly zoneName: string;
  /** As it was written. */
  readonly team: string;
  /** Of a plan that was looked at: nothing is done unless it is the plan still. */
  readonly planHash?: string | undefined;
}

export interface DesiredOutcome {
  readonly zone: Zone;
  readonly team: string;
  /** RRsets that the team owns then. */
  readonly owned: number;
  /** RRsets with records that nobody owned before. */
  readonly takenOver: readonly RrsetName[];
  /** RRsets that nobody owns any more, as far as the caller may read them. */
  readonly released: readonly RrsetName[];
  /** Neither records change, nor owners, nor what is wanted. */
  readonly isUnchanged: boolean;
  readonly diff: RecordDiff;
  readonly warnings: readonly Warning[];
  readonly planHash: string;
  /** The plan is another one than was looked at: nothing was done. */
  readonly isStale: boolean;
}

function decideApplyDesired(
  command: ApplyDesired,
  context: DecisionContext,
): Decision<DesiredOutcome> {
  const { planHash } = command;
  const zone = findZone(context, command.zoneName);
  const team = parseIdentifier(command.team, 'owner');
  const records = recordsFor(zone, command);
  if (records.length > limits.desiredRecords) {
    const rule = `at most ${limits.desiredRecords} records in one call, not ${records.length}`;
    throw new Problem('PAYLOAD_TOO_LARGE', `content: ${rule}`);
  }
  const wanted = readWanted(zone, team, records);
  const owned = context.view.desiredBy(zone.id, team);
  requireFree([...wanted.values()], team, zone, context);
  const fact = factOf(wanted, owned);
  requireReleased(fact.released, zone, context);
  const work = plan(wanted, fact.released, zone, context);
  const difference = work.difference();
  requireNet(difference, zone, context.rights);
  requireMoves(fact, { owned, net: difference, work }, context);
  const net = work.netChange();
  const warnings = printWarnings(work.warningsOf(net));
  const diff = work.diffOf(net);
  const judged = { before: zone, zone, diff, warnings };
  const hash = createHash('sha256').update(hashPlan([judged]));
  const moved = [...fact.put, ...fact.released].map(rrsetKey).sort();
  const now = hash.update(JSON.stringify([team, moved])).digest('hex');
  const isStale = planHash !== undefined && planHash !== now;
  const change = changeOf(fact, work, net);
  const moves = { ...movesOf(fact, owned, work, context), isUnchanged: change === undefined };
  const outcome = { team, owned: wanted.size, ...moves, diff, warnings, planHash: now, isStale };
  const event = isStale ? undefined : change?.event;
  return { event, outcome: { ...outcome, zone: change?.zone ?? zone } };
}

/** The RRsets of a file by their keys, or what is wrong with its lines. */
function readWanted(zone: Zone, team: string, records: readonly FileRecord[]) {
  const wanted = new Map<string, DesiredRrset>();
  const apex = apexOf(zone);
  const nodes = Map.groupBy(records, ({ owner }) => owner);
  const read = [...nodes.values()].map((node) => collapseNode(apex, node));
  const nodeErrors = printNodeErrors(read.flatMap((node) => node.nodeErrors));
  if (nodeErrors.length > 0)
    throw new Problem('INVALID_INPUT', `content: ${nodeErrors.join('; ')}`);
  for (const node of read) {
    for (const [, rrset] of Map.groupBy(node.records, ({ type }) => type)) {
      const desired = desiredOf(team, rrset);
      wanted.set(rrsetKey(desired), desired);
    }
  }
  return wanted;
}

/** Refuses what another team owns. Who may not read an RRset needs all that could be done to it to hear of it. */
function requireFree(
  wanted: readonly DesiredRrset[],
  team: string,
  zone: Zone,
  { view, rights }: DecisionContext,
): void {
  for (const { owner, type } of wanted) {
    const reads = rights.onRecord('record:read', zone.id, owner, type);
    if (!reads) {
      for (const action of ['record:create', 'record:update', 'record:delete'] as const) {
        requireOnRecord(rights, action, zone, owner, type);
      }
    }
    const held = view.desiredAt(zone.id, owner, type);
    if (held === undefined || held.team === team) continue;
    const whose = reads ? `'${held.team}'` : 'another owner';
    throw new Problem('OWNED', `${textOf({ owner, type }, zone)} belongs to ${whose}`);
  }
}

function textOf({ owner, type }: RrsetName, zone: Zone): string {
  return `${printAbsoluteName(joinNames(owner, apexOf(zone)))} ${printType(type)}`;
}

/** How ownership moves, and what is wanted of it. */
function factOf(
  wanted: ReadonlyMap<string, DesiredRrset>,
  owned: readonly DesiredRrset[],
): DesiredFact {
  const before = new Map(owned.map((rrset) => [rrsetKey(rrset), rrset]));
  const put = [...wanted].flatMap(([key, rrset]) => {
    const old = before.get(key);
    return old !== undefined && isSameDesired(old, rrset) ? [] : [rrset];
  });
  const released = owned.flatMap(({ owner, type }) =>
    wanted.has(rrsetKey({ owner, type })) ? [] : [{ owner, type }],
  );
  return { put, released };
}

/** The zone with the RRsets that are wanted, and without those that are released. */
function plan(
  wanted: ReadonlyMap<string, DesiredRrset>,
  released: readonly RrsetName[],
  zone: Zone,
  context: DecisionContext,
): WorkingSet {
  const work = new WorkingSet(context, zone);
  const touched = new Map<NameKey, Set<number>>();
  for (const { owner, type } of [...wanted.values(), ...released]) {
    touched.set(owner, (touched.get(owner) ?? new Set()).add(type));
  }
  work.load([...touched.keys()]);
  for (const [owner, types] of touched) {
    const before = work.before(owner);
    const others = before.filter(({ type }) => !types.has(type));
    const own = [...types].flatMap((type) => {
      const rrset = wanted.get(rrsetKey({ owner, type }));
      return rrset === undefined ? [] : recordsOf(rrset);
    });
    work.replace(owner, planNode('replace', before, [...others, ...own], work.make).after);
  }
  return work;
}

/** What a plan is judged by. */
interface Moving {
  readonly owned: readonly DesiredRrset[];
  readonly net: NetChange;
  readonly work: WorkingSet;
}

/** What moves of ownership ask for, besides what their records do. */
function requireMoves(
  { put }: DesiredFact,
  { owned, net, work }: Moving,
  { rights }: DecisionContext,
): void {
  if (rights.isFull) return;
  const { zone } = work;
  const before = new Set(owned.map(rrsetKey));
  const changed = new Set([...net.removed, ...net.added].map(rrsetKey));
  for (const rrset of put) {
    const { owner, type } = rrset;
    const key = rrsetKey(rrset);
    // What is new, or the team's own already, is asked for by its records.
    const isNew = work.before(owner).every((record) => record.type !== type);
    if (changed.has(key) && (isNew || before.has(key))) continue;
    requireOnRecord(rights, 'record:update', zone, owner, type);
  }
}

/** Owners that change, beside what their records do. */
function movesOf(
  { put, released }: DesiredFact,
  owned: readonly DesiredRrset[],
  work: WorkingSet,
  { rights }: DecisionContext,
): Pick<DesiredOutcome, 'takenOver' | 'released'> {
  const before = new Set(owned.map(rrsetKey));
  const hasRecords = ({ owner, type }: RrsetName) =>
    work.before(owner).find((record) => record.type === type) !== undefined;
  return {
    takenOver: put.filter((rrset) => !before.has(rrsetKey(rrset)) && hasRecords(rrset)),
    released: released.filter(({ owner, type }) =>
      rights.onRecord('record:read', work.zone.id, owner, type),
    ),
  };
}

/** Comes before what the records ask for, whose refusals name them. */
function requireReleased(
  released: readonly RrsetName[],
  zone: Zone,
  { rights }: DecisionContext,
): void {
  for (const { owner, type } of released) {
    if (rights.onRecord('record:delete', zone.id, owner, type)) continue;
    if (rights.onRecord('record:read', zone.id, owner, type)) {
      requireOnRecord(rights, 'record:delete', zone, owner, type);
    }
    const what = 'of this owner that the caller may not read, and the body does not name';
    throw new Problem('FORBIDDEN', `action 'record:delete' is needed on RRsets ${what}`);
  }
}

/** One event: a step of the zone where records change, else a note of what is wanted. */
function changeOf(fact: DesiredFact, work: WorkingSet, net: NetChange): ZoneChange | undefined {
  const isMoving = fact.put.length + fact.released.length > 0;
  const change = work.change('zone.desired', net);
  if (change === undefined && !isMoving) return undefined;
  const { event, zone } =
    change ?? changeZone('zone.desired-assigned', work.zone, work.zone.serial);
  const desired: Pick<ZoneEvent, 'desired'> = isMoving ? { desired: fact } : {};
  return { event: { ...event, ...desired }, zone };
}

export const desiredDecisions = { 'apply-desired': decideApplyDesired };

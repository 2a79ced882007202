/**
 * The changes of an external DNS controller (interface 4.8): many RRsets in many zones, decided as one.
 *
 * A name belongs to the deepest zone there is, also when the caller does not see that zone: then it is
 * ZONE_NOT_FOUND and never the zone above, whose records the deeper one hides. What is deleted or
 * replaced goes, what is created or put in its place comes; a record in both stays what it is. So
 * asking for the same twice changes nothing the second time, and only zones that differ take a step.
 * Values that nobody named are left alone, save that an RRset has one TTL: who changes that of a record which exists
 * may update it, or delete it and create it anew. What is refused is refused whole, with every item that can not be
 * (ListedProblem).
 */
import { Problem } from '../base/problem.ts';
import type { NameKey } from '../dns/name.ts';
import { requireOnRecord } from './access/require.ts';
import type { Rights } from './access/rights.ts';
import type { Decision, DecisionContext } from './decision.ts';
import type { ZoneEvent } from './event.ts';
import type { ApplyExternalDns, ExternalDnsOutcome } from './external-dns.ts';
import {
  blame,
  blameTaken,
  Culprits,
  type Item,
  itemsOf,
  readExternalRecord,
  type ReadItem,
  type ReadRecord,
  RrsetChanges,
} from './external-dns-items.ts';
import { DeletionCount } from './guard.ts';
import { problemOf } from './node-rules.ts';
import type { ZoneRecord } from './record.ts';
import { printWarnings, type WarningReport } from './warnings.ts';
import { type NetChange, WorkingSet } from './working-set.ts';
import type { Zone } from './zone.ts';
import { ZonesOfNames } from './zone-change.ts';

function decideApplyExternalDns(
  command: ApplyExternalDns,
  context: DecisionContext,
): Decision<ExternalDnsOutcome> {
  const culprits = new Culprits();
  const zones = new Map<number, TouchedZone>();
  const names = new ZonesOfNames(context.view);
  for (const item of itemsOf(command)) {
    const read = readItem(item, names, context, culprits);
    if (read !== undefined) take(read, zones, culprits);
  }
  const judged: JudgedZone[] = [];
  for (const touched of zones.values()) {
    const one = judge(touched, command.exclusive ?? false, context, culprits);
    if (one !== undefined) judged.push(one);
  }
  const problem = culprits.problem();
  if (problem !== undefined) throw problem;
  return decisionOf(judged);
}

/** The records of an item, or undefined when it can not be. */
function readItem(
  item: Item,
  zones: ZonesOfNames,
  { rights }: DecisionContext,
  culprits: Culprits,
): ReadItem | undefined {
  const read = (part: 'removed' | 'added'): ReadRecord | undefined => {
    const record = item[part];
    if (record === undefined) return undefined;
    const action = part === 'added' ? 'record:create' : 'record:delete';
    let found: ReadRecord | undefined;
    const problem = problemOf(() => {
      found = readExternalRecord(record, { zones, rights }, (zone, owner, type) =>
        requireOnRecord(rights, action, zone, owner, type),
      );
    });
    if (problem !== undefined) culprits.addRecord(item, part, problem);
    return found;
  };
  const removed = read('removed');
  const added = read('added');
  const isWhole =
    (item.removed === undefined || removed !== undefined) &&
    (item.added === undefined || added !== undefined);
  return isWhole ? { item, removed, added } : undefined;
}

/** One zone with what is to happen in it. */
interface TouchedZone {
  readonly zone: Zone;
  readonly changes: RrsetChanges;
  readonly items: ReadItem[];
}

/** Puts an item among the changes of its zones: an update may be about two. */
function take(read: ReadItem, zones: Map<number, TouchedZone>, culprits: Culprits): void {
  const { item, removed, added } = read;
  const touched = ({ zone }: ReadRecord) => {
    let one = zones.get(zone.id);
    if (one === undefined) {
      one = { zone, changes: new RrsetChanges(), items: [] };
      zones.set(zone.id, one);
    }
    if (one.items.at(-1) !== read) one.items.push(read);
    return one.changes;
  };
  // Only what is added can be refused, so it comes first.
  const problem = problemOf(() => {
    if (added !== undefined) touched(added).add(added);
    if (removed !== undefined) touched(removed).remove(removed);
  });
  if (problem !== undefined) culprits.addRecord(item, 'added', problem);
}

interface JudgedZone {
  readonly zone: Zone;
  readonly net: NetChange;
  readonly event: ZoneEvent;
  readonly report: WarningReport;
}

/** Judges a zone by the state it ends in; undefined when it stays as it is, or can not be so. */
function judge(
  { zone, changes, items }: TouchedZone,
  isExclusive: boolean,
  context: DecisionContext,
  culprits: Culprits,
): JudgedZone | undefined {
  const work = new WorkingSet(context, zone);
  work.load(changes.owners());
  changes.applyTo(work);
  blameTtls(items, work, context.rights, culprits);
  if (isExclusive) blameTaken(items, work, changes, culprits);
  try {
    const net = work.netChange();
    const change = work.change('records.changed', net);
    // Nobody is warned of what is refused.
    if (change === undefined || !culprits.isNone) return undefined;
    return { zone, net, event: change.event, report: work.warningsOf(net) };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    blame(items, work, error, culprits);
    return undefined;
  }
}

/** Names the creations that would change the TTL of records for who may only add some. */
function blameTtls(
  items: readonly ReadItem[],
  work: WorkingSet,
  rights: Rights,
  culprits: Culprits,
): void {
  const { zone } = work;
  for (const { item, added } of items) {
    if (added === undefined || added.zone.id !== zone.id) continue;
    const { owner, type } = added;
    const replaces = rights.onRecord('record:delete', zone.id, owner, type);
    if (replaces || !changesTtl(work, owner, type)) continue;
    const problem = problemOf(() => requireOnRecord(rights, 'record:update', zone, owner, type));
    if (problem !== undefined) culprits.addRecord(item, 'added', problem);
  }
}

function changesTtl(work: WorkingSet, owner: NameKey, type: number): boolean {
  const ttls = new Map(work.before(owner).map(({ id, ttl }) => [id, ttl]));
  const isSame = ({ id, ttl }: ZoneRecord) => (ttls.get(id) ?? ttl) === ttl;
  return !work.at(owner).every((record) => record.type !== type || isSame(record));
}

function decisionOf(zones: readonly JudgedZone[]): Decision<ExternalDnsOutcome> {
  const [event, ...more] = zones.map((one) => one.event);
  const sum = (count: (net: NetChange) => number) =>
    zones.reduce((total, { net }) => total + count(net), 0);
  const outcome = {
    added: sum(({ added }) => added.length),
    deleted: sum(({ removed }) => removed.length),
    changedZones: zones.map(({ zone }) => zone.name).sort(),
    deletions: new Map(zones.map(({ zone, event }) => [zone.name, deletedOf(event)])),
    warnings: printWarnings(...zones.map(({ report }) => report)),
  };
  return { event, more, outcome };
}

function deletedOf({ delta }: ZoneEvent): number {
  const deletions = new DeletionCount(undefined);
  deletions.take(delta.removed, delta.added, () => false);
  return deletions.value.count;
}

export const externalDnsDecisions = { 'apply-external-dns': decideApplyExternalDns };

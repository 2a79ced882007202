/**
 * A set of changes: RRsets of several zones that are deleted, set and added to, decided as one.
 *
 * In each zone deletions come first, then RRsets that are set, then values that are added. Values that stay keep their
 * ids, so that asking twice changes nothing the second time. Rules are judged on the state in which each zone ends.
 *
 * Rights: record:delete on all that a deletion covers, record:create where values are added. Of an RRset that ends
 * otherwise, record:create for values that come, record:delete for those that go, record:update when the TTL of those
 * that stay moves. Who may not read an RRset needs all three to set it: what it lacks would tell what is there.
 */
import { readEach, within } from '../base/item-errors.ts';
import { Problem } from '../base/problem.ts';
import type { NameKey } from '../dns/name.ts';
import {
  hasPriority,
  parseRdata,
  parseRdataText,
  parseStoredRdata,
  parseStoredText,
  type RecordValue,
} from '../dns/rdata/rdata.ts';
import { rdataKey, type ResourceRecord } from '../dns/record.ts';
import { printType } from '../dns/rrtype.ts';
import { requireOnRecord } from './access/require.ts';
import type { Rights } from './access/rights.ts';
import {
  type ChangesOutcome,
  type ChangeZones,
  type DeletionInput,
  hashPlan,
  type PlannedZone,
  type RrsetInput,
  type ZoneChanges,
} from './change-zones.ts';
import { asValueProblem, checkTtl, parseStorableType, parseStoredType } from './decide-records.ts';
import type { Decision, DecisionContext } from './decision.ts';
import type { ZoneEvent } from './event.ts';
import { planNode } from './file-node.ts';
import { parseOwner } from './record.ts';
import { printWarnings } from './warnings.ts';
import { type NetChange, WorkingSet } from './working-set.ts';
import type { Zone } from './zone.ts';
import { findZone } from './zone-change.ts';

function decideChangeZones(
  { zones, planHash }: ChangeZones,
  context: DecisionContext,
): Decision<ChangesOutcome> {
  const named = new Set<number>();
  const found = zones.map((changes, index) => {
    const zone = findZone(context, changes.zoneName);
    if (named.has(zone.id)) {
      throw new Problem('INVALID_INPUT', `zones[${index}].name: '${zone.name}' is named twice`);
    }
    named.add(zone.id);
    return { changes, zone, path: `zones[${index}]` };
  });
  const judged = readEach(found, (each) => judge(each, context));
  const plan = hashPlan(judged);
  const isStale = planHash !== undefined && planHash !== plan;
  const [event, ...more] = isStale ? [] : judged.flatMap((one) => one.event ?? []);
  return { event, more, outcome: { zones: judged, planHash: plan, isStale } };
}

/** The changes of one zone, and where they stand in the request. */
interface Asked {
  readonly changes: ZoneChanges;
  readonly zone: Zone;
  readonly path: string;
}

interface JudgedZone extends PlannedZone {
  readonly before: Zone;
  readonly event: ZoneEvent | undefined;
}

function judge(asked: Asked, context: DecisionContext): JudgedZone {
  const { zone, path } = asked;
  const work = new WorkingSet(context, zone);
  const edits = readEdits(asked, context.rights, work.apex);
  work.load([...new Set(edits.map(({ owner }) => owner))]);
  const nodes = new Map<NameKey, readonly ResourceRecord[]>();
  for (const edit of edits) {
    nodes.set(edit.owner, edit.after(nodes.get(edit.owner) ?? work.at(edit.owner)));
  }
  for (const [owner, records] of nodes) {
    work.replace(owner, planNode('replace', work.before(owner), records, work.make).after);
  }
  requireNet(work.difference(), zone, context.rights);
  const net = at(path, () => work.netChange());
  const change = at(path, () => work.change('records.changed', net));
  const warnings = printWarnings(work.warningsOf(net));
  return {
    before: zone,
    zone: change?.zone ?? zone,
    event: change?.event,
    diff: work.diffOf(net),
    warnings,
  };
}

/** What happens at one owner. */
interface Edit {
  readonly owner: NameKey;
  after(records: readonly ResourceRecord[]): readonly ResourceRecord[];
}

function readEdits({ changes, zone, path }: Asked, rights: Rights, apex: NameKey): Edit[] {
  const target = { zone, rights, apex };
  const sets = new Set<string>();
  const reads = [
    ...changes.delete.map((one, index) => {
      return { part: `delete[${index}]`, read: () => readDeletion(one, target) };
    }),
    ...changes.set.map((one, index) => {
      return { part: `set[${index}]`, read: () => readSet(one, target, sets) };
    }),
    ...changes.add.map((one, index) => {
      return { part: `add[${index}]`, read: () => readAddition(one, target) };
    }),
  ];
  return readEach(reads, ({ part, read }) => at(`${path}.${part}`, read));
}

/** Where changes go, and what their maker may do. */
interface Target {
  readonly zone: Zone;
  readonly rights: Rights;
  readonly apex: NameKey;
}

function readDeletion({ name, type: raw, value }: DeletionInput, target: Target): Edit {
  const owner = parseOwner(name, target.apex);
  const type = raw === undefined ? undefined : parseStoredType(raw);
  requireOnRecord(target.rights, 'record:delete', target.zone, owner, type);
  if (value === undefined) {
    const stays = (record: ResourceRecord) => type !== undefined && record.type !== type;
    return { owner, after: (records) => records.filter(stays) };
  }
  if (type === undefined)
    throw new Problem('INVALID_INPUT', 'value: needs the field type beside it');
  const key = rdataKey(type, readValue(type, value, true));
  const isMeant = (record: ResourceRecord) =>
    record.type === type && rdataKey(type, record.rdata) === key;
  return { owner, after: (records) => records.filter((record) => !isMeant(record)) };
}

function readSet(input: RrsetInput, target: Target, sets: Set<string>): Edit {
  const { owner, type, ttlBeside, rdatas } = readRrset(input, target);
  const { rights, zone } = target;
  if (!rights.onRecord('record:read', zone.id, owner, type)) {
    for (const action of ['record:create', 'record:update', 'record:delete'] as const) {
      requireOnRecord(rights, action, zone, owner, type);
    }
  }
  const key = `${type} ${owner}`;
  if (sets.has(key))
    throw new Problem('INVALID_INPUT', `name: its ${printType(type)} are set twice`);
  sets.add(key);
  return {
    owner,
    after(records) {
      const ttl = ttlBeside(records);
      const others = records.filter((record) => record.type !== type);
      return [...others, ...rdatas.map((rdata) => ({ owner, type, ttl, rdata }))];
    },
  };
}

function readAddition(input: RrsetInput, target: Target): Edit {
  const { owner, type, ttlBeside, rdatas } = readRrset(input, target);
  requireOnRecord(target.rights, 'record:create', target.zone, owner, type);
  return {
    owner,
    after(records) {
      const ttl = ttlBeside(records);
      const missing = new Map(rdatas.map((rdata) => [rdataKey(type, rdata), rdata]));
      const after = records.map((record) => {
        if (record.type !== type) return record;
        missing.delete(rdataKey(type, record.rdata));
        return record.ttl === ttl ? record : { ...record, ttl };
      });
      for (const rdata of missing.values()) after.push({ owner, type, ttl, rdata });
      return after;
    },
  };
}

interface ReadRrset {
  readonly owner: NameKey;
  readonly type: number;
  /** The TTL of the RRset, the records at its owner being as they are. */
  ttlBeside(records: readonly ResourceRecord[]): number;
  /** Each once. */
  readonly rdatas: readonly Buffer[];
}

function readRrset(
  { name, type: raw, ttl, values }: RrsetInput,
  { zone, apex }: Target,
): ReadRrset {
  const owner = parseOwner(name, apex);
  const type = parseStorableType(raw);
  if (values.length === 0) {
    throw new Problem('INVALID_RECORD_VALUE', 'values: there is none; delete takes what is to go');
  }
  const asked = ttl === undefined ? undefined : checkTtl(ttl);
  const rdatas = new Map<string, Buffer>();
  const read = readEach(values, (value, index) =>
    readValue(type, value, false, `values[${index}]`),
  );
  for (const rdata of read) rdatas.set(rdataKey(type, rdata), rdata);
  const ttlBeside = (records: readonly ResourceRecord[]) =>
    asked ?? records.find((record) => record.type === type)?.ttl ?? zone.defaultTtl;
  return { owner, type, ttlBeside, rdatas: [...rdatas.values()] };
}

/** A value as zone files have it, priority inside; of the types without one also as requests write it elsewhere. */
function readValue(type: number, value: RecordValue, isStored: boolean, field = 'value'): Buffer {
  return asValueProblem(() => {
    if (!hasPriority(type) || typeof value !== 'string') {
      return isStored ? parseStoredRdata(type, value) : parseRdata(type, value);
    }
    return isStored ? parseStoredText(type, value) : parseRdataText(type, value);
  }, field);
}

/** What each RRset that ends otherwise asks for. */
export function requireNet({ nodes }: NetChange, zone: Zone, rights: Rights): void {
  if (rights.isFull) return;
  for (const { owner, before, after } of nodes) {
    const left = new Map(before.map((record) => [rdataKey(record.type, record.rdata), record]));
    for (const { type, ttl, rdata } of after) {
      const key = rdataKey(type, rdata);
      const old = left.get(key);
      if (old === undefined) requireOnRecord(rights, 'record:create', zone, owner, type);
      else if (old.ttl !== ttl) requireOnRecord(rights, 'record:update', zone, owner, type);
      left.delete(key);
    }
    for (const { type } of left.values()) {
      requireOnRecord(rights, 'record:delete', zone, owner, type);
    }
  }
}

/** What is wrong with a part of the request names where it stands; what is hidden or forbidden names itself. */
function at<Result>(path: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (error instanceof Problem && error.code === 'FORBIDDEN') throw error;
    throw within(path, error);
  }
}

export const changeDecisions = { 'change-zones': decideChangeZones };

/**
 * Record commands: create one or many, update, delete one or by filter.
 *
 * Rules are judged on the state that a command ends in. A record keeps its id through updates.
 */
import { readEach, readFields, within } from '../base/item-errors.ts';
import { limits } from '../base/limits.ts';
import { assert, excerpt, Problem } from '../base/problem.ts';
import type { Warning } from '../base/warning.ts';
import type { NameKey } from '../dns/name.ts';
import { WholeValue } from '../dns/rdata/asked-value.ts';
import {
  checkPriority,
  hasPriority,
  parseRdata,
  parseStoredRdata,
  type RecordValue,
  showRdata,
} from '../dns/rdata/rdata.ts';
import type { ResourceRecord } from '../dns/record.ts';
import { isStorable, mayBeStored, parseType, printType, whyUnreadable } from '../dns/rrtype.ts';
import { requireOnRecord, requireWhole } from './access/require.ts';
import type { Rights } from './access/rights.ts';
import { noRecord } from './access/visibility.ts';
import type { Decision, DecisionContext } from './decision.ts';
import type { RecordDiff } from './diff.ts';
import type { StagedDelta } from './event.ts';
import { parseOwner, type RecordInput, type ZoneRecord } from './record.ts';
import { printWarnings } from './warnings.ts';
import { WorkingSet } from './working-set.ts';
import type { Zone } from './zone.ts';
import { changeZone, findZone, nextSerial, type OfZone } from './zone-change.ts';

/** One record or many: all or none, one serial step. */
interface CreateRecords extends OfZone, NewRecords {}

interface NewRecords {
  readonly records: readonly RecordInput[];
  /** True where they are a list of the request: what is wrong with one names its index, also of the only one. */
  readonly isList?: boolean;
}

interface UpdateRecord {
  readonly id: number;
  readonly name?: string | undefined;
  readonly type?: string | undefined;
  readonly value?: RecordValue | undefined;
  readonly ttl?: number | undefined;
  readonly priority?: number | undefined;
}

/** Narrowing follows RFC 2136 2.5: a name, a type at it, or one record of that type. */
interface DeleteRecords extends OfZone {
  readonly name: string;
  readonly type?: string | undefined;
  readonly value?: RecordValue | undefined;
  readonly priority?: number | undefined;
}

/** New records of a zone that were judged and written ahead, against the zone at `atSerial`. */
interface PublishRecords extends OfZone {
  readonly zoneId: number;
  readonly atSerial: number;
  /**
   * All of them: whether their maker may still create them is asked again. Left out, their maker must be
   * one who may create any.
   */
  readonly records?: readonly Pick<ResourceRecord, 'owner' | 'type'>[];
  readonly staged: StagedDelta;
}

/** What a record command did or, in a dry run, would do. */
export interface RecordOutcome {
  readonly zone: Zone;
  /** Records created, updated or deleted. */
  readonly count: number;
  /** Created or updated records as they are now; deleted ones that the caller may read, as they were. */
  readonly records: readonly ZoneRecord[];
  /** Of RRsets that the caller may not read only what it wrote. */
  readonly diff: RecordDiff;
  readonly warnings: readonly Warning[];
}

type Decided = Decision<RecordOutcome>;

interface PublishRecordsOutcome {
  /** The zone is no longer as it was when the records were prepared: nothing was done. */
  readonly moved: boolean;
  /** As it is then. */
  readonly zone: Zone;
  /** None of what was prepared ahead: who prepared it has them. */
  readonly warnings: readonly Warning[];
}

/**
 * Judges the final state and makes the decision: no difference, no event. `records` are those the
 * caller named; deleted ones it may not read are counted, not listed.
 */
function decisionOf(
  work: WorkingSet,
  { rights }: DecisionContext,
  records: readonly ZoneRecord[],
  operation: 'written' | 'deleted' = 'written',
): Decided {
  const net = work.netChange();
  const readable = ({ owner, type }: ZoneRecord) =>
    rights.onRecord('record:read', work.zone.id, owner, type);
  const change = work.change('records.changed', net);
  const outcome = {
    zone: change?.zone ?? work.zone,
    count: records.length,
    records: operation === 'written' || rights.isFull ? records : records.filter(readable),
    diff: work.diffOf(net),
    warnings: printWarnings(work.warningsOf(net)),
  };
  return { event: change?.event, outcome };
}

/** The type a caller names, when records of it can be stored; else INVALID_RECORD_VALUE. */
export function parseStorableType(text: string): number {
  const type = parseType(text.trim());
  if (type === undefined) {
    throw new Problem('INVALID_RECORD_VALUE', `type: '${excerpt(text)}' is not a record type`);
  }
  if (!isStorable(type)) {
    const reason = whyUnreadable(type);
    const text = `type: ${printType(type)} can not be stored as a record`;
    throw new Problem('INVALID_RECORD_VALUE', reason === undefined ? text : `${text}: ${reason}`);
  }
  return type;
}

/** The same of records that are there; what comes in is judged with the state it leads to. */
export function parseStoredType(text: string): number {
  const type = parseType(text.trim());
  return type !== undefined && mayBeStored(type) ? type : parseStorableType(text);
}

export function parseValue(
  type: number,
  value: RecordValue,
  priority?: number,
  parse = parseRdata,
): Buffer {
  if (priority !== undefined) asValueProblem(() => checkPriority(type, priority), 'priority');
  return asValueProblem(() => parse(type, value, priority));
}

/** What `parse` makes of a value; what is wrong with it as INVALID_RECORD_VALUE of the field. */
export function asValueProblem<Result>(parse: () => Result, field = 'value'): Result {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'RdataError') throw error;
    throw new Problem('INVALID_RECORD_VALUE', `${field}: ${error.message}`);
  }
}

export function checkTtl(ttl: number): number {
  if (!Number.isInteger(ttl) || ttl < 0 || ttl > limits.ttl) {
    throw new Problem('INVALID_RECORD_VALUE', `ttl: ${ttl} is outside 0..${limits.ttl}`);
  }
  return ttl;
}

function decideCreateRecords(command: CreateRecords, context: DecisionContext): Decided {
  const work = new WorkingSet(context, findZone(context, command.zoneName));
  const target = { zone: work.zone, apex: work.apex, rights: context.rights };
  const created = readNewRecords(command, target, work.make);
  if (created.length > 1) work.load(created.map((record) => record.owner));
  for (const record of created) work.at(record.owner).push(record);
  return decisionOf(work, context, created);
}

/** The same where the records were judged and staged before (background/import). */
function decidePublishRecords(
  command: PublishRecords,
  context: DecisionContext,
): Decision<PublishRecordsOutcome> {
  const { zoneId, atSerial, records, staged } = command;
  const { rights } = context;
  const zone = findZone(context, command.zoneName);
  if (records === undefined) requireWhole(rights, 'record:create', zone);
  else if (!rights.whole('record:create', zone.id)) {
    for (const { owner, type } of records) {
      requireOnRecord(rights, 'record:create', zone, owner, type);
    }
  }
  if (zone.id !== zoneId || zone.serial !== atSerial) {
    return { event: undefined, outcome: { moved: true, zone, warnings: [] } };
  }
  const change = changeZone('records.changed', zone, nextSerial(zone), { staged });
  return { event: change.event, outcome: { moved: false, zone: change.zone, warnings: [] } };
}

/** Where new records are to go, and what their maker may do. */
export interface NewRecordTarget {
  readonly zone: Zone;
  readonly apex: NameKey;
  readonly rights: Rights;
}

/** What `take` makes of each of the records to be created. */
export function readNewRecords<Taken>(
  { records: inputs, isList = inputs.length !== 1 }: NewRecords,
  target: NewRecordTarget,
  take: (record: ResourceRecord, index: number) => Taken,
): Taken[] {
  if (!isList) return inputs.map((input, index) => take(parseInput(input, target), index));
  return readEach(inputs, (input, index) =>
    take(
      placed(index, () => parseInput(input, target)),
      index,
    ),
  );
}

/** What is wrong with an item of a list names its index. */
export function placed<Parsed>(index: number, parse: () => Parsed): Parsed {
  try {
    return parse();
  } catch (error) {
    throw within(`records[${index}]`, error);
  }
}

export function parseInput(input: RecordInput, target: NewRecordTarget): ResourceRecord {
  try {
    return parseInOrder(input, target);
  } catch (error) {
    if (error instanceof Problem && error.code !== 'FORBIDDEN') parseEachField(input, target);
    throw error;
  }
}

function parseInOrder(input: RecordInput, { zone, apex, rights }: NewRecordTarget): ResourceRecord {
  const type = parseStorableType(input.type);
  const owner = parseOwner(input.name, apex);
  requireOnRecord(rights, 'record:create', zone, owner, type);
  const rdata = parseValue(type, input.value, input.priority);
  const ttl = input.ttl === undefined ? zone.defaultTtl : checkTtl(input.ttl);
  return { owner, type, ttl, rdata };
}

/** Throws everything that is wrong with the fields of a record; whoever makes none pays for no list of them. */
function parseEachField(
  { type: given, name, value, priority, ttl }: RecordInput,
  target: NewRecordTarget,
): void {
  const type = parseType(given.trim());
  readFields({
    type: () => parseStorableType(given),
    name: () => parseOwner(name, target.apex),
    value: () => type !== undefined && isStorable(type) && parseValue(type, value, priority),
    ttl: () => ttl !== undefined && checkTtl(ttl),
  });
}

/** The record of an id and the working set of its zone, which holds that very object. */
function openRecord(
  context: DecisionContext,
  id: number,
): { work: WorkingSet; record: ZoneRecord } {
  const found = context.view.recordById(id);
  const zone = found && context.view.zoneById(found.zoneId);
  const visible =
    found !== undefined &&
    zone !== undefined &&
    context.rights.seesRecord(zone.id, found.record.owner, found.record.type);
  if (!visible) throw noRecord(id);
  const work = new WorkingSet(context, zone);
  const record = work.at(found.record.owner).find((candidate) => candidate.id === id);
  assert(record !== undefined, `record ${id} stands at its owner`);
  return { work, record };
}

function decideUpdateRecord(command: UpdateRecord, context: DecisionContext): Decided {
  const { work, record } = openRecord(context, command.id);
  const { type, owner } = readFields({
    type: () => (command.type === undefined ? record.type : parseStoredType(command.type)),
    owner: () => (command.name === undefined ? record.owner : parseOwner(command.name, work.apex)),
    ttl: () => command.ttl !== undefined && checkTtl(command.ttl),
  });
  const { rights } = context;
  requireOnRecord(rights, 'record:update', work.zone, record.owner, record.type);
  requireOnRecord(rights, 'record:update', work.zone, owner, type);
  if (!rights.onRecord('record:read', work.zone.id, record.owner, record.type)) {
    requireEveryField(command, type);
  }
  const rdata = updatedRdata(command, record, type);
  const moved = owner !== record.owner || type !== record.type;
  work.remove(record);
  const target = work.at(owner);
  const company = target.find((other) => other.type === type);
  const ttl =
    command.ttl !== undefined
      ? command.ttl
      : moved && company !== undefined
        ? company.ttl
        : record.ttl;
  // An update of the TTL moves the whole RRset: its members share one (RFC 2181 5.2).
  for (const [index, other] of target.entries()) {
    if (other.type === type && other.ttl !== ttl) target[index] = { ...other, ttl };
  }
  const same = !moved && ttl === record.ttl && rdata.equals(record.rdata);
  // The stored object itself goes back where nothing changed, so that no difference is seen.
  const updated: ZoneRecord = same ? record : { ...record, owner, type, ttl, rdata };
  target.push(updated);
  return decisionOf(work, context, [updated]);
}

/** Who may not read a record must not learn of it by leaving fields as they are. */
function requireEveryField(command: UpdateRecord, type: number): void {
  const fields = ['name', 'type', 'value', 'ttl'] as const;
  const missing: string[] = fields.filter((field) => command[field] === undefined);
  if (hasPriority(type) && command.priority === undefined) missing.push('priority');
  if (missing.length === 0) return;
  throw new Problem(
    'FORBIDDEN',
    `action 'record:read' is needed to leave fields unchanged; given must be: ${missing.join(', ')}`,
  );
}

function updatedRdata(command: UpdateRecord, record: ZoneRecord, type: number): Buffer {
  const changesType = type !== record.type;
  if (changesType && command.value === undefined) {
    throw new Problem('INVALID_RECORD_VALUE', 'value: is required when the type changes');
  }
  if (command.value === undefined && command.priority === undefined) return record.rdata;
  const presented = showRdata(record.type, record.rdata);
  const kept = hasPriority(type) && !changesType ? (presented.priority ?? undefined) : undefined;
  const given = [type, command.value ?? presented.value, command.priority ?? kept] as const;
  // What does not fit its type may stay as it is, but nothing may become so.
  const stored = changesType ? undefined : parseValue(...given, parseStoredRdata);
  return stored?.equals(record.rdata) ? record.rdata : parseValue(...given);
}

function decideDeleteRecord({ id }: Pick<UpdateRecord, 'id'>, context: DecisionContext): Decided {
  const { work, record } = openRecord(context, id);
  requireOnRecord(context.rights, 'record:delete', work.zone, record.owner, record.type);
  work.remove(record);
  return decisionOf(work, context, [record], 'deleted');
}

function decideDeleteRecords(command: DeleteRecords, context: DecisionContext): Decided {
  const work = new WorkingSet(context, findZone(context, command.zoneName));
  const owner = parseOwner(command.name, work.apex);
  const type = command.type === undefined ? undefined : parseStoredType(command.type);
  requireOnRecord(context.rights, 'record:delete', work.zone, owner, type);
  const matches = matcherOf(command, type);
  const deleted = work.at(owner).filter(matches);
  for (const record of deleted) work.remove(record);
  return decisionOf(work, context, deleted, 'deleted');
}

function matcherOf(
  { value, priority }: DeleteRecords,
  type: number | undefined,
): (record: ZoneRecord) => boolean {
  if (value !== undefined && type === undefined) {
    throw new Problem('INVALID_INPUT', 'value: needs the parameter type beside it');
  }
  // The value names the record; a priority narrows what it may be of.
  const whole =
    type === undefined || value === undefined
      ? undefined
      : asValueProblem(() => new WholeValue(type, value, hasPriority(type) ? priority : undefined));
  return (record) => {
    if (type !== undefined && record.type !== type) return false;
    if (priority !== undefined) {
      if (!hasPriority(record.type)) return false;
      if (record.rdata.readUInt16BE(0) !== priority) return false;
    }
    return whole?.equals(record.rdata) ?? true;
  };
}

export const recordDecisions = {
  'create-records': decideCreateRecords,
  'publish-records': decidePublishRecords,
  'update-record': decideUpdateRecord,
  'delete-record': decideDeleteRecord,
  'delete-records': decideDeleteRecords,
};

/**
 * What a call of an external DNS controller asks for, item by item, and which items it can not have.
 *
 * An item is a record to create, one to delete, or an update of both. All items of a call are judged before it is
 * refused, so that whoever leaves out those that are named need not ask once for each. A record is an RRset: its zone,
 * owner, type and values are read here, also for who only asks how it would be stored.
 */
import { excerpt, type ItemError, ListedProblem, Problem } from '../base/problem.ts';
import { type NameKey, parseAbsoluteName, relativeTo } from '../dns/name.ts';
import { rdataKey, type ResourceRecord } from '../dns/record.ts';
import { printType } from '../dns/rrtype.ts';
import type { Rights } from './access/rights.ts';
import { checkTtl, parseValue } from './decide-records.ts';
import type { StateView } from './decision.ts';
import type { HeldBack } from './guard.ts';
import {
  type ApplyExternalDns,
  type ExternalRecord,
  externalTypeNames,
  parseExternalType,
} from './external-dns.ts';
import { planNode } from './file-node.ts';
import { checkChange, checkNode, problemOf } from './node-rules.ts';
import { parseNameIn, type ZoneRecord } from './record.ts';
import type { WorkingSet } from './working-set.ts';
import { apexOf, type Zone } from './zone.ts';
import { ZonesOfNames } from './zone-change.ts';

export interface Item {
  readonly list: 'deletes' | 'updates' | 'creates';
  readonly index: number;
  readonly removed?: ExternalRecord;
  readonly added?: ExternalRecord;
}

/** An item whose records are read. */
export interface ReadItem {
  readonly item: Item;
  readonly removed: ReadRecord | undefined;
  readonly added: ReadRecord | undefined;
}

/** In the order in which they are judged. */
export function* itemsOf({ deletes, updates, creates }: ApplyExternalDns): Generator<Item> {
  for (const [index, removed] of deletes.entries()) yield { list: 'deletes', index, removed };
  for (const [index, update] of updates.entries()) {
    yield { list: 'updates', index, removed: update.old, added: update.new };
  }
  for (const [index, added] of creates.entries()) yield { list: 'creates', index, added };
}

/** The zones that changes are about, as far as their names can be read. */
export function zonesOfChanges(
  changes: ApplyExternalDns,
  view: Pick<StateView, 'zoneByName'>,
): readonly Zone[] {
  return [...new Set([...recordsOf(changes, view)].map(({ zone }) => zone))];
}

/** Where the records of items belong; without those that are refused when they are decided on. */
function* recordsOf(changes: ApplyExternalDns, view: Pick<StateView, 'zoneByName'>) {
  const names = new ZonesOfNames(view);
  for (const item of itemsOf(changes)) {
    for (const record of [item.removed, item.added]) {
      const name = record && readableName(record.name);
      const zone = name === undefined ? undefined : names.enclosing(name);
      if (zone !== undefined) yield { item, record: record!, name: name!, zone };
    }
  }
}

function readableName(text: string): NameKey | undefined {
  try {
    return parseAbsoluteName(text.trim());
  } catch {
    return undefined;
  }
}

/** What the guards of zones hold back of changes, with the items without which the rest would go through. */
export function heldItems(
  changes: ApplyExternalDns,
  { problem, zones }: HeldBack,
  view: Pick<StateView, 'zoneByName'>,
): Problem {
  const culprits = new Culprits();
  const byId = new Map(zones.map((held) => [held.zone.id, held]));
  for (const { item, record, name, zone } of recordsOf(changes, view)) {
    const held = byId.get(zone.id);
    if (held === undefined) continue;
    const { message, remedy, kept } = held;
    const type = parseExternalType(record.type);
    const isAt = (owner: NameKey) => owner === relativeTo(name, apexOf(zone));
    const isHeld = kept?.find(([owner, one]) => one === type && isAt(owner)) !== undefined;
    if (kept === undefined || isHeld)
      culprits.add(item, new Problem(problem.code, `${message}; ${remedy}`), problem);
  }
  return culprits.problem() ?? problem;
}

/** The items that can not be, each once. */
export class Culprits {
  readonly #errors = new Map<string, ItemError>();
  #first: Problem | undefined;

  get isNone(): boolean {
    return this.#first === undefined;
  }

  /** `alone` is the Problem of a call that has no other. */
  add({ list, index }: Item, { code, message }: Problem, alone = new Problem(code, message)): void {
    this.#first ??= alone;
    const key = `${list} ${index}`;
    if (!this.#errors.has(key)) this.#errors.set(key, { index, list, code, message });
  }

  /** One record of an item. */
  addRecord(item: Item, part: 'removed' | 'added', problem: Problem): void {
    const { list, index } = item;
    const { name, type } = item[part]!;
    const suffix = list === 'updates' ? { removed: '.old', added: '.new' }[part] : '';
    const where = `${list}[${index}]${suffix} (${excerpt(name)} ${excerpt(type)})`;
    this.add(item, problem, new Problem(problem.code, `${where}: ${problem.message}`));
  }

  /** The Problem of all of them. */
  problem(): ListedProblem | undefined {
    return this.#first && new ListedProblem(this.#first, [...this.#errors.values()]);
  }
}

/** Items at one owner that are tried one beside the other; of more, all that add something are named. */
const itemsTriedPerOwner = 32;

/**
 * Names the items of one zone that keep it from becoming what they ask for, `problem` being what it met. At an owner
 * whose records do not go together these are the items that do not fit beside what stands and what comes before them.
 */
export function blame(
  items: readonly ReadItem[],
  work: WorkingSet,
  problem: Problem,
  culprits: Culprits,
): void {
  const wrong = work.problemsByOwner();
  if (wrong.size === 0) {
    // It is the zone that can not change: its last serial is used, say.
    for (const { item } of items) culprits.add(item, problem);
    return;
  }
  const byOwner = itemsByOwner(items, work);
  for (const [owner, reason] of wrong) {
    const here = byOwner.get(owner) ?? [];
    const adding = here.filter(({ added }) => added !== undefined && isAt(added, owner, work));
    const misfits =
      reason.isOfNode && adding.length <= itemsTriedPerOwner
        ? misfitsAt(owner, here, adding, work)
        : adding.map((each) => [each, reason.problem] as const);
    // What is only deleted there takes along what others need.
    if (misfits.length === 0) for (const { item } of here) culprits.add(item, reason.problem);
    for (const [{ item }, why] of misfits) culprits.add(item, why);
  }
}

function isAt({ zone, owner }: ReadRecord, at: NameKey, work: WorkingSet): boolean {
  return zone.id === work.zone.id && owner === at;
}

function itemsByOwner(
  items: readonly ReadItem[],
  work: WorkingSet,
): ReadonlyMap<NameKey, readonly ReadItem[]> {
  const byOwner = new Map<NameKey, ReadItem[]>();
  for (const each of items) {
    const records = [each.removed, each.added].filter((one) => one !== undefined);
    const owners = records.filter(({ zone }) => zone.id === work.zone.id);
    for (const owner of new Set(owners.map((one) => one.owner))) {
      const here = byOwner.get(owner);
      if (here === undefined) byOwner.set(owner, [each]);
      else here.push(each);
    }
  }
  return byOwner;
}

/** Puts one after another beside what stands, without those that do not fit. */
function misfitsAt(
  owner: NameKey,
  here: readonly ReadItem[],
  adding: readonly ReadItem[],
  work: WorkingSet,
): (readonly [ReadItem, Problem])[] {
  const before = work.before(owner);
  const misfits: (readonly [ReadItem, Problem])[] = [];
  const fitting: ReadRecord[] = [];
  for (const each of adding) {
    const changes = new RrsetChanges();
    for (const { removed } of here) {
      if (removed !== undefined && isAt(removed, owner, work)) changes.remove(removed);
    }
    const problem = problemOf(() => {
      for (const added of [...fitting, each.added!]) changes.add(added);
      checkChange(work.apex, owner, before, changes.changed(owner, before, unidentified));
    });
    if (problem === undefined) fitting.push(each.added!);
    else misfits.push([each, problem]);
  }
  return misfits;
}

/** A record that is only tried. */
function unidentified(record: ResourceRecord): ZoneRecord {
  return { ...record, id: 0, createdAt: 0 };
}

/** Names the creations whose RRset keeps other values than they ask for: it is somebody else's. */
export function blameTaken(
  items: readonly ReadItem[],
  work: WorkingSet,
  changes: RrsetChanges,
  culprits: Culprits,
): void {
  for (const { item, added } of items) {
    if (item.list !== 'creates' || added === undefined) continue;
    const { owner, type } = added;
    const stands = new Set<string>();
    for (const record of work.before(owner)) {
      if (record.type === type) stands.add(rdataKey(type, record.rdata));
    }
    if (stands.size === 0 || changes.leaves(owner, type, stands)) continue;
    const message = `the ${printType(type)} records of this name exist with other values`;
    culprits.add(item, new Problem('RECORD_CONFLICT', message));
  }
}

export interface ReadRecord {
  readonly zone: Zone;
  readonly apex: NameKey;
  readonly owner: NameKey;
  readonly type: number;
  /** Seconds; the zone's default when none is asked for. */
  readonly ttl: number;
  readonly rdatas: readonly Buffer[];
}

/** Where names belong, and whose eyes it is looked at with. */
export interface Surroundings {
  readonly zones: ZonesOfNames;
  readonly rights: Rights;
}

/** `authorize` is asked before values are looked at: who may not write here learns that first. */
export function readExternalRecord(
  record: ExternalRecord,
  { zones, rights }: Surroundings,
  authorize: (zone: Zone, owner: NameKey, type: number) => void = () => {},
): ReadRecord {
  const name = parseNameIn('name', record.name, 'INVALID_RECORD_NAME');
  const zone = zones.enclosing(name);
  // A zone that does not exist and one that the caller does not see read alike.
  if (zone === undefined || !rights.sees(zone.id)) {
    throw new Problem('ZONE_NOT_FOUND', 'there is no zone for this name');
  }
  const apex = apexOf(zone);
  const owner = relativeTo(name, apex)!;
  const type = parseExternalType(record.type);
  if (type === undefined) {
    throw new Problem('INVALID_RECORD_VALUE', `type: is not one of ${externalTypeNames}`);
  }
  authorize(zone, owner, type);
  if (record.values.length === 0) {
    throw new Problem('INVALID_RECORD_VALUE', 'values: there is none');
  }
  const rdatas = record.values.map((value) => parseValue(type, value));
  const ttl = record.ttl === undefined ? zone.defaultTtl : checkTtl(record.ttl);
  return { zone, apex, owner, type, ttl, rdatas };
}

/** Why an RRset could never be stored, whatever else its name has; undefined when it could. */
export function problemOfExternalRecord(
  record: ExternalRecord,
  surroundings: Surroundings,
): Problem | undefined {
  return problemOf(() => {
    const { apex, owner, type, ttl, rdatas } = readExternalRecord(record, surroundings);
    const different = new Map(rdatas.map((rdata) => [rdataKey(type, rdata), rdata]));
    const records = [...different.values()].map((rdata) => ({ owner, type, ttl, rdata }));
    checkNode(apex, owner, records);
  });
}

/** Records of one RRset. */
interface RrsetPart {
  readonly owner: NameKey;
  readonly type: number;
  readonly rdatas: readonly Buffer[];
}

interface RrsetChange {
  readonly owner: NameKey;
  readonly type: number;
  readonly removed: Set<string>;
  readonly added: Map<string, Buffer>;
  /** Of the records added. */
  ttl: number | undefined;
}

/** Gives a new record its identity. */
type Make = (record: ResourceRecord) => ZoneRecord;

/**
 * RRsets of one zone that lose and gain records, collected before any is looked up, then put onto the zone.
 *
 * What is both removed and added stays. The TTL of what is added is that of the whole RRset (RFC 2181
 * 5.2); two TTLs for one RRset are RECORD_CONFLICT.
 */
export class RrsetChanges {
  readonly #rrsets = new Map<NameKey, RrsetChange[]>();

  remove({ owner, type, rdatas }: RrsetPart): void {
    const { removed } = this.#at(owner, type);
    for (const rdata of rdatas) removed.add(rdataKey(type, rdata));
  }

  /** Throws RECORD_CONFLICT for a second TTL, before anything changes. */
  add({ owner, type, ttl, rdatas }: RrsetPart & { readonly ttl: number }): void {
    const rrset = this.#at(owner, type);
    if (rrset.ttl !== undefined && rrset.ttl !== ttl) {
      throw new Problem(
        'RECORD_CONFLICT',
        `ttl: ${ttl} and ${rrset.ttl} are asked for, but the ${printType(type)} records of one name share one TTL`,
      );
    }
    rrset.ttl = ttl;
    for (const rdata of rdatas) rrset.added.set(rdataKey(type, rdata), rdata);
  }

  owners(): NameKey[] {
    return [...this.#rrsets.keys()];
  }

  /** Records that stay as they are stay the same objects. */
  applyTo(work: WorkingSet): void {
    for (const owner of this.#rrsets.keys()) {
      work.replace(owner, this.changed(owner, work.at(owner), work.make));
    }
  }

  /** The records at an owner, after the changes of its RRsets. */
  changed(owner: NameKey, records: readonly ZoneRecord[], make: Make): ZoneRecord[] {
    let after = records as ZoneRecord[];
    for (const rrset of this.#rrsets.get(owner) ?? []) after = changed(after, rrset, make);
    return after;
  }

  /** Whether an RRset is all removed, or what is left is exactly what is added; `keys` are its values (rdataKey). */
  leaves(owner: NameKey, type: number, keys: ReadonlySet<string>): boolean {
    const { removed, added } = this.#at(owner, type);
    const staying = [...keys].filter((key) => !removed.has(key));
    if (staying.length === 0) return true;
    return staying.length === added.size && staying.every((key) => added.has(key));
  }

  #at(owner: NameKey, type: number): RrsetChange {
    let rrsets = this.#rrsets.get(owner);
    if (rrsets === undefined) {
      rrsets = [];
      this.#rrsets.set(owner, rrsets);
    }
    let rrset = rrsets.find((each) => each.type === type);
    if (rrset === undefined) {
      rrset = { owner, type, removed: new Set(), added: new Map(), ttl: undefined };
      rrsets.push(rrset);
    }
    return rrset;
  }
}

function changed(
  records: readonly ZoneRecord[],
  { owner, type, removed, added, ttl }: RrsetChange,
  make: Make,
): ZoneRecord[] {
  const isRemoved = (record: ZoneRecord) =>
    record.type === type && removed.has(rdataKey(type, record.rdata));
  const kept: ResourceRecord[] = records.filter((record) => !isRemoved(record));
  for (const rdata of added.values()) kept.push({ owner, type, ttl: ttl!, rdata });
  return planNode('replace', records, kept, make).after;
}

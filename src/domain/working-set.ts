/**
 * The working set of a command: every owner it touches, with its records as they were and as they will
 * be. Rules are judged on the latter, at the end. Records that stay are the same objects, so that what
 * is left alone is known from what is written.
 */
import type { ZoneEventKind } from '../base/event-kind.ts';
import type { Problem } from '../base/problem.ts';
import { emptyName, type NameKey } from '../dns/name.ts';
import type { ResourceRecord } from '../dns/record.ts';
import { rrtype } from '../dns/rrtype.ts';
import { fullRights } from './access/rights.ts';
import type { DecisionContext } from './decision.ts';
import { diffNodes, type NodeChange, type RecordDiff, redactDiff } from './diff.ts';
import {
  hasAny,
  type Occlusion,
  occlusionProblem,
  occlusionsAmong,
  occlusionsOf,
} from './dname-rules.ts';
import { checkChange, problemOf } from './node-rules.ts';
import type { ZoneRecord } from './record.ts';
import { rolledZone } from './roll-warnings.ts';
import { deeperZones, holds, hasOwnerBelow, type ZoneRecords } from './target-state.ts';
import { type WarningReport, WarningRules } from './warnings.ts';
import { apexOf, type Zone, type ZoneSettings } from './zone.ts';
import { changeZone, nextSerial, type ZoneChange } from './zone-change.ts';

/** What a working set comes to. */
export interface NetChange {
  readonly removed: readonly ZoneRecord[];
  readonly added: readonly ZoneRecord[];
  /** The owners that are not as they were. */
  readonly nodes: readonly NodeChange[];
}

/** What a command changes besides the records that it names. */
interface BesideRecords {
  /** It is about all records of the zone. */
  readonly isWhole?: boolean;
  /** Settings as they were and as they will be, where that is not those of the zone at hand. */
  readonly before?: ZoneSettings;
  readonly after?: ZoneSettings;
}

interface OwnerProblem {
  readonly owner: NameKey;
  readonly problem: Problem;
  /** Whether it is about the records at the owner alone, not about those at other names. */
  readonly isOfNode: boolean;
}

export class WorkingSet {
  readonly zone: Zone;
  readonly apex: NameKey;
  readonly #context: DecisionContext;
  readonly #before = new Map<NameKey, readonly ZoneRecord[]>();
  readonly #after = new Map<NameKey, ZoneRecord[]>();
  readonly #isNew: boolean;
  /** Every owner of the zone is held: those that are not have no records. */
  #isComplete: boolean;

  /** `isNew`: of a zone that the command makes, with nothing stored. */
  constructor(context: DecisionContext, zone: Zone, isNew = false) {
    this.#context = context;
    this.#isNew = isNew;
    this.#isComplete = isNew;
    this.zone = zone;
    this.apex = apexOf(zone);
  }

  /** Reads many owners at once, before they are asked for one by one. */
  load(owners: readonly NameKey[]): void {
    for (const [owner, before] of this.#context.view.recordsAtAll(this.zone.id, owners)) {
      this.#hold(owner, before);
    }
  }

  /** Reads the whole zone; comes before anything else. */
  loadAll(): void {
    if (this.#isComplete) return;
    for (const record of this.#context.view.allRecords(this.zone.id)) {
      const before = this.#before.get(record.owner) as ZoneRecord[] | undefined;
      if (before === undefined) this.#before.set(record.owner, [record]);
      else before.push(record);
    }
    for (const [owner, before] of this.#before) this.#after.set(owner, before.slice());
    this.#isComplete = true;
  }

  /** The owners held by now. */
  owners(): Iterable<NameKey> {
    return this.#after.keys();
  }

  /** The records at an owner as they will be; changed in place by its holders. */
  at(owner: NameKey): ZoneRecord[] {
    const after = this.#after.get(owner);
    if (after !== undefined) return after;
    return this.#hold(
      owner,
      this.#isComplete ? [] : this.#context.view.recordsAt(this.zone.id, owner),
    );
  }

  /** Gives an owner other records than it has. */
  replace(owner: NameKey, after: ZoneRecord[]): void {
    if (!this.#before.has(owner)) this.at(owner);
    this.#after.set(owner, after);
  }

  remove(record: ZoneRecord): void {
    const records = this.at(record.owner);
    const index = records.findIndex((other) => other.id === record.id);
    if (index >= 0) records.splice(index, 1);
  }

  /** A new record with an identity. */
  readonly make = ({ owner, type, ttl, rdata }: ResourceRecord): ZoneRecord => {
    const { now } = this.#context;
    return { id: this.#context.allocateId('record'), owner, type, ttl, rdata, createdAt: now };
  };

  /**
   * What has changed. Throws the Problem of the first owner whose records can not be stored: that may tell what stands
   * there, so it comes after the rights to all that is written.
   */
  netChange(): NetChange {
    for (const { problem } of this.#problems()) throw problem;
    return this.difference();
  }

  /** What has changed, whether or not it can be stored: for who asks for the rights to it. */
  difference(): NetChange {
    const removed: ZoneRecord[] = [];
    const added: ZoneRecord[] = [];
    const nodes: NodeChange[] = [];
    for (const [owner, after] of this.#after) {
      const before = this.#before.get(owner)!;
      const changes = removed.length + added.length;
      if (before.length === 0) for (const record of after) added.push(record);
      else {
        const kept = new Set<ZoneRecord>(after);
        for (const record of before) if (!kept.delete(record)) removed.push(record);
        for (const record of after) if (kept.has(record)) added.push(record);
      }
      if (removed.length + added.length > changes) nodes.push({ owner, before, after });
    }
    return { removed, added, nodes };
  }

  /** The records at an owner as they were. */
  before(owner: NameKey): readonly ZoneRecord[] {
    this.at(owner);
    return this.#before.get(owner)!;
  }

  /** The change of the zone under its next serial; undefined when no record differs. */
  change(kind: ZoneEventKind, net: NetChange): ZoneChange | undefined {
    if (net.removed.length + net.added.length === 0) return undefined;
    return changeZone(kind, this.zone, nextSerial(this.zone), net);
  }

  /** What stands against the records of owners, then against names below a DNAME. */
  *#problems(): Generator<OwnerProblem> {
    const { apex } = this;
    for (const [owner, after] of this.#after) {
      const before = this.#before.get(owner)!;
      const problem = problemOf(() => checkChange(apex, owner, before, after));
      if (problem !== undefined) yield { owner, problem, isOfNode: true };
    }
    for (const occlusion of this.occlusions()) {
      const problem = occlusionProblem(apex, occlusion, (...asked) => this.#knows(...asked));
      yield { owner: occlusion.owner, problem, isOfNode: false };
    }
  }

  /** Whether the caller reads the records at an owner, of one type or of any, or adds some. */
  #knows(owner: NameKey, type: number | undefined): boolean {
    if (this.#isNew || this.reads(owner, type)) return true;
    const before = new Set<ResourceRecord>(this.before(owner));
    return hasAny(
      this.at(owner).filter((record) => !before.has(record)),
      type,
    );
  }

  /** Whether the caller reads all records at an owner, or those of one type. */
  reads(owner: NameKey, type: number | undefined): boolean {
    return this.#context.rights.onRecord('record:read', this.zone.id, owner, type);
  }

  /** Every owner whose records can not be stored, where `netChange` throws for the first. */
  problemsByOwner(): ReadonlyMap<NameKey, OwnerProblem> {
    const problems = new Map<NameKey, OwnerProblem>();
    for (const each of this.#problems()) {
      if (!problems.has(each.owner)) problems.set(each.owner, each);
    }
    return problems;
  }

  /** Names that would have records below a DNAME after all changes so far. */
  occlusions(): Iterable<Occlusion> {
    if (this.#isComplete) return occlusionsAmong(this.#after);
    let { recordCount } = this.zone;
    const changes = [...this.#after].map(([owner, after]): NodeChange => {
      const before = this.#before.get(owner)!;
      recordCount += after.length - before.length;
      return { owner, before, after };
    });
    return occlusionsOf(this.#context.view, { id: this.zone.id, recordCount }, changes);
  }

  /** A net change as the caller may see it. */
  diffOf({ added, nodes }: NetChange): RecordDiff {
    return redactDiff(diffNodes(this.apex, nodes), this.#context.rights, this.zone, added);
  }

  /**
   * What is probably a mistake in a net change, as the caller may know it. Where a command is about the zone as such,
   * that its apex has no NS is reported whatever the command changes.
   */
  warningsOf(
    { nodes }: Pick<NetChange, 'nodes'>,
    isOfZone = this.#isNew,
    { isWhole = false, before: former, after: next }: BesideRecords = {},
  ): WarningReport {
    const { view, clockNow: now } = this.#context;
    const { zone, apex } = this;
    // Of a zone that did not exist all is of the caller's making.
    const rights = this.#isNew ? fullRights : this.#context.rights;
    const isElsewhere = deeperZones(view, apex, this.#context.rights);
    const signing = this.#isNew ? undefined : view.signing(zone.id);
    const rolled = rolledZone(signing, { before: former ?? zone, after: next ?? zone, now });
    const rules = new WarningRules({ apex, zoneId: zone.id, rights, isElsewhere }, rolled);
    if (isWhole) rules.wholeZone();
    // Who replaces all records knows them, whether or not it may read any.
    const knowsNs =
      this.#isComplete || rights.onRecord('record:read', zone.id, emptyName, rrtype.NS);
    const touchesApex = isOfZone || nodes.some(({ owner }) => owner === emptyName);
    const records = this.#afterwards();
    if (touchesApex && knowsNs && !holds(records.at(emptyName), rrtype.NS)) rules.missingApexNs();
    const inOrder = nodes.length > 1 ? nodes.toSorted(compareOwners) : nodes;
    for (const { owner, before, after } of inOrder) rules.node(owner, before, after);
    return rules.report(records);
  }

  /** The zone as the command leaves it. */
  #afterwards(): ZoneRecords {
    const { view } = this.#context;
    const { id } = this.zone;
    let owners: readonly NameKey[] | undefined;
    return {
      at: (owner) => this.#after.get(owner) ?? (this.#isComplete ? [] : view.recordsAt(id, owner)),
      hasBelow: (owner) => {
        owners ??= [...this.#after]
          .flatMap(([held, { length }]) => (length > 0 ? [held] : []))
          .sort();
        if (hasOwnerBelow(owners, owner)) return true;
        if (this.#isComplete) return false;
        // What is stored below it counts unless the command takes it away.
        let next = view.ownerBelow(id, owner, owner);
        while (next !== undefined && this.#after.has(next)) next = view.ownerBelow(id, owner, next);
        return next !== undefined;
      },
    };
  }

  #hold(owner: NameKey, before: readonly ZoneRecord[]): ZoneRecord[] {
    const after = before.slice();
    this.#before.set(owner, before);
    this.#after.set(owner, after);
    return after;
  }
}

function compareOwners(a: NodeChange, b: NodeChange): number {
  return a.owner < b.owner ? -1 : a.owner > b.owner ? 1 : 0;
}

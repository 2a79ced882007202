/**
 * Warnings of writes: what a zone may hold and what is probably a mistake all the same (record-rules.ts). Pure; a
 * change is given owner by owner, as it was and as it will be, and the targets are looked up in the zone it ends in.
 *
 * Judged are the records that are added or changed, and those above a name (or at it) that point at it when it
 * has just lost its last address or become an alias: both cost what the change is, not what the zone is. What other
 * zones hold is not looked at; lint.ts asks the same rules of whole zones, and across them.
 */
import { limits } from '../base/limits.ts';
import { Memory } from '../base/memory.ts';
import type { Warning } from '../base/warning.ts';
import { joinNames, type NameKey, relativeTo, wildcardBelow } from '../dns/name.ts';
import { compareRecords, type ResourceRecord } from '../dns/record.ts';
import { rrtype } from '../dns/rrtype.ts';
import {
  compareDrafts,
  type DraftWarning,
  hostTypes,
  isAddress,
  judgeSpf,
  judgeTarget,
  largeRrset,
  missingApexNs,
  singleLabel,
  spfText,
  targetOf,
  warningOf,
} from './record-rules.ts';
import { type RolledZone, RollRules } from './roll-warnings.ts';
import {
  ancestorsOf,
  holds,
  type LookupScope,
  type TargetState,
  TargetLookup,
  type ZoneRecords,
} from './target-state.ts';

/** A record whose target is in the zone. */
interface Pointer {
  readonly owner: NameKey;
  readonly type: number;
  /** Relative to the apex. */
  readonly target: NameKey;
}

/** What the rules found in one zone. */
export interface WarningReport {
  /** In canonical order, as many as an answer lists. */
  readonly listed: readonly Warning[];
  readonly more: number;
  /** Records whose targets were not looked up, and names without addresses whose pointers were not. */
  readonly passedOver: number;
}

export class WarningRules {
  readonly #scope: LookupScope;
  readonly #drafts: DraftWarning[] = [];
  readonly #pointers: Pointer[] = [];
  readonly #weakened: NameKey[] = [];
  readonly #roll: RollRules | undefined;
  #more = 0;
  #passedOver = 0;

  /** `rolled`: of a zone whose keys are being rolled; only who may read how it is signed is warned of that. */
  constructor(scope: LookupScope, rolled?: RolledZone) {
    this.#scope = scope;
    const isKnown = rolled !== undefined && scope.rights.inZone('dnssec:read', scope.zoneId);
    this.#roll = isKnown ? new RollRules(rolled) : undefined;
  }

  /** Records of all types are judged, for their TTLs count. */
  get judgesTtls(): boolean {
    return this.#roll !== undefined;
  }

  /** The write is about all records of the zone. */
  wholeZone(): void {
    if (this.#roll !== undefined) this.#roll.isWhole = true;
  }

  /** The apex will have no NS. */
  missingApexNs(): void {
    this.#find(missingApexNs(this.#scope.apex));
  }

  /**
   * The records at an owner before and after the change; those that stay are the same objects. Owners come in
   * canonical order.
   */
  node(owner: NameKey, before: readonly ResourceRecord[], after: readonly ResourceRecord[]): void {
    this.#roll?.node(owner, before, after);
    if (after.length > 0) this.#judgeAdded(owner, before, after);
    const hasLostAddresses = before.some(isAddress) && !after.some(isAddress);
    const isNewAlias = holds(after, rrtype.CNAME) && !holds(before, rrtype.CNAME);
    if (!hasLostAddresses && !isNewAlias) return;
    if (this.#weakened.length < limits.warningTargets) this.#weakened.push(owner);
    else if (hasLostAddresses) this.#passedOver++;
  }

  /** A new record that is alone at its owner, of a type that is judged alone (record-rules.ts). */
  record(record: ResourceRecord): void {
    this.#roll?.record(record);
    if (targetOf(record) !== undefined) this.#judgeTarget(record);
    else if (spfText(record) !== undefined) this.#judgeSpf(record.owner, [record], [record]);
  }

  #judgeAdded(
    owner: NameKey,
    before: readonly ResourceRecord[],
    after: readonly ResourceRecord[],
  ): void {
    const kept = new Set(before);
    const added = before.length === 0 ? after : after.filter((record) => !kept.has(record));
    if (after.length > limits.largeRrset) this.#judgeSizes(owner, added, after);
    if (added.find((record) => spfText(record) !== undefined)) {
      this.#judgeSpf(owner, added, after);
    }
    const pointing = added.filter((record) => targetOf(record) !== undefined);
    if (pointing.length > 1) pointing.sort(compareRecords);
    for (const record of pointing) this.#judgeTarget(record);
  }

  #judgeSizes(
    owner: NameKey,
    added: readonly ResourceRecord[],
    after: readonly ResourceRecord[],
  ): void {
    const { rights, zoneId } = this.#scope;
    const types = [...new Set(added.map(({ type }) => type))].sort((a, b) => a - b);
    for (const type of types) {
      // Who may not read the RRset learns of what it wrote.
      const counted = rights.onRecord('record:read', zoneId, owner, type) ? after : added;
      const count = counted.reduce((sum, record) => sum + (record.type === type ? 1 : 0), 0);
      this.#find(largeRrset(owner, type, count));
    }
  }

  #judgeSpf(
    owner: NameKey,
    added: readonly ResourceRecord[],
    after: readonly ResourceRecord[],
  ): void {
    const { rights, zoneId } = this.#scope;
    const isKnown = rights.onRecord('record:read', zoneId, owner, rrtype.TXT);
    for (const draft of judgeSpf(owner, isKnown ? after : added)) this.#find(draft);
  }

  #judgeTarget(record: ResourceRecord): void {
    const { owner, type } = record;
    const name = targetOf(record)!;
    const { apex } = this.#scope;
    const target = relativeTo(name, apex);
    if (target === undefined) {
      this.#find(singleLabel(owner, type, name, apex));
    } else if (hostTypes.has(type) || type === rrtype.CNAME) {
      if (this.#pointers.length < limits.warningTargets)
        this.#pointers.push({ owner, type, target });
      else this.#passedOver++;
    }
  }

  #find(draft: DraftWarning | undefined): void {
    if (draft === undefined) return;
    if (this.#drafts.length < limits.listedWarnings) this.#drafts.push(draft);
    else this.#more++;
  }

  /** Every name that a look-up may ask for, for who has to gather their records first. */
  namesAsked(): ReadonlySet<NameKey> {
    const asked = new Set<NameKey>();
    for (const name of [...this.#pointers.map(({ target }) => target), ...this.#weakened]) {
      asked.add(name);
      for (const above of ancestorsOf(name)) asked.add(above).add(wildcardBelow(above));
    }
    return asked;
  }

  get #isDone(): boolean {
    const found = this.#drafts.length + this.#pointers.length + this.#weakened.length;
    return found === 0 && this.#roll === undefined;
  }

  /** Looks the targets up in the zone that the change ends in. */
  report(records: ZoneRecords): WarningReport {
    if (this.#isDone) return nothing;
    const slices = this.slices(records);
    while (true) {
      const { done, value } = slices.next();
      if (done === true) return value;
    }
  }

  /** The same, with a pause after each look-up. */
  *slices(records: ZoneRecords): Generator<undefined, WarningReport> {
    if (this.#isDone) return nothing;
    const lookup = new TargetLookup(records, this.#scope);
    const found = [...this.#drafts, ...(this.#roll?.drafts() ?? [])];
    const seen = new Set<string>();
    const take = (pointer: Pointer): void => {
      const key = `${pointer.type} ${pointer.owner.length} ${pointer.owner}${pointer.target}`;
      if (seen.has(key)) return;
      seen.add(key);
      const draft = this.#judgePointer(pointer, lookup.stateOf(pointer.target));
      if (draft !== undefined) found.push(draft);
    };
    for (const pointer of this.#pointers) {
      take(pointer);
      yield;
    }
    const pointing = new PointersOf(lookup, this.#scope.apex);
    for (const owner of this.#weakened) {
      for (const pointer of pointing.to(owner)) take(pointer);
      yield;
    }
    found.sort(compareDrafts);
    const { apex } = this.#scope;
    const listed = found.slice(0, limits.listedWarnings).map((draft) => warningOf(draft, apex));
    const more = this.#more + found.length - listed.length;
    return { listed, more, passedOver: this.#passedOver };
  }

  #judgePointer({ target, ...pointer }: Pointer, state: TargetState): DraftWarning | undefined {
    const { apex } = this.#scope;
    const absolute = joinNames(target, apex);
    return judgeTarget({ ...pointer, target: absolute, zone: apex, isElsewhere: false }, state);
  }
}

/** The records at an owner and above it that point at it: where name servers, glue and mail hosts are named. */
class PointersOf {
  readonly #lookup: TargetLookup;
  readonly #apex: NameKey;
  readonly #known = new Memory<NameKey, ReadonlyMap<NameKey, readonly Pointer[]>>();

  constructor(lookup: TargetLookup, apex: NameKey) {
    this.#lookup = lookup;
    this.#apex = apex;
  }

  *to(target: NameKey): Generator<Pointer> {
    for (const owner of [...ancestorsOf(target), target]) {
      yield* this.#known.of(owner, () => this.#from(owner)).get(target) ?? [];
    }
  }

  /** What an owner points at, by targets in the zone. */
  #from(owner: NameKey): ReadonlyMap<NameKey, readonly Pointer[]> {
    const pointers: Pointer[] = [];
    for (const { type, rdata } of this.#lookup.at(owner)) {
      if (!hostTypes.has(type)) continue;
      const target = relativeTo(targetOf({ type, rdata })!, this.#apex);
      if (target !== undefined) pointers.push({ owner, type, target });
    }
    return Map.groupBy(pointers, ({ target }) => target);
  }
}

const nothing: WarningReport = { listed: [], more: 0, passedOver: 0 };

/** What an answer shows of reports on one zone or several: 100 at most, and one that tells of the rest. */
export function printWarnings(...reports: readonly WarningReport[]): readonly Warning[] {
  const all = reports.flatMap(({ listed }) => listed);
  const listed = all.slice(0, limits.listedWarnings);
  let more = all.length - listed.length;
  let passedOver = 0;
  for (const report of reports) {
    more += report.more;
    passedOver += report.passedOver;
  }
  const rest = [
    ...(more > 0 ? [`${more} more ${more === 1 ? 'warning is' : 'warnings are'} not listed`] : []),
    ...(passedOver > 0 ? [`${passedOver} more changes were not checked`] : []),
  ];
  if (rest.length === 0) return listed;
  return [...listed, { code: 'MORE_WARNINGS', name: null, type: null, message: rest.join('; ') }];
}

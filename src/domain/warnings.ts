/**
 * The rules of warnings: what a zone may hold and what is probably a mistake all the same. Pure; a change is
 * given owner by owner, as it was and as it will be, and the targets are looked up in the zone it ends in.
 *
 * Judged are the records that are added or changed, and those above a name (or at it) that point at it when it
 * has just lost its last address or become an alias: both cost what the change is, not what the zone is. Given
 * every owner of a zone as new, the same rules judge a whole zone.
 *
 * Rules about targets hold inside the zone alone: what other zones hold is not looked at.
 */
import { limits } from '../base/limits.ts';
import { Memory } from '../base/memory.ts';
import type { Warning, WarningCode } from '../base/warning.ts';
import {
  emptyName,
  isWithin,
  joinNames,
  keyFromWire,
  labelCount,
  type NameKey,
  printAbsoluteName,
  relativeTo,
  wildcardBelow,
} from '../dns/name.ts';
import { compareRecords, type ResourceRecord } from '../dns/record.ts';
import { printType, rrtype } from '../dns/rrtype.ts';
import {
  ancestorsOf,
  holds,
  type LookupScope,
  type TargetState,
  TargetLookup,
  type ZoneRecords,
} from './target-state.ts';

/** Bytes of RDATA before the name that a record points at. */
const targetOffsets: ReadonlyMap<number, number> = new Map([
  [rrtype.NS, 0],
  [rrtype.CNAME, 0],
  [rrtype.PTR, 0],
  [rrtype.DNAME, 0],
  [rrtype.MX, 2],
  [rrtype.AFSDB, 2],
  [rrtype.KX, 2],
  [rrtype.SVCB, 2],
  [rrtype.HTTPS, 2],
  [rrtype.SRV, 6],
]);

/** Types whose target must have an address and be no alias (RFC 2181 10.3, RFC 2782). */
const hostTypes: ReadonlySet<number> = new Set([rrtype.NS, rrtype.MX, rrtype.SRV]);

/** Names of one label that are meant as such (RFC 6761; RFC 9432 4.2 has `invalid.` as the NS of a catalog). */
const singleLabels: ReadonlySet<string> = new Set(['localhost\0', 'invalid\0']);

/** Whether a record of a type may be worth a warning when it is the only one at its owner. */
export function hasTarget(type: number): boolean {
  return targetOffsets.has(type);
}

/** One warning before it is printed, with what it is sorted by. */
interface Draft {
  readonly owner: NameKey;
  readonly type: number;
  readonly code: WarningCode;
  /** Absolute; the name of no labels where there is none. */
  readonly target: NameKey;
  readonly message: string;
}

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
  readonly #drafts: Draft[] = [];
  readonly #pointers: Pointer[] = [];
  readonly #weakened: NameKey[] = [];
  #more = 0;
  #passedOver = 0;

  constructor(scope: LookupScope) {
    this.#scope = scope;
  }

  /** The apex will have no NS. */
  missingApexNs(): void {
    const zone = this.#print(emptyName);
    const message = `zone ${zone} has no NS record at its apex: secondaries refuse to load it`;
    this.#find({
      owner: emptyName,
      type: rrtype.NS,
      code: 'NO_APEX_NS',
      target: emptyName,
      message,
    });
  }

  /**
   * The records at an owner before and after the change; those that stay are the same objects. Owners come in
   * canonical order.
   */
  node(owner: NameKey, before: readonly ResourceRecord[], after: readonly ResourceRecord[]): void {
    if (after.length > 0) this.#judgeWritten(owner, before, after);
    const hasLostAddresses = before.some(isAddress) && !after.some(isAddress);
    const isNewAlias = holds(after, rrtype.CNAME) && !holds(before, rrtype.CNAME);
    if (!hasLostAddresses && !isNewAlias) return;
    if (this.#weakened.length < limits.warningTargets) this.#weakened.push(owner);
    else if (hasLostAddresses) this.#passedOver++;
  }

  /** A new record that is alone at its owner, of a type that has a target. */
  record(record: ResourceRecord): void {
    this.#judgeTarget(record);
  }

  #judgeWritten(
    owner: NameKey,
    before: readonly ResourceRecord[],
    after: readonly ResourceRecord[],
  ): void {
    const kept = new Set(before);
    const written = before.length === 0 ? after : after.filter((record) => !kept.has(record));
    if (after.length > limits.largeRrset) this.#judgeSizes(owner, written, after);
    const pointing = written.filter(({ type }) => targetOffsets.has(type));
    if (pointing.length > 1) pointing.sort(compareRecords);
    for (const record of pointing) this.#judgeTarget(record);
  }

  #judgeSizes(
    owner: NameKey,
    written: readonly ResourceRecord[],
    after: readonly ResourceRecord[],
  ): void {
    const { rights, zoneId } = this.#scope;
    const types = [...new Set(written.map(({ type }) => type))].sort((a, b) => a - b);
    for (const type of types) {
      // Who may not read the RRset learns of what it wrote.
      const counted = rights.onRecord('record:read', zoneId, owner, type) ? after : written;
      const count = counted.reduce((sum, record) => sum + (record.type === type ? 1 : 0), 0);
      if (count <= limits.largeRrset) continue;
      const message = `the RRset has ${count} records: resolvers may refuse more than ${limits.largeRrset}`;
      this.#find({ owner, type, code: 'LARGE_RRSET', target: emptyName, message });
    }
  }

  #judgeTarget({ owner, type, rdata }: ResourceRecord): void {
    const offset = targetOffsets.get(type)!;
    const name = keyFromWire(rdata, offset);
    const { apex } = this.#scope;
    const target = relativeTo(name, apex);
    if (target === undefined) {
      if (labelCount(name) === 1 && !singleLabels.has(name)) this.#findSingle(owner, type, name);
    } else if (hostTypes.has(type) || type === rrtype.CNAME) {
      if (this.#pointers.length < limits.warningTargets)
        this.#pointers.push({ owner, type, target });
      else this.#passedOver++;
    }
  }

  #findSingle(owner: NameKey, type: number, target: NameKey): void {
    const { apex } = this.#scope;
    const text = printAbsoluteName(target);
    const message = `the target ${text} has one label: is ${text}${printAbsoluteName(apex)} meant?`;
    this.#find({ owner, type, code: 'TARGET_SINGLE_LABEL', target, message });
  }

  #find(draft: Draft): void {
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
    return this.#drafts.length + this.#pointers.length + this.#weakened.length === 0;
  }

  /** Looks the targets up in the zone that the change ends in. */
  report(records: ZoneRecords): WarningReport {
    if (this.#isDone) return nothing;
    const steps = this.steps(records);
    while (true) {
      const { done, value } = steps.next();
      if (done === true) return value;
    }
  }

  /** The same, with a pause after each look-up. */
  *steps(records: ZoneRecords): Generator<undefined, WarningReport> {
    if (this.#isDone) return nothing;
    const lookup = new TargetLookup(records, this.#scope);
    const found = [...this.#drafts];
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
    const listed = found.slice(0, limits.listedWarnings).map((draft) => this.#warningOf(draft));
    const more = this.#more + found.length - listed.length;
    return { listed, more, passedOver: this.#passedOver };
  }

  #judgePointer(pointer: Pointer, state: TargetState): Draft | undefined {
    const against =
      pointer.type === rrtype.CNAME
        ? reasonAgainstAlias(state)
        : this.#reasonAgainstHost(pointer.type, state);
    if (against === undefined) return undefined;
    const target = (this.#scope.apex + pointer.target) as NameKey;
    const message = `the target ${printAbsoluteName(target)} ${against.reason}`;
    return { owner: pointer.owner, type: pointer.type, code: against.code, target, message };
  }

  #reasonAgainstHost(type: number, state: TargetState): Reason | undefined {
    switch (state.kind) {
      case 'unknown':
        return undefined;
      case 'delegated': {
        // Servers of the child tell the addresses of other hosts; those of name servers are asked for before.
        if (type !== rrtype.NS || state.records.some(isAddress)) return undefined;
        const reason = `has no glue (A or AAAA): it is at or below the delegation of ${this.#print(state.cut)}`;
        return { code: 'TARGET_NO_ADDRESS', reason };
      }
      case 'redirected': {
        const reason = `is an alias: it is below the DNAME at ${this.#print(state.owner)} (RFC 2181 10.3)`;
        return { code: 'TARGET_IS_ALIAS', reason };
      }
      case 'missing':
        return noAddress;
      case 'found':
        if (holds(state.records, rrtype.CNAME)) return alias;
        return state.records.some(isAddress) ? undefined : noAddress;
    }
  }

  #print(owner: NameKey): string {
    return printAbsoluteName(joinNames(owner, this.#scope.apex));
  }

  #warningOf({ code, owner, type, message }: Draft): Warning {
    return { code, name: this.#print(owner), type: printType(type), message };
  }
}

interface Reason {
  readonly code: WarningCode;
  readonly reason: string;
}

const noAddress: Reason = {
  code: 'TARGET_NO_ADDRESS',
  reason: 'has no A or AAAA record in this zone',
};
const alias: Reason = {
  code: 'TARGET_IS_ALIAS',
  reason: 'is a CNAME; an NS, MX or SRV must not point at an alias (RFC 2181 10.3)',
};

function reasonAgainstAlias(state: TargetState): Reason | undefined {
  if (state.kind !== 'missing' || !state.isCertain) return undefined;
  return { code: 'CNAME_TARGET_MISSING', reason: 'does not exist in this zone' };
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
      const name = keyFromWire(rdata, targetOffsets.get(type)!);
      if (!isWithin(name, this.#apex)) continue;
      pointers.push({ owner, type, target: relativeTo(name, this.#apex)! });
    }
    return Map.groupBy(pointers, ({ target }) => target);
  }
}

function isAddress({ type }: ResourceRecord): boolean {
  return type === rrtype.A || type === rrtype.AAAA;
}

function compareDrafts(a: Draft, b: Draft): number {
  if (a.owner !== b.owner) return a.owner < b.owner ? -1 : 1;
  if (a.type !== b.type) return a.type - b.type;
  if (a.code !== b.code) return a.code < b.code ? -1 : 1;
  return a.target < b.target ? -1 : a.target > b.target ? 1 : 0;
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

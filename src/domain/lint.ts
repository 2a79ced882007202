/**
 * A look at a whole zone: what of its records is probably a mistake, by the same rules as the warnings of writes
 * (record-rules.ts), asked of every owner, and with targets, parents and children looked up in all stored zones.
 *
 * Judged is what one caller may read. What it may not read has no part in what is found, in this zone or in another,
 * so nothing can be learnt from it.
 */
import { limits } from '../base/limits.ts';
import { Memory } from '../base/memory.ts';
import {
  emptyName,
  joinNames,
  type NameKey,
  parentOf,
  printAbsoluteName,
  relativeTo,
} from '../dns/name.ts';
import type { ResourceRecord } from '../dns/record.ts';
import { isStorable, rrtype } from '../dns/rrtype.ts';
import { namedAlgorithms } from '../dnssec/ds-set.ts';
import { cachedSeconds } from '../dnssec/key-timing.ts';
import type { Rights } from './access/rights.ts';
import {
  compareDrafts,
  type DraftWarning,
  hostTypes,
  judgeSpf,
  judgeTarget,
  largeRrset,
  missingApexNs,
  singleLabel,
  spfText,
  targetOf,
} from './record-rules.ts';
import {
  ancestorsOf,
  holds,
  type LookupScope,
  TargetLookup,
  type ZoneRecords,
} from './target-state.ts';
import { apexOf, type Zone } from './zone.ts';

/** All stored zones, whoever asks. */
export interface StoredZones {
  byApex(apex: NameKey): Zone | undefined;
  recordsOf(zoneId: number): ZoneRecords;
  /** RDATA of the DNSKEY records that a zone serves. */
  keysOf(zoneId: number): readonly Buffer[];
  /** The seconds that a zone's key timing takes caches to hold its DS; undefined of one that is not signed. */
  dsTtlOf(zoneId: number): number | undefined;
}

type Records = readonly ResourceRecord[];

/** A zone as its caller reads it. */
interface ReadZone {
  readonly zone: Zone;
  readonly apex: NameKey;
  readonly lookup: TargetLookup;
}

export class Lint {
  readonly #stored: StoredZones;
  readonly #rights: Rights;
  readonly #own: ReadZone;
  readonly #apex: NameKey;
  readonly #zones = new Memory<NameKey, ReadZone | 'none'>();

  constructor(stored: StoredZones, zone: Zone, rights: Rights) {
    this.#stored = stored;
    this.#rights = rights;
    this.#own = this.#read(zone);
    this.#apex = this.#own.apex;
  }

  /**
   * What is wrong at one owner with its records, in order, each once. The apex is asked for whether or not it has any.
   */
  node(owner: NameKey, stored: Records): readonly DraftWarning[] {
    const { id } = this.#own.zone;
    const mayRead = ({ type }: ResourceRecord) =>
      isStorable(type) && this.#rights.onRecord('record:read', id, owner, type);
    const records = stored.filter(mayRead);
    const found = [
      ...(owner === emptyName ? this.#judgeApex(records) : this.#judgeDelegation(owner, records)),
      ...sizesOf(owner, records),
      ...judgeSpf(owner, records, (name) => this.#spfOf(name)),
      ...records.flatMap((record) => this.#judgeTarget(record) ?? []),
    ];
    found.sort(compareDrafts);
    return found.filter((one, index) => index === 0 || compareDrafts(found[index - 1]!, one) !== 0);
  }

  #read(zone: Zone): ReadZone {
    const apex = apexOf(zone);
    const isElsewhere = () => false;
    const scope: LookupScope = { apex, zoneId: zone.id, rights: this.#rights, isElsewhere };
    return { zone, apex, lookup: new TargetLookup(this.#stored.recordsOf(zone.id), scope) };
  }

  /** The zone of an apex, where the caller sees one. */
  #zoneAt(apex: NameKey): ReadZone | undefined {
    const found = this.#zones.of(apex, () => {
      if (apex === this.#apex) return this.#own;
      const zone = this.#stored.byApex(apex);
      return zone === undefined || !this.#rights.sees(zone.id) ? 'none' : this.#read(zone);
    });
    return found === 'none' ? undefined : found;
  }

  /** The deepest zone that the caller sees and that a name is in. */
  #enclosing(name: NameKey | undefined): ReadZone | undefined {
    if (name === undefined || name === emptyName) return undefined;
    return this.#zoneAt(name) ?? this.#enclosing(parentOf(name));
  }

  #judgeTarget(record: ResourceRecord): DraftWarning | undefined {
    const { owner, type } = record;
    const target = targetOf(record);
    if (target === undefined) return undefined;
    const inside = relativeTo(target, this.#apex);
    if (inside === undefined) {
      const single = singleLabel(owner, type, target, this.#apex);
      if (single !== undefined) return single;
    }
    if (!hostTypes.has(type) && type !== rrtype.CNAME) return undefined;
    const home = this.#enclosing(target);
    const pointing = { owner, type, target, zone: this.#apex, isElsewhere: false };
    if (inside !== undefined) {
      const state = this.#own.lookup.stateOf(inside);
      const isGlue = state.kind === 'delegated' && type === rrtype.NS;
      if (home === this.#own || isGlue || state.kind === 'redirected') {
        return judgeTarget(pointing, state);
      }
    }
    if (home === undefined) return undefined;
    const state = home.lookup.stateOf(relativeTo(target, home.apex)!);
    return judgeTarget({ ...pointing, zone: home.apex, isElsewhere: true }, state);
  }

  #spfOf(name: NameKey): string | undefined {
    const home = this.#enclosing(name);
    const state = home?.lookup.stateOf(relativeTo(name, home.apex)!);
    if (state?.kind !== 'found') return undefined;
    const [text, ...others] = state.records.flatMap((record) => spfText(record) ?? []);
    // Of several none counts (RFC 7208 4.5).
    return others.length === 0 ? text : undefined;
  }

  #judgeApex(records: Records): DraftWarning[] {
    const { id } = this.#own.zone;
    if (!this.#rights.onRecord('record:read', id, emptyName, rrtype.NS)) return [];
    if (!holds(records, rrtype.NS)) return [missingApexNs(this.#apex)];
    const parent = this.#enclosing(parentOf(this.#apex));
    if (parent === undefined) return [];
    const cut = relativeTo(this.#apex, parent.apex)!;
    const above = ancestorsOf(cut).slice(1);
    // Below another delegation the parent has no say.
    if (above.find((name) => holds(parent.lookup.at(name), rrtype.NS)) !== undefined) return [];
    if (!this.#rights.onRecord('record:read', parent.zone.id, cut, rrtype.NS)) return [];
    const delegation = parent.lookup.at(cut).filter(isNs);
    const about = { owner: emptyName, type: rrtype.NS, target: emptyName };
    const where = printAbsoluteName(parent.apex);
    if (delegation.length === 0) {
      const message = `zone ${where} does not delegate this zone: it has no NS at ${printAbsoluteName(this.#apex)}`;
      return [{ ...about, code: 'DELEGATION_MISSING', message }];
    }
    const own = records.filter(isNs);
    if (isSameSet(own, delegation)) return [];
    const message = `the zone has NS ${hostsOf(own)}, but zone ${where} delegates it to ${hostsOf(delegation)}`;
    return [{ ...about, code: 'DELEGATION_DIFFERS', message }];
  }

  /** A delegation to a zone that is stored too. */
  #judgeDelegation(owner: NameKey, records: Records): DraftWarning[] {
    const delegation = records.filter(isNs);
    const ds = records.filter(({ type }) => type === rrtype.DS);
    if (delegation.length + ds.length === 0) return [];
    const child = this.#zoneAt(joinNames(owner, this.#apex));
    if (child === undefined) return [];
    const found: DraftWarning[] = [];
    const add = (type: number, code: DraftWarning['code'], message: string) =>
      found.push({ owner, type, code, target: emptyName, message });
    const mayRead = (type: number) =>
      this.#rights.onRecord('record:read', child.zone.id, emptyName, type);
    const own = mayRead(rrtype.NS) ? child.lookup.at(emptyName).filter(isNs) : [];
    if (delegation.length > 0 && own.length > 0) {
      if (!isSameSet(delegation, own)) {
        const message = `the delegation names ${hostsOf(delegation)}, but the zone itself has NS ${hostsOf(own)}`;
        add(rrtype.NS, 'DELEGATION_DIFFERS', message);
      }
      const [here, there] = [delegation[0]!.ttl, own[0]!.ttl];
      if (here !== there && this.#stored.dsTtlOf(child.zone.id) !== undefined) {
        const message = `the delegation has TTL ${here}, the NS of the signed zone itself have ${there}`;
        add(rrtype.NS, 'TTL_OUT_OF_STEP', message);
      }
    }
    if (ds.length > 0 && mayRead(rrtype.DNSKEY)) this.#judgeDs(child, ds, add);
    return found;
  }

  #judgeDs(
    { zone, apex }: ReadZone,
    ds: Records,
    add: (type: number, code: DraftWarning['code'], message: string) => void,
  ): void {
    const keys = this.#stored.keysOf(zone.id);
    const set = ds.map(({ rdata }) => Buffer.from(rdata));
    if (namedAlgorithms(apex, keys, set).unnamed.length > 0) {
      const message =
        keys.length === 0
          ? 'there is a DS, but the zone itself has no DNSKEY: resolvers that validate refuse it'
          : 'the DS that resolvers go by name no DNSKEY of the zone itself: those that validate refuse it';
      add(rrtype.DS, 'DS_WITHOUT_KEY', message);
    }
    const counted = this.#stored.dsTtlOf(zone.id);
    const { ttl } = ds[0]!;
    if (counted !== undefined && cachedSeconds(ttl) > counted) {
      const message = `the DS has TTL ${ttl}, but key rollovers of the zone wait for ${counted} seconds only`;
      add(rrtype.DS, 'TTL_OUT_OF_STEP', message);
    }
  }
}

function sizesOf(owner: NameKey, records: Records): DraftWarning[] {
  if (records.length <= limits.largeRrset) return [];
  const sets = Map.groupBy(records, ({ type }) => type);
  return [...sets].flatMap(([type, { length }]) => largeRrset(owner, type, length) ?? []);
}

function isNs({ type }: ResourceRecord): boolean {
  return type === rrtype.NS;
}

function targetsOf(records: Records): NameKey[] {
  return records.map((record) => targetOf(record)!).sort();
}

function isSameSet(a: Records, b: Records): boolean {
  return targetsOf(a).join(' ') === targetsOf(b).join(' ');
}

/** Names that a message lists. */
const maxHosts = 13;

function hostsOf(records: Records): string {
  const hosts = targetsOf(records).map(printAbsoluteName);
  const rest = hosts.length - maxHosts;
  const listed = hosts.slice(0, maxHosts).join(', ');
  return rest > 0 ? `${listed} and ${rest} more` : listed;
}

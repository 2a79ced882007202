/**
 * What lint finds, in the plainest words: names are texts, zones are lists of records, and everything is looked at. It
 * knows nothing of the service's own code, and is the judge of it.
 */
export interface ModelRecord {
  /** Relative; `@` for the apex. */
  readonly name: string;
  readonly type: string;
  readonly value: string;
  readonly ttl: number;
}

export interface ModelZone {
  readonly id: number;
  readonly name: string;
  readonly records: readonly ModelRecord[];
}

/** What somebody may read. */
export interface ModelReader {
  sees(zoneId: number): boolean;
  reads(zoneId: number, owner: string, type: string): boolean;
  readsAll(zoneId: number, owner: string): boolean;
  /** All types at the owner and at every name below. */
  readsBelow(zoneId: number, owner: string): boolean;
}

export const everything: ModelReader = {
  sees: () => true,
  reads: () => true,
  readsAll: () => true,
  readsBelow: () => true,
};

type Records = readonly ModelRecord[];
type State =
  | { kind: 'unknown' }
  | { kind: 'delegated'; records: Records }
  | { kind: 'found'; records: Records }
  | { kind: 'missing'; isCertain: boolean };

const above = (owner: string) =>
  owner === '@' ? undefined : owner.includes('.') ? owner.slice(owner.indexOf('.') + 1) : '@';
const isBelow = (name: string, owner: string) =>
  name !== owner && (owner === '@' || name.endsWith(`.${owner}`));
const wildcard = (owner: string) => (owner === '@' ? '*' : `*.${owner}`);
/** `c.b.a`: the apex, `a`, `b.a`. */
function ancestors(owner: string): string[] {
  const parent = above(owner);
  return parent === undefined ? [] : [...ancestors(parent), parent];
}
const has = (records: Records, ...types: string[]) =>
  records.some(({ type }) => types.includes(type));
const absolute = (zone: ModelZone, owner: string) =>
  owner === '@' ? `${zone.name}.` : `${owner}.${zone.name}.`;
const valuesOf = (records: Records, type: string) =>
  records.flatMap((one) => (one.type === type ? [one.value.toLowerCase()] : [])).sort();

export class LintModel {
  readonly #zones: readonly ModelZone[];
  readonly #reader: ModelReader;

  constructor(zones: readonly ModelZone[], reader: ModelReader) {
    this.#zones = zones;
    this.#reader = reader;
  }

  /** `name type code`, in canonical order. */
  findings(zone: ModelZone): string[] {
    const owners = [...new Set(['@', ...zone.records.map(({ name }) => name)])];
    const order = (owner: string) => (owner === '@' ? '' : owner.split('.').reverse().join('\0'));
    owners.sort((a, b) => (order(a) < order(b) ? -1 : 1));
    return owners.flatMap((owner) => {
      const records = this.#at(zone, owner);
      const found = [
        ...(owner === '@' ? this.#apex(zone, records) : this.#delegation(zone, owner, records)),
        ...this.#sizes(records),
        ...this.#spf(records),
        ...this.#targets(zone, records),
      ];
      const typed = found.toSorted((a, b) => (numbered(a) < numbered(b) ? -1 : 1));
      return typed.map((one) => `${absolute(zone, owner)} ${one}`);
    });
  }

  #at(zone: ModelZone, owner: string): Records {
    return zone.records.filter(
      ({ name, type }) => name === owner && this.#reader.reads(zone.id, owner, type),
    );
  }

  #home(name: string): ModelZone | undefined {
    const holding = this.#zones.filter(
      (zone) =>
        this.#reader.sees(zone.id) && (name === `${zone.name}.` || name.endsWith(`.${zone.name}.`)),
    );
    return holding.sort((a, b) => b.name.length - a.name.length)[0];
  }

  #state(zone: ModelZone, name: string): State {
    const { id } = zone;
    const owner = name === `${zone.name}.` ? '@' : name.slice(0, -zone.name.length - 2);
    const hasBelow = (one: string) =>
      this.#reader.readsBelow(id, one) && zone.records.some((other) => isBelow(other.name, one));
    if (!this.#reader.readsAll(id, owner)) return { kind: 'unknown' };
    const records = this.#at(zone, owner);
    const cuts = [...ancestors(owner), owner].filter((one) => one !== '@');
    if (cuts.some((one) => has(this.#at(zone, one), 'NS'))) return { kind: 'delegated', records };
    if (records.length > 0 || owner === '@' || hasBelow(owner)) return { kind: 'found', records };
    for (const encloser of ancestors(owner).reverse()) {
      const star = wildcard(encloser);
      if (!this.#reader.readsAll(id, star)) return { kind: 'unknown' };
      const synthesised = this.#at(zone, star);
      if (synthesised.length > 0 || hasBelow(star)) return { kind: 'found', records: synthesised };
      if (this.#at(zone, encloser).length > 0 || hasBelow(encloser)) break;
    }
    return { kind: 'missing', isCertain: this.#reader.readsBelow(id, owner) };
  }

  #targets(zone: ModelZone, records: Records): string[] {
    const found = new Set<string>();
    for (const { type, value } of records) {
      if (!['NS', 'MX', 'SRV', 'CNAME'].includes(type)) continue;
      const target = value.toLowerCase().split(' ').at(-1)!;
      const code = this.#target(zone, type, target);
      if (code !== undefined) found.add(`${type} ${code} ${target}`);
    }
    return [...found].map((one) => one.split(' ').slice(0, 2).join(' '));
  }

  #target(zone: ModelZone, type: string, target: string): string | undefined {
    const home = this.#home(target);
    const isInside = target === `${zone.name}.` || target.endsWith(`.${zone.name}.`);
    if (!isInside && /^[^.]+\.$/.test(target)) return 'TARGET_SINGLE_LABEL';
    if (isInside && type === 'NS') {
      const own = this.#state(zone, target);
      if (own.kind === 'delegated') {
        return has(own.records, 'A', 'AAAA') ? undefined : 'TARGET_NO_ADDRESS';
      }
    }
    if (home === undefined) return undefined;
    const state = this.#state(home, target);
    if (state.kind === 'unknown' || state.kind === 'delegated') return undefined;
    if (type === 'CNAME') {
      return state.kind === 'missing' && state.isCertain ? 'CNAME_TARGET_MISSING' : undefined;
    }
    if (state.kind === 'missing') return 'TARGET_NO_ADDRESS';
    if (has(state.records, 'CNAME')) return 'TARGET_IS_ALIAS';
    return has(state.records, 'A', 'AAAA') ? undefined : 'TARGET_NO_ADDRESS';
  }

  #apex(zone: ModelZone, records: Records): string[] {
    if (!this.#reader.reads(zone.id, '@', 'NS')) return [];
    const own = valuesOf(records, 'NS');
    if (own.length === 0) return ['NS NO_APEX_NS'];
    const parent = this.#home(zone.name.slice(zone.name.indexOf('.') + 1).concat('.'));
    if (parent === undefined) return [];
    const cut = zone.name.slice(0, -parent.name.length - 1);
    const between = ancestors(cut).slice(1);
    if (between.some((one) => has(this.#at(parent, one), 'NS'))) return [];
    if (!this.#reader.reads(parent.id, cut, 'NS')) return [];
    const delegation = valuesOf(this.#at(parent, cut), 'NS');
    if (delegation.length === 0) return ['NS DELEGATION_MISSING'];
    return delegation.join() === own.join() ? [] : ['NS DELEGATION_DIFFERS'];
  }

  /** Of children that are not signed. */
  #delegation(zone: ModelZone, owner: string, records: Records): string[] {
    const child = this.#zones.find(({ name }) => `${name}.` === absolute(zone, owner));
    if (child === undefined || !this.#reader.sees(child.id)) return [];
    const here = valuesOf(records, 'NS');
    const there = valuesOf(this.#at(child, '@'), 'NS');
    const differs = here.length > 0 && there.length > 0 && here.join() !== there.join();
    const hasDs = has(records, 'DS') && this.#reader.reads(child.id, '@', 'DNSKEY');
    return [...(differs ? ['NS DELEGATION_DIFFERS'] : []), ...(hasDs ? ['DS DS_WITHOUT_KEY'] : [])];
  }

  #sizes(records: Records): string[] {
    const sets = Map.groupBy(records, ({ type }) => type);
    return [...sets].flatMap(([type, { length }]) => (length > 100 ? [`${type} LARGE_RRSET`] : []));
  }

  #spf(records: Records): string[] {
    const texts = valuesOf(records, 'TXT').filter((text) => /^v=spf1( |$)/.test(text));
    const tooMany = texts.some((text) => this.#spfLookups(text, 0) > 10);
    return [
      ...(tooMany ? ['TXT SPF_LOOKUPS'] : []),
      ...(texts.length > 1 ? ['TXT SPF_MULTIPLE'] : []),
    ];
  }

  #spfLookups(text: string, depth: number): number {
    if (depth > 10) return 11;
    let lookups = 0;
    for (const term of text.split(' ').slice(1)) {
      const included = /^[-+~?]?include:(.*)|^redirect=(.*)/.exec(term);
      if (included === null) {
        if (/^[-+~?]?(a|mx|ptr|exists)([:/]|$)/.test(term)) lookups++;
        continue;
      }
      const name = `${(included[1] ?? included[2])!.replace(/\.$/, '')}.`;
      const home = this.#home(name);
      const state = home && this.#state(home, name);
      const texts = state?.kind === 'found' ? valuesOf(state.records, 'TXT') : [];
      const candidates = texts.filter((one) => /^v=spf1( |$)/.test(one));
      const next = candidates.length === 1 ? candidates[0] : undefined;
      lookups += 1 + (next === undefined ? 0 : this.#spfLookups(next, depth + 1));
    }
    return lookups;
  }
}

/** Types are sorted by their numbers. */
function numbered(found: string): string {
  const types = ['A', 'NS', 'CNAME', 'MX', 'TXT', 'AAAA', 'SRV', 'DS'];
  const [type] = found.split(' ');
  return `${types.indexOf(type!)} ${found}`;
}

/**
 * Authoritative look-up in one zone: RFC 1034 4.3.2, with wildcards as RFC 4592 tells, DNAME as
 * RFC 6672, negative answers as RFC 2308 and ANY as RFC 8482; in a signed zone with signatures and
 * proofs for those who want them (RFC 4035 3.1, RFC 5155 7.2).
 *
 * The way down from the apex is walked label by label, because a zone cut or DNAME above the name
 * hides whatever stands at it. The walk ends at the first name that does not exist, so that it
 * costs what the zone holds and not what the client made up.
 */
import { limits } from '../base/limits.ts';
import {
  emptyName,
  isWithin,
  keyFromWire,
  type NameKey,
  nameBytes,
  nameToWire,
  relativeTo,
  wildcardBelow,
} from '../dns/name.ts';
import type { ResourceRecord } from '../dns/record.ts';
import { dnssecTypes, rrtype } from '../dns/rrtype.ts';
import { rcode } from '../dns/wire/header.ts';
import { typeCovered } from '../dnssec/rrsig.ts';
import { apexOf, soaRdata, type Zone } from '../domain/zone.ts';
import {
  type Answer,
  type AnswerRrset,
  addAddresses,
  addGlue,
  type Denial,
  holdsType,
  type NodeSource,
  rrsetFor,
  rrsetOf,
  signaturesOf,
} from './answer.ts';
import { nameserverLimits } from './limits.ts';
import { addProofs } from './proof.ts';

/**
 * The stored zone that answers for a name; one that is not enabled refuses. DS at a child's apex belongs to the parent
 * (RFC 4035 3.1.4.1) when the parent is stored and delegates there; otherwise the child says that it has none, which is
 * all it knows. A child that is not enabled is served elsewhere, if at all: the next enabled zone above refers to it
 * where it delegates it, or a name on the way to it.
 */
export function findAnsweringZone(
  source: NodeSource,
  name: NameKey,
  type: number,
): Zone | undefined {
  const zone = source.findZone(name);
  if (zone === undefined) return undefined;
  const isDsOfApex = type === rrtype.DS && name === apexOf(zone);
  return zone.enabled && !isDsOfApex ? zone : (findDelegating(source, zone) ?? zone);
}

/** The next enabled zone above, where it delegates a zone or a name on the way to it. */
function findDelegating(source: NodeSource, zone: Zone): Zone | undefined {
  const apex = apexOf(zone);
  let parent = source.findZoneAbove(apex);
  while (parent?.enabled === false) parent = source.findZoneAbove(apexOf(parent));
  if (parent === undefined) return undefined;
  const owner = relativeTo(apex, apexOf(parent))!;
  for (let end = owner.indexOf('\0') + 1; end > 0; end = owner.indexOf('\0', end) + 1) {
    const cut = owner.slice(0, end) as NameKey;
    if (source.outline(parent.id, cut).isOpen) continue;
    if (holdsType(source.node(parent.id, cut), rrtype.NS)) return parent;
  }
  return undefined;
}

/** Answers a question of class IN about a name within `zone`; `dnssecOk` as RFC 3225 means it. */
export function lookup(
  source: NodeSource,
  zone: Zone,
  name: NameKey,
  type: number,
  dnssecOk: boolean,
): Answer {
  const answer: Answer = {
    zone,
    signed: dnssecOk && zone.dnssecCount > 0,
    rcode: rcode.NOERROR,
    authoritative: true,
    answers: [],
    authorities: [],
    glue: [],
    additionals: [],
    lacksGlue: false,
    denials: [],
  };
  const apex = apexOf(zone);
  new Lookup(source, apex, type, answer).follow(name);
  if (answer.signed) addProofs(source, apex, answer);
  addAddresses(source, apex, answer);
  return answer;
}

/** The walk of one question. Names are absolute, owners relative to the apex. */
class Lookup {
  readonly #source: NodeSource;
  readonly #zone: Zone;
  readonly #apex: NameKey;
  readonly #type: number;
  readonly #answer: Answer;
  /** Records that stand at the names of the walk. */
  #looked = 0;

  constructor(source: NodeSource, apex: NameKey, type: number, answer: Answer) {
    this.#source = source;
    this.#zone = answer.zone;
    this.#apex = apex;
    this.#type = type;
    this.#answer = answer;
  }

  /** Answers for a name and for those that aliases lead to. */
  follow(name: NameKey): void {
    const seen = new Set<NameKey>();
    let next: NameKey | undefined = name;
    while (next !== undefined && !seen.has(next) && this.#mayGoOn(seen.size)) {
      seen.add(next);
      next = this.#answerName(next);
      // A chain is followed inside the zone that began it; what is elsewhere is the resolver's walk.
      if (next === undefined || !isWithin(next, this.#apex)) return;
      if (findAnsweringZone(this.#source, next, this.#type)?.id !== this.#zone.id) return;
    }
  }

  #mayGoOn(followed: number): boolean {
    const { chainLength, chainRecords } = nameserverLimits;
    return followed < chainLength && this.#looked < chainRecords;
  }

  /** Answers for one name of the chain; returns the name to go on with when it is an alias. */
  #answerName(name: NameKey): NameKey | undefined {
    const owner = relativeTo(name, this.#apex)!;
    let encloser = emptyName;
    let records = this.#recordsAt(encloser);
    while (encloser !== owner) {
      const dname = this.#rrset(records, rrtype.DNAME, (this.#apex + encloser) as NameKey);
      if (dname !== undefined) return this.#substitute(dname, name);
      const end = owner.indexOf('\0', encloser.length) + 1;
      const candidate = owner.slice(0, end) as NameKey;
      if (candidate !== owner && this.#source.outline(this.#zone.id, candidate).isOpen) {
        encloser = candidate;
        records = [];
        continue;
      }
      records = this.#recordsAt(candidate);
      if (records.length === 0 && !this.#source.hasBelow(this.#zone.id, candidate)) {
        return this.#answerFromWildcard(name, owner, encloser);
      }
      encloser = candidate;
      // DS is the parent's own data at the cut; everything else is the child's business.
      if (holdsType(records, rrtype.NS) && !(this.#type === rrtype.DS && candidate === owner)) {
        this.#refer(candidate, records);
        return undefined;
      }
    }
    return this.#answerFromNode(records, name, { kind: 'no-type', name: owner });
  }

  /**
   * What a name of the zone holds. Names made of hashes, which hold NSEC3, are none of its names (RFC
   * 5155 7.2.8); but a name that a user chose may happen to be one of them.
   */
  #recordsAt(owner: NameKey): readonly ResourceRecord[] {
    const records = this.#source.node(this.#zone.id, owner);
    this.#looked += records.length;
    if (this.#zone.dnssecCount === 0 || !holdsType(records, rrtype.NSEC3)) return records;
    return records.filter(
      ({ type, rdata }) => (type === rrtype.RRSIG ? typeCovered(rdata) : type) !== rrtype.NSEC3,
    );
  }

  #rrset(records: readonly ResourceRecord[], type: number, name: NameKey): AnswerRrset | undefined {
    return rrsetFor(this.#answer, records, type, name);
  }

  /** Nothing stands at the name: the wildcard below the closest encloser answers, or nobody. */
  #answerFromWildcard(
    name: NameKey,
    owner: NameKey,
    closestEncloser: NameKey,
  ): NameKey | undefined {
    const { denials } = this.#answer;
    const wildcard = wildcardBelow(closestEncloser);
    const records = this.#source.node(this.#zone.id, wildcard);
    if (records.length === 0 && !this.#source.hasBelow(this.#zone.id, wildcard)) {
      this.#answer.rcode = rcode.NXDOMAIN;
      this.#deny({ kind: 'no-name', name: owner, closestEncloser });
      return undefined;
    }
    const before = denials.length;
    const next = this.#answerFromNode(records, name, {
      kind: 'wildcard-no-type',
      name: owner,
      wildcard,
    });
    if (denials.length === before) denials.push({ kind: 'wildcard', name: owner, closestEncloser });
    return next;
  }

  /** Answers from records that stand at the name, or that a wildcard lends it; else with `denial`. */
  #answerFromNode(
    records: readonly ResourceRecord[],
    name: NameKey,
    denial: Denial,
  ): NameKey | undefined {
    const type = this.#type;
    const { answers } = this.#answer;
    if (type === rrtype.SOA && name === this.#apex) {
      answers.push(this.#soa(this.#zone.defaultTtl));
      return undefined;
    }
    const rrset =
      type === rrtype.RRSIG
        ? signaturesWithin(records, name)
        : this.#rrset(records, type === rrtype.ANY ? chooseForAny(records) : type, name);
    if (rrset !== undefined) {
      answers.push(rrset);
      return undefined;
    }
    const alias = this.#rrset(records, rrtype.CNAME, name);
    // Only these two may stand beside a CNAME (RFC 4035 2.5), so only they are not sought elsewhere.
    if (alias !== undefined && type !== rrtype.RRSIG && type !== rrtype.NSEC) {
      answers.push(alias);
      return keyFromWire(alias.rdatas[0]!);
    }
    if (type === rrtype.ANY && name === this.#apex) {
      answers.push(this.#soa(this.#zone.defaultTtl));
    } else {
      this.#deny(denial);
    }
    return undefined;
  }

  #deny(denial: Denial): void {
    this.#answer.denials.push(denial);
    // With the time that it may be believed (RFC 2308 3, 5).
    const { defaultTtl, minimumTtl } = this.#zone;
    this.#answer.authorities.push(this.#soa(Math.min(defaultTtl, minimumTtl)));
  }

  /** A referral to the servers of a delegation; authoritative only for aliases that led to it. */
  #refer(cut: NameKey, records: readonly ResourceRecord[]): void {
    const answer = this.#answer;
    const name = (this.#apex + cut) as NameKey;
    const servers = rrsetOf(records, rrtype.NS, name)!;
    answer.authoritative = answer.answers.length > 0;
    answer.authorities.push(servers);
    const ds = this.#rrset(records, rrtype.DS, name);
    if (ds === undefined) answer.denials.push({ kind: 'no-ds', name: cut });
    else if (answer.signed) answer.authorities.push(ds);
    addGlue(this.#source, this.#apex, servers, answer);
  }

  /**
   * Follows a DNAME: the record, and the CNAME it stands for at this name (RFC 6672 3.1, 3.2). A
   * chain may come by the same DNAME again; an RRset stands in an answer once.
   */
  #substitute(dname: AnswerRrset, name: NameKey): NameKey | undefined {
    const { answers } = this.#answer;
    if (!answers.some((given) => given.type === rrtype.DNAME && given.name === dname.name)) {
      answers.push(dname);
    }
    const target = (keyFromWire(dname.rdatas[0]!) + name.slice(dname.name.length)) as NameKey;
    if (nameBytes(target) > limits.nameBytes) {
      this.#answer.rcode = rcode.YXDOMAIN;
      return undefined;
    }
    answers.push({ name, type: rrtype.CNAME, ttl: dname.ttl, rdatas: [nameToWire(target)] });
    // Whoever asked for the alias itself, or for anything, has it now.
    return this.#type === rrtype.CNAME || this.#type === rrtype.ANY ? undefined : target;
  }

  /** The SOA is made here; only its signature stands with the records. */
  #soa(ttl: number): AnswerRrset {
    const zone = this.#zone;
    const rrset = { name: this.#apex, type: rrtype.SOA, ttl, rdatas: [soaRdata(zone)] };
    if (!this.#answer.signed) return rrset;
    const records = this.#source.node(zone.id, emptyName);
    return { ...rrset, signatures: signaturesOf(records, rrtype.SOA) };
  }
}

/**
 * One RRset stands for all (RFC 8482 4.1): the one of the lowest type, without what signing made.
 * So the answer is small, and the same each time. 0 when there is none.
 */
function chooseForAny(records: readonly ResourceRecord[]): number {
  let chosen = 0;
  for (const { type } of records) {
    if (!dnssecTypes.has(type) && (chosen === 0 || type < chosen)) chosen = type;
  }
  return chosen;
}

/** Signatures of one RRset stand for those of all, too: of the one that ANY shows. */
function signaturesWithin(
  records: readonly ResourceRecord[],
  name: NameKey,
): AnswerRrset | undefined {
  const covered = chooseForAny(records) || rrtype.SOA;
  const rdatas = signaturesOf(records, covered);
  if (rdatas.length === 0) return undefined;
  const { ttl } = records.find(({ rdata }) => rdata === rdatas[0])!;
  return { name, type: rrtype.RRSIG, ttl, rdatas };
}

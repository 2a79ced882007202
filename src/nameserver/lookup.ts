/**
 * Authoritative look-up in one zone: RFC 1034 4.3.2, with wildcards as RFC 4592 tells, DNAME as
 * RFC 6672, negative answers as RFC 2308 and ANY as RFC 8482.
 *
 * The way down from the apex is walked label by label, because a zone cut or DNAME above the name
 * hides whatever stands at it. The walk ends at the first name that does not exist, so that it
 * costs what the zone holds and not what the client made up.
 */

import { limits } from '../base/limits.ts';
import {
  isWithin,
  keyFromWire,
  type NameKey,
  nameOctets,
  nameToWire,
  relativeTo,
  wildcardBelow,
} from '../dns/name.ts';
import type { ResourceRecord } from '../dns/record.ts';
import { derivedTypes, rrtype } from '../dns/rrtype.ts';
import { rcode } from '../dns/wire/header.ts';
import { apexOf, soaRdata, type Zone } from '../domain/zone.ts';
import { addAddresses, addGlue } from './additional.ts';
import { type Answer, type AnswerRrset, holdsType, rrsetOf } from './answer.ts';
import { nameserverLimits } from './limits.ts';

/** What a look-up reads: always committed state, synchronously. */
export interface NodeSource {
  findZone(name: NameKey): Zone | undefined;
  findZoneAbove(apex: NameKey): Zone | undefined;
  node(zoneId: number, owner: NameKey): readonly ResourceRecord[];
  hasBelow(zoneId: number, owner: NameKey): boolean;
}

/**
 * The stored zone that answers for a name, enabled or not. DS at a child's apex belongs to the
 * parent (RFC 4035 3.1.4.1) when the parent is stored and delegates there; otherwise the child says
 * that it has none, which is all it knows.
 */
export function findAnsweringZone(
  source: NodeSource,
  name: NameKey,
  type: number,
): Zone | undefined {
  const zone = source.findZone(name);
  if (type !== rrtype.DS || zone === undefined) return zone;
  const apex = apexOf(zone);
  if (name !== apex) return zone;
  const parent = source.findZoneAbove(apex);
  if (parent === undefined || !parent.enabled) return zone;
  const cut = relativeTo(apex, apexOf(parent))!;
  return holdsType(source.node(parent.id, cut), rrtype.NS) ? parent : zone;
}

/** Answers a question of class IN about a name within `zone`. */
export function lookup(source: NodeSource, zone: Zone, name: NameKey, type: number): Answer {
  const answer: Answer = {
    zone,
    rcode: rcode.NOERROR,
    authoritative: true,
    answers: [],
    authorities: [],
    glue: [],
    additionals: [],
    denials: [],
  };
  const apex = apexOf(zone);
  const seen = new Set<NameKey>();
  let next: NameKey | undefined = name;
  while (next !== undefined && !seen.has(next) && seen.size <= nameserverLimits.chainSteps) {
    seen.add(next);
    next = answerName(source, apex, next, type, answer);
    // A chain is followed inside the zone that began it; what is elsewhere is the resolver's walk.
    if (next === undefined || !isWithin(next, apex)) break;
    if (findAnsweringZone(source, next, type)?.id !== zone.id) break;
  }
  addAddresses(source, zone.id, apex, answer);
  return answer;
}

/** Answers for one name of the chain; returns the name to go on with when it is an alias. */
function answerName(
  source: NodeSource,
  apex: NameKey,
  name: NameKey,
  type: number,
  answer: Answer,
): NameKey | undefined {
  const zoneId = answer.zone.id;
  const owner = relativeTo(name, apex)!;
  let encloser = '' as NameKey;
  let records = source.node(zoneId, encloser);
  while (encloser !== owner) {
    const dname = rrsetOf(records, rrtype.DNAME, (apex + encloser) as NameKey);
    if (dname !== undefined) return substitute(dname, name, type, answer);
    const end = owner.indexOf('\0', encloser.length) + 1;
    const candidate = owner.slice(0, end) as NameKey;
    records = source.node(zoneId, candidate);
    if (records.length === 0 && !source.hasBelow(zoneId, candidate)) {
      return answerFromWildcard(source, apex, name, encloser, type, answer);
    }
    encloser = candidate;
    // DS is the parent's own data at the cut; everything else is the child's business.
    if (holdsType(records, rrtype.NS) && !(type === rrtype.DS && candidate === owner)) {
      refer(source, apex, candidate, records, answer);
      return undefined;
    }
  }
  return answerFromNode(records, name, type, answer, () => {
    answer.denials.push({ kind: 'no-type', name: owner });
  });
}

/** Nothing stands at the name: the wildcard below the closest encloser answers, or nobody. */
function answerFromWildcard(
  source: NodeSource,
  apex: NameKey,
  name: NameKey,
  closestEncloser: NameKey,
  type: number,
  answer: Answer,
): NameKey | undefined {
  const owner = relativeTo(name, apex)!;
  const wildcard = wildcardBelow(closestEncloser);
  const records = source.node(answer.zone.id, wildcard);
  if (records.length === 0 && !source.hasBelow(answer.zone.id, wildcard)) {
    answer.rcode = rcode.NXDOMAIN;
    answer.denials.push({ kind: 'no-name', name: owner, closestEncloser });
    answer.authorities.push(negativeSoa(answer.zone, apex));
    return undefined;
  }
  let denied = false;
  const next = answerFromNode(records, name, type, answer, () => {
    denied = true;
    answer.denials.push({ kind: 'wildcard-no-type', name: owner, wildcard });
  });
  if (!denied) answer.denials.push({ kind: 'wildcard', name: owner, closestEncloser });
  return next;
}

/** Answers from records that stand at the name, or that a wildcard lends it. */
function answerFromNode(
  records: readonly ResourceRecord[],
  name: NameKey,
  type: number,
  answer: Answer,
  denyType: () => void,
): NameKey | undefined {
  const apex = apexOf(answer.zone);
  if (type === rrtype.SOA && name === apex) {
    const { defaultTtl } = answer.zone;
    answer.answers.push({ name, type, ttl: defaultTtl, rdatas: [soaRdata(answer.zone)] });
    return undefined;
  }
  const wanted = type === rrtype.ANY ? chooseForAny(records) : type;
  const rrset = rrsetOf(records, wanted, name);
  if (rrset !== undefined) {
    answer.answers.push(rrset);
    return undefined;
  }
  const alias = rrsetOf(records, rrtype.CNAME, name);
  // Only these two may stand beside a CNAME (RFC 4035 2.5), so only they are not sought elsewhere.
  if (alias !== undefined && type !== rrtype.RRSIG && type !== rrtype.NSEC) {
    answer.answers.push(alias);
    return keyFromWire(alias.rdatas[0]!);
  }
  if (type === rrtype.ANY && name === apex) {
    return answerFromNode(records, name, rrtype.SOA, answer, denyType);
  }
  denyType();
  answer.authorities.push(negativeSoa(answer.zone, apex));
  return undefined;
}

/**
 * One RRset stands for all (RFC 8482 4.1): the one of the lowest type, data before what signing
 * made of it. So the answer is small, and the same each time.
 */
function chooseForAny(records: readonly ResourceRecord[]): number {
  let chosen = 0;
  for (const { type } of records) {
    const better =
      derivedTypes.has(type) === derivedTypes.has(chosen)
        ? type < chosen
        : derivedTypes.has(chosen);
    if (chosen === 0 || better) chosen = type;
  }
  return chosen;
}

/** A referral to the servers of a delegation; authoritative only for aliases that led to it. */
function refer(
  source: NodeSource,
  apex: NameKey,
  cut: NameKey,
  records: readonly ResourceRecord[],
  answer: Answer,
): void {
  const name = (apex + cut) as NameKey;
  const servers = rrsetOf(records, rrtype.NS, name)!;
  answer.authoritative = answer.answers.length > 0;
  answer.authorities.push(servers);
  if (!holdsType(records, rrtype.DS)) answer.denials.push({ kind: 'no-ds', name: cut });
  addGlue(source, apex, servers, answer);
}

/**
 * Follows a DNAME: the record, and the CNAME it stands for at this name (RFC 6672 3.1, 3.2). A
 * chain may come by the same DNAME again; an RRset stands in an answer once.
 */
function substitute(
  dname: AnswerRrset,
  name: NameKey,
  type: number,
  answer: Answer,
): NameKey | undefined {
  if (!answer.answers.some((given) => given.type === rrtype.DNAME && given.name === dname.name)) {
    answer.answers.push(dname);
  }
  const target = (keyFromWire(dname.rdatas[0]!) + name.slice(dname.name.length)) as NameKey;
  if (nameOctets(target) > limits.nameOctets) {
    answer.rcode = rcode.YXDOMAIN;
    return undefined;
  }
  answer.answers.push({ name, type: rrtype.CNAME, ttl: dname.ttl, rdatas: [nameToWire(target)] });
  // Whoever asked for the alias itself, or for anything, has it now.
  return type === rrtype.CNAME || type === rrtype.ANY ? undefined : target;
}

/** The SOA of a negative answer, with the time that it may be believed (RFC 2308 3, 5). */
function negativeSoa(zone: Zone, apex: NameKey): AnswerRrset {
  const ttl = Math.min(zone.defaultTtl, zone.minimumTtl);
  return { name: apex, type: rrtype.SOA, ttl, rdatas: [soaRdata(zone)] };
}

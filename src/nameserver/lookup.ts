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
  nameOctets,
  nameToWire,
  relativeTo,
  wildcardBelow,
} from '../dns/name.ts';
import type { ResourceRecord } from '../dns/record.ts';
import { derivedTypes, rrtype } from '../dns/rrtype.ts';
import { rcode } from '../dns/wire/header.ts';
import { typeCovered } from '../dnssec/rrsig.ts';
import { apexOf, soaRdata, type Zone } from '../domain/zone.ts';
import { addAddresses, addGlue } from './additional.ts';
import {
  type Answer,
  type AnswerRrset,
  holdsType,
  rrsetFor,
  rrsetOf,
  signaturesOf,
} from './answer.ts';
import { nameserverLimits } from './limits.ts';
import { addProofs } from './proof.ts';

/** What a look-up reads: always committed state, synchronously. */
export interface NodeSource {
  findZone(name: NameKey): Zone | undefined;
  findZoneAbove(apex: NameKey): Zone | undefined;
  node(zoneId: number, owner: NameKey): readonly ResourceRecord[];
  hasBelow(zoneId: number, owner: NameKey): boolean;
  /** The last owner of any record at or before `owner`. */
  ownerUpTo(zoneId: number, owner: NameKey): NameKey | undefined;
  /** The owner of the NSEC3 that matches the hash that `owner` is made of, or covers it. */
  nsec3OwnerUpTo(zoneId: number, owner: NameKey): NameKey | undefined;
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
    signed: dnssecOk && zone.derivedCount > 0,
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
  while (next !== undefined && !seen.has(next) && seen.size < nameserverLimits.chainSteps) {
    seen.add(next);
    next = answerName(source, apex, next, type, answer);
    // A chain is followed inside the zone that began it; what is elsewhere is the resolver's walk.
    if (next === undefined || !isWithin(next, apex)) break;
    if (findAnsweringZone(source, next, type)?.id !== zone.id) break;
  }
  if (answer.signed) addProofs(source, apex, answer);
  addAddresses(source, apex, answer);
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
  const { zone } = answer;
  const owner = relativeTo(name, apex)!;
  let encloser = emptyName;
  let records = recordsAt(source, zone, encloser);
  while (encloser !== owner) {
    const dname = rrsetFor(answer, records, rrtype.DNAME, (apex + encloser) as NameKey);
    if (dname !== undefined) return substitute(dname, name, type, answer);
    const end = owner.indexOf('\0', encloser.length) + 1;
    const candidate = owner.slice(0, end) as NameKey;
    records = recordsAt(source, zone, candidate);
    if (records.length === 0 && !source.hasBelow(zone.id, candidate)) {
      return answerFromWildcard(source, apex, name, encloser, type, answer);
    }
    encloser = candidate;
    // DS is the parent's own data at the cut; everything else is the child's business.
    if (holdsType(records, rrtype.NS) && !(type === rrtype.DS && candidate === owner)) {
      refer(source, apex, candidate, records, answer);
      return undefined;
    }
  }
  return answerFromNode(source, records, name, type, answer, () => {
    answer.denials.push({ kind: 'no-type', name: owner });
  });
}

/**
 * What a name of the zone holds. Names made of hashes, which hold NSEC3, are none of its names (RFC
 * 5155 7.2.8); but a name that a user chose may happen to be one of them.
 */
function recordsAt(source: NodeSource, zone: Zone, owner: NameKey): readonly ResourceRecord[] {
  const records = source.node(zone.id, owner);
  if (zone.derivedCount === 0 || !holdsType(records, rrtype.NSEC3)) return records;
  return records.filter(
    ({ type, rdata }) => (type === rrtype.RRSIG ? typeCovered(rdata) : type) !== rrtype.NSEC3,
  );
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
    answer.authorities.push(negativeSoa(source, apex, answer));
    return undefined;
  }
  let denied = false;
  const next = answerFromNode(source, records, name, type, answer, () => {
    denied = true;
    answer.denials.push({ kind: 'wildcard-no-type', name: owner, wildcard });
  });
  if (!denied) answer.denials.push({ kind: 'wildcard', name: owner, closestEncloser });
  return next;
}

/** Answers from records that stand at the name, or that a wildcard lends it. */
function answerFromNode(
  source: NodeSource,
  records: readonly ResourceRecord[],
  name: NameKey,
  type: number,
  answer: Answer,
  denyType: () => void,
): NameKey | undefined {
  const apex = apexOf(answer.zone);
  if (type === rrtype.SOA && name === apex) {
    answer.answers.push(soaOf(source, apex, answer, answer.zone.defaultTtl));
    return undefined;
  }
  const rrset =
    type === rrtype.RRSIG
      ? someSignatures(records, name)
      : rrsetFor(answer, records, type === rrtype.ANY ? chooseForAny(records) : type, name);
  if (rrset !== undefined) {
    answer.answers.push(rrset);
    return undefined;
  }
  const alias = rrsetFor(answer, records, rrtype.CNAME, name);
  // Only these two may stand beside a CNAME (RFC 4035 2.5), so only they are not sought elsewhere.
  if (alias !== undefined && type !== rrtype.RRSIG && type !== rrtype.NSEC) {
    answer.answers.push(alias);
    return keyFromWire(alias.rdatas[0]!);
  }
  if (type === rrtype.ANY && name === apex) {
    return answerFromNode(source, records, name, rrtype.SOA, answer, denyType);
  }
  denyType();
  answer.authorities.push(negativeSoa(source, apex, answer));
  return undefined;
}

/**
 * One RRset stands for all (RFC 8482 4.1): the one of the lowest type, without what signing made.
 * So the answer is small, and the same each time. 0 when there is none.
 */
function chooseForAny(records: readonly ResourceRecord[]): number {
  let chosen = 0;
  for (const { type } of records) {
    if (!derivedTypes.has(type) && (chosen === 0 || type < chosen)) chosen = type;
  }
  return chosen;
}

/** Signatures of one RRset stand for those of all, too: of the one that ANY shows. */
function someSignatures(
  records: readonly ResourceRecord[],
  name: NameKey,
): AnswerRrset | undefined {
  const covered = chooseForAny(records) || rrtype.SOA;
  const rdatas = signaturesOf(records, covered);
  if (rdatas.length === 0) return undefined;
  const { ttl } = records.find(({ rdata }) => rdata === rdatas[0])!;
  return { name, type: rrtype.RRSIG, ttl, rdatas };
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
  const ds = rrsetFor(answer, records, rrtype.DS, name);
  if (ds === undefined) answer.denials.push({ kind: 'no-ds', name: cut });
  else if (answer.signed) answer.authorities.push(ds);
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
function negativeSoa(source: NodeSource, apex: NameKey, answer: Answer): AnswerRrset {
  const { defaultTtl, minimumTtl } = answer.zone;
  return soaOf(source, apex, answer, Math.min(defaultTtl, minimumTtl));
}

/** The SOA is made here; only its signature stands with the records. */
function soaOf(source: NodeSource, apex: NameKey, answer: Answer, ttl: number): AnswerRrset {
  const { zone } = answer;
  const rrset = { name: apex, type: rrtype.SOA, ttl, rdatas: [soaRdata(zone)] };
  if (!answer.signed) return rrset;
  return { ...rrset, signatures: signaturesOf(source.node(zone.id, emptyName), rrtype.SOA) };
}

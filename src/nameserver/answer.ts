/**
 * The answer of a look-up as a value: RRsets by section, before anyone thinks of bytes, and the addresses that go into
 * the additional section: glue of referrals (RFC 1034 4.2.1, RFC 9471) and the addresses of names that an answer leads
 * to (RFC 1035 3.3.9, RFC 2782).
 *
 * Which RRsets must arrive and which may be left out is said here, because that decides about TC:
 * answers, authorities and glue are needed (RFC 2181 9, RFC 9471), additionals are a courtesy.
 */
import { isWithin, type NameKey, relativeTo } from '../dns/name.ts';
import { additionalNames } from '../dns/rdata/rdata.ts';
import type { ResourceRecord } from '../dns/record.ts';
import { rrtype } from '../dns/rrtype.ts';
import { typeCovered } from '../dnssec/rrsig.ts';
import type { Zone } from '../domain/zone.ts';
import type { NodeReader } from '../query/node-reader.ts';
import { nameserverLimits } from './limits.ts';

/** What a look-up reads: always committed state, synchronously. */
export type NodeSource = Pick<NodeReader, keyof NodeReader>;

/** Records of one name, type and TTL. The name is absolute; the owners of records are not used. */
export interface AnswerRrset {
  readonly name: NameKey;
  readonly type: number;
  readonly ttl: number;
  readonly rdatas: readonly Buffer[];
  /** RDATA of the signatures over it, which are sent beside it with its name and TTL. */
  readonly signatures?: readonly Buffer[];
}

/**
 * What must be denied with a proof to a validating client (RFC 4035 3.1.3, RFC 5155 7.2); how it is
 * proved is in proof.ts. Names are relative to the apex of the answer's zone.
 */
export type Denial =
  | { readonly kind: 'no-name'; readonly name: NameKey; readonly closestEncloser: NameKey }
  | { readonly kind: 'no-type'; readonly name: NameKey }
  | { readonly kind: 'wildcard-no-type'; readonly name: NameKey; readonly wildcard: NameKey }
  | { readonly kind: 'wildcard'; readonly name: NameKey; readonly closestEncloser: NameKey }
  | { readonly kind: 'no-ds'; readonly name: NameKey };

export interface Answer {
  readonly zone: Zone;
  /** True when signatures and proofs belong in it: the zone has them and the client wants them. */
  readonly signed: boolean;
  rcode: number;
  authoritative: boolean;
  readonly answers: AnswerRrset[];
  readonly authorities: AnswerRrset[];
  /** Addresses without which a referral leads nowhere; the answer is cut when they do not fit. */
  readonly glue: AnswerRrset[];
  /** Addresses that save a query; left out when they do not fit. */
  readonly additionals: AnswerRrset[];
  /** There is more glue than any message has room for. */
  lacksGlue: boolean;
  readonly denials: Denial[];
}

/** The RRset of `type` among the records of one node, or undefined. */
export function rrsetOf(
  records: readonly ResourceRecord[],
  type: number,
  name: NameKey,
): AnswerRrset | undefined {
  let ttl = 0;
  let rdatas: Buffer[] | undefined;
  for (const record of records) {
    if (record.type !== type) continue;
    if (rdatas === undefined) {
      rdatas = [record.rdata];
      ttl = record.ttl;
    } else {
      rdatas.push(record.rdata);
    }
  }
  return rdatas === undefined ? undefined : { name, type, ttl, rdatas };
}

/** The same with its signatures, in an answer where they belong. */
export function rrsetFor(
  answer: Pick<Answer, 'signed'>,
  records: readonly ResourceRecord[],
  type: number,
  name: NameKey,
): AnswerRrset | undefined {
  const rrset = rrsetOf(records, type, name);
  if (rrset === undefined || !answer.signed) return rrset;
  return { ...rrset, signatures: signaturesOf(records, type) };
}

/** RDATA of the signatures over a type at one node. */
export function signaturesOf(records: readonly ResourceRecord[], type: number): Buffer[] {
  const signatures: Buffer[] = [];
  for (const record of records) {
    if (record.type === rrtype.RRSIG && typeCovered(record.rdata) === type) {
      signatures.push(record.rdata);
    }
  }
  return signatures;
}

/** True when one of the records is of `type`. */
export function holdsType(records: readonly ResourceRecord[], type: number): boolean {
  for (const record of records) if (record.type === type) return true;
  return false;
}

/**
 * Adds addresses of a delegation's servers; those below the cut are needed to reach it at all. Only names within the
 * zone are looked up, at the name itself: no wildcards and no aliases.
 */
export function addGlue(
  source: NodeSource,
  apex: NameKey,
  servers: AnswerRrset,
  answer: Answer,
): void {
  const lookups = new AddressLookups(source, apex, answer, nameserverLimits.glueRecords);
  for (const rdata of servers.rdatas) {
    for (const target of additionalNames(rrtype.NS, rdata)) {
      if (lookups.isOver) {
        answer.lacksGlue = true;
        return;
      }
      const section = isWithin(target, servers.name) ? answer.glue : answer.additionals;
      section.push(...lookups.of(target));
    }
  }
}

/** Adds addresses of the names that the answer section leads to, each once; of the first names where there are many. */
export function addAddresses(source: NodeSource, apex: NameKey, answer: Answer): void {
  let done: Set<NameKey> | undefined;
  let lookups: AddressLookups | undefined;
  for (const rrset of answer.answers) {
    // Most answers are addresses or text and lead nowhere.
    if (rrset.type === rrtype.A || rrset.type === rrtype.AAAA || rrset.type === rrtype.CNAME) {
      continue;
    }
    for (const rdata of rrset.rdatas) {
      for (const target of additionalNames(rrset.type, rdata)) {
        done ??= new Set();
        if (done.has(target)) continue;
        lookups ??= new AddressLookups(source, apex, answer, nameserverLimits.addressRecords);
        if (lookups.isOver || done.size >= nameserverLimits.addressNames) return;
        done.add(target);
        answer.additionals.push(...lookups.of(target));
      }
    }
  }
}

/**
 * Looks for the addresses of one answer, within a number of records: an RRset may lead to thousands of names with
 * thousands of records each, for which no message has room.
 */
class AddressLookups {
  readonly #source: NodeSource;
  readonly #apex: NameKey;
  readonly #answer: Answer;
  #left: number;

  constructor(source: NodeSource, apex: NameKey, answer: Answer, maxRecords: number) {
    this.#source = source;
    this.#apex = apex;
    this.#answer = answer;
    this.#left = maxRecords;
  }

  get isOver(): boolean {
    return this.#left <= 0;
  }

  of(target: NameKey): AnswerRrset[] {
    const owner = relativeTo(target, this.#apex);
    if (owner === undefined) return [];
    const records = this.#source.node(this.#answer.zone.id, owner);
    this.#left -= records.length;
    const found = [rrtype.A, rrtype.AAAA].map((type) =>
      rrsetFor(this.#answer, records, type, target),
    );
    return found.filter((rrset) => rrset !== undefined);
  }
}

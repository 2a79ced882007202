/**
 * The answer of a look-up as a value: RRsets by section, before anyone thinks of octets.
 *
 * Which RRsets must arrive and which may be left out is said here, because that decides about TC:
 * answers, authorities and glue are needed (RFC 2181 9, RFC 9471), additionals are a courtesy.
 */
import type { NameKey } from '../dns/name.ts';
import type { ResourceRecord } from '../dns/record.ts';
import { rrtype } from '../dns/rrtype.ts';
import { typeCovered } from '../dnssec/rrsig.ts';
import type { Zone } from '../domain/zone.ts';

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
 * What a validating client must be shown to be false (RFC 4035 3.1.3, RFC 5155 7.2); how it is
 * shown is in proof.ts. Names are relative to the apex of the answer's zone.
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

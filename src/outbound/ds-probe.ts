/**
 * Asks one address of a parent's server for a zone's DS (RFC 4035 3.1.4.1), with the DO bit. Every way it can go wrong
 * ends as a finding with its clause.
 *
 * The DS of a zone is the parent's data. So an answer counts only with AA; and that there is no DS
 * is believed only when the SOA beside it is owned by a proper ancestor of the zone, because the
 * zone's own servers can truthfully say that the zone itself has none (RFC 2308 2). Refused, each with its clause:
 * RCODEs besides NOERROR and NXDOMAIN, answers of caches, referrals, aliases, records nobody asked for,
 * negative answers without SOA or with another's.
 */
import { excerpt } from '../base/problem.ts';
import { isWithin, type NameKey, parseAbsoluteName, printAbsoluteName } from '../dns/name.ts';
import { rrtype } from '../dns/rrtype.ts';
import { rcode, rcodeName, recordClass } from '../dns/wire/header.ts';
import type { Message, WireRecord } from '../dns/wire/message.ts';
import { ask, type ProbeOptions, type ProbeTarget, QuestionError } from './question.ts';

/**
 * What a server said: its DS RDATA (none is an answer too), and that it has no such name where it says so; or why that
 * is no answer, as a clause.
 */
export type DsResult =
  | { readonly ds: readonly Buffer[]; readonly ttlSeconds: number | null; readonly noName?: true }
  | { readonly failure: string };

/** Asks `target` for the DS of a zone, its name without closing dot. */
export async function probeDs(
  target: ProbeTarget,
  zoneName: string,
  options: ProbeOptions,
): Promise<DsResult> {
  const apex = parseAbsoluteName(zoneName);
  try {
    const answer = await ask(target, { name: apex, type: rrtype.DS, dnssecOk: true }, options);
    return judgeDsAnswer(answer, apex);
  } catch (error) {
    if (!(error instanceof QuestionError)) throw error;
    return { failure: error.message };
  }
}

/** Judges a whole message that answers the question for the DS at `apex`, which is absolute. */
export function judgeDsAnswer(message: Message, apex: NameKey): DsResult {
  const failure = complaintAbout(message, apex);
  if (failure !== undefined) return { failure };
  const records = message.answers.filter(({ type }) => type === rrtype.DS);
  if (records.length > 0) return positive(message, records);
  const distrust = complaintAboutAbsence(message, apex);
  if (distrust !== undefined) return { failure: distrust };
  const isNameless = message.rcode === rcode.NXDOMAIN;
  return { ds: [], ttlSeconds: null, ...(isNameless && { noName: true as const }) };
}

/** What is wrong with an answer whether or not it has a DS. */
function complaintAbout(message: Message, apex: NameKey): string | undefined {
  const { answers } = message;
  if (message.rcode !== rcode.NOERROR && message.rcode !== rcode.NXDOMAIN) {
    return `answered ${rcodeName(message.rcode)}`;
  }
  const alias = answers.find(({ type }) => type === rrtype.CNAME || type === rrtype.DNAME);
  if (alias !== undefined) {
    return `answered with a ${alias.type === rrtype.CNAME ? 'CNAME' : 'DNAME'} instead of a delegation`;
  }
  if (!message.authoritative) {
    const referral = message.authorities.find(({ type }) => type === rrtype.NS);
    if (answers.length > 0 || referral === undefined) return 'answered without authority';
    return `referred to the servers of ${named(referral.name)} instead of answering`;
  }
  if (answers.every((record) => isAskedFor(record, apex))) return undefined;
  return 'answered with records that were not asked for';
}

/** The DS of the zone, and the signatures that the DO bit asks for. */
function isAskedFor(record: WireRecord, apex: NameKey): boolean {
  if (record.name !== apex || record.class !== recordClass.IN) return false;
  return record.type === rrtype.DS || record.type === rrtype.RRSIG;
}

function positive(message: Message, records: readonly WireRecord[]): DsResult {
  if (message.rcode === rcode.NXDOMAIN) return { failure: 'answered NXDOMAIN and a DS at once' };
  return {
    ds: records.map(({ rdata }) => rdata),
    // An RRset has one TTL (RFC 2181 5.2); where a server errs, caches may keep to the largest.
    ttlSeconds: Math.max(...records.map(({ ttl }) => ttl)),
  };
}

/** Why an answer without DS does not show that the parent has none. */
function complaintAboutAbsence(message: Message, apex: NameKey): string | undefined {
  const owners = message.authorities
    .filter((record) => record.type === rrtype.SOA && record.class === recordClass.IN)
    .map(({ name }) => name);
  if (owners.length === 0) return 'answered neither with a DS nor with the SOA of the parent zone';
  if (owners.includes(apex)) {
    return "answered with the zone's own SOA: it is a server of the zone, not of its parent";
  }
  const stranger = owners.find((owner) => !isWithin(apex, owner));
  if (stranger === undefined) return undefined;
  return `answered with the SOA of ${named(stranger)}, which is no parent of the zone`;
}

function named(name: NameKey): string {
  return excerpt(printAbsoluteName(name));
}

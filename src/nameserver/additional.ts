/**
 * Addresses in the additional section: glue of referrals (RFC 1034 4.2.1, RFC 9471) and the
 * addresses of names that an answer leads to (RFC 1035 3.3.9, RFC 2782).
 *
 * Only names within the zone are looked up, at the name itself: no wildcards and no aliases.
 */
import { isWithin, type NameKey, relativeTo } from '../dns/name.ts';
import { additionalNames } from '../dns/rdata/rdata.ts';
import { rrtype } from '../dns/rrtype.ts';
import { type Answer, type AnswerRrset, rrsetFor } from './answer.ts';
import type { NodeSource } from './lookup.ts';

/** Addresses of a delegation's servers; those below the cut are needed to reach it at all. */
export function addGlue(
  source: NodeSource,
  apex: NameKey,
  servers: AnswerRrset,
  answer: Answer,
): void {
  for (const rdata of servers.rdatas) {
    for (const target of additionalNames(rrtype.NS, rdata)) {
      const section = isWithin(target, servers.name) ? answer.glue : answer.additionals;
      section.push(...addressesOf(source, apex, target, answer));
    }
  }
}

/** Addresses of the names that the answer section leads to, each once. */
export function addAddresses(source: NodeSource, apex: NameKey, answer: Answer): void {
  let done: Set<NameKey> | undefined;
  for (const rrset of answer.answers) {
    // Most answers are addresses or text and lead nowhere.
    if (rrset.type === rrtype.A || rrset.type === rrtype.AAAA || rrset.type === rrtype.CNAME) {
      continue;
    }
    for (const rdata of rrset.rdatas) {
      for (const target of additionalNames(rrset.type, rdata)) {
        done ??= new Set();
        if (done.has(target)) continue;
        done.add(target);
        answer.additionals.push(...addressesOf(source, apex, target, answer));
      }
    }
  }
}

function addressesOf(
  source: NodeSource,
  apex: NameKey,
  target: NameKey,
  answer: Answer,
): AnswerRrset[] {
  const owner = relativeTo(target, apex);
  if (owner === undefined) return [];
  const records = source.node(answer.zone.id, owner);
  const found = [rrtype.A, rrtype.AAAA].map((type) => rrsetFor(answer, records, type, target));
  return found.filter((rrset) => rrset !== undefined);
}

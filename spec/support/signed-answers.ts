/** Look-ups in zones in memory that were signed for a test, shown as lines. */
import { labelsOf, printAbsoluteName, relativeTo } from '../../src/dns/name.ts';
import { printRdata } from '../../src/dns/rdata/rdata.ts';
import { compareRecords, type ResourceRecord } from '../../src/dns/record.ts';
import { parseType, printType, rrtype } from '../../src/dns/rrtype.ts';
import { rcodeName } from '../../src/dns/wire/header.ts';
import { denialOf } from '../../src/dnssec/denial.ts';
import { typeCovered } from '../../src/dnssec/rrsig.ts';
import type { AnswerRrset } from '../../src/nameserver/answer.ts';
import { findAnsweringZone, lookup } from '../../src/nameserver/lookup.ts';
import { absolute, makeZone, memoryNodes } from './memory-zones.ts';
import { MemoryZone, makeKey, recordsOf, signAll, type TestTerms } from './signed-zone.ts';

export interface ShownAnswer {
  readonly rcode: string;
  readonly aa: boolean;
  /** `owner type rdata` for each record, `owner RRSIG type` for each signature. */
  readonly answers: readonly string[];
  readonly authorities: readonly string[];
  readonly glue: readonly string[];
  readonly additionals: readonly string[];
}

export interface SignedAnswers {
  readonly records: readonly ResourceRecord[];
  ask(name: string, type: string, dnssecOk?: boolean): ShownAnswer;
  /**
   * What the NSEC3 in an authority section show of names, as `matches name` and `covers name`; one
   * that shows nothing of them is `other`.
   */
  shownOf(authorities: readonly string[], ...names: string[]): string[];
}

/** Signs the zone `name`, written one record a line. */
export async function signedAnswers(
  name: string,
  text: string,
  denial: 'nsec' | 'nsec3',
): Promise<SignedAnswers> {
  const apex = absolute(name);
  const signed = new MemoryZone(recordsOf(text, 3600));
  const keys = [await makeKey(13, 'csk')];
  const terms: TestTerms = { apex, serial: 1, keys, denial, now: Date.now(), minimum: 300 };
  signAll(signed, terms);
  const records = [...signed.records()].sort(compareRecords);
  const zone = makeZone(name, { dnssecCount: [...signed.dnssecRecords()].length });
  const nodes = memoryNodes([{ zone, records }]);
  return {
    records,
    ask(question, type, dnssecOk = true) {
      const key = absolute(question);
      const asked = findAnsweringZone(nodes, key, parseType(type)!)!;
      const answer = lookup(nodes, asked, key, parseType(type)!, dnssecOk);
      return {
        rcode: rcodeName(answer.rcode),
        aa: answer.authoritative,
        answers: answer.answers.flatMap(show),
        authorities: answer.authorities.flatMap(show),
        glue: answer.glue.flatMap(show),
        additionals: answer.additionals.flatMap(show),
      };
    },
    shownOf(authorities, ...names) {
      const { ownerFor } = denialOf('nsec3', apex);
      const hashOf = (one: string) => labelsOf(ownerFor(relativeTo(absolute(one), apex)!))[0]!;
      const chain = authorities
        .filter((line) => / NSEC3 /.test(line))
        .map((line) => {
          const [owner, , , , , , next] = line.split(' ');
          return [owner!.split('.')[0]!, next!.toLowerCase()] as const;
        });
      const covers = (hash: string, [owner, next]: readonly [string, string]) =>
        owner < next ? owner < hash && hash < next : owner < hash || hash < next;
      return chain.flatMap((link) => {
        const matched = names.filter((one) => hashOf(one) === link[0]);
        const covered = names.filter((one) => covers(hashOf(one), link));
        const shown = [
          ...matched.map((one) => `matches ${one}`),
          ...covered.map((one) => `covers ${one}`),
        ];
        return shown.length > 0 ? shown : ['other'];
      });
    },
  };
}

function show({ name, type, rdatas, signatures = [] }: AnswerRrset): string[] {
  const owner = printAbsoluteName(name);
  const isSignature = type === rrtype.RRSIG;
  const records = rdatas.map((rdata) =>
    isSignature
      ? `${owner} RRSIG ${printType(typeCovered(rdata))}`
      : `${owner} ${printType(type)} ${printRdata(type, rdata)}`,
  );
  const covers = (rdata: Buffer) => `${owner} RRSIG ${printType(typeCovered(rdata))}`;
  return [...records, ...signatures.map(covers)];
}

/**
 * Asks another server which serial of a zone it serves (RFC 1034 4.3.5): one SOA question to one
 * address over UDP, asked again when nobody answers, and over TCP when the answer is cut off or
 * refused: Knot shows catalog zones over TCP only.
 *
 * A server that answers anything else than an authoritative SOA is there, but has nothing to compare;
 * what it said instead is reported. No answer at all is a ProbeError.
 */
import { parseAbsoluteName } from '../dns/name.ts';
import { rrtype } from '../dns/rrtype.ts';
import { rcode, rcodeName, recordClass } from '../dns/wire/header.ts';
import type { Message, WireRecord } from '../dns/wire/message.ts';
import { joinHostAndPort } from './address.ts';
import {
  type Asked,
  ask,
  askOverTcp,
  type ProbeOptions,
  type ProbeTarget,
  QuestionError,
  type Reply,
} from './question.ts';

export type { ProbeOptions, ProbeTarget } from './question.ts';

/** What a server said: the serial, or why there is none to compare. */
export type SoaResult =
  | { readonly serial: number; readonly reason: null }
  | {
      readonly serial: null;
      readonly reason: string;
      /** It may serve the zone all the same, as one that says SERVFAIL while it reads its zones. */
      readonly isTransient?: boolean;
    };

/** Why a server could not be asked; the message is a clause that names the address. */
export class ProbeError extends Error {
  override readonly name = 'ProbeError';
}

/** Asks `target` for the SOA of a zone, its name without closing dot. */
export async function probeSoa(
  target: ProbeTarget,
  zoneName: string,
  options: ProbeOptions,
): Promise<SoaResult> {
  const asked = soaOf(zoneName);
  const answer = await named(target, ask(target, asked, options));
  const result = resultOf(answer, asked, target);
  if (answer.rcode !== rcode.REFUSED) return result;
  const [overTcp] = await outcomesOf([probeSoaOverTcp(target, zoneName, options)]);
  return overTcp !== undefined && 'serial' in overTcp && overTcp.serial !== null ? overTcp : result;
}

/** The same question over TCP. */
export async function probeSoaOverTcp(
  target: ProbeTarget,
  zoneName: string,
  options: ProbeOptions,
): Promise<SoaResult> {
  const asked = soaOf(zoneName);
  return resultOf(await named(target, askOverTcp(target, asked, options)), asked, target);
}

/** What one of several addresses said, or why nobody answered there. */
export type ProbeOutcome = SoaResult | { readonly unreachable: string };

/** Asks all of `targets` at once; a silent one is reported, and rejects nothing. */
export function probeAll(
  targets: readonly ProbeTarget[],
  zoneName: string,
  options: ProbeOptions,
): Promise<ProbeOutcome[]> {
  return outcomesOf(targets.map((target) => probeSoa(target, zoneName, options)));
}

function outcomesOf(probes: readonly Promise<SoaResult>[]): Promise<ProbeOutcome[]> {
  const unreachable = (error: unknown) => {
    if (!(error instanceof ProbeError)) throw error;
    return { unreachable: error.message };
  };
  return Promise.all(probes.map((probe) => probe.catch(unreachable)));
}

/** The question for a zone's SOA. */
export function soaOf(zoneName: string): Asked {
  return { name: parseAbsoluteName(zoneName), type: rrtype.SOA };
}

/** An answer, or a ProbeError that names who was asked. */
async function named(target: ProbeTarget, answer: Promise<Message>): Promise<Message> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof QuestionError)) throw error;
    throw new ProbeError(`${joinHostAndPort(target.address, target.port)} ${error.message}`);
  }
}

/** Bytes of an SOA's RDATA from the serial to the end (RFC 1035 3.3.13). */
const soaTailBytes = 20;

/** What an answer says of a zone. */
export function resultOf(answer: Reply, { name }: Asked, target: ProbeTarget): SoaResult {
  const nothing = (clause: string) => {
    const reason = `${joinHostAndPort(target.address, target.port)} ${clause}`;
    return { serial: null, reason } as const;
  };
  if (answer === 'truncated') return { ...nothing('cut its answer off'), isTransient: true };
  if (answer.rcode === rcode.SERVFAIL) {
    return { ...nothing('answered SERVFAIL'), isTransient: true };
  }
  if (answer.rcode !== rcode.NOERROR) return nothing(`answered ${rcodeName(answer.rcode)}`);
  const isAskedFor = (record: WireRecord) =>
    record.type === rrtype.SOA && record.class === recordClass.IN && record.name === name;
  const soa = answer.answers.find(isAskedFor);
  if (soa === undefined) return nothing('answered without an SOA');
  if (!answer.authoritative) return nothing('answered without authority');
  return { serial: soa.rdata.readUInt32BE(soa.rdata.length - soaTailBytes), reason: null };
}

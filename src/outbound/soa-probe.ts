/**
 * Asks another server which serial of a zone it serves (RFC 1034 4.3.5): one SOA question to one
 * address over UDP, asked again when nobody answers, and over TCP when the answer is cut off or
 * refused: Knot shows catalog zones over TCP only.
 *
 * A server that answers anything else than an authoritative SOA is there, but has nothing to compare;
 * what it said instead is told. No answer at all is a ProbeError.
 */
import { randomInt } from 'node:crypto';
import { AUTHORITATIVE_ANSWER, type DecodedPacket, decode, encode, type Packet } from 'dns-packet';
import { joinHostAndPort } from './address.ts';
import {
  askOverTcp,
  askOverUdp,
  type ProbeOptions,
  type ProbeTarget,
  type Question,
  QuestionError,
} from './question.ts';

export type { ProbeOptions, ProbeTarget } from './question.ts';

/** What a server said: the serial, or why there is none to compare. */
export type SoaFinding =
  | { readonly serial: number; readonly reason: null }
  | { readonly serial: null; readonly reason: string };

/** Why a server could not be asked; the message is a clause that names the address. */
export class ProbeError extends Error {
  override readonly name = 'ProbeError';
}

/** Asks `target` for the SOA of a zone, its name without closing dot. */
export async function probeSoa(
  target: ProbeTarget,
  zoneName: string,
  options: ProbeOptions,
): Promise<SoaFinding> {
  const where = joinHostAndPort(target.address, target.port);
  for (let tried = 1; ; tried++) {
    try {
      const answer = await ask(askOverUdp, target, zoneName, options.tryMs);
      if (answer.flag_tc) return await probeSoaOverTcp(target, zoneName, options.tryMs);
      const finding = findingOf(answer, zoneName, where);
      return rcodeOf(answer) === 'REFUSED' ? await secondOpinion(finding) : finding;
    } catch (error) {
      if (!(error instanceof ProbeError) || tried >= options.tries) throw error;
    }
  }

  /** What TCP says, when that is more. */
  async function secondOpinion(refused: SoaFinding): Promise<SoaFinding> {
    try {
      const finding = await probeSoaOverTcp(target, zoneName, options.tryMs);
      return finding.serial === null ? refused : finding;
    } catch (error) {
      if (error instanceof ProbeError) return refused;
      throw error;
    }
  }
}

/** What one of several addresses said, or why nobody answered there. */
export type ProbeOutcome = SoaFinding | { readonly unreachable: string };

/** Asks all of `targets` at once; a silent one is told, and rejects nothing. */
export function probeAll(
  targets: readonly ProbeTarget[],
  zoneName: string,
  options: ProbeOptions,
): Promise<ProbeOutcome[]> {
  return Promise.all(
    targets.map(async (target): Promise<ProbeOutcome> => {
      try {
        return await probeSoa(target, zoneName, options);
      } catch (error) {
        if (!(error instanceof ProbeError)) throw error;
        return { unreachable: error.message };
      }
    }),
  );
}

/** The same question over TCP, asked once. */
export async function probeSoaOverTcp(
  target: ProbeTarget,
  zoneName: string,
  tryMs: number,
): Promise<SoaFinding> {
  const where = joinHostAndPort(target.address, target.port);
  return findingOf(await ask(askOverTcp, target, zoneName, tryMs), zoneName, where);
}

/** Asks once, in one of the two ways. */
async function ask(
  way: typeof askOverUdp<DecodedPacket>,
  target: ProbeTarget,
  zoneName: string,
  tryMs: number,
): Promise<DecodedPacket> {
  try {
    return await way(target, soaQuestion(zoneName), tryMs);
  } catch (error) {
    if (!(error instanceof QuestionError)) throw error;
    throw new ProbeError(`${joinHostAndPort(target.address, target.port)} ${error.message}`);
  }
}

/** A question that a decoded answer belongs to. */
export function soaQuestion(
  zoneName: string,
  id: number = randomInt(0x1_0000),
): Question<DecodedPacket> {
  const packet: Packet = {
    type: 'query',
    id,
    flags: 0,
    questions: [{ type: 'SOA', name: zoneName }],
  };
  return {
    message: encode(packet),
    read(bytes) {
      const answer = decoded(bytes);
      return answer !== undefined && isAnswerTo(packet, answer) ? answer : undefined;
    },
  };
}

/** What can not be read is no answer. */
function decoded(bytes: Buffer): DecodedPacket | undefined {
  try {
    return decode(bytes);
  } catch {
    return undefined;
  }
}

/** Servers that refuse may leave the question out (RFC 5936 2.2.2 knows them too). */
function isAnswerTo(question: Packet, answer: DecodedPacket): boolean {
  if (answer.type !== 'response' || answer.id !== question.id) return false;
  const [asked] = question.questions!;
  const [echoed] = answer.questions ?? [];
  return echoed === undefined || sameName(echoed.name, asked!.name);
}

function sameName(one: string, other: string): boolean {
  return one.replace(/\.$/, '').toLowerCase() === other.toLowerCase();
}

/** What an answer says of a zone. */
export function findingOf(answer: DecodedPacket, zoneName: string, where: string): SoaFinding {
  const nothing = (reason: string): SoaFinding => ({ serial: null, reason: `${where} ${reason}` });
  const rcode = rcodeOf(answer);
  if (rcode !== 'NOERROR') return nothing(`answered ${rcode}`);
  const soa = answer.answers?.find(
    (record) => record.type === 'SOA' && sameName(record.name, zoneName),
  );
  if (soa?.type !== 'SOA') return nothing('answered without an SOA');
  if (((answer.flags ?? 0) & AUTHORITATIVE_ANSWER) === 0)
    return nothing('answered without authority');
  return { serial: soa.data.serial ?? 0, reason: null };
}

/** The RCODE by its name, which the library's type lacks. */
function rcodeOf(answer: DecodedPacket): string {
  return (answer as DecodedPacket & { readonly rcode: string }).rcode;
}

/**
 * Asks another server which serial of a zone it serves (RFC 1034 4.3.5): one SOA question to one
 * address over UDP, asked again when nobody answers, and over TCP when the answer is cut off or
 * refused: Knot shows catalog zones over TCP only.
 *
 * A server that answers anything else than an authoritative SOA is there, but has nothing to compare;
 * what it said instead is told. No answer at all is a ProbeError.
 */
import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { connect, isIPv6 } from 'node:net';
import {
  AUTHORITATIVE_ANSWER,
  type DecodedPacket,
  decode,
  encode,
  type Packet,
  streamEncode,
} from 'dns-packet';
import { joinHostAndPort } from './address.ts';

export interface ProbeTarget {
  /** An IP address. */
  readonly address: string;
  readonly port: number;
}

export interface ProbeOptions {
  /** Milliseconds to wait for an answer, each time. */
  readonly tryMs: number;
  readonly tries: number;
}

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
      const answer = await askOverUdp(target, zoneName, options.tryMs);
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

/** The same question over TCP, asked once. */
export async function probeSoaOverTcp(
  target: ProbeTarget,
  zoneName: string,
  tryMs: number,
): Promise<SoaFinding> {
  const where = joinHostAndPort(target.address, target.port);
  return findingOf(await askOverTcp(target, zoneName, tryMs), zoneName, where);
}

function questionOf(zoneName: string): Packet {
  const id = randomInt(0x1_0000);
  return { type: 'query', id, flags: 0, questions: [{ type: 'SOA', name: zoneName }] };
}

function askOverUdp(
  { address, port }: ProbeTarget,
  zoneName: string,
  tryMs: number,
): Promise<DecodedPacket> {
  const where = joinHostAndPort(address, port);
  const question = questionOf(zoneName);
  const socket = createSocket({
    type: isIPv6(address) ? 'udp6' : 'udp4',
    // Asked of addresses only: nothing has to be looked up.
    lookup: (host, _options, done) => done(null, host, isIPv6(host) ? 6 : 4),
  });
  return new Promise<DecodedPacket>((resolve, reject) => {
    const unreachable = (error: Error) => {
      reject(new ProbeError(`${where} can not be reached: ${error.message}`));
    };
    const timer = setTimeout(() => {
      reject(new ProbeError(`${where} did not answer within ${tryMs / 1000} s`));
    }, tryMs);
    socket.on('error', unreachable);
    socket.on('message', (bytes) => {
      const answer = decoded(() => decode(bytes));
      if (answer === undefined || !isAnswerTo(question, answer)) return;
      clearTimeout(timer);
      resolve(answer);
    });
    // Connected, so that only this server is heard, and its host can say that nobody listens.
    socket.connect(port, address, () => {
      socket.send(encode(question), (error) => {
        if (error) unreachable(error);
      });
    });
    socket.once('close', () => clearTimeout(timer));
  }).finally(() => socket.close());
}

function askOverTcp(
  { address, port }: ProbeTarget,
  zoneName: string,
  tryMs: number,
): Promise<DecodedPacket> {
  const where = joinHostAndPort(address, port);
  const question = questionOf(zoneName);
  const socket = connect({ host: address, port });
  return new Promise<DecodedPacket>((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new ProbeError(`${where} did not answer over TCP within ${tryMs / 1000} s`));
    }, tryMs);
    let received = Buffer.alloc(0);
    socket.on('connect', () => socket.write(streamEncode(question)));
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return;
      const answer = decoded(() => decode(received.subarray(2)));
      if (answer === undefined || !isAnswerTo(question, answer)) {
        reject(new ProbeError(`${where} answered something else over TCP`));
        return;
      }
      resolve(answer);
    });
    socket.on('error', (error) => {
      reject(new ProbeError(`${where} can not be reached over TCP: ${error.message}`));
    });
    socket.on('close', () => {
      clearTimeout(timer);
      reject(new ProbeError(`${where} closed the connection`));
    });
  }).finally(() => socket.destroy());
}

/** What can not be read is no answer. */
function decoded(read: () => DecodedPacket): DecodedPacket | undefined {
  try {
    return read();
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

function findingOf(answer: DecodedPacket, zoneName: string, where: string): SoaFinding {
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

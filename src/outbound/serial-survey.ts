/**
 * Asks one server for the serials of many zones, as fast as it answers: SOA questions over UDP from one
 * socket, a bounded number of them in flight, each asked again once when it stays unanswered.
 *
 * It ends when all were answered or given up, when the server says nothing at all for a while, when its
 * host says that nobody listens, and when the caller's time is over. What was learnt until then counts.
 */
import { randomInt } from 'node:crypto';
import type { Socket } from 'node:dgram';
import { monotonicMs } from '../base/clock.ts';
import { joinHostAndPort } from './address.ts';
import { type Asked, type ProbeTarget, Question, unreadable } from './question.ts';
import { resultOf, ProbeError, probeSoaOverTcp, soaOf } from './soa-probe.ts';
import { datagramsTo } from './sockets.ts';

export interface SurveyOptions {
  /** Milliseconds that the whole may take. */
  readonly withinMs: number;
  /** Questions in flight at most. */
  readonly inFlight?: number;
  /** Milliseconds after which a question is asked again, and after that given up. */
  readonly tryMs?: number;
  /** A zone that is asked for over TCP too: Knot shows catalog zones over TCP only. */
  readonly overTcp?: string | undefined;
  /** True for a survey that keeps no process from ending. */
  readonly isBackground?: boolean;
}

export interface SurveyResult {
  /** Serials by the names of zones; a zone that the server does not serve is left out. */
  readonly serials: ReadonlyMap<string, number>;
  /** Zones that it answered for, whatever it said. */
  readonly answered: number;
  /** Why not all were answered; null when they were. */
  readonly error: string | null;
}

interface AskedZone {
  readonly zoneName: string;
  readonly asked: Asked;
  readonly question: Question;
  tries: number;
  sentAt: number;
}

const defaults = { inFlight: 100, tryMs: 1000 };
/** Milliseconds without any answer after which a server is taken for silent. */
const silentMs = 3000;
/** Milliseconds between two looks for questions that stay unanswered. */
const lookMs = 50;

export async function surveySerials(
  target: ProbeTarget,
  zoneNames: readonly string[],
  options: SurveyOptions,
): Promise<SurveyResult> {
  const survey = new Survey(target, zoneNames, options);
  const result = await survey.run();
  const { overTcp } = options;
  if (overTcp === undefined || result.serials.has(overTcp) || result.answered === 0) return result;
  const serial = await serialOverTcp(target, overTcp, options.tryMs ?? defaults.tryMs);
  if (serial === null) return result;
  return { ...result, serials: new Map([...result.serials, [overTcp, serial]]) };
}

async function serialOverTcp(target: ProbeTarget, name: string, tryMs: number) {
  try {
    return (await probeSoaOverTcp(target, name, { tryMs, tries: 1 })).serial;
  } catch (error) {
    if (error instanceof ProbeError) return null;
    throw error;
  }
}

class Survey {
  readonly #target: ProbeTarget;
  readonly #where: string;
  readonly #names: Iterator<string>;
  readonly #options: SurveyOptions & typeof defaults;
  /** Questions in flight, by id. */
  readonly #inFlight = new Map<number, AskedZone>();
  readonly #serials = new Map<string, number>();
  readonly #total: number;
  readonly #startedAt = monotonicMs();
  #lastAnswerAt = monotonicMs();
  #lookedAt = monotonicMs();
  #answered = 0;
  #ended: ((error: string | null) => void) | undefined;

  constructor(target: ProbeTarget, zoneNames: readonly string[], options: SurveyOptions) {
    this.#target = target;
    this.#where = joinHostAndPort(target.address, target.port);
    this.#names = zoneNames[Symbol.iterator]();
    this.#total = zoneNames.length;
    this.#options = { ...defaults, ...options };
  }

  async run(): Promise<SurveyResult> {
    let close = () => {};
    let timer: NodeJS.Timeout | undefined;
    const error = await new Promise<string | null>((resolve) => {
      this.#ended = resolve;
      const socket: Socket = datagramsTo(this.#target, {
        ready: (failure) => (failure ? this.#fail(failure) : this.#fill(socket)),
        message: (bytes) => this.#take(bytes, socket),
        unreadable: ({ message }) => this.#ended?.(`${this.#where} ${unreadable(message)}`),
        failed: (failure) => this.#fail(failure),
      });
      close = () => socket.close();
      this.#lookedAt = monotonicMs();
      timer = setInterval(() => this.#look(socket), lookMs);
      if (this.#options.isBackground) {
        timer.unref();
        socket.unref();
      }
    });
    clearInterval(timer);
    close();
    const unanswered = this.#total - this.#answered;
    const rest = unanswered === 0 ? null : `${this.#where} left ${unanswered} questions unanswered`;
    return { serials: this.#serials, answered: this.#answered, error: error ?? rest };
  }

  #fill(socket: Socket): void {
    while (this.#inFlight.size < this.#options.inFlight) {
      const { value: zoneName, done } = this.#names.next();
      if (done) break;
      const id = this.#freeId();
      const asked = soaOf(zoneName);
      const zone = { zoneName, asked, question: new Question(asked, id), tries: 0, sentAt: 0 };
      this.#inFlight.set(id, zone);
      this.#send(zone, socket);
    }
    if (this.#inFlight.size === 0) this.#ended?.(null);
  }

  #freeId(): number {
    for (;;) {
      const id = randomInt(0x1_0000);
      if (!this.#inFlight.has(id)) return id;
    }
  }

  #send(zone: AskedZone, socket: Socket): void {
    zone.tries++;
    zone.sentAt = monotonicMs();
    socket.send(zone.question.message, (failure) => {
      // A server that has answered may be starting again; one that never did is unreachable.
      if (failure !== null && this.#answered === 0) this.#fail(failure);
    });
  }

  #fail({ message }: Error): void {
    this.#ended?.(`${this.#where} can not be reached: ${message}`);
  }

  #take(bytes: Buffer, socket: Socket): void {
    const id = bytes.length < 2 ? -1 : bytes.readUInt16BE(0);
    const zone = this.#inFlight.get(id);
    const reply = zone?.question.read(bytes);
    if (zone === undefined || reply === undefined) return;
    this.#inFlight.delete(id);
    this.#answered++;
    this.#lastAnswerAt = monotonicMs();
    const { serial } = resultOf(reply, zone.asked, this.#target);
    if (serial !== null) this.#serials.set(zone.zoneName, serial);
    this.#fill(socket);
  }

  /** While this thread did not run, answers could not be read: that time says nothing of the server. */
  #forgiveStall(now: number): void {
    const stalledMs = now - this.#lookedAt - lookMs;
    this.#lookedAt = now;
    if (stalledMs < lookMs) return;
    this.#lastAnswerAt = Math.min(now, this.#lastAnswerAt + stalledMs);
    for (const zone of this.#inFlight.values())
      zone.sentAt = Math.min(now, zone.sentAt + stalledMs);
  }

  #look(socket: Socket): void {
    const now = monotonicMs();
    this.#forgiveStall(now);
    const { withinMs, tryMs } = this.#options;
    if (now - this.#startedAt >= withinMs) {
      this.#ended?.(`${this.#where} did not answer for all zones within ${withinMs / 1000} s`);
      return;
    }
    if (now - this.#lastAnswerAt >= silentMs) {
      this.#ended?.(`${this.#where} does not answer`);
      return;
    }
    for (const [id, zone] of this.#inFlight) {
      if (now - zone.sentAt < tryMs) continue;
      if (zone.tries < 2) this.#send(zone, socket);
      else this.#inFlight.delete(id);
    }
    this.#fill(socket);
  }
}

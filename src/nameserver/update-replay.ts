/**
 * Signed updates that were answered: one that comes again, sent anew by its client or by somebody who
 * listened, gets the same answer and is not applied again (RFC 8945 10: a signature is good as long as
 * its time is).
 *
 * A message is identified by its key and MAC, and remembered for as long as a signature of its kind can hold: twice the
 * usual fudge, or twice the longest one for those that ask for more. There is room for a number of messages in all.
 * When it is full, the key that has most of it gives up its oldest: so nobody's updates push out those of a key that
 * sends fewer. What a key gives up is not forgotten without a trace. The latest time that such a message was signed at
 * stays, and what is signed no later and not remembered is late: it is refused with BADTIME, as RFC 8945 5.2.3 has it
 * for messages older than the newest of their key. A client that signs it anew is served.
 *
 * So a message that is neither remembered nor late was not answered before, and nothing has to be looked up in the
 * journal while it is decided: this memory has seen all answers since the start. Of those before the start the journal
 * tells which ones changed something, as long as a signature holds. The others, which a prerequisite or a rule refused,
 * left no trace: so what was signed before the start, by a key of then, and is not in the journal is late too. (A
 * client whose clock is ahead of ours signs later than that. What is signed in the second of the start is let pass, as
 * a signature tells no more than its second: so what was refused in it, by a service that ended and was back within,
 * can come again.)
 */
import type { Clock } from '../base/clock.ts';
import { defaultFudgeSeconds, maxFudgeSeconds } from '../dns/wire/tsig.ts';
import { nameserverLimits } from './limits.ts';
import type { VerifiedKey } from './request.ts';

/** A signed message, and how long it has to be remembered. */
export interface SignedMessage {
  /** What tells it from all others; the journal has it as the request of what the message changed. */
  readonly identity: string;
  readonly keyId: number;
  readonly fudgeSeconds: number;
  /** Seconds since 1970, as its signer says. */
  readonly timeSigned: number;
  /** When its key was made, in milliseconds since 1970. */
  readonly createdAt: number;
}

/** What a message is known by. */
type Signature = Pick<VerifiedKey, 'id' | 'mac' | 'fudgeSeconds' | 'timeSigned' | 'createdAt'>;

/** Bytes of a MAC that tell it from all others. */
const tellingBytes = 16;

export function signedMessage({ id, mac, ...signed }: Signature): SignedMessage {
  const { fudgeSeconds, timeSigned, createdAt } = signed;
  const identity = `${id}-${mac.toString('hex', 0, tellingBytes)}`;
  return { identity, keyId: id, fudgeSeconds, timeSigned, createdAt };
}

/** The part of its fullest room that is given up at a time, so that not every update looks at all rooms. */
const givenUpAtATime = 1 / 64;

export class AnsweredUpdates<Answer> {
  readonly #clock: Clock;
  readonly #maxKept: number;
  /** By key and kind. */
  readonly #rooms = new Map<number, Room<Answer>>();
  #kept = 0;
  readonly #startedMs: number;
  #restored: ReadonlyMap<string, Answer> = new Map();

  /** As many messages are kept at most, and half as many from before this began. */
  constructor(clock: Clock, maxKept: number = nameserverLimits.rememberedUpdates) {
    this.#clock = clock;
    this.#maxKept = maxKept;
    this.#startedMs = clock();
  }

  /** Takes in those that were answered alike before this began, the last first. */
  restore(answeredSince: (sinceMs: number) => Iterable<string>, answer: Answer): void {
    const restored = new Map<string, Answer>();
    // The journal does not tell their fudges.
    for (const identity of answeredSince(this.#clock() - 2 * maxFudgeSeconds * 1000)) {
      if (restored.size >= this.#maxKept / 2) break;
      restored.set(identity, answer);
    }
    this.#restored = restored;
  }

  recall(message: SignedMessage): Answer | undefined {
    const now = this.#now();
    const answer = this.#rooms.get(roomOf(message))?.recall(message, now);
    if (answer !== undefined || this.#restored.size === 0) return answer;
    if (now - this.#startedAt > 2 * maxFudgeSeconds) this.#restored = new Map();
    return this.#restored.get(message.identity);
  }

  /** Whether a message that is not remembered may have been answered all the same. */
  isLate(message: SignedMessage): boolean {
    const { timeSigned, fudgeSeconds, createdAt } = message;
    const lateUntil = this.#rooms.get(roomOf(message))?.lateUntil ?? 0;
    // What it can not be signed at yet is the time of a clock that was set back since.
    const latest = this.#now() + Math.min(fudgeSeconds, maxFudgeSeconds);
    const isLateFor = (until: number) => timeSigned <= until && until <= latest;
    if (isLateFor(lateUntil)) return true;
    // Nothing of a younger key was answered before the start.
    const isOlderKey = createdAt < this.#startedMs;
    return isOlderKey && isLateFor(this.#startedAt - 1);
  }

  keep(message: SignedMessage, answer: Answer): void {
    const now = this.#now();
    if (this.#kept >= this.#maxKept) this.#makeRoom(now);
    const key = roomOf(message);
    let room = this.#rooms.get(key);
    if (room === undefined) {
      this.#sweep(now);
      room = new Room(isLasting(message) ? maxFudgeSeconds : defaultFudgeSeconds);
      this.#rooms.set(key, room);
    }
    const before = room.size;
    room.keep(message, answer, now);
    this.#kept += room.size - before;
  }

  /** The update came to nothing, so that it may be tried again. */
  forget(message: SignedMessage): void {
    if (this.#rooms.get(roomOf(message))?.forget(message)) this.#kept--;
  }

  /** Seconds since 1970. */
  #now(): number {
    return secondsOf(this.#clock());
  }

  get #startedAt(): number {
    return secondsOf(this.#startedMs);
  }

  #makeRoom(now: number): void {
    this.#sweep(now);
    if (this.#kept < this.#maxKept) return;
    let fullest: Room<Answer> | undefined;
    for (const room of this.#rooms.values()) {
      if (fullest === undefined || room.size > fullest.size) fullest = room;
    }
    if (fullest !== undefined) {
      this.#kept -= fullest.giveUp(Math.ceil(fullest.size * givenUpAtATime));
    }
  }

  /** Drops what is over, and the rooms of keys that were not used for long. */
  #sweep(now: number): void {
    for (const [key, room] of this.#rooms) {
      this.#kept -= room.dropExpired(now);
      if (room.isVacant(now)) this.#rooms.delete(key);
    }
  }
}

function secondsOf(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}

function isLasting({ fudgeSeconds }: SignedMessage): boolean {
  return fudgeSeconds > defaultFudgeSeconds;
}

function roomOf(message: SignedMessage): number {
  return 2 * message.keyId + (isLasting(message) ? 1 : 0);
}

/** An answer that is remembered; times in seconds since 1970. */
interface Kept<Answer> {
  answer: Answer;
  readonly keptAt: number;
  readonly timeSigned: number;
}

/** The messages of one key and kind, the oldest first. */
class Room<Answer> {
  /** Seconds from the first to the last moment that one signature holds. */
  readonly #signatureSeconds: number;
  readonly #kept = new Map<string, Kept<Answer>>();
  /** Goes on behind what was dropped: to begin anew would pass over all of that each time. */
  #order = this.#kept.entries();
  #oldest: readonly [string, Kept<Answer>] | undefined;
  /** The latest time signed of what was given up, in seconds since 1970. */
  lateUntil = 0;

  constructor(fudgeSeconds: number) {
    this.#signatureSeconds = 2 * fudgeSeconds;
  }

  get size(): number {
    return this.#kept.size;
  }

  /** True when there is nothing to remember any more. */
  isVacant(now: number): boolean {
    return this.size === 0 && now - this.lateUntil > this.#signatureSeconds;
  }

  recall({ identity }: SignedMessage, now: number): Answer | undefined {
    const kept = this.#kept.get(identity);
    return kept === undefined || this.#isOver(kept, now) ? undefined : kept.answer;
  }

  keep({ identity, timeSigned }: SignedMessage, answer: Answer, now: number): void {
    this.dropExpired(now);
    const known = this.#kept.get(identity);
    if (known !== undefined) known.answer = answer;
    else this.#kept.set(identity, { answer, keptAt: now, timeSigned });
  }

  forget({ identity }: SignedMessage): boolean {
    return this.#kept.delete(identity);
  }

  /** Returns how many it dropped. */
  dropExpired(now: number): number {
    const before = this.size;
    for (let oldest = this.#first(); oldest !== undefined; oldest = this.#first()) {
      const [identity, kept] = oldest;
      if (!this.#isOver(kept, now)) break;
      this.#kept.delete(identity);
    }
    return before - this.size;
  }

  /** Drops the oldest, though their signatures hold; returns how many. */
  giveUp(count: number): number {
    const before = this.size;
    while (before - this.size < count) {
      const oldest = this.#first();
      if (oldest === undefined) break;
      const [identity, { timeSigned }] = oldest;
      this.lateUntil = Math.max(this.lateUntil, timeSigned);
      this.#kept.delete(identity);
    }
    return before - this.size;
  }

  #first(): readonly [string, Kept<Answer>] | undefined {
    while (this.size > 0) {
      if (this.#oldest !== undefined) {
        const [identity, kept] = this.#oldest;
        if (this.#kept.get(identity) === kept) return this.#oldest;
      }
      const next = this.#order.next();
      if (next.done) this.#order = this.#kept.entries();
      else this.#oldest = next.value;
    }
    return undefined;
  }

  #isOver({ keptAt }: Kept<Answer>, now: number): boolean {
    return now - keptAt > this.#signatureSeconds;
  }
}

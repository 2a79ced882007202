/**
 * Signed updates that were answered: one that comes again, sent anew by its client or by somebody who
 * listened, gets the same answer and is not applied again (RFC 8945 10: a signature is good as long as
 * its time is).
 *
 * A message is identified by its key and MAC. Two generations are kept, the younger becoming the older once
 * it has lived as long as a signature can, or is full: so each entry is there for at least that long,
 * unless more updates come in that time than there is room for. Messages with a fudge above the usual one, whose
 * signatures hold for longer, have generations of their own. After a restart the journal tells which ones changed
 * something.
 */
import type { Clock } from '../base/clock.ts';
import { defaultFudgeSeconds, maxFudgeSeconds } from '../dns/wire/tsig.ts';
import { nameserverLimits } from './limits.ts';
import type { VerifiedKey } from './request.ts';

/** A signed message, and how long it has to be remembered. */
export interface SignedMessage {
  /** What tells it from all others; the journal has it as the request of what the message changed. */
  readonly identity: string;
  readonly fudgeSeconds: number;
}

/** Bytes of a MAC that tell it from all others. */
const tellingBytes = 16;

export function signedMessage(
  key: Pick<VerifiedKey, 'id' | 'mac' | 'fudgeSeconds'>,
): SignedMessage {
  const identity = `${key.id}-${key.mac.toString('hex', 0, tellingBytes)}`;
  return { identity, fudgeSeconds: key.fudgeSeconds };
}

export class AnsweredUpdates<Answer> {
  readonly #usual: Generations<Answer>;
  readonly #lasting: Generations<Answer>;

  /** As many messages are kept of either kind. */
  constructor(clock: Clock, maxKept: number = nameserverLimits.rememberedUpdates) {
    this.#usual = new Generations(clock, defaultFudgeSeconds, maxKept);
    this.#lasting = new Generations(clock, maxFudgeSeconds, maxKept);
  }

  /** Takes in those that were answered alike before this began, the last first. */
  restore(answeredSince: (sinceMs: number) => Iterable<string>, answer: Answer): void {
    // The journal does not tell their fudges.
    this.#usual.restore(answeredSince, answer);
    this.#lasting.restore(answeredSince, answer);
  }

  recall(message: SignedMessage): Answer | undefined {
    return this.#of(message).recall(message);
  }

  keep(message: SignedMessage, answer: Answer): void {
    this.#of(message).keep(message, answer);
  }

  /** The update came to nothing, so that it may be tried again. */
  forget(message: SignedMessage): void {
    this.#of(message).forget(message);
  }

  #of({ fudgeSeconds }: SignedMessage): Generations<Answer> {
    return fudgeSeconds > defaultFudgeSeconds ? this.#lasting : this.#usual;
  }
}

/** The messages of a time that a signature can hold for, and of the time before it. */
class Generations<Answer> {
  readonly #clock: Clock;
  /** Milliseconds from the first to the last moment that one signature holds. */
  readonly #signatureMs: number;
  readonly #maxKept: number;
  #younger = new Map<string, Answer>();
  #older = new Map<string, Answer>();
  #youngerSince: number;

  constructor(clock: Clock, fudgeSeconds: number, maxKept: number) {
    this.#clock = clock;
    this.#signatureMs = 2 * fudgeSeconds * 1000;
    this.#maxKept = maxKept;
    this.#youngerSince = clock();
  }

  restore(answeredSince: (sinceMs: number) => Iterable<string>, answer: Answer): void {
    for (const identity of answeredSince(this.#clock() - this.#signatureMs)) {
      if (this.#younger.size >= this.#maxKept / 2) return;
      this.#younger.set(identity, answer);
    }
  }

  recall({ identity }: SignedMessage): Answer | undefined {
    this.#age();
    return this.#younger.get(identity) ?? this.#older.get(identity);
  }

  keep({ identity }: SignedMessage, answer: Answer): void {
    if (this.#younger.size >= this.#maxKept / 2) this.#turn();
    this.#younger.set(identity, answer);
  }

  forget({ identity }: SignedMessage): void {
    this.#younger.delete(identity);
    this.#older.delete(identity);
  }

  #age(): void {
    const age = this.#clock() - this.#youngerSince;
    if (age < this.#signatureMs) return;
    this.#turn();
    if (age >= 2 * this.#signatureMs) this.#older = new Map();
  }

  #turn(): void {
    this.#older = this.#younger;
    this.#younger = new Map();
    this.#youngerSince = this.#clock();
  }
}

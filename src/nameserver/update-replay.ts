/**
 * Signed updates that were answered: one that comes again, sent anew by its client or by somebody who
 * listened, gets the same answer and is not applied again (RFC 8945 10: a signature is good as long as
 * its time is).
 *
 * A message is told by its key and MAC. Two generations are kept, the younger becoming the older once
 * it has lived as long as a signature can, or is full: so each entry is there for at least that long,
 * unless more updates come in that time than there is room for. After a restart the journal tells which
 * ones changed something.
 */
import type { Clock } from '../base/clock.ts';
import { defaultFudgeSeconds } from '../dns/wire/tsig.ts';
import { nameserverLimits } from './limits.ts';
import type { VerifiedKey } from './request.ts';

/** Milliseconds from the first to the last moment that one signature holds. */
const signatureMs = 2 * defaultFudgeSeconds * 1000;

/** Octets of a MAC that tell it from all others. */
const tellingOctets = 16;

/** What stands for one signed message; the journal has it as the request of what the message changed. */
export function identityOf({ id, mac }: VerifiedKey): string {
  return `${id}-${mac.toString('hex', 0, tellingOctets)}`;
}

export class AnsweredUpdates<Answer> {
  readonly #clock: Clock;
  readonly #mostKept: number;
  #younger = new Map<string, Answer>();
  #older = new Map<string, Answer>();
  #youngerSince: number;

  constructor(clock: Clock, mostKept: number = nameserverLimits.rememberedUpdates) {
    this.#clock = clock;
    this.#mostKept = mostKept;
    this.#youngerSince = clock();
  }

  /** Takes in those that were answered alike before this began, the last first. */
  restore(answeredSince: (sinceMs: number) => Iterable<string>, answer: Answer): void {
    for (const identity of answeredSince(this.#clock() - signatureMs)) {
      if (this.#younger.size >= this.#mostKept / 2) return;
      this.#younger.set(identity, answer);
    }
  }

  recall(identity: string): Answer | undefined {
    this.#age();
    return this.#younger.get(identity) ?? this.#older.get(identity);
  }

  keep(identity: string, answer: Answer): void {
    if (this.#younger.size >= this.#mostKept / 2) this.#turn();
    this.#younger.set(identity, answer);
  }

  /** The update came to nothing, so that it may be tried again. */
  forget(identity: string): void {
    this.#younger.delete(identity);
    this.#older.delete(identity);
  }

  #age(): void {
    const age = this.#clock() - this.#youngerSince;
    if (age < signatureMs) return;
    this.#turn();
    if (age >= 2 * signatureMs) this.#older.clear();
  }

  #turn(): void {
    this.#older = this.#younger;
    this.#younger = new Map();
    this.#youngerSince = this.#clock();
  }
}

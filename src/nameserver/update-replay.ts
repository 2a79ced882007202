/**
 * Signed updates that were answered: one that comes again, sent anew by its client or by somebody who
 * listened, gets the same answer and is not applied again (RFC 8945 10: a signature is good as long as
 * its time is).
 *
 * A message is told by its key and MAC. Two generations are kept, the younger becoming the older once
 * it has lived as long as a signature can, or is full: so each entry is there for at least that long,
 * unless more updates come in that time than there is room for. Messages with a fudge above the usual one, whose
 * signatures hold for longer, have generations of their own. After a restart the journal tells which ones changed
 * something.
 */
import type { Clock } from '../base/clock.ts';
import { defaultFudgeSeconds, maxFudgeSeconds } from '../dns/wire/tsig.ts';
import { nameserverLimits } from './limits.ts';
import type { VerifiedKey } from './request.ts';

/** What tells one signed message from all others. */
type Fingerprint = Pick<VerifiedKey, 'id' | 'mac'>;

/** A signed message, and how long it has to be remembered. */
export type SignedMessage = Pick<VerifiedKey, 'id' | 'mac' | 'fudgeSeconds'>;

/** Octets of a MAC that tell it from all others. */
const tellingOctets = 16;

/** What stands for one signed message; the journal has it as the request of what the message changed. */
export function identityOf({ id, mac }: Fingerprint): string {
  return `${id}-${mac.toString('hex', 0, tellingOctets)}`;
}

/** Undefined for a text that stands for no message. */
function fingerprintOf(identity: string): Fingerprint | undefined {
  const [id, hex = ''] = identity.split('-');
  const mac = Buffer.from(hex, 'hex');
  return mac.length === tellingOctets ? { id: Number(id), mac } : undefined;
}

export class AnsweredUpdates<Answer> {
  readonly #usual: Generations<Answer>;
  readonly #lasting: Generations<Answer>;

  /** As many messages are kept of either kind. */
  constructor(clock: Clock, mostKept: number = nameserverLimits.rememberedUpdates) {
    this.#usual = new Generations(clock, defaultFudgeSeconds, mostKept);
    this.#lasting = new Generations(clock, maxFudgeSeconds, mostKept);
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
  readonly #mostKept: number;
  #younger = new Generation<Answer>();
  #older = new Generation<Answer>();
  #youngerSince: number;

  constructor(clock: Clock, fudgeSeconds: number, mostKept: number) {
    this.#clock = clock;
    this.#signatureMs = 2 * fudgeSeconds * 1000;
    this.#mostKept = mostKept;
    this.#youngerSince = clock();
  }

  restore(answeredSince: (sinceMs: number) => Iterable<string>, answer: Answer): void {
    for (const identity of answeredSince(this.#clock() - this.#signatureMs)) {
      if (this.#younger.size >= this.#mostKept / 2) return;
      const fingerprint = fingerprintOf(identity);
      if (fingerprint !== undefined) this.#younger.set(fingerprint, answer);
    }
  }

  recall(message: Fingerprint): Answer | undefined {
    this.#age();
    return this.#younger.get(message) ?? this.#older.get(message);
  }

  keep(message: Fingerprint, answer: Answer): void {
    if (this.#younger.size >= this.#mostKept / 2) this.#turn();
    this.#younger.set(message, answer);
  }

  forget(message: Fingerprint): void {
    this.#younger.delete(message);
    this.#older.delete(message);
  }

  #age(): void {
    const age = this.#clock() - this.#youngerSince;
    if (age < this.#signatureMs) return;
    this.#turn();
    if (age >= 2 * this.#signatureMs) this.#older = new Generation();
  }

  #turn(): void {
    this.#older = this.#younger;
    this.#younger = new Generation();
    this.#youngerSince = this.#clock();
  }
}

/** Words of 32 bits of an entry: the key's number, then what tells the MAC. */
const wordsPerEntry = 1 + tellingOctets / 4;
const firstPlaces = 1024;

/**
 * Answers by fingerprint, in a table with open addressing: a Map of texts takes many times as long for so many,
 * and as much memory again. MACs are as good as random, so they are their own hash; only verified ones come here.
 */
class Generation<Answer> {
  /** Fingerprints that were ever set. */
  size = 0;
  #words = new Uint32Array(firstPlaces * wordsPerEntry);
  /** By place; undefined in those that are free, null where an answer was deleted. */
  #answers: (Answer | null | undefined)[] = new Array(firstPlaces);

  get(message: Fingerprint): Answer | undefined {
    return this.#answers[this.#placeOf(message)] ?? undefined;
  }

  set(message: Fingerprint, answer: Answer): void {
    let place = this.#placeOf(message);
    if (this.#answers[place] === undefined) {
      this.size++;
      if (this.size * 2 > this.#answers.length) {
        this.#grow();
        place = this.#placeOf(message);
      }
      const { id, mac } = message;
      const at = place * wordsPerEntry;
      this.#words[at] = id;
      for (let word = 1; word < wordsPerEntry; word++) this.#words[at + word] = wordOf(mac, word);
    }
    this.#answers[place] = answer;
  }

  delete(message: Fingerprint): void {
    const place = this.#placeOf(message);
    if (this.#answers[place] !== undefined) this.#answers[place] = null;
  }

  /** Where a message stands, or is to stand. */
  #placeOf({ id, mac }: Fingerprint): number {
    const words = this.#words;
    const answers = this.#answers;
    const mask = answers.length - 1;
    for (let place = wordOf(mac, 1) & mask; ; place = (place + 1) & mask) {
      if (answers[place] === undefined) return place;
      const at = place * wordsPerEntry;
      let word = 1;
      while (word < wordsPerEntry && words[at + word] === wordOf(mac, word)) word++;
      if (word === wordsPerEntry && words[at] === id) return place;
    }
  }

  #grow(): void {
    const words = this.#words;
    const answers = this.#answers;
    const mask = answers.length * 2 - 1;
    this.#words = new Uint32Array(words.length * 2);
    this.#answers = new Array(answers.length * 2);
    for (const [place, answer] of answers.entries()) {
      if (answer === undefined) continue;
      const at = place * wordsPerEntry;
      let next = words[at + 1]! & mask;
      while (this.#answers[next] !== undefined) next = (next + 1) & mask;
      this.#words.set(words.subarray(at, at + wordsPerEntry), next * wordsPerEntry);
      this.#answers[next] = answer;
    }
  }
}

/** The nth word of what tells a MAC, from 1 on. */
function wordOf(mac: Buffer, word: number): number {
  return mac.readUInt32LE(word * 4 - 4);
}

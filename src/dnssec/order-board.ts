/**
 * Orders of signatures in memory that threads share: a ring of slots, each with what is to be signed,
 * by which key, and room for the signature. One thread orders and collects, the others sign.
 */
import type { MessagePort } from 'node:worker_threads';
import { type SigningKey, signWith } from './key-pair.ts';

export interface SigningThreadData {
  readonly memory: SharedArrayBuffer;
  /** Where keys come by, numbered in the order of their coming. */
  readonly keys: MessagePort;
}

/** A power of 2: slots are numbers of orders, which wrap, modulo this. */
const slots = 512;
const maxDataBytes = 1024;
const maxSignatureBytes = 512;
const slotBytes = maxDataBytes + maxSignatureBytes;

/** Words before those of the slots: how many orders there were, and how many threads sleep. */
const orderedWord = 0;
const sleepersWord = 1;
const headWords = 2;
/** Words of a slot: its state, its key, the length of its data and of its signature. */
const slotWords = 4;

const free = 0;
const ordered = 1;
const taken = 2;
const made = 3;
const failed = 4;

/** Milliseconds of one pause, and how many a thread without orders makes before it sleeps. */
const pauseMs = 0.3;
const maxPauses = 200;
/** A word that nobody changes: who waits on it waits for the time. */
const nothing = new Int32Array(new SharedArrayBuffer(4));

/** Milliseconds after which a signature is not waited for any longer. */
const signatureTimeoutMs = 1000;

export class OrderBoard {
  readonly slots = slots;
  readonly memory: SharedArrayBuffer;
  readonly #words: Int32Array;
  readonly #bytes: Buffer;

  constructor(memory?: SharedArrayBuffer) {
    const wordBytes = (headWords + slots * slotWords) * 4;
    this.memory = memory ?? new SharedArrayBuffer(wordBytes + slots * slotBytes);
    this.#words = new Int32Array(this.memory, 0, wordBytes / 4);
    this.#bytes = Buffer.from(this.memory as unknown as ArrayBuffer, wordBytes);
  }

  /** Orders a signature; undefined when it is too long for a slot, or none is free. */
  order(key: number, data: Buffer, signatureLength: number): number | undefined {
    if (data.length > maxDataBytes || signatureLength > maxSignatureBytes) return undefined;
    const count = Atomics.load(this.#words, orderedWord);
    const slot = count & (slots - 1);
    const word = headWords + slot * slotWords;
    if (Atomics.load(this.#words, word) !== free) return undefined;
    this.#words[word + 1] = key;
    this.#words[word + 2] = data.length;
    this.#words[word + 3] = signatureLength;
    data.copy(this.#bytes, slot * slotBytes);
    Atomics.store(this.#words, word, ordered);
    Atomics.store(this.#words, orderedWord, (count + 1) | 0);
    // Waking costs a call of the system.
    if (Atomics.load(this.#words, sleepersWord) > 0) Atomics.notify(this.#words, orderedWord);
    return slot;
  }

  /** True when nobody had begun: whoever asks has to sign now. */
  takeBack(slot: number): boolean {
    const word = headWords + slot * slotWords;
    return Atomics.compareExchange(this.#words, word, ordered, free) === ordered;
  }

  /** Waits for a signature that was begun; false when none was made of it. */
  collect(slot: number, signature: Buffer): boolean {
    const word = headWords + slot * slotWords;
    while (Atomics.load(this.#words, word) === taken) {
      if (Atomics.wait(this.#words, word, taken, signatureTimeoutMs) === 'timed-out') return false;
    }
    const isMade = Atomics.load(this.#words, word) === made;
    const start = slot * slotBytes + maxDataBytes;
    if (isMade) this.#bytes.copy(signature, 0, start, start + signature.length);
    Atomics.store(this.#words, word, free);
    return isMade;
  }

  isFree(slot: number): boolean {
    return Atomics.load(this.#words, headWords + slot * slotWords) === free;
  }

  /** The part of a thread that signs: it takes what is ordered and no other has taken, forever. */
  serve(keyOf: (key: number) => SigningKey): never {
    let done = Atomics.load(this.#words, orderedWord);
    // Orders of before this thread ran are taken too, as far as they are still there.
    done = (done - slots) | 0;
    let pauses = 0;
    while (true) {
      const count = Atomics.load(this.#words, orderedWord);
      if (count === done) {
        // To wake a thread takes the other one longer than an order: while there is work, it pauses.
        if (pauses++ < maxPauses) Atomics.wait(nothing, 0, 0, pauseMs);
        else this.#sleep(count);
        continue;
      }
      pauses = 0;
      if (((count - done) | 0) > slots) done = (count - slots) | 0;
      this.#signAt(done & (slots - 1), keyOf);
      done = (done + 1) | 0;
    }
  }

  /** Until there are more orders than `count`. */
  #sleep(count: number): void {
    Atomics.add(this.#words, sleepersWord, 1);
    Atomics.wait(this.#words, orderedWord, count);
    Atomics.sub(this.#words, sleepersWord, 1);
  }

  #signAt(slot: number, keyOf: (key: number) => SigningKey): void {
    const word = headWords + slot * slotWords;
    if (Atomics.compareExchange(this.#words, word, ordered, taken) !== ordered) return;
    let outcome = failed;
    try {
      const start = slot * slotBytes;
      const length = this.#words[word + 2]!;
      const data = Buffer.from(this.#bytes.subarray(start, start + length));
      const signature = signWith(keyOf(this.#words[word + 1]!), data);
      if (signature.length === this.#words[word + 3]) {
        signature.copy(this.#bytes, start + maxDataBytes);
        outcome = made;
      }
    } catch {
      // Whoever ordered signs it, and hears of what is wrong.
    }
    Atomics.store(this.#words, word, outcome);
    Atomics.notify(this.#words, word);
  }
}

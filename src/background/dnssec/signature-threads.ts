/** The threads that make the signatures of a pass over a whole zone: one for each core. */
import { availableParallelism } from 'node:os';
import type { Worker } from 'node:worker_threads';
import { assert } from '../../base/problem.ts';
import { startThread } from '../../base/thread.ts';
import type { SigningOrder } from '../../dnssec/deferred-signing.ts';
import type { SignatureDelivery, SignatureKey, SignatureOrder } from './signature-protocol.ts';

/** Whoever walks through the zone keeps no more threads busy than this. */
const mostThreads = 4;

interface Waiting {
  readonly resolve: (signatures: Uint8Array) => void;
  readonly reject: (reason: Error) => void;
}

interface Hand {
  readonly worker: Worker;
  /** Orders that it has not delivered yet. */
  orders: number;
}

export class SignatureThreads {
  readonly #keys: readonly SignatureKey[];
  readonly #hands: Hand[];
  readonly #waiting = new Map<number, Waiting>();
  #lastNumber = 0;
  #failure: Error | undefined;

  constructor(keys: readonly SignatureKey[]) {
    this.#keys = keys;
    const count = keys.length === 0 ? 0 : Math.min(availableParallelism(), mostThreads);
    this.#hands = Array.from({ length: count }, () => this.#start());
  }

  #start(): Hand {
    const worker = startThread(new URL('./signature-thread.ts', import.meta.url), {
      workerData: this.#keys,
    });
    const hand = { worker, orders: 0 };
    worker.on('message', (delivery: SignatureDelivery) => {
      hand.orders--;
      this.#take(delivery);
    });
    worker.on('error', (error: Error) => this.#fail(error));
    worker.on('exit', () => this.#fail(new Error('a thread that signs ended')));
    return hand;
  }

  /** Has an order signed by the thread that has least to do. */
  sign({ dnskey, data, ends }: SigningOrder): Promise<Uint8Array> {
    const key = this.#keys.findIndex((each) => dnskey.equals(each.dnskey));
    assert(key >= 0, 'the threads were given every key');
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const number = ++this.#lastNumber;
    const hand = this.#hands.reduce((a, b) => (b.orders < a.orders ? b : a));
    hand.orders++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject });
      const order: SignatureOrder = { number, key, data, ends };
      hand.worker.postMessage(order, [data.buffer as ArrayBuffer, ends.buffer as ArrayBuffer]);
    });
  }

  #take({ number, signatures, failure }: SignatureDelivery): void {
    const waiting = this.#waiting.get(number);
    this.#waiting.delete(number);
    if (signatures === undefined) waiting?.reject(new Error(failure));
    else waiting?.resolve(signatures);
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }

  close(): void {
    for (const { worker } of this.#hands) void worker.terminate();
  }
}

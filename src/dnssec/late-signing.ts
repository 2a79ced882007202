/**
 * Signatures that are made by threads while the one that ordered them goes on: their bytes are there
 * after `join`. The steps of one commit order theirs one after the other, and all are joined before
 * anything of the commit is packed, hashed or written. A pass over a whole zone orders ahead of what it
 * writes, and joins as far as it has come.
 *
 * ```
 *   ordered --taken by a thread--> taken --> made        (join waits, and copies)
 *        \--taken back by join---> made here
 * ```
 * Orders stand in memory that all of them share. Joining signs from the other end what the threads have
 * not come to, so nobody waits for longer than one signature takes, and a thread that is slow, still
 * starting or dead costs nothing but its help. Small commits are signed on the spot.
 */
import { availableParallelism } from 'node:os';
import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads';
import { Problem, unreachable } from '../base/problem.ts';
import { startThread } from '../base/thread.ts';
import { algorithmOf } from './algorithm.ts';
import { algorithmOfDnskey, publicKeyOfDnskey, splitRsaPublicKey } from './dnskey.ts';
import { type KeyPair, type Signer, signerOf, type SigningKey, signingKeyOf } from './key-pair.ts';
import { OrderBoard, type SigningThreadData } from './order-board.ts';
import type { Verifier } from './noble.ts';

/** Signatures in a commit from which on its threads are kept for the next commits. */
const worthThreads = 8;
/** Milliseconds without such a commit after which the threads and their heaps are given back. */
const idleMs = 30_000;
/** Keys after which threads are replaced by others that know none. */
const maxKeys = 10_000;

/** Threads of a pass: whoever walks through the zone keeps no more busy than this. */
const maxPassThreads = 4;

interface Order {
  /** Which of all that were ever ordered it is, from 1. */
  readonly number: number;
  readonly slot: number;
  readonly signer: Signer;
  readonly data: Buffer;
  /** Where the signature goes. */
  readonly signature: Buffer;
}

interface Check {
  /** Signatures that were ordered before it. */
  readonly after: number;
  readonly isGood: () => boolean;
}

interface Threads {
  readonly workers: readonly Worker[];
  readonly board: OrderBoard;
  readonly keys: readonly MessagePort[];
  /** Numbers of the keys that the threads were given. */
  readonly known: Map<Signer, number>;
}

export class LateSigning {
  readonly #parallelism: number;
  #threads: Threads | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #isPass = false;
  #isLate = false;
  #ordered = 0;
  /** Of those, how many were joined or forgotten. */
  #joined = 0;
  #orders: Order[] = [];
  #checks: Check[] = [];
  #isRefuted = false;

  /** `parallelism`: threads that the machine runs at once. With one, everything is signed on the spot. */
  constructor(parallelism: number = availableParallelism()) {
    this.#parallelism = parallelism;
  }

  /** Signatures that were ever asked for, to be late. */
  get ordered(): number {
    return this.#ordered;
  }

  /**
   * From now on, until `close`, these are the signatures of a pass: all of them may be late, made by threads
   * for all cores, which are as nice as the one that starts them.
   */
  beginPass(): void {
    this.#isPass = true;
    this.#isLate = true;
    this.#keepThreads();
  }

  /** A signer whose signatures may be late, when they are made `during` some work. */
  signerOf(pair: KeyPair): Signer {
    const immediate = signerOf(pair);
    const bytes = signatureBytes(pair.dnskey);
    const key = signingKeyOf(pair);
    const signer: Signer = {
      ...immediate,
      signLater: {
        bytes,
        into: (signature, data) => {
          if (!this.#order(signer, key, signature, data)) signature.set(immediate.sign(data));
        },
      },
    };
    return signer;
  }

  /** Does work whose signatures nobody looks at before the next `join`. */
  during<Result>(work: () => Result): Result {
    this.#isLate = true;
    try {
      return work();
    } finally {
      this.#isLate = false;
    }
  }

  /** The opinion on signatures that may be late: it is asked by `join`, of one in each commit, of all of a pass. */
  verifierOf(verifier: Verifier): Verifier {
    return {
      derivePublicKey: (algorithm, numbers) => verifier.derivePublicKey(algorithm, numbers),
      isDue: () => (this.#isPass || this.#checks.length === 0) && (verifier.isDue?.() ?? true),
      verify: (algorithm, publicKey, data, signature) => {
        if (!this.#isLate) return verifier.verify(algorithm, publicKey, data, signature);
        const isGood = () => verifier.verify(algorithm, publicKey, data, signature);
        this.#checks.push({ after: this.#ordered, isGood });
        return true;
      },
    };
  }

  /**
   * From now on all signatures are there, or those that were `ordered` at some time. Throws
   * DNSSEC_SIGNING_FAILED when one that is checked does not verify: then nothing of the commit may stay, and
   * each further call throws until `forget`.
   */
  join(ordered: number = this.#ordered): void {
    this.#collect(ordered);
    if (this.#isPass || ordered - this.#joined >= worthThreads) this.#keepThreads();
    this.#joined = ordered;
    const due = this.#checks.filter(({ after }) => after <= ordered);
    this.#checks = this.#checks.slice(due.length);
    this.#isRefuted ||= !due.every(({ isGood }) => isGood());
    if (!this.#isRefuted) return;
    throw new Problem(
      'DNSSEC_SIGNING_FAILED',
      'a signature does not verify: nothing was published',
    );
  }

  /** The commit was rolled back, and with it whoever wanted its signatures: none is made that was not begun. */
  forget(): void {
    this.#discard();
    this.#checks = [];
    this.#joined = this.#ordered;
    this.#isRefuted = false;
  }

  /** Ends the threads. */
  close(): void {
    this.#discard();
    this.#endThreads();
  }

  /** Gives the threads back, unless a commit or a pass waits for its signatures. */
  #rest(): void {
    if (this.#isPass || this.#orders.length > 0) this.#idleTimer?.refresh();
    else this.#endThreads();
  }

  #endThreads(): void {
    clearTimeout(this.#idleTimer);
    this.#idleTimer = undefined;
    for (const worker of this.#threads?.workers ?? []) void worker.terminate();
    this.#threads = undefined;
  }

  /** False when the signature has to be made on the spot. */
  #order(signer: Signer, key: SigningKey, signature: Buffer, data: Buffer): boolean {
    if (!this.#isLate) return false;
    const number = ++this.#ordered;
    if (this.#orders.length === this.#threads?.board.slots) this.#collect();
    const threads = this.#threads;
    if (threads === undefined) return false;
    const slot = threads.board.order(this.#numberOf(threads, signer, key), data, signature.length);
    if (slot === undefined) return false;
    this.#orders.push({ number, slot, signer, data, signature });
    return true;
  }

  #numberOf({ known, keys }: Threads, signer: Signer, key: SigningKey): number {
    let number = known.get(signer);
    if (number === undefined) {
      number = known.size;
      known.set(signer, number);
      for (const port of keys) port.postMessage(key);
    }
    return number;
  }

  /** Makes from the last on what no thread has begun of the first orders, then takes what they made. */
  #collect(ordered = Number.POSITIVE_INFINITY): void {
    const later = this.#orders.findIndex(({ number }) => number > ordered);
    const orders = later < 0 ? this.#orders : this.#orders.slice(0, later);
    if (orders.length === 0) return;
    const { board } = this.#threads!;
    const begun: Order[] = [];
    let hasDied = false;
    for (const order of orders.toReversed()) {
      if (board.takeBack(order.slot)) order.signature.set(order.signer.sign(order.data));
      else begun.push(order);
    }
    for (const { slot, signer, data, signature } of begun) {
      if (board.collect(slot, signature)) continue;
      // A signature that never comes tells of a thread that died over it.
      hasDied ||= !board.isFree(slot);
      signature.set(signer.sign(data));
    }
    // Where a key fails to sign, all are still there for `forget`.
    this.#orders = this.#orders.slice(orders.length);
    if (!hasDied) return;
    this.#endThreads();
    for (const { signer, data, signature } of this.#orders.splice(0)) {
      signature.set(signer.sign(data));
    }
  }

  /** Drops what is ordered. */
  #discard(): void {
    for (const { slot, signature } of this.#orders.splice(0)) {
      const { board } = this.#threads!;
      if (board.takeBack(slot) || board.collect(slot, signature) || board.isFree(slot)) continue;
      this.#endThreads();
      return;
    }
  }

  #keepThreads(): void {
    if (this.#parallelism < 2) return;
    if (this.#threads !== undefined && this.#threads.known.size >= maxKeys) this.close();
    this.#threads ??= startThreads(this.#isPass ? Math.min(this.#parallelism, maxPassThreads) : 1);
    if (this.#idleTimer === undefined) {
      this.#idleTimer = setTimeout(() => this.#rest(), idleMs).unref();
    } else this.#idleTimer.refresh();
  }
}

function startThreads(count: number): Threads {
  const board = new OrderBoard();
  const started = Array.from({ length: count }, () => startSigningThread(board));
  return {
    workers: started.map(({ worker }) => worker),
    board,
    keys: started.map(({ keys }) => keys),
    known: new Map(),
  };
}

function startSigningThread({ memory }: OrderBoard): { worker: Worker; keys: MessagePort } {
  const { port1: keys, port2: port } = new MessageChannel();
  const workerData: SigningThreadData = { memory, keys: port };
  const worker = startThread(new URL('./late-signing-thread.ts', import.meta.url), {
    workerData,
    transferList: [port],
  });
  worker.unref();
  keys.unref();
  // What a thread that fails has not signed is signed by those who wait for it.
  worker.on('error', () => {});
  return { worker, keys };
}

/** Bytes of a signature by the key of a DNSKEY. */
function signatureBytes(dnskey: Buffer): number {
  const facts = algorithmOf(algorithmOfDnskey(dnskey));
  switch (facts.family) {
    case 'ec':
      return 2 * facts.fieldBytes;
    case 'ed':
      return 2 * facts.keyBytes;
    case 'rsa':
      return splitRsaPublicKey(publicKeyOfDnskey(dnskey)).modulus.length;
    default:
      return unreachable(facts);
  }
}

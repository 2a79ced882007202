/**
 * Signatures that are made by a thread while the one that ordered them goes on: their bytes are there
 * after `join`. The steps of one commit order theirs one after the other, and all are joined before
 * anything of the commit is packed, hashed or written.
 *
 * ```
 *   ordered --taken by the thread--> taken --> made        (join waits, and copies)
 *        \--taken back by join-----> made here
 * ```
 * Orders stand in memory that both threads share. Joining signs from the other end what the thread has
 * not come to, so nobody waits for longer than one signature takes, and a thread that is slow, still
 * starting or dead costs nothing but its help. Small commits are signed on the spot.
 */
import { availableParallelism } from 'node:os';
import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads';
import { Problem } from '../base/problem.ts';
import { startThread } from '../base/thread.ts';
import { signatureBytes } from './deferred-signing.ts';
import { type KeyPair, type Signer, signerOf, type SigningKey, signingKeyOf } from './key-pair.ts';
import { OrderBoard, type SigningThreadData } from './order-board.ts';
import type { SecondOpinion } from './noble.ts';

/** A commit with so many signatures is worth a thread, which the next ones have then. */
const worthThread = 8;
/** Milliseconds without such a commit after which the thread and its heap are given back. */
const idleMs = 30_000;
/** Keys after which a thread is replaced by one that knows none. */
const maxKeys = 10_000;

interface Order {
  readonly slot: number;
  readonly signer: Signer;
  readonly data: Buffer;
  /** Where the signature goes. */
  readonly signature: Buffer;
}

interface Thread {
  readonly worker: Worker;
  readonly board: OrderBoard;
  readonly keys: MessagePort;
  /** Numbers of the keys that the thread was given. */
  readonly known: Map<Signer, number>;
}

export class LateSigning {
  readonly #threads: number;
  #thread: Thread | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #isLate = false;
  /** Signatures of the open commit. */
  #made = 0;
  #orders: Order[] = [];
  #checks: (() => boolean)[] = [];
  #isRefuted = false;

  /** `threads` that the machine runs at once: with one, everything is signed on the spot. */
  constructor(threads: number = availableParallelism()) {
    this.#threads = threads;
  }

  /** A signer whose signatures may be late, when they are made `during` some work. */
  signerOf(pair: KeyPair): Signer {
    const plain = signerOf(pair);
    const bytes = signatureBytes(pair.dnskey);
    const key = signingKeyOf(pair);
    const signer: Signer = {
      ...plain,
      signLater: {
        bytes,
        into: (signature, data) => {
          if (!this.#order(signer, key, signature, data)) signature.set(plain.sign(data));
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

  /** The opinion on signatures that may be late: it is asked by `join`, of one in each commit. */
  opinionOf(opinion: SecondOpinion): SecondOpinion {
    return {
      derivePublicKey: (algorithm, numbers) => opinion.derivePublicKey(algorithm, numbers),
      isDue: () => this.#checks.length === 0 && (opinion.isDue?.() ?? true),
      verify: (algorithm, publicKey, data, signature) => {
        if (!this.#isLate) return opinion.verify(algorithm, publicKey, data, signature);
        this.#checks.push(() => opinion.verify(algorithm, publicKey, data, signature));
        return true;
      },
    };
  }

  /**
   * From now on all signatures are there. Throws DNSSEC_SIGNING_FAILED when one that is checked does not
   * verify: then nothing of the commit may stay, and each further call throws until `forget`.
   */
  join(): void {
    this.#collect();
    if (this.#made >= worthThread) this.#keepThread();
    this.#made = 0;
    const checks = this.#checks;
    this.#checks = [];
    this.#isRefuted ||= !checks.every((check) => check());
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
    this.#made = 0;
    this.#isRefuted = false;
  }

  /** Ends the thread. */
  close(): void {
    this.#discard();
    this.#endThread();
  }

  /** Gives the thread back, unless a commit waits for its signatures. */
  #rest(): void {
    if (this.#orders.length > 0) this.#idleTimer?.refresh();
    else this.#endThread();
  }

  #endThread(): void {
    clearTimeout(this.#idleTimer);
    this.#idleTimer = undefined;
    void this.#thread?.worker.terminate();
    this.#thread = undefined;
  }

  /** False when the signature has to be made on the spot. */
  #order(signer: Signer, key: SigningKey, signature: Buffer, data: Buffer): boolean {
    if (!this.#isLate) return false;
    this.#made++;
    const thread = this.#thread;
    if (thread === undefined) return false;
    if (this.#orders.length === thread.board.slots) this.#collect();
    const slot = thread.board.order(this.#numberOf(thread, signer, key), data, signature.length);
    if (slot === undefined) return false;
    this.#orders.push({ slot, signer, data, signature });
    return true;
  }

  #numberOf({ known, keys }: Thread, signer: Signer, key: SigningKey): number {
    let number = known.get(signer);
    if (number === undefined) {
      number = known.size;
      known.set(signer, number);
      keys.postMessage(key);
    }
    return number;
  }

  /** Makes from the last on what the thread has not begun, then takes what it made. */
  #collect(): void {
    const orders = this.#orders;
    if (orders.length === 0) return;
    const { board } = this.#thread!;
    const begun: Order[] = [];
    for (const order of orders.toReversed()) {
      if (board.takeBack(order.slot)) order.signature.set(order.signer.sign(order.data));
      else begun.push(order);
    }
    for (const { slot, signer, data, signature } of begun) {
      if (board.collect(slot, signature)) continue;
      // A signature that never comes tells of a thread that died over it.
      if (!board.isFree(slot)) this.#endThread();
      signature.set(signer.sign(data));
    }
    // Where a key fails to sign, all are still there for `forget`.
    this.#orders = [];
  }

  /** Drops what is ordered. */
  #discard(): void {
    for (const { slot, signature } of this.#orders.splice(0)) {
      const { board } = this.#thread!;
      if (board.takeBack(slot) || board.collect(slot, signature) || board.isFree(slot)) continue;
      this.#endThread();
      return;
    }
  }

  #keepThread(): void {
    if (this.#threads < 2) return;
    if (this.#thread !== undefined && this.#thread.known.size >= maxKeys) this.close();
    this.#thread ??= startSigningThread();
    if (this.#idleTimer === undefined) {
      this.#idleTimer = setTimeout(() => this.#rest(), idleMs).unref();
    } else this.#idleTimer.refresh();
  }
}

function startSigningThread(): Thread {
  const board = new OrderBoard();
  const { port1: keys, port2: port } = new MessageChannel();
  const workerData: SigningThreadData = { memory: board.memory, keys: port };
  const worker = startThread(new URL('./late-signing-thread.ts', import.meta.url), {
    workerData,
    transferList: [port],
  });
  worker.unref();
  keys.unref();
  // What a thread that fails has not signed is signed by those who wait for it.
  worker.on('error', () => {});
  return { worker, board, keys, known: new Map() };
}

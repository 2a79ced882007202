/** The workers that make the signatures of a pass over a whole zone: one for each core. */
import { availableParallelism } from 'node:os';
import type { WorkerContext } from '../../base/jobs.ts';
import { assert } from '../../base/problem.ts';
import { type Job, WorkerPool } from '../../base/worker-pool.ts';
import type { SigningOrder } from '../../dnssec/deferred-signing.ts';
import type { SignatureKey, SignaturesJob } from './signatures-job.ts';

/** Whoever walks through the zone keeps no more workers busy than this. */
const maxWorkers = 4;

interface Signatory {
  readonly job: Job<SignaturesJob>;
  /** Orders that it has not delivered yet. */
  orders: number;
}

export class SignatureThreads {
  readonly #keys: readonly SignatureKey[];
  readonly #pool: WorkerPool;
  readonly #signatories: Signatory[];

  constructor(context: WorkerContext, keys: readonly SignatureKey[]) {
    this.#keys = keys;
    this.#pool = new WorkerPool(new URL(context.program), context);
    const count = keys.length === 0 ? 0 : Math.min(availableParallelism(), maxWorkers);
    this.#signatories = Array.from({ length: count }, () => {
      return { job: this.#pool.open<SignaturesJob>('signatures', keys), orders: 0 };
    });
  }

  /** Has an order signed by the worker that has least to do. */
  async sign({ dnskey, data, ends }: SigningOrder): Promise<Uint8Array> {
    const key = this.#keys.findIndex((each) => dnskey.equals(each.dnskey));
    assert(key >= 0, 'the workers were given every key');
    const signatory = this.#signatories.reduce((a, b) => (b.orders < a.orders ? b : a));
    signatory.orders++;
    try {
      const transfer = [data.buffer, ends.buffer];
      return await signatory.job.call('sign', { key, data, ends }, { transfer });
    } finally {
      signatory.orders--;
    }
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}

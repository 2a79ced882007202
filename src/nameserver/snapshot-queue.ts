/**
 * Transfers that wait for a snapshot when all are in use. The next one goes to the network that has the fewest
 * transfers begun, then to the connection that has the fewest, then to who came first: clients that ask for many and
 * read none of them keep nobody waiting for more than the snapshot that is released next.
 */
import { monotonicMs } from '../base/clock.ts';
import { Problem } from '../base/problem.ts';
import { networkOf } from '../outbound/address.ts';
import { nameserverLimits } from './limits.ts';
import { type Client, MustNotWait } from './request.ts';
import type { SlowTransfers } from './slow-transfers.ts';
import type { TransferSource } from './transfer-source.ts';

export interface Claim {
  readonly client: Client;
  /** Transfers of its connection that have begun; 0 over UDP. */
  begunOnConnection(): number;
  /** Opens the zone; throws Problem OVERLOADED when all snapshots are in use. */
  open(): TransferSource | undefined;
}

interface Waiter extends Claim {
  readonly network: string;
  readonly deadlineMs: number;
  resolve(source: TransferSource | undefined): void;
  reject(error: unknown): void;
}

export class SnapshotQueue {
  readonly #slow: Pick<SlowTransfers, 'yieldLongest'>;
  /** In the order they came. */
  readonly #waiting = new Set<Waiter>();
  readonly #begunByNetwork = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(slow: Pick<SlowTransfers, 'yieldLongest'>) {
    this.#slow = slow;
  }

  /** A client begins a transfer; the function returned ends it. */
  begin({ address }: Client): () => void {
    const network = networkOf(address);
    this.#begunByNetwork.set(network, this.#begunBy(network) + 1);
    return () => {
      const left = this.#begunBy(network) - 1;
      if (left === 0) this.#begunByNetwork.delete(network);
      else this.#begunByNetwork.set(network, left);
    };
  }

  /**
   * The zone as it is when its turn has come. Most transfers are over soon, and a secondary that is turned away comes
   * back only after its retry time: OVERLOADED comes after `busyWaitMs`, or MustNotWait at once.
   */
  open(claim: Claim): Promise<TransferSource | undefined> {
    return new Promise((resolve, reject) => {
      const network = networkOf(claim.client.address);
      const deadlineMs = monotonicMs() + nameserverLimits.busyWaitMs;
      const waiter: Waiter = { ...claim, network, deadlineMs, resolve, reject };
      this.#waiting.add(waiter);
      this.#serve();
      if (claim.client.mustNotWait && this.#waiting.delete(waiter)) reject(new MustNotWait());
    });
  }

  #begunBy(network: string): number {
    return this.#begunByNetwork.get(network) ?? 0;
  }

  /** Serves who comes first until no snapshot is free; those whose time is over go without. */
  #serve(): void {
    clearTimeout(this.#timer);
    for (let first = this.#first(); first !== undefined; first = this.#first()) {
      try {
        const source = first.open();
        this.#waiting.delete(first);
        first.resolve(source);
      } catch (error) {
        const isBusy = error instanceof Problem && error.code === 'OVERLOADED';
        if (isBusy) {
          this.#wait(error);
          return;
        }
        this.#waiting.delete(first);
        first.reject(error);
      }
    }
  }

  #wait(busy: Problem): void {
    const now = monotonicMs();
    for (const waiter of this.#waiting) {
      if (now < waiter.deadlineMs) break;
      this.#waiting.delete(waiter);
      waiter.reject(busy);
    }
    if (this.#waiting.size === 0) return;
    this.#slow.yieldLongest();
    this.#timer = setTimeout(() => this.#serve(), nameserverLimits.busyRetryMs);
  }

  #first(): Waiter | undefined {
    let first: Waiter | undefined;
    for (const waiter of this.#waiting) {
      if (first === undefined || this.#isBefore(waiter, first)) first = waiter;
    }
    return first;
  }

  #isBefore(one: Waiter, other: Waiter): boolean {
    const fewer = this.#begunBy(one.network) - this.#begunBy(other.network);
    return fewer !== 0 ? fewer < 0 : one.begunOnConnection() < other.begunOnConnection();
  }
}

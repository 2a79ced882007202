/**
 * Sends the events of one webhook, one after the other: each until it is accepted, and the next one then.
 *
 * ```
 *   following --an event--> posting --2xx--> following
 *                              |
 *                              +--anything else--> waiting, for longer each time --> following, from the same event
 *                                                      |
 *                                                      +--24 h of it--> suspended
 * ```
 * The 24 h count from the first failure after a start: no time that the service was off, and no clock that was set.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { monotonicMs } from '../../base/clock.ts';
import { limits } from '../../base/limits.ts';
import { fullRights } from '../../domain/access/rights.ts';
import { parseAbsoluteName } from '../../dns/name.ts';
import { parseType } from '../../dns/rrtype.ts';
import type { Webhook, WebhookFilter } from '../../domain/webhook.ts';
import type { EventFilter } from '../../query/event-reader.ts';
import type { Followed } from '../../query/event-tail.ts';
import type { Reader } from '../../query/reader.ts';
import type { Log } from '../../telemetry/log.ts';
import { Deliverer, type DeliveryServices, messageOf } from './delivery.ts';

/** Milliseconds after which it is stored that no event passed the filter. */
const idleMs = 60_000;

export interface SenderServices extends DeliveryServices {
  readonly events: Pick<Reader['events'], 'follow' | 'last'>;
  readonly log: Log;
  /** Waits between two tries. */
  readonly pause?: (milliseconds: number, signal: AbortSignal) => Promise<unknown>;
}

/** How far a webhook got. */
export interface Progress {
  /** All events up to this number were accepted, or did not pass the filter. */
  seq: number;
  /** Milliseconds since 1970; null where the last delivery succeeded. */
  failingSince: number | null;
  error: string | null;
  deliveries: number;
  failures: number;
}

export class WebhookSender {
  readonly webhook: Webhook;
  readonly progress: Progress;
  readonly #services: SenderServices;
  readonly #deliverer: Deliverer;
  readonly #stop = new AbortController();
  readonly #moved: () => void;
  #feed: Followed | undefined;
  #failuresInRow = 0;
  /** When the first of them was, by the monotonic clock. */
  #failingFromMs: number | undefined;

  /** `moved` hears of each change of the progress. */
  constructor(webhook: Webhook, progress: Progress, services: SenderServices, moved: () => void) {
    this.webhook = webhook;
    this.progress = progress;
    this.#services = services;
    this.#deliverer = new Deliverer(webhook, services);
    this.#moved = moved;
  }

  /** Ends when it is stopped, or once it failed for so long that `suspend` was called and went well. */
  async run(suspend: () => Promise<unknown>): Promise<void> {
    try {
      while (!this.#isStopped) {
        const isFine = await this.#follow();
        if (isFine || this.#isStopped) continue;
        const failedMs = monotonicMs() - (this.#failingFromMs ?? monotonicMs());
        if (failedMs >= limits.webhookSuspendMs && (await this.#wentWell(suspend))) return;
        await this.#pause();
      }
    } finally {
      this.#deliverer.close();
    }
  }

  async #wentWell(suspend: () => Promise<unknown>): Promise<boolean> {
    try {
      await suspend();
      return true;
    } catch (error) {
      this.#services.log.error('webhook.not-suspended', { webhook: this.webhook.name, error });
      return false;
    }
  }

  /** What is being posted may come again. */
  stop(): void {
    this.#stop.abort();
    this.#feed?.end();
  }

  get #isStopped(): boolean {
    return this.#stop.signal.aborted;
  }

  /** Sends what comes; false when something failed. */
  async #follow(): Promise<boolean> {
    const { events, clock, log } = this.#services;
    try {
      const feed = events.follow({
        filter: filterOf(this.webhook),
        after: Math.min(this.progress.seq, events.last()),
        rights: () => fullRights,
        now: clock,
        owner: null,
        cut: () => {},
      });
      this.#feed = feed;
      return await this.#sendAll(feed);
    } catch (error) {
      log.error('webhook.not-read', { webhook: this.webhook.name, error });
      this.#failuresInRow++;
      return false;
    } finally {
      this.#feed?.end();
      this.#feed = undefined;
    }
  }

  async #sendAll(feed: Followed): Promise<boolean> {
    while (!this.#isStopped) {
      const lines = await feed.next(idleMs);
      if (lines === undefined) return true;
      const { position } = feed;
      for (const [seq, text] of lines) {
        if (!(await this.#send(text))) return false;
        this.#reach(seq);
      }
      this.#reach(position);
    }
    return true;
  }

  #reach(seq: number): void {
    if (seq <= this.progress.seq) return;
    this.progress.seq = seq;
    this.#moved();
  }

  async #send(text: string): Promise<boolean> {
    const { progress, webhook } = this;
    const { error } = await this.#deliverer.deliver(messageOf(text), this.#stop.signal);
    if (this.#isStopped && error !== null) return false;
    if (error === null) {
      progress.deliveries++;
      progress.failingSince = null;
      this.#failingFromMs = undefined;
      this.#failuresInRow = 0;
    } else {
      progress.failures++;
      progress.failingSince ??= this.#services.clock();
      this.#failingFromMs ??= monotonicMs();
      if (this.#failuresInRow++ === 0) {
        this.#services.log.warn('webhook.failing', { webhook: webhook.name, reason: error });
      }
    }
    progress.error = error;
    this.#moved();
    return error === null;
  }

  async #pause(): Promise<void> {
    const { pause = waitFor } = this.#services;
    const doubled = limits.webhookRetryMs * 2 ** Math.min(this.#failuresInRow - 1, 20);
    const waitMs = Math.min(doubled, limits.webhookLongestRetryMs);
    // Stopping it is all that it fails by.
    await pause(waitMs, this.#stop.signal).catch(() => {});
  }
}

function waitFor(milliseconds: number, signal: AbortSignal): Promise<unknown> {
  return delay(milliseconds, undefined, { signal, ref: false });
}

function filterOf({ filter }: Webhook): EventFilter {
  const { name, type, reason, ...others } = JSON.parse(filter) as WebhookFilter;
  return {
    ...others,
    name: name === undefined ? undefined : parseAbsoluteName(name),
    type: type === undefined ? undefined : parseType(type),
    reason: reason?.toLowerCase(),
  };
}

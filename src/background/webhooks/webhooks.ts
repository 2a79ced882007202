/**
 * Posts events to webhooks, at least once and in order. The journal is what is still to be sent: a webhook has the
 * number up to which it got, which is written at most once a second, and at a stop.
 */
import { isDeepStrictEqual } from 'node:util';
import { formatTime } from '../../base/clock.ts';
import { limits } from '../../base/limits.ts';
import { Problem } from '../../base/problem.ts';
import type { Webhook } from '../../domain/webhook.ts';
import type { WebhookCursor } from '../../projection/activity-log.ts';
import type { WebhookQueries } from '../../query/named-queries.ts';
import type { GaugeValues } from '../../telemetry/metrics.ts';
import { bySystem } from '../../writer/submission.ts';
import type { Writer } from '../../writer/writer.ts';
import { Deliverer, type Delivery } from './delivery.ts';
import { type Progress, type SenderServices, WebhookSender } from './sender.ts';

export interface WebhookServices extends SenderServices {
  readonly webhooks: Pick<WebhookQueries, 'all' | 'cursors'>;
  readonly writer: Pick<Writer, 'submit' | 'operate' | 'onEvents'>;
}

/** A webhook, how far it got, and what sends it. */
interface Entry {
  readonly webhook: Webhook;
  readonly progress: Progress;
  readonly sender: WebhookSender | undefined;
  readonly ended: Promise<void>;
}

export class Webhooks {
  readonly #services: WebhookServices;
  readonly #entries = new Map<number, Entry>();
  /** Those that moved since it was written how far they got. */
  readonly #moved = new Set<number>();
  #timer: NodeJS.Timeout | undefined;
  #rereading: NodeJS.Timeout | undefined;
  #state: 'new' | 'started' | 'stopped' = 'new';

  constructor(services: WebhookServices) {
    this.#services = services;
    services.writer.onEvents((events) => {
      const isAny = events.findIndex(({ event }) => event.kind.startsWith('webhook.')) >= 0;
      if (isAny && this.#state === 'started') this.#read(new Map());
    });
  }

  start(): void {
    if (this.#state !== 'new') return;
    this.#state = 'started';
    const cursors = this.#services.webhooks.cursors();
    this.#read(new Map(cursors.map((cursor) => [cursor.webhookId, cursor])));
  }

  async stop(): Promise<void> {
    this.#state = 'stopped';
    // Senders may take long to end: none is begun meanwhile.
    clearTimeout(this.#rereading);
    for (const { sender } of this.#entries.values()) sender?.stop();
    await Promise.all(this.#entries.values().map(({ ended }) => ended));
    clearTimeout(this.#timer);
    await this.#write();
  }

  /** A disk that failed can be written again. */
  resume(): void {
    void this.#write();
  }

  gauges(): GaugeValues {
    const all = [...this.#entries.values()];
    const seqs = all.filter(({ sender }) => sender !== undefined).map((one) => one.progress.seq);
    const behind = seqs.length === 0 ? 0 : this.#services.events.last() - Math.min(...seqs);
    return {
      webhooksBehind: Math.max(0, behind),
      webhooksSuspended: all.filter(({ webhook }) => webhook.state === 'suspended').length,
    };
  }

  /** How far one got, and what is wrong with it. */
  progressOf(webhook: Webhook) {
    const last = this.#services.events.last();
    const known = this.#entries.get(webhook.id);
    const progress = known?.webhook.turn === webhook.turn ? known.progress : undefined;
    const { seq = webhook.fromSeq - 1, error = null, failingSince = null } = progress ?? {};
    const { deliveries = 0, failures = 0 } = progress ?? {};
    const behind = Math.max(0, last - seq);
    return { deliveredSeq: seq, behind, failingSince, error, deliveries, failures };
  }

  /** Posts a message that is no event, whatever state the webhook is in. */
  async test(webhook: Webhook, id: string): Promise<Delivery> {
    const at = formatTime(this.#services.clock());
    const text = JSON.stringify({ kind: 'webhook.test', at, webhook: webhook.name });
    const deliverer = new Deliverer(webhook, this.#services);
    try {
      return await deliverer.deliver({
        id: `test-${id}`,
        kind: 'webhook.test',
        at,
        zone: null,
        text,
      });
    } finally {
      deliverer.close();
    }
  }

  /** Starts what is new or changed, and ends what was deleted. Where it can not be read it is read again soon. */
  #read(cursors: ReadonlyMap<number, WebhookCursor>): void {
    clearTimeout(this.#rereading);
    this.#rereading = setTimeout(() => this.#read(cursors), limits.webhookRetryMs).unref();
    const webhooks = this.#services.webhooks.all();
    clearTimeout(this.#rereading);
    const ids = new Set(webhooks.map(({ id }) => id));
    for (const [id, { sender }] of this.#entries) {
      if (ids.has(id)) continue;
      sender?.stop();
      this.#moved.delete(id);
      this.#entries.delete(id);
    }
    for (const webhook of webhooks) {
      const before = this.#entries.get(webhook.id);
      if (before !== undefined && isDeepStrictEqual(before.webhook, webhook)) continue;
      before?.sender?.stop();
      const progress = this.#progressFrom(webhook, before, cursors.get(webhook.id));
      this.#entries.set(webhook.id, this.#begin(webhook, progress, before));
    }
  }

  #progressFrom(
    webhook: Webhook,
    before: Entry | undefined,
    cursor: WebhookCursor | undefined,
  ): Progress {
    const counts = { deliveries: 0, failures: 0 };
    if (before?.webhook.turn === webhook.turn) {
      // Who changed it may have mended it: it has its 24 hours again.
      return { ...before.progress, failingSince: null };
    }
    const isOfTurn = cursor?.turn === webhook.turn;
    const seq = isOfTurn ? cursor.seq : webhook.fromSeq - 1;
    const failingSince = isOfTurn ? cursor.failingSince : null;
    return { ...counts, seq, failingSince, error: null };
  }

  #begin(webhook: Webhook, progress: Progress, before: Entry | undefined): Entry {
    const ended = before?.ended ?? Promise.resolve();
    if (webhook.state === 'suspended') return { webhook, progress, sender: undefined, ended };
    const sender = new WebhookSender(webhook, progress, this.#services, () =>
      this.#note(webhook.id),
    );
    return { webhook, progress, sender, ended: ended.then(() => this.#run(sender)) };
  }

  async #run(sender: WebhookSender): Promise<void> {
    const { webhook, progress } = sender;
    await sender.run(() => {
      const failingSince = progress.failingSince!;
      const command = { kind: 'suspend-webhook', webhook, failingSince } as const;
      return this.#services.writer.submit(command, bySystem);
    });
  }

  #note(id: number): void {
    this.#moved.add(id);
    if (this.#state !== 'started') return;
    this.#timer ??= setTimeout(() => void this.#write(), limits.webhookCursorMs).unref();
  }

  async #write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const ids = [...this.#moved];
    this.#moved.clear();
    const cursors = ids.flatMap((webhookId): WebhookCursor[] => {
      const entry = this.#entries.get(webhookId);
      if (entry === undefined) return [];
      const { seq, failingSince } = entry.progress;
      return [{ webhookId, turn: entry.webhook.turn, seq, failingSince }];
    });
    if (cursors.length === 0) return;
    try {
      await this.#services.writer.operate({ kind: 'log-webhook-cursors', cursors });
    } catch (error) {
      // It comes with the next write: until then a crash makes more events come twice.
      for (const id of ids) this.#moved.add(id);
      if (!(error instanceof Problem)) this.#services.log.error('webhook.not-written', { error });
    }
  }
}

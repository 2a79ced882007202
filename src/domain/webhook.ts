/** Webhooks: addresses that each event is posted to, in order, once it is on disk. */

export const webhookFormats = ['zonebook', 'cloudevents'] as const;
export type WebhookFormat = (typeof webhookFormats)[number];

/** `suspended`: its receiver failed for too long, and it waits until somebody wakes it. */
export type WebhookState = 'active' | 'suspended';

/** Which events are posted; what is left out is no filter. */
export interface WebhookFilter {
  readonly zoneId?: number | undefined;
  /** Absolute, without the closing dot. */
  readonly name?: string | undefined;
  readonly type?: string | undefined;
  readonly actor?: string | undefined;
  readonly source?: string | undefined;
  readonly kind?: string | undefined;
  readonly reason?: string | undefined;
}

export interface Webhook {
  readonly id: number;
  readonly name: string;
  /** http or https, as it is sent to. */
  readonly url: string;
  readonly format: WebhookFormat;
  /** A WebhookFilter as JSON. */
  readonly filter: string;
  readonly state: WebhookState;
  /** The first event of its turn. */
  readonly fromSeq: number;
  /** Raised by a replay: how far it got counts for one turn. */
  readonly turn: number;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

export type WebhookEvent =
  | { readonly kind: 'webhook.created'; readonly webhook: Webhook }
  | { readonly kind: 'webhook.deleted'; readonly webhook: Webhook }
  | { readonly kind: 'webhook.replayed'; readonly webhook: Webhook }
  | {
      readonly kind: 'webhook.updated';
      readonly before: Webhook;
      readonly webhook: Webhook;
      readonly secretChanged: boolean;
    }
  | {
      readonly kind: 'webhook.suspended';
      readonly webhook: Webhook;
      /** Milliseconds since 1970. */
      readonly failingSince: number;
    };

/**
 * One delivery of a webhook: a POST with the headers of Standard Webhooks 1.0, whose signature is the HMAC-SHA256 of
 * id, time and body; as the event itself, or in CloudEvents 1.0 (structured mode).
 */
import { createHmac } from 'node:crypto';
import { type Clock, monotonicMs } from '../../base/clock.ts';
import { limits } from '../../base/limits.ts';
import type { Webhook } from '../../domain/webhook.ts';
import type { Keystore } from '../../keystore/keystore.ts';
import { joinHostAndPort } from '../../outbound/address.ts';
import type { Outbound } from '../../outbound/policy.ts';
import { unlessAborted } from '../../outbound/resolver.ts';
import { Poster } from '../../outbound/sockets.ts';

export interface DeliveryServices {
  readonly outbound: Pick<Outbound, 'destinationsOf'>;
  readonly keystore: Pick<Keystore, 'webhookSecret'>;
  readonly clock: Clock;
  /** Authorities that are trusted besides those that Node brings along, in PEM. */
  readonly authorities?: readonly string[];
}

export interface Delivery {
  /** Of the answer; null without one. */
  readonly status: number | null;
  /** Null when it was accepted. */
  readonly error: string | null;
  readonly durationMs: number;
}

/** What a delivery is about: an event as it is sent, and what its envelope says of it. */
export interface Message {
  readonly id: string;
  readonly kind: string;
  readonly at: string;
  readonly zone: string | null;
  /** JSON. */
  readonly text: string;
}

/** The numbers of a database that was taken back come again, for other events; hashes do not. */
export function messageOf(text: string): Message {
  const { seq, hash, kind, at, zone } = JSON.parse(text) as {
    seq: number;
    hash: string;
    kind: string;
    at: string;
    zone: { name: string } | null;
  };
  return { id: `${seq}-${hash.slice(0, 16)}`, kind, at, zone: zone?.name ?? null, text };
}

function bodyOf({ format }: Webhook, { id, kind, at, zone, text }: Message): string {
  if (format === 'zonebook') return text;
  const envelope = JSON.stringify({
    specversion: '1.0',
    id,
    source: '/zonebook/events',
    type: `zonebook.${kind}`,
    time: at,
    ...(zone !== null && { subject: zone }),
    datacontenttype: 'application/json',
  });
  return `${envelope.slice(0, -1)},"data":${text}}`;
}

export class Deliverer {
  readonly #webhook: Webhook;
  readonly #services: DeliveryServices;
  readonly #poster: Poster;

  constructor(webhook: Webhook, services: DeliveryServices) {
    this.#webhook = webhook;
    this.#services = services;
    this.#poster = new Poster(services.authorities);
  }

  /** Never rejects. */
  async deliver(message: Message, stopped?: AbortSignal): Promise<Delivery> {
    const startedMs = monotonicMs();
    let status: number | null = null;
    let error: string | null = null;
    try {
      status = await this.#post(message, stopped);
      if (status < 200 || status > 299) error = `answered ${status}`;
    } catch (caught) {
      const { name, message: reason } = caught as Error;
      error = name === 'TimeoutError' ? `no answer within ${limits.webhookTimeoutMs} ms` : reason;
    }
    return { status, error, durationMs: Math.round(monotonicMs() - startedMs) };
  }

  close(): void {
    this.#poster.close();
  }

  async #post(message: Message, stopped: AbortSignal | undefined): Promise<number> {
    const { outbound, keystore, clock } = this.#services;
    const secret = keystore.webhookSecret(this.#webhook.id);
    if (secret === undefined) throw new Error('its secret is missing');
    const url = new URL(this.#webhook.url);
    const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const timeout = AbortSignal.timeout(limits.webhookTimeoutMs);
    const signal = stopped === undefined ? timeout : AbortSignal.any([timeout, stopped]);
    const found = outbound.destinationsOf(joinHostAndPort(host, port), 'private');
    const [destination] = await unlessAborted(signal, found);
    const body = bodyOf(this.#webhook, message);
    const seconds = String(Math.floor(clock() / 1000));
    const hmac = createHmac('sha256', secret).update(`${message.id}.${seconds}.${body}`);
    const isCloudEvent = this.#webhook.format === 'cloudevents';
    const headers = {
      'content-type': isCloudEvent ? 'application/cloudevents+json' : 'application/json',
      'user-agent': 'zonebook',
      'webhook-id': message.id,
      'webhook-timestamp': seconds,
      'webhook-signature': `v1,${hmac.digest('base64')}`,
    };
    return this.#poster.post(url, destination!, { headers, body }, signal);
  }
}

/** Webhooks: where events are posted to, and how far each got. */
import * as v from 'valibot';
import { eventKind } from './events.ts';
import {
  changeSource,
  count,
  described,
  message,
  optional,
  pageQuery,
  shape,
  text,
  time,
} from './fields.ts';
import { answers, defineRoute, pageOf, resource } from './route.ts';
import { domainName, identifierText, recordType, webhookSecret, webUrl } from './shapes.ts';

const format = v.picklist(['zonebook', 'cloudevents'], 'must be zonebook or cloudevents');

const filter = v.strictObject({
  zone: described(optional(text), 'The zone of this name; kept as its id.'),
  zone_id: described(optional(count), 'The zone of this id, deleted or not.'),
  name: described(optional(domainName), 'Only changes of records at this owner, absolute.'),
  type: described(optional(recordType), 'Only changes of records of this type.'),
  actor: described(optional(text), 'Name of a token, TSIG key or user of the host.'),
  source: optional(v.picklist(changeSource.options, 'must be a source of changes')),
  kind: described(optional(eventKind), 'What happened.'),
  reason: described(optional(text), 'A part of the reason or the reference.'),
});

const exampleUrl = 'https://hooks.example.net/zones';
const exampleSecret = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';

export const webhook = shape({
  id: [count, 1],
  name: [v.string(), 'chat'],
  url: [v.string(), exampleUrl],
  format: [format, 'zonebook'],
  filter: [
    v.object({
      zone_id: v.optional(count),
      name: v.optional(v.string()),
      type: v.optional(v.string()),
      actor: v.optional(v.string()),
      source: v.optional(v.string()),
      kind: v.optional(v.string()),
      reason: v.optional(v.string()),
    }),
    { zone_id: 1, kind: 'records.changed' },
    'What is left out is no filter.',
  ],
  state: [
    v.picklist(['active', 'suspended']),
    'active',
    'suspended: its receiver failed for 24 hours; an update or a replay wakes it.',
  ],
  created_at: [time, '2026-01-31T12:00:00.000Z'],
  delivered_seq: [
    count,
    7,
    'All events up to this number were accepted, or did not pass the filter.',
  ],
  behind: [count, 0, 'Events after that one.'],
  failing_since: [v.nullable(time), null, 'When the first of the latest failures in a row was.'],
  error: [v.nullable(v.string()), null, 'Of the last delivery.'],
  deliveries: [count, 5, 'Accepted since the service began.'],
  failures: [count, 0, 'Failed since the service began.'],
});

const webhookAnswer = v.object({ webhook });
export type WebhookFilterBody = v.InferOutput<typeof filter>;

export const webhookCreation = v.object({
  secret: described(v.string(), 'In this answer only; it can not be read again.'),
  webhook,
});

export const webhookTest = shape({
  delivered: [v.boolean(), true, 'True for an answer of 200 to 299.'],
  status: [v.nullable(count), 204, 'Of the answer; null without one.'],
  error: [v.nullable(v.string()), null],
  duration_ms: [count, 12],
});

const managed = { by: 'webhook', action: 'access:manage' } as const;
const one = answers(200, 'The webhook as it is now.', webhookAnswer, { webhook: webhook.example });

export const webhookRoutes = resource('webhooks', {
  listWebhooks: defineRoute('GET /webhooks', {
    action: 'access:manage',
    admission: { by: 'token' },
    summary: 'List webhooks and how far each got',
    query: pageQuery,
    ...pageOf(webhook, webhook.example, 'A page of webhooks.'),
  }),

  createWebhook: defineRoute('POST /webhooks', {
    admission: { by: 'everywhere', action: 'access:manage' },
    summary: 'Create a webhook: events are posted to its URL',
    description:
      'Each event that passes the filter, of all zones and of administration, whole, one a request, in the order of ' +
      'their numbers and at least once: the next one is sent when an answer of 200 to 299 came within 15 s. Else it ' +
      'is sent again after 1 s, then after twice as long each time, up to 5 min; after 24 h of failures the webhook ' +
      'is suspended. The headers webhook-id, webhook-timestamp and webhook-signature are those of Standard Webhooks: ' +
      'v1, and the base64 of the HMAC-SHA256 over id.timestamp.body. An event has the same id each time.',
    body: v.strictObject({
      name: identifierText,
      url: webUrl,
      format: described(
        optional(format),
        'zonebook when left out: the event as GET /events has it.',
      ),
      filter: optional(filter),
      secret: optional(webhookSecret),
      from_seq: described(optional(count), 'The first event; when left out, those from now on.'),
    }),
    exampleBody: { name: 'chat', url: exampleUrl, filter: { kind: 'records.changed' } },
    ...answers(201, 'The secret and the webhook.', webhookCreation, {
      secret: exampleSecret,
      webhook: webhook.example,
    }),
    problems: ['WEBHOOK_CONFLICT', 'ZONE_NOT_FOUND', 'EVENT_NOT_FOUND'],
  }),

  getWebhook: defineRoute('GET /webhooks/{name}', {
    admission: managed,
    summary: 'Get a webhook and how far it got',
    ...one,
  }),

  updateWebhook: defineRoute('PUT /webhooks/{name}', {
    admission: managed,
    summary: 'Update a webhook, and wake a suspended one',
    description: 'Only given fields change. It goes on with the first event that was not accepted.',
    body: v.strictObject({
      url: optional(webUrl),
      format: optional(format),
      filter: described(optional(filter), 'Replaces the whole filter.'),
      secret: optional(webhookSecret),
    }),
    exampleBody: { url: exampleUrl },
    ...one,
    problems: ['ZONE_NOT_FOUND'],
  }),

  deleteWebhook: defineRoute('DELETE /webhooks/{name}', {
    admission: managed,
    summary: 'Delete a webhook with its secret',
    ...answers(200, 'It is deleted.', message, { message: "webhook 'chat' deleted" }),
  }),

  testWebhook: defineRoute('POST /webhooks/{name}/test', {
    admission: managed,
    summary: 'Post a message of kind webhook.test to a webhook',
    description:
      'It is signed like an event, is none, and is not tried again. What fails is in the answer.',
    ...answers(200, 'What the receiver said.', webhookTest, webhookTest.example),
  }),

  replayWebhook: defineRoute('POST /webhooks/{name}/replay', {
    admission: managed,
    summary: 'Send events again, and wake a suspended webhook',
    body: v.strictObject({
      from_seq: described(count, 'The first event that is sent again, or skipped to.'),
    }),
    exampleBody: { from_seq: 1 },
    ...one,
    problems: ['EVENT_NOT_FOUND'],
  }),
});

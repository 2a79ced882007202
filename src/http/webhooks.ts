/** Webhooks: where events are posted to, and how far each got. The secret of one is in the answer that creates it. */
import { Problem } from '../base/problem.ts';
import {
  webhook as webhookSchema,
  webhookRoutes,
  type WebhookFilterBody,
  webhookTest,
} from '../contract/webhooks.ts';
import { requireEverywhere } from '../domain/access/require.ts';
import { noEvent } from '../domain/access/visibility.ts';
import type { Webhook, WebhookFilter } from '../domain/webhook.ts';
import { json } from './answer.ts';
import { endpoints } from './endpoint.ts';
import { presenter, presentList } from './fields.ts';
import { makeTsigSecret, parseTsigSecret } from './secret.ts';
import type { HandlerServices } from './services.ts';

const presentStored = presenter(webhookSchema);
const presentTest = presenter(webhookTest);

/** A filter without what is null, which is not given. */
function filterOf(body: WebhookFilterBody | null | undefined) {
  if (body == null) return undefined;
  const { zone_id, ...others } = body;
  const given = Object.entries({ ...others, zoneId: zone_id }).filter(([, value]) => value != null);
  return Object.fromEntries(given) as WebhookFilter & { readonly zone?: string };
}

/** How Standard Webhooks writes secrets. */
const secretPrefix = 'whsec_';

function present(webhook: Webhook, { webhooks }: HandlerServices['jobs']) {
  const { zoneId, ...filter } = JSON.parse(webhook.filter) as WebhookFilter;
  const named = { ...(zoneId !== undefined && { zone_id: zoneId }), ...filter };
  const presented = presentStored({ ...webhook, ...webhooks.progressOf(webhook), filter: {} });
  return { ...presented, filter: named };
}

function secretOf(text: string): Buffer {
  if (text.startsWith(secretPrefix)) return parseTsigSecret(text.slice(secretPrefix.length));
  throw new Problem('INVALID_INPUT', `secret: does not begin with ${secretPrefix}`);
}

/** The number of an event, or of the next one. */
function firstOf(seq: number, last: number): number {
  if (seq === 0 || seq > last + 1) throw noEvent(seq);
  return seq;
}

export const webhookEndpoints = endpoints(webhookRoutes, {
  listWebhooks: (request, { jobs }) =>
    json(
      200,
      presentList(request.view.webhooks.list(request.page), request, (webhook) =>
        present(webhook, jobs),
      ),
    ),

  async createWebhook(request, { jobs }) {
    // The secret is judged here, so the action must be as well: it comes before every rule.
    requireEverywhere(request.caller.rights, 'access:manage');
    const { secret: secretText, fromSeq, filter, ...fields } = request.given;
    const secret = secretText === undefined ? makeTsigSecret() : secretOf(secretText);
    const last = request.view.events.last();
    const command = {
      kind: 'create-webhook',
      ...fields,
      filter: filterOf(filter),
      secret,
    } as const;
    const first = firstOf(fromSeq ?? last + 1, last);
    const { webhook } = await request.submit({ ...command, fromSeq: first });
    const text = `${secretPrefix}${secret.toString('base64')}`;
    return json(201, { secret: text, webhook: present(webhook, jobs) });
  },

  getWebhook: ({ params, view }, { jobs }) =>
    json(200, { webhook: present(view.webhooks.get(params.name), jobs) }),

  async updateWebhook(request, { jobs }) {
    const { name } = request.params;
    request.view.webhooks.get(name);
    const { secret: secretText, filter: filterBody, ...fields } = request.given;
    const secret = secretText === undefined ? undefined : secretOf(secretText);
    const given = { ...fields, filter: filterOf(filterBody), secret };
    const { webhook } = await request.submit({ kind: 'update-webhook', name, ...given });
    return json(200, { webhook: present(webhook, jobs) });
  },

  async deleteWebhook(request) {
    const { name } = request.params;
    const { webhook } = await request.submit({ kind: 'delete-webhook', name });
    return json(200, { message: `webhook '${webhook.name}' deleted` });
  },

  async testWebhook({ params, view, requestId }, { jobs }) {
    const webhook = view.webhooks.get(params.name);
    const { status, error, durationMs } = await jobs.webhooks.test(webhook, requestId);
    return json(200, presentTest({ delivered: error === null, status, error, durationMs }));
  },

  async replayWebhook(request, { jobs }) {
    const { name } = request.params;
    const { webhooks, events } = request.view;
    webhooks.get(name);
    const fromSeq = firstOf(request.given.fromSeq, events.last());
    const { webhook } = await request.submit({ kind: 'replay-webhook', name, fromSeq });
    return json(200, { webhook: present(webhook, jobs) });
  },
});

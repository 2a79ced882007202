/** Webhook commands: create, update, delete, replay, and suspend, which is the service's own. */
import { isDeepStrictEqual } from 'node:util';
import { readFields } from '../base/item-errors.ts';
import { limits } from '../base/limits.ts';
import { excerpt, Problem } from '../base/problem.ts';
import { printLabels } from '../dns/name.ts';
import { parseType } from '../dns/rrtype.ts';
import { requireEverywhere } from './access/require.ts';
import { findManaged, type Named, refuseTaken, webhooks } from './access/visibility.ts';
import type { Decision, DecisionContext } from './decision.ts';
import { parseIdentifier } from './identifier.ts';
import { parseNameIn } from './record.ts';
import type { Webhook, WebhookFilter, WebhookFormat } from './webhook.ts';

interface FilterFields extends WebhookFilter {
  /** The name of a zone, in place of its id. */
  readonly zone?: string | undefined;
}

interface WebhookFields {
  readonly format?: WebhookFormat | undefined;
  readonly filter?: FilterFields | undefined;
}

interface CreateWebhook extends Named, WebhookFields {
  readonly url: string;
  /** Sealed before it is stored. */
  readonly secret: Buffer;
  readonly fromSeq: number;
}

interface UpdateWebhook extends Named, WebhookFields {
  readonly url?: string | undefined;
  readonly secret?: Buffer | undefined;
}

interface ReplayWebhook extends Named {
  readonly fromSeq: number;
}

/** Does nothing unless the webhook is as it was when it was found to fail. */
interface SuspendWebhook {
  readonly webhook: Webhook;
  readonly failingSince: number;
}

type Decided = Decision<{ readonly webhook: Webhook }>;

const secretBytes = { min: 24, max: 64 } as const;

function invalid(message: string): Problem {
  return new Problem('INVALID_INPUT', message);
}

function parseUrl(text: string): string {
  const url = URL.parse(text.trim());
  const refuse = (rule: string) => invalid(`url: '${excerpt(text)}' ${rule}`);
  if (url === null || !/^https?:$/.test(url.protocol)) throw refuse('is no http or https URL');
  // It is presented to whoever may list webhooks, and stands in the journal.
  if (url.username !== '' || url.password !== '') throw refuse('holds a user or a password');
  if (url.hash !== '') throw refuse('has a fragment');
  if (url.href.length > limits.webhookUrlCharacters) {
    throw refuse(`has over ${limits.webhookUrlCharacters} characters`);
  }
  return url.href;
}

function parseFilter({ zone, ...filter }: FilterFields, { view }: DecisionContext): string {
  const { zoneId, name, type } = filter;
  if (zone !== undefined && zoneId !== undefined) {
    throw invalid('filter: zone and zone_id exclude each other');
  }
  const named = zone === undefined ? undefined : view.zoneByName(zone.trim().toLowerCase());
  if (zone !== undefined && named === undefined) {
    throw new Problem('ZONE_NOT_FOUND', `zone '${excerpt(zone)}' does not exist`);
  }
  if (type !== undefined && parseType(type) === undefined) {
    throw invalid(`filter.type: '${excerpt(type)}' is no record type`);
  }
  const kept = {
    ...filter,
    zoneId: named?.id ?? zoneId,
    name: name === undefined ? undefined : printLabels(parseNameIn('filter.name', name)),
    type: type?.toUpperCase(),
  };
  return JSON.stringify(kept);
}

function requireSecret(secret: Buffer): void {
  const { min, max } = secretBytes;
  if (secret.length >= min && secret.length <= max) return;
  throw invalid(`secret: ${secret.length} bytes (${min} to ${max})`);
}

function putSecret({ id: webhookId }: Webhook, secret: Buffer) {
  return { kind: 'put-webhook-secret', webhookId, secret } as const;
}

function decideCreateWebhook(command: CreateWebhook, context: DecisionContext): Decided {
  requireEverywhere(context.rights, 'access:manage');
  const { secret, fromSeq, format = 'zonebook' } = command;
  const { name, url, filter } = readFields({
    name: () => parseIdentifier(command.name),
    secret: () => requireSecret(secret),
    url: () => parseUrl(command.url),
    filter: () => parseFilter(command.filter ?? {}, context),
  });
  refuseTaken(webhooks, context, name);
  if (context.view.webhookCount() >= limits.webhooks) {
    throw invalid(`there are ${limits.webhooks} webhooks already, which is the most`);
  }
  const webhook: Webhook = {
    id: context.allocateId('webhook'),
    name,
    url,
    format,
    filter,
    state: 'active',
    fromSeq,
    turn: 1,
    createdAt: context.now,
  };
  const secrets = [putSecret(webhook, secret)];
  return { event: { kind: 'webhook.created', webhook }, outcome: { webhook }, secrets };
}

function decideUpdateWebhook(command: UpdateWebhook, context: DecisionContext): Decided {
  const before = findManaged(webhooks, context, command);
  const { url, format = before.format, filter, secret } = command;
  const { secret: _, ...changed } = readFields({
    secret: () => secret && requireSecret(secret),
    url: () => (url === undefined ? before.url : parseUrl(url)),
    filter: () => (filter === undefined ? before.filter : parseFilter(filter, context)),
  });
  const webhook: Webhook = { ...before, ...changed, format, state: 'active' };
  const secretChanged = secret !== undefined;
  const outcome = { webhook };
  if (isDeepStrictEqual(webhook, before) && !secretChanged) return { event: undefined, outcome };
  const secrets = secret === undefined ? [] : [putSecret(webhook, secret)];
  return { event: { kind: 'webhook.updated', before, webhook, secretChanged }, outcome, secrets };
}

function decideDeleteWebhook(command: Named, context: DecisionContext): Decided {
  const webhook = findManaged(webhooks, context, command);
  return {
    event: { kind: 'webhook.deleted', webhook },
    outcome: { webhook },
    secrets: [{ kind: 'delete-webhook-secret', webhookId: webhook.id }],
  };
}

function decideReplayWebhook(command: ReplayWebhook, context: DecisionContext): Decided {
  const before = findManaged(webhooks, context, command);
  const { fromSeq } = command;
  const webhook: Webhook = { ...before, state: 'active', fromSeq, turn: before.turn + 1 };
  return { event: { kind: 'webhook.replayed', webhook }, outcome: { webhook } };
}

function decideSuspendWebhook(command: SuspendWebhook, context: DecisionContext): Decided {
  const { webhook: before, failingSince } = command;
  requireEverywhere(context.rights, 'access:manage');
  const now = context.view.webhookByName(before.name);
  if (!isDeepStrictEqual(now, before)) return { event: undefined, outcome: { webhook: before } };
  const webhook: Webhook = { ...before, state: 'suspended' };
  return { event: { kind: 'webhook.suspended', webhook, failingSince }, outcome: { webhook } };
}

export const webhookDecisions = {
  'create-webhook': decideCreateWebhook,
  'update-webhook': decideUpdateWebhook,
  'delete-webhook': decideDeleteWebhook,
  'replay-webhook': decideReplayWebhook,
  'suspend-webhook': decideSuspendWebhook,
};

/**
 * The four calls of the controller's webhook, each answered by calls of our HTTP interface.
 *
 * ```
 *   GET  /                  the domains it may manage       GET  /external-dns/domains
 *   GET  /records           what is there                   GET  /external-dns/records
 *   POST /adjustendpoints   what is wanted, as stored       POST /external-dns/adjust
 *   POST /records           changes                         POST /external-dns/changes
 * ```
 * What can not be served is left out of the last two (left-out.ts): the controller ends its process when it is refused.
 * An empty list of domains would mean every domain to the controller, so it is never told one.
 */
import type { AdapterEndpoint } from '../telemetry/adapter-metrics.ts';
import { adjustEndpoints } from './adjust.ts';
import { applyChanges } from './apply.ts';
import { endpointOf, type ServiceRecord } from './endpoint.ts';
import type { LeftOutList } from './left-out.ts';
import { badGateway, Refusal } from './refusal.ts';
import type { ServiceClient } from './service-client.ts';

/** What a call comes to; `noted` goes into the log. */
export interface Called {
  readonly status: 200 | 204;
  readonly body: unknown;
  readonly noted: Readonly<Record<string, unknown>>;
}

export interface WebhookCall {
  readonly endpoint: AdapterEndpoint;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** `body` is parsed JSON; undefined for GET. */
  run(service: ServiceClient, body: unknown, leftOut: LeftOutList): Promise<Called>;
}

/** The domains, or a Refusal when there is none. */
export async function managedDomains(service: ServiceClient): Promise<readonly string[]> {
  const { domains } = await service.get<{ domains: readonly string[] }>('/external-dns/domains');
  if (!Array.isArray(domains)) throw badGateway('the service answered without domains');
  if (domains.length > 0) return domains;
  throw new Refusal(
    503,
    'upstream_error',
    'the role of the token may manage no domain: it needs record:read, record:create and ' +
      'record:delete in a zone or subtree',
  );
}

async function storedRecords(service: ServiceClient): Promise<readonly ServiceRecord[]> {
  return recordsOf(await service.get('/external-dns/records'));
}

function recordsOf(answer: { records?: unknown }): readonly ServiceRecord[] {
  if (Array.isArray(answer.records)) return answer.records;
  throw badGateway('the service answered without records');
}

const negotiate: WebhookCall = {
  endpoint: 'negotiate',
  method: 'GET',
  path: '/',
  async run(service) {
    const domains = await managedDomains(service);
    return { status: 200, body: { include: domains }, noted: { domains: domains.length } };
  },
};

const records: WebhookCall = {
  endpoint: 'records_get',
  method: 'GET',
  path: '/records',
  async run(service) {
    const stored = await storedRecords(service);
    // Nothing there, or no right to see it? To the controller the second must not look like the first.
    if (stored.length === 0) await managedDomains(service);
    return { status: 200, body: stored.map(endpointOf), noted: { records: stored.length } };
  },
};

const adjust: WebhookCall = {
  endpoint: 'adjustendpoints',
  method: 'POST',
  path: '/adjustendpoints',
  async run(service, body, leftOut) {
    const adjusted = await adjustEndpoints(service, body);
    leftOut.note('adjustendpoints', adjusted.leftOut);
    const noted = { records: adjusted.endpoints.length, leftOut: adjusted.leftOut.length };
    return { status: 200, body: adjusted.endpoints, noted };
  },
};

const apply: WebhookCall = {
  endpoint: 'records_apply',
  method: 'POST',
  path: '/records',
  async run(service, body, leftOut) {
    const applied = await applyChanges(service, body);
    leftOut.note('records_apply', applied.leftOut);
    const noted = { ...applied.noted, leftOut: applied.leftOut.length };
    return { status: 204, body: undefined, noted };
  },
};

export const webhookCalls: readonly WebhookCall[] = [negotiate, records, adjust, apply];

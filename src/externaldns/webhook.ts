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
 * An empty list of domains would mean every domain to the controller, so it never gets one.
 */
import type { AdapterEndpoint } from '../telemetry/adapter-metrics.ts';
import { applyChanges } from './apply.ts';
import { sendDivided } from './changes.ts';
import type { CountedParts } from './counted.ts';
import {
  type Endpoint,
  endpointOf,
  parseEndpoints,
  recordOf,
  type ServiceRecord,
  type SentEndpoint,
} from './endpoint.ts';
import type { LeftOut, LeftOutList } from './left-out.ts';
import { badGateway, type ItemError, WebhookProblem, unfitFor } from './problem.ts';
import type { ServiceClient } from './service-client.ts';

/** What a call comes to; `logged` goes into the log. */
interface Called {
  readonly status: 200 | 204;
  readonly body?: unknown;
  readonly logged: Readonly<Record<string, unknown>>;
}

export interface WebhookCall {
  readonly endpoint: AdapterEndpoint;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** `body` is parsed JSON; undefined for GET. */
  run(service: ServiceClient, body: unknown, kept: Kept): Promise<Called>;
}

/** What the adapter keeps between two calls. */
export interface Kept {
  readonly leftOut: LeftOutList;
  readonly counted: CountedParts;
}

export const webhookCalls: readonly WebhookCall[] = [
  {
    endpoint: 'negotiate',
    method: 'GET',
    path: '/',
    async run(service) {
      const domains = await managedDomains(service);
      return { status: 200, body: { include: domains }, logged: { domains: domains.length } };
    },
  },
  {
    endpoint: 'records_get',
    method: 'GET',
    path: '/records',
    async run(service) {
      const { records } = await service.get<{ records?: unknown }>('/external-dns/records');
      if (!Array.isArray(records)) throw badGateway('the service answered without records');
      // Nothing there, or no right to see it? To the controller the second must not look like the first.
      if (records.length === 0) await managedDomains(service);
      return { status: 200, body: records.map(endpointOf), logged: { records: records.length } };
    },
  },
  {
    endpoint: 'adjustendpoints',
    method: 'POST',
    path: '/adjustendpoints',
    async run(service, body, { leftOut: list }) {
      const { endpoints, leftOut } = await adjustEndpoints(service, body);
      list.note('adjustendpoints', leftOut);
      const logged = { records: endpoints.length, leftOut: leftOut.length };
      return { status: 200, body: endpoints, logged };
    },
  },
  {
    endpoint: 'records_apply',
    method: 'POST',
    path: '/records',
    async run(service, body, { leftOut: list, counted }) {
      const { logged, leftOut } = await applyChanges(service, body, counted);
      list.note('records_apply', leftOut);
      return { status: 204, logged: { ...logged, leftOut: leftOut.length } };
    },
  },
];

/** The domains, or a WebhookProblem when there is none. */
export async function managedDomains(service: ServiceClient): Promise<readonly string[]> {
  const { domains } = await service.get<{ domains: readonly string[] }>('/external-dns/domains');
  if (!Array.isArray(domains)) throw badGateway('the service answered without domains');
  if (domains.length > 0) return domains;
  throw new WebhookProblem(
    503,
    'upstream_error',
    'the role of the token may manage no domain: it needs record:read, record:create and ' +
      'record:delete in a zone or subtree',
  );
}

/** Endpoints of one request: the service looks at a part of them at a time. */
const endpointsPerRequest = 500;

/**
 * What the controller's sources want, in the order in which it was sent and spelled as it would be stored, without
 * what can not be served. That is left out, as the controller would ask for it again and again, and end its process
 * when it is refused.
 */
async function adjustEndpoints(service: ServiceClient, body: unknown) {
  const leftOut: LeftOut[] = [];
  const endpoints: SentEndpoint[] = [];
  const fit: Endpoint[] = [];
  for (const endpoint of parseEndpoints(body, 'endpoints')) {
    const { unfit } = endpoint;
    if (unfit === undefined) fit.push(endpoint);
    else leftOut.push({ endpoint, ...unfit });
  }
  const adjust = async (part: readonly Endpoint[]) => {
    const { records, wrong } = await askToAdjust(service, part);
    for (const [index, endpoint] of part.entries()) {
      const error = wrong.get(index);
      const { labels } = endpoint;
      const adjusted = endpointOf(records[index]!);
      if (error !== undefined) leftOut.push({ endpoint, ...unfitFor(error) });
      else endpoints.push(labels === undefined ? adjusted : { ...adjusted, labels });
    }
  };
  for (let at = 0; at < fit.length; at += endpointsPerRequest) {
    const part = fit.slice(at, at + endpointsPerRequest);
    await sendDivided(part, adjust, (endpoint, unfit) => leftOut.push({ endpoint, ...unfit }));
  }
  return { endpoints, leftOut };
}

interface Adjusted {
  /** One for each endpoint. */
  readonly records: readonly ServiceRecord[];
  /** What can not be served, by its index. */
  readonly wrong: ReadonlyMap<number, ItemError>;
}

async function askToAdjust(service: ServiceClient, part: readonly Endpoint[]): Promise<Adjusted> {
  const request = { records: part.map(recordOf), check: true };
  const answer = await service.post<Readonly<Record<string, unknown>>>(
    '/external-dns/adjust',
    request,
  );
  const { records, errors = [] } = answer;
  if (!Array.isArray(records) || !Array.isArray(errors)) {
    throw badGateway('the service answered without records');
  }
  if (records.length !== part.length) {
    throw badGateway('the service adjusted another number of records');
  }
  return { records, wrong: new Map((errors as ItemError[]).map((each) => [each.index, each])) };
}

/**
 * Adjustment: what the controller's sources want, spelled as it would be stored, without what can not be served. That
 * is left out, as the controller would ask for it again and again, and end its process when it is refused.
 */
import type { ServiceClient } from './service-client.ts';
import {
  type Endpoint,
  endpointOf,
  parseEndpoints,
  recordOf,
  type ServiceRecord,
  type WrittenEndpoint,
} from './endpoint.ts';
import type { LeftOut } from './left-out.ts';
import { halvesOf } from './parts.ts';
import { badGateway, type ItemError, Refusal, unfitFor } from './refusal.ts';

/** Endpoints of one request: the service looks at a part of them at a time. */
const endpointsPerRequest = 500;

export interface Adjusted {
  /** In the order in which they were sent. */
  readonly endpoints: readonly WrittenEndpoint[];
  readonly leftOut: readonly LeftOut[];
}

export async function adjustEndpoints(service: ServiceClient, body: unknown): Promise<Adjusted> {
  const leftOut: LeftOut[] = [];
  const fit: Endpoint[] = [];
  for (const endpoint of parseEndpoints(body, 'endpoints')) {
    const { unfit } = endpoint;
    if (unfit === undefined) fit.push(endpoint);
    else leftOut.push({ endpoint, ...unfit });
  }
  const endpoints: WrittenEndpoint[] = [];
  for (let at = 0; at < fit.length; at += endpointsPerRequest) {
    const part = fit.slice(at, at + endpointsPerRequest);
    await adjustPart(service, part, endpoints, leftOut);
  }
  return { endpoints, leftOut };
}

async function adjustPart(
  service: ServiceClient,
  part: readonly Endpoint[],
  endpoints: WrittenEndpoint[],
  leftOut: LeftOut[],
): Promise<void> {
  let answer: { readonly records?: unknown; readonly errors?: unknown };
  try {
    answer = await service.post('/external-dns/adjust', {
      records: part.map(recordOf),
      check: true,
    });
  } catch (error) {
    if (!(error instanceof Refusal) || !error.isAboutItems) throw error;
    if (part.length === 1) {
      leftOut.push({ endpoint: part[0]!, ...unfitFor(error) });
      return;
    }
    for (const half of halvesOf(part)) await adjustPart(service, half, endpoints, leftOut);
    return;
  }
  const { records, errors = [] } = answer;
  if (!Array.isArray(records) || !Array.isArray(errors)) {
    throw badGateway('the service answered without records');
  }
  if (records.length !== part.length) {
    throw badGateway('the service adjusted another number of records');
  }
  const wrong = new Map((errors as ItemError[]).map((each) => [each.index, each]));
  for (const [index, record] of (records as ServiceRecord[]).entries()) {
    const endpoint = part[index]!;
    const error = wrong.get(index);
    if (error !== undefined) leftOut.push({ endpoint, ...unfitFor(error) });
    else if (endpoint.labels === undefined) endpoints.push(endpointOf(record));
    else endpoints.push({ ...endpointOf(record), labels: endpoint.labels });
  }
}

/** What the adapter for an external DNS controller counts. */
import { Registry } from '@prometheus-io/client';
import { counter, createCounters, createHistogram } from './registry.ts';

/** The four calls of the webhook. */
const adapterEndpoints = ['negotiate', 'records_get', 'records_apply', 'adjustendpoints'] as const;
export type AdapterEndpoint = (typeof adapterEndpoints)[number];

/** `client_error`: the controller asked for what can not be; `upstream_error`: the service failed. */
const adapterResults = ['ok', 'client_error', 'upstream_error', 'error'] as const;
export type AdapterResult = (typeof adapterResults)[number];

/** Why an endpoint is left out; `partner`: its ownership record is, or the record that it is about. */
export const leftOutReasons = [
  'name',
  'type',
  'set_identifier',
  'targets',
  'ttl',
  'value',
  'zone',
  'forbidden',
  'conflict',
  'guarded',
  'partner',
  'refused',
] as const;
export type LeftOutReason = (typeof leftOutReasons)[number];

export interface AdapterMetrics {
  leftOut(reason: LeftOutReason): void;
  observe(endpoint: AdapterEndpoint, result: AdapterResult, seconds: number): void;
  render(): Promise<string>;
  readonly contentType: string;
}

const counterRows = {
  requests: counter(
    'svc_external_dns_requests_total',
    'Calls of the controller, by endpoint and result.',
    ['endpoint', adapterEndpoints],
    ['result', adapterResults],
  ),
  leftOut: counter(
    'svc_external_dns_skipped_total',
    'Endpoints that a call left out, by reason; GET /problems lists those of the last sync.',
    ['reason', leftOutReasons],
  ),
};

export function createAdapterMetrics(): AdapterMetrics {
  const registry = new Registry();
  const { requests, leftOut } = createCounters(registry, counterRows);
  const duration = createHistogram(
    registry,
    'svc_external_dns_request_duration_seconds',
    'Seconds of one call of the controller, the service included.',
    [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    ['endpoint'],
  );
  for (const endpoint of adapterEndpoints) duration.announce(endpoint);
  return {
    leftOut: (reason) => leftOut.inc(reason),
    observe(endpoint, result, seconds) {
      requests.inc(endpoint, result);
      duration.observe(seconds, endpoint);
    },
    render: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

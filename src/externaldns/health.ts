/**
 * Probes and metrics of the adapter, and /problems, which lists what the last sync left out: /healthz is
 * 200 only when the service answers, accepts the token and lets it manage some domain; else 503 with the
 * reason.
 */
import type { IncomingMessage } from 'node:http';
import type { AdapterMetrics } from '../telemetry/adapter-metrics.ts';
import type { Log } from '../telemetry/log.ts';
import type { LeftOutList } from './left-out.ts';
import type { Handler, Reply } from './listener.ts';
import type { ServiceClient } from './service-client.ts';
import { managedDomains } from './webhook.ts';

const paths: ReadonlySet<string> = new Set(['/healthz', '/metrics', '/problems']);
const textType = 'text/plain; charset=utf-8';

interface Shown {
  readonly service: ServiceClient;
  readonly metrics: AdapterMetrics;
  readonly log: Log;
  readonly leftOut: LeftOutList;
}

export function createHealth({ service, metrics, log, leftOut }: Shown): Handler {
  let wasHealthy: boolean | undefined;

  async function health(): Promise<Reply> {
    let reason: string | undefined;
    try {
      await managedDomains(service);
    } catch (error) {
      reason = error instanceof Error ? error.message : String(error);
    }
    const isHealthy = reason === undefined;
    // Probes come every few seconds; only what changes is worth a line.
    if (isHealthy !== wasHealthy) {
      if (isHealthy) log.info('external-dns.healthy');
      else log.error('external-dns.unhealthy', { reason });
    }
    wasHealthy = isHealthy;
    return isHealthy
      ? { status: 200, type: textType, body: 'ok' }
      : { status: 503, type: textType, body: `${reason}\n` };
  }

  return async (path: string, { method }: IncomingMessage): Promise<Reply> => {
    if (!paths.has(path)) return { status: 404, type: textType, body: 'not found\n' };
    if (method !== 'GET' && method !== 'HEAD') {
      return { status: 405, type: textType, body: 'GET only\n', headers: { Allow: 'GET, HEAD' } };
    }
    if (path === '/healthz') return health();
    if (path === '/problems') {
      const body = JSON.stringify({ problems: leftOut.all() });
      return { status: 200, type: 'application/json', body };
    }
    return { status: 200, type: metrics.contentType, body: await metrics.render() };
  };
}

/**
 * The adapter for an external DNS controller: its webhook on one side, our HTTP interface on the other.
 *
 * Two listeners: the webhook, which knows no token and belongs on loopback or a private network, and the
 * one for probes, metrics and what is left out. Besides that, only what a call that failed has counted is kept for the
 * next one; the controller does the repeating.
 */
import type { IncomingMessage } from 'node:http';
import { monotonicMs, systemClock } from '../base/clock.ts';
import { limits } from '../base/limits.ts';
import {
  type AdapterMetrics,
  type AdapterResult,
  createAdapterMetrics,
} from '../telemetry/adapter-metrics.ts';
import { createLog, type Log } from '../telemetry/log.ts';
import { CountedParts } from './counted.ts';
import type { FlagValues } from './flags.ts';
import { LeftOutList } from './left-out.ts';
import {
  type Handler,
  openListener,
  readText,
  type Reply,
  requireAccepted,
  requireReadable,
  webhookType,
} from './listener.ts';
import { badRequest, WebhookProblem } from './problem.ts';
import { ServiceClient } from './service-client.ts';
import {
  type AdapterSettings,
  adapterSettings,
  tokenSource,
  trustedAuthorities,
} from './settings.ts';
import { type Kept, managedDomains, type WebhookCall, webhookCalls } from './webhook.ts';

export interface Adapter {
  /** host:port of the webhook and of probes. */
  readonly webhookAddress: string;
  readonly healthAddress: string;
  /** Accepts no more and ends when calls in work are answered. */
  stop(): Promise<void>;
}

export async function startAdapter(settings: AdapterSettings, log: Log): Promise<Adapter> {
  const { serviceUrl: url, timeoutMs } = settings;
  const service = new ServiceClient({
    url,
    token: tokenSource(settings, log),
    authorities: url.protocol === 'https:' ? trustedAuthorities(settings.caFile) : [],
    timeoutMs,
  });
  const metrics = createAdapterMetrics();
  const leftOut = new LeftOutList(log, metrics, systemClock);
  const parts = { service, metrics, log, leftOut, counted: new CountedParts() };
  const webhook = await openListener(settings.listen, (path, incoming) =>
    answer(path, incoming, parts),
  );
  try {
    const probes = await openListener(settings.healthListen, createHealth(parts));
    return {
      webhookAddress: webhook.address,
      healthAddress: probes.address,
      async stop() {
        await Promise.all([webhook.close(), probes.close()]);
      },
    };
  } catch (error) {
    await webhook.close();
    throw error;
  }
}

interface Parts extends Kept {
  readonly service: ServiceClient;
  readonly metrics: AdapterMetrics;
  readonly log: Log;
}

async function answer(path: string, incoming: IncomingMessage, parts: Parts): Promise<Reply> {
  const here = webhookCalls.filter((call) => call.path === path);
  const call = here.find(({ method }) => method === incoming.method);
  if (here.length === 0) return errorReply(404, `there is no ${path.slice(0, 200)} here`);
  if (call === undefined) {
    const methods = here.map(({ method }) => method).join(', ');
    return { ...errorReply(405, `this path takes ${methods}`), headers: { Allow: methods } };
  }
  return observed(call, incoming, parts);
}

/** One call, counted and logged however it ends. */
async function observed(call: WebhookCall, incoming: IncomingMessage, parts: Parts) {
  const { service, metrics, log } = parts;
  const { endpoint } = call;
  const startedMs = monotonicMs();
  let reply: Reply;
  let result: AdapterResult = 'ok';
  let logged: Readonly<Record<string, unknown>> = {};
  try {
    const body = await bodyOf(call, incoming);
    const called = await call.run(service.forOneCall(), body, parts);
    logged = called.logged;
    const text = called.body === undefined ? {} : { body: JSON.stringify(called.body) };
    reply = { status: called.status, type: webhookType, ...text };
  } catch (error) {
    const isForeseen = error instanceof WebhookProblem;
    result = isForeseen ? error.result : 'error';
    reply = isForeseen
      ? errorReply(error.status, error.message)
      : errorReply(500, 'internal error');
    // The controller says the status only, so this line is where an operator reads why.
    log.error('external-dns.refused', {
      endpoint,
      status: reply.status,
      ...(isForeseen ? { reason: error.message, ...upstreamOf(error) } : { error }),
    });
  }
  const durationMs = monotonicMs() - startedMs;
  metrics.observe(endpoint, result, durationMs / 1000);
  const { status } = reply;
  log.info('external-dns.call', {
    endpoint,
    result,
    status,
    durationMs: Math.round(durationMs),
    ...logged,
  });
  return reply;
}

function upstreamOf({ upstream }: WebhookProblem) {
  return upstream && { serviceStatus: upstream.status, serviceCode: upstream.code };
}

async function bodyOf({ method }: WebhookCall, incoming: IncomingMessage): Promise<unknown> {
  if (method === 'GET') {
    requireAccepted(incoming.headers.accept);
    return undefined;
  }
  requireReadable(incoming.headers['content-type']);
  const text = await readText(incoming, limits.bulkBodyBytes);
  try {
    return JSON.parse(text);
  } catch {
    throw badRequest('the body is not JSON');
  }
}

function errorReply(status: number, error: string): Reply {
  return { status, type: 'application/json', body: JSON.stringify({ error }) };
}

/**
 * Probes and metrics of the adapter, and /problems, which lists what the last sync left out: /healthz is
 * 200 only when the service answers, accepts the token and lets it manage some domain; else 503 with the
 * reason.
 */
const paths: ReadonlySet<string> = new Set(['/healthz', '/metrics', '/problems']);
const textType = 'text/plain; charset=utf-8';

function createHealth({ service, metrics, log, leftOut }: Parts): Handler {
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

/** Resolves when it has stopped; rejects when it can not start. */
export async function runAdapter(
  flags: FlagValues,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const settings = adapterSettings(flags, environment);
  const log = createLog({ level: settings.logLevel, format: 'text' });
  const adapter = await startAdapter(settings, log);
  log.info('external-dns.started', {
    service: settings.serviceUrl.href,
    webhook: adapter.webhookAddress,
    health: adapter.healthAddress,
  });
  const signal = await stopSignal();
  log.info('external-dns.stopping', { signal });
  await adapter.stop();
}

function stopSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.once(signal, () => resolve(signal));
    }
  });
}

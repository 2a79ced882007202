/**
 * The HTTP interface as a Hono app: every endpoint on its path, and what answers for other paths.
 *
 * Servers call `app.fetch(request, bindings)`; the one behind the local socket adds
 * `door: 'local'` to the bindings, which gives full rights.
 */
import { Hono } from 'hono';
import { Problem } from '../base/problem.ts';
import { statusesOf } from '../contract/route.ts';
import { json } from './answer.ts';
import { createAuthenticator } from './authenticate.ts';
import { BodyRoom } from './body-room.ts';
import type { Endpoint } from './endpoint.ts';
import { dnssecEndpoints } from './handlers/dnssec.ts';
import { policyEndpoints } from './handlers/dnssec-policies.ts';
import { exchangeEndpoints } from './handlers/exchange.ts';
import { externalDnsEndpoints } from './handlers/external-dns.ts';
import { historyEndpoints } from './handlers/history.ts';
import { permissionEndpoints } from './handlers/permissions.ts';
import { recordEndpoints } from './handlers/records.ts';
import { retentionEndpoints } from './handlers/retention.ts';
import { roleEndpoints } from './handlers/roles.ts';
import { secondaryEndpoints } from './handlers/secondaries.ts';
import { serviceEndpoints } from './handlers/service.ts';
import { tokenEndpoints } from './handlers/tokens.ts';
import { tsigKeyEndpoints } from './handlers/tsig-keys.ts';
import { versionEndpoints } from './handlers/versions.ts';
import { zoneEndpoints } from './handlers/zones.ts';
import { requireOwnHost } from './own-host.ts';
import { refusalOf } from './refusal.ts';
import type { Bindings } from './request-source.ts';
import { observed, serve } from './serve.ts';
import type { Services } from './services.ts';

export type { Bindings } from './request-source.ts';

export type App = Hono<{ Bindings: Bindings }>;

/** Every endpoint that the options switch on. */
export function endpointsFor(services: Services): readonly Endpoint[] {
  return [
    ...serviceEndpoints(services),
    ...zoneEndpoints,
    ...exchangeEndpoints,
    ...versionEndpoints,
    ...historyEndpoints,
    ...retentionEndpoints,
    ...recordEndpoints,
    ...secondaryEndpoints,
    ...roleEndpoints,
    ...tokenEndpoints,
    ...tsigKeyEndpoints,
    ...permissionEndpoints,
    ...externalDnsEndpoints(services),
    ...policyEndpoints,
    ...dnssecEndpoints,
  ];
}

/** Label of requests that no route took: paths themselves would make endless metrics. */
const unmatched = 'unmatched';
const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const otherMethod = 'OTHER';

export function createApp(services: Services): App {
  const app: App = new Hono();
  const endpoints = endpointsFor(services);
  const authenticate = createAuthenticator(services);
  const bodies = new BodyRoom(services.options.maxBodiesBytes);
  for (const endpoint of endpoints) {
    const { method, path } = endpoint.route;
    services.metrics.httpRequests.announce(method, path, statusesOf(endpoint.route));
    const handler = serve(endpoint, services, authenticate, bodies);
    app.on(method, path.replaceAll(/\{(\w+)\}/g, ':$1'), handler);
  }
  const allowedMethods = methodsByPath(endpoints);
  for (const method of [...knownMethods, otherMethod]) {
    services.metrics.httpRequests.announce(method, unmatched, [404, 405]);
  }

  app.notFound((context) => {
    const given = context.req.method;
    const method = knownMethods.has(given) ? given : otherMethod;
    return observed(context, services, method, unmatched, (requestId) => {
      requireOwnHost(context, services.options);
      const { path } = context.req;
      const allowed = allowedMethods(path);
      if (allowed.length === 0) {
        throw new Problem('ENDPOINT_NOT_FOUND', `there is no ${path.slice(0, 200)} here`);
      }
      const problem = new Problem(
        'METHOD_NOT_ALLOWED',
        `${given.slice(0, 20)} is not for this path; it takes ${allowed.join(', ')}`,
      );
      const refusal = refusalOf(problem, services.log, requestId, unmatched);
      return { ...refusal, headers: { Allow: allowed.join(', ') } };
    });
  });

  app.onError((error, context) => {
    services.log.error('http.failed', { route: context.req.routePath, error });
    const { body } = json(500, { error: 'internal error', code: 'INTERNAL' });
    return new Response(body as string, {
      status: 500,
      headers: { 'Content-Type': 'application/json' },
    });
  });
  return app;
}

/** Tells which methods a path takes; used only after no route matched, so speed is no matter. */
function methodsByPath(endpoints: readonly Endpoint[]): (path: string) => string[] {
  const methodsOfTemplate = new Map<string, string[]>();
  for (const { route } of endpoints) {
    const methods = methodsOfTemplate.get(route.path) ?? [];
    methods.push(route.method);
    if (route.method === 'GET') methods.push('HEAD');
    methodsOfTemplate.set(route.path, methods);
  }
  return (path) => {
    const segments = path.split('/');
    const allowed = new Set<string>();
    for (const [template, methods] of methodsOfTemplate) {
      const pattern = template.split('/');
      const matches =
        pattern.length === segments.length &&
        pattern.every((part, index) => {
          const segment = segments[index]!;
          return part.startsWith('{') ? segment !== '' : part === segment;
        });
      if (matches) for (const method of methods) allowed.add(method);
    }
    return [...allowed].sort();
  };
}

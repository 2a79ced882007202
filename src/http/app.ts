/**
 * The HTTP interface as a Hono app: every endpoint on its path, and what answers for other paths.
 *
 * Servers call `app.fetch(request, bindings)`; the one behind the local socket marks
 * requests as local in the bindings, which gives full rights.
 */
import { Hono } from 'hono';
import { Problem } from '../base/problem.ts';
import { statusesOf } from '../contract/route.ts';
import { permissionEndpoints, roleEndpoints, tokenEndpoints, tsigKeyEndpoints } from './access.ts';
import { type Answer, responseOf } from './answer.ts';
import { AnswerRoom } from './answer-room.ts';
import { ConsolePages, leadTo, wantsPage } from './console.ts';
import { createAuthenticator, requireOwnHost } from './authenticate.ts';
import { BodyRoom } from './body-room.ts';
import { changeEndpoints } from './changes.ts';
import { LargeBodies } from './large-body.ts';
import { dnssecEndpoints } from './dnssec.ts';
import { policyEndpoints } from './dnssec-policies.ts';
import type { Endpoint } from './endpoint.ts';
import { exchangeEndpoints } from './exchange.ts';
import { explainEndpoints } from './explain.ts';
import { externalDnsEndpoints } from './external-dns.ts';
import { eventEndpoints } from './events.ts';
import { historyEndpoints } from './history.ts';
import { desiredEndpoints } from './desired.ts';
import { lintEndpoints } from './lint.ts';
import { recordEndpoints } from './records.ts';
import { problemOf } from './problem-answer.ts';
import { type Bindings, type HttpContext, requestIdOf } from './request-source.ts';
import { searchEndpoints } from './search.ts';
import { secondaryEndpoints } from './secondaries.ts';
import { observed, serve } from './serve.ts';
import { serviceEndpoints } from './service.ts';
import { sessionEndpoints } from './sessions.ts';
import type { Services } from './services.ts';
import { tagEndpoints } from './tags.ts';
import { versionEndpoints } from './versions.ts';
import { webhookEndpoints } from './webhooks.ts';
import { zoneEndpoints } from './zones.ts';

export type { Bindings } from './request-source.ts';

export type App = Hono<{ Bindings: Bindings }>;

/** Every endpoint that the options switch on; what is switched off has no path at all. */
export function endpointsFor({ options, version }: Services): readonly Endpoint[] {
  const all = [
    ...serviceEndpoints(version),
    ...zoneEndpoints,
    ...exchangeEndpoints,
    ...versionEndpoints,
    ...tagEndpoints,
    ...historyEndpoints,
    ...eventEndpoints,
    ...lintEndpoints,
    ...searchEndpoints,
    ...desiredEndpoints,
    ...recordEndpoints,
    ...changeEndpoints,
    ...webhookEndpoints,
    ...secondaryEndpoints,
    ...roleEndpoints,
    ...sessionEndpoints,
    ...tokenEndpoints,
    ...tsigKeyEndpoints,
    ...permissionEndpoints,
    ...explainEndpoints,
    ...externalDnsEndpoints,
    ...policyEndpoints,
    ...dnssecEndpoints,
  ];
  return all.filter(({ route: { option } }) => option === undefined || options[option]);
}

/** Label of requests that no route took: paths themselves would make endless metrics. */
const unmatched = 'unmatched';
const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const otherMethod = 'OTHER';

export function createApp(services: Services): App {
  const app: App = new Hono();
  const authenticate = createAuthenticator(services);
  const bodies = new BodyRoom(services.options.maxBodiesBytes);
  const largeBodies = new LargeBodies(services.workers);
  const rooms = { bodies, largeBodies, answers: new AnswerRoom() };
  for (const [path, endpoints] of byPath(endpointsFor(services))) {
    const template = path.replaceAll(/\{(\w+)\}/g, ':$1');
    for (const endpoint of endpoints) {
      const { method } = endpoint.route;
      services.metrics.httpRequests.announce(method, path, statusesOf(endpoint.route));
      app.on(method, template, serve(endpoint, services, authenticate, rooms));
    }
    // Before a path that is less exact: /records/bulk is no record, whatever the method.
    app.all(
      template,
      refusing(services, ({ req }, id) => notAllowed(req.raw.method, services, endpoints, id)),
    );
  }
  for (const method of [...knownMethods, otherMethod]) {
    services.metrics.httpRequests.announce(method, unmatched, [404, 405]);
  }

  if (services.options.consoleEnabled) serveConsole(app, services);

  app.notFound(
    refusing(services, ({ req }) => {
      throw new Problem('ENDPOINT_NOT_FOUND', `there is no ${req.path.slice(0, 200)} here`);
    }),
  );

  app.onError((error, context) => {
    const answer = problemOf(error, services.log, requestIdOf(context), context.req.routePath);
    return responseOf(answer, requestIdOf(context), () => {});
  });
  return app;
}

/** The console on its paths, and the way to it for who opens the service itself. */
function serveConsole(app: App, services: Services): void {
  const { consolePath } = services.options;
  const pages = new ConsolePages(consolePath);
  services.metrics.httpRequests.announce('GET', consolePath, [200]);
  const serve = (context: HttpContext) =>
    observed(context, services, 'GET', consolePath, (asked) => {
      requireOwnHost(asked, services.options);
      return pages.answer(asked);
    });
  app.get(consolePath, serve);
  app.get(`${consolePath}/*`, serve);
  app.get('/', (context, next) =>
    wantsPage(context)
      ? observed(context, services, 'GET', '/', () => leadTo(consolePath))
      : next(),
  );
}

/** Answers what no endpoint serves. */
function refusing(
  services: Services,
  answer: (context: HttpContext, requestId: string) => Answer,
): (context: HttpContext) => Promise<Response> {
  return (context) => {
    const given = context.req.raw.method;
    const method = knownMethods.has(given) ? given : otherMethod;
    return observed(context, services, method, unmatched, (asked, requestId) => {
      requireOwnHost(asked, services.options);
      return answer(asked, requestId);
    });
  };
}

/** 405 with the methods that this very path takes (RFC 9110 15.5.6). */
function notAllowed(
  given: string,
  { log }: Services,
  endpoints: readonly Endpoint[],
  requestId: string,
): Answer {
  const methods = endpoints.map(({ route }) => route.method as string);
  if (methods.includes('GET')) methods.push('HEAD');
  const allowed = methods.sort().join(', ');
  const problem = new Problem(
    'METHOD_NOT_ALLOWED',
    `${given.slice(0, 20)} is not for this path; it takes ${allowed}`,
  );
  return { ...problemOf(problem, log, requestId, unmatched), headers: { Allow: allowed } };
}

/** Endpoints by their path, the more exact of two that a request could mean first. */
function byPath(endpoints: readonly Endpoint[]): [string, readonly Endpoint[]][] {
  const paths = Map.groupBy(endpoints, ({ route }) => route.path);
  // A literal segment sorts before one in braces: `{` stands behind every letter.
  return [...paths].sort(([a], [b]) => (a < b ? -1 : 1));
}

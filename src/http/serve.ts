/**
 * Serves one endpoint: the checks in the order of decisions 1, the handler, the answer, then one log
 * line and two metrics.
 *
 * Route (404, 405) is Hono's part; here follow token, media type, size, query and body. Visibility,
 * action and rules are the handler's and the engine's.
 */
import { monotonicMs } from '../base/clock.ts';
import { needsQuery, pathParameters } from '../contract/route.ts';
import { parseQuery } from '../contract/validate.ts';
import { type Answer, bodiless, responseOf } from './answer.ts';
import { type Caller, nobody } from './authenticate.ts';
import { readBody } from './body.ts';
import { CheckedRequest, type Endpoint } from './endpoint.ts';
import { isNoneMatch, parseIfMatch } from './entity-tag.ts';
import { refusalOf } from './refusal.ts';
import { requestIdOf } from './request-id.ts';
import { clientAddressOf, type HttpContext, headerOf, queryStringOf } from './request-source.ts';
import type { Services } from './services.ts';
import { CallerView } from './view/view.ts';

/** Tells the caller of a request, or throws why there is none. */
type Authenticate = (context: HttpContext) => Caller | Promise<Caller>;

export function serve(
  endpoint: Endpoint,
  services: Services,
  authenticate: Authenticate,
): (context: HttpContext) => Promise<Response> {
  const { route } = endpoint;
  const { engine, importer, options } = services;
  const names = pathParameters(route.path);
  const onLarge = route.fileField === undefined ? undefined : () => importer.expect();
  const withoutQuery = needsQuery(route) ? undefined : Object.freeze(parseQuery(route, ''));

  async function answer(context: HttpContext, requestId: string, seen: Seen): Promise<Answer> {
    const caller = route.auth === 'none' ? nobody : await authenticate(context);
    seen.token = caller.actor?.name;
    const body = await readBody(context, route, options.maxImportBytes, onLarge);
    const queryString = queryStringOf(context);
    const query =
      queryString === '' && withoutQuery !== undefined
        ? withoutQuery
        : parseQuery(route, queryString);
    const params: Record<string, string> = {};
    for (const name of names) params[name] = context.req.param(name) ?? '';
    const ifMatch = route.conditional ? parseIfMatch(headerOf(context, 'if-match')) : undefined;
    const parts = { params, query, body, ifMatch };
    const view = new CallerView(services, caller.rights);
    const request = new CheckedRequest(parts, caller, view, requestId, engine);
    const answer = await endpoint.handle(request, services);
    const tag = route.tagged ? answer.headers?.ETag : undefined;
    const isKnown = tag !== undefined && isNoneMatch(headerOf(context, 'if-none-match'), tag);
    return isKnown ? { ...answer, status: 304 } : answer;
  }

  return (context) =>
    observed(context, services, route.method, route.path, (requestId, seen) =>
      answer(context, requestId, seen),
    );
}

/** What is learnt of a request on the way, for its line in the log. */
interface Seen {
  /** Name of the caller's token. */
  token: string | undefined;
}

/** Answers, and says so in the log and the metrics, whatever happens. */
export async function observed(
  context: HttpContext,
  { log, metrics, storage }: Services,
  method: string,
  route: string,
  answer: (requestId: string, seen: Seen) => Answer | Promise<Answer>,
): Promise<Response> {
  const startedMs = monotonicMs();
  const requestId = requestIdOf(context);
  const seen: Seen = { token: undefined };
  let made: Answer;
  try {
    made = await answer(requestId, seen);
  } catch (error) {
    storage.noted(error);
    made = refusalOf(error, log, requestId, route);
  }
  const durationMs = monotonicMs() - startedMs;
  metrics.httpRequests.inc(method, route, made.status);
  metrics.httpRequestDuration.observe(method, route, durationMs / 1000);
  log.info('http.request', {
    method,
    route,
    status: made.status,
    durationMs: Math.round(durationMs * 1000) / 1000,
    client: context.env?.door === 'local' ? 'local' : clientAddressOf(context),
    token: seen.token,
    code: made.refusal?.code,
    error: made.refusal?.message,
    requestId,
  });
  if (made.status === 304 || context.req.raw.method === 'HEAD') {
    return bodiless(made, made.status, requestId);
  }
  return responseOf(made, requestId, (error) => {
    storage.noted(error);
    log.error('http.broken-off', { requestId, route, error });
  });
}

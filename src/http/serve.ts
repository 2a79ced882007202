/**
 * Serves one endpoint: the checks in their order, the handler, the answer, then one log line and two
 * metrics.
 *
 *   route (404, 405; Hono's part) -> host -> token -> query -> admission -> media type, size, room -> body
 *   -> visibility, action and rules, which are the handler's and the writer's
 *
 * Nothing of a body is read before its sender is admitted.
 */
import { monotonicMs } from '../base/clock.ts';
import { needsQuery, needsToken, pathParameters } from '../contract/route.ts';
import { parseQuery } from '../contract/validate.ts';
import { admit } from './admission.ts';
import { type Answer, bodiless, responseOf } from './answer.ts';
import { type Caller, nobody, requireOwnHost, rightsNow } from './authenticate.ts';
import { boundOf, onlySmall, readBody } from './body.ts';
import type { BodyRoom } from './body-room.ts';
import type { LargeBodies } from './large-body.ts';
import { closeUnread } from './body-source.ts';
import { CheckedRequest, type Endpoint } from './endpoint.ts';
import { isNoneMatch, parseIfMatch } from './entity-tag.ts';
import { refusalOf } from './refusal.ts';
import {
  clientAddressOf,
  headerOf,
  type HttpContext,
  queryStringOf,
  requestIdOf,
} from './request-source.ts';
import type { Services } from './services.ts';
import { CallerView } from './view/view.ts';
import { whyOf } from './why.ts';

/** Tells the caller of a request, or throws why there is none. */
type Authenticate = (context: HttpContext) => Caller | Promise<Caller>;

export function serve(
  endpoint: Endpoint,
  services: Services,
  authenticate: Authenticate,
  bodies: BodyRoom,
  largeBodies: LargeBodies,
): (context: HttpContext) => Promise<Response> {
  const { route } = endpoint;
  const { writer, importer, options } = services;
  const names = pathParameters(route.path);
  const isGuarded = needsToken(route);
  const bound = boundOf(route, options);
  const onLarge = route.fileField === undefined ? undefined : () => importer.expect();
  const withoutQuery = needsQuery(route) ? undefined : Object.freeze(parseQuery(route, ''));

  async function answer(context: HttpContext, requestId: string, seen: Seen): Promise<Answer> {
    requireOwnHost(context, options);
    const caller = isGuarded ? await authenticate(context) : nobody;
    seen.token = caller.actor?.name;
    const queryString = queryStringOf(context);
    const query =
      queryString === '' && withoutQuery !== undefined
        ? withoutQuery
        : parseQuery(route, queryString);
    const params: Record<string, string> = {};
    for (const name of names) params[name] = context.req.param(name) ?? '';
    const { rights } = caller;
    const view = new CallerView(services, rights);
    const { catalogZoneName } = options;
    const beyondSmall = admit(route.admission, { params, query, rights, view, catalogZoneName });
    const why = route.method === 'GET' ? undefined : whyOf(context);
    using place = bodies.placeFor(ownerOf(caller, context));
    const limit = beyondSmall === undefined ? bound : onlySmall(bound, beyondSmall);
    const body = await readBody(context, route, { limit, place, largeBodies, onLarge });
    const ifMatch = route.conditional ? parseIfMatch(headerOf(context, 'if-match')) : undefined;
    const viewNow = () => new CallerView(services, rightsNow(caller, services));
    const parts = { params, query, body, ifMatch, why, viewNow };
    const request = new CheckedRequest(parts, caller, view, requestId, writer);
    const answer = await endpoint.handle(request, services);
    const tag = route.tagged ? answer.headers?.ETag : undefined;
    const isKnown = tag !== undefined && isNoneMatch(headerOf(context, 'if-none-match'), tag);
    return isKnown ? { ...answer, status: 304 } : answer;
  }

  return (context) => observed(context, services, route.method, route.path, answer);
}

/** Whose body it is: a token's, or an address's where none is asked for. */
function ownerOf({ actor }: Caller, context: HttpContext): string {
  if (actor !== null) return `${actor.kind} ${actor.id}`;
  return context.env?.door === 'local' ? 'local' : `address ${clientAddressOf(context)}`;
}

/** What is known of a request only while it is served, for its line in the log. */
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
  answer: (context: HttpContext, requestId: string, seen: Seen) => Answer | Promise<Answer>,
): Promise<Response> {
  const startedMs = monotonicMs();
  const requestId = requestIdOf(context);
  const seen: Seen = { token: undefined };
  let made: Answer;
  try {
    made = await answer(context, requestId, seen);
  } catch (error) {
    storage.noted(error);
    made = refusalOf(error, log, requestId, route);
  }
  const { incoming, outgoing } = context.env ?? {};
  if (incoming !== undefined && outgoing !== undefined) closeUnread(incoming, outgoing);
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

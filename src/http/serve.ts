/**
 * Serves one endpoint: the checks in their order, the handler, the answer, then one log line and two
 * metrics.
 *
 *   route (404, 405; Hono's part) -> host -> token -> query -> admission -> media type, size, room -> body
 *   -> token and admission again, where rights changed -> visibility, action and rules, which are the
 *   handler's and the writer's
 *
 * Nothing of a body is read before its sender is admitted, and nothing is answered by rights that went meanwhile.
 */
import { monotonicMs } from '../base/clock.ts';
import { limits } from '../base/limits.ts';
import type { Problem } from '../base/problem.ts';
import { canWait, needsQuery, needsToken, pathParameters, type Route } from '../contract/route.ts';
import { checkAgreement, parseQuery } from '../contract/validate.ts';
import { normaliseZoneName, type Zone } from '../domain/zone.ts';
import { admit, type Asked } from './admission.ts';
import { type Answer, bodiless, responseOf } from './answer.ts';
import type { AnswerRoom } from './answer-room.ts';
import {
  type Caller,
  nobody,
  requireOwnHost,
  requireOwnPage,
  heldRights,
  rightsNow,
} from './authenticate.ts';
import { boundOf, onlySmall, readBody } from './body.ts';
import { withPointers } from './body-errors.ts';
import type { BodyRoom } from './body-room.ts';
import { closeUnread } from './body-source.ts';
import { CheckedRequest, type Endpoint, type Exchange, type Said } from './endpoint.ts';
import { ifMatchOf, isNoneMatch } from './entity-tag.ts';
import type { LargeBodies } from './large-body.ts';
import type { Client } from './login.ts';
import { parsePrefer } from './prefer.ts';
import { followed, onceReached, waitOf } from './propagation.ts';
import { problemOf } from './problem-answer.ts';
import {
  type Bindings,
  clientAddressOf,
  type HttpContext,
  headerOf,
  queryStringOf,
  requestIdOf,
} from './request-source.ts';
import type { Services } from './services.ts';
import { CallerView } from './view/view.ts';
import { allowedDeletesOf, whyIn, whyOf } from './why.ts';

/** Tells the caller of a request, or throws why there is none. */
type Authenticate = (context: HttpContext) => Caller | Promise<Caller>;

export function serve(
  endpoint: Endpoint,
  services: Services,
  authenticate: Authenticate,
  { bodies, largeBodies, answers }: Rooms,
): (context: HttpContext) => Promise<Response> {
  const { route } = endpoint;
  const { cursors, importer, options } = services;
  const names = pathParameters(route.path);
  const isGuarded = needsToken(route);
  const bound = boundOf(route, options);
  const onLarge = route.fileField === undefined ? undefined : () => importer.expect();
  const withoutQuery = needsQuery(route) ? undefined : Object.freeze(parseQuery(route, ''));

  async function handled(
    context: HttpContext,
    { requestId, seen, prefers, changed }: Handled,
  ): Promise<Answer> {
    requireOwnHost(context, options);
    if (!isGuarded && route.method !== 'GET') requireOwnPage(context);
    const asCame = isGuarded ? await authenticate(context) : nobody;
    const exchange = exchangeOf(context, asCame, authenticate);
    seen.exchange = exchange;
    const queryString = queryStringOf(context);
    const query = (queryString === '' && withoutQuery) || parseQuery(route, queryString);
    const params = Object.fromEntries(names.map((name) => [name, context.req.param(name) ?? '']));
    const list = { route: route.id, params, query };
    const page = cursors.pageOf(list);
    const asked = { route, params, query };
    const early = admitted(asCame, asked, services);
    const said = saidOfWrite(route, context);
    using share = bodies.shareFor(exchange.owner);
    if (isGuarded && context.env?.via !== 'local') answers.requireShare(exchange.owner);
    const limit = onlySmall(bound, early.beyondSmall);
    const body = await readBody(context, route, { limit, share, largeBodies, onLarge });
    checkAgreement(route, query, body);
    // A body takes as long as its sender likes: what is answered is what may be read once it is there.
    const isAsCame = heldRights(asCame, services) === asCame.rights;
    const caller = isAsCame ? asCame : await authenticate(context);
    const { view } = isAsCame ? early : admitted(caller, asked, services);
    const isMinimal = route.leftOut !== undefined && prefers.get('return') === 'minimal';
    const parts = {
      ...list,
      page,
      body,
      ...said,
      // Only a route whose body has these fields lets them through.
      why: whyIn(body, said.why),
      isMinimal,
      changed,
      ...byRightsOfNow(caller, services),
      client: () => clientOf(context),
      exchange,
    };
    const request = new CheckedRequest(parts, caller, view, requestId, services);
    seen.isRead = route.method === 'GET' || request.dryRun;
    const answer = await endpoint.handle(request, services);
    if (changed?.size === 0) request.changed(zoneOf(route, params, body, services));
    return isMinimal
      ? { ...answer, headers: followed(answer, 'return=minimal') }
      : asKnown(answer, route, context);
  }

  return (context) =>
    observed(context, services, route.method, route.path, (_, requestId, seen) =>
      answerTo(context, { requestId, seen, answers }, route, services, handled),
    );
}

/** Calls within the process have nobody who takes the answer. */
function hold(
  answer: Answer,
  route: Route,
  context: HttpContext,
  { answers, seen }: Pick<Handled, 'answers' | 'seen'>,
): void {
  const { outgoing, via } = context.env ?? {};
  if (outgoing === undefined || seen.exchange === undefined) return;
  const canBeRefused = seen.isRead && via !== 'local';
  const isOpen = !needsToken(route);
  answers.hold(answer, { owner: seen.exchange.owner, outgoing, canBeRefused, isOpen });
}

/** What all requests share. */
export interface Rooms {
  readonly bodies: BodyRoom;
  readonly largeBodies: LargeBodies;
  readonly answers: AnswerRoom;
}

/** What the headers of a write say of it. */
function saidOfWrite(route: Route, context: HttpContext): Said {
  if (route.method === 'GET') return {};
  const ifMatch = ifMatchOf(route, headerOf(context, 'if-match'));
  return { why: whyOf(context), allowDeletes: allowedDeletesOf(context), ifMatch };
}

/** An answer whose entity the client has is left out (RFC 9110 13.1.2). */
function asKnown(answer: Answer, { tagged }: Route, context: HttpContext): Answer {
  const tag = tagged ? answer.headers?.ETag : undefined;
  const isKnown = tag !== undefined && isNoneMatch(headerOf(context, 'if-none-match'), tag);
  return isKnown ? { ...answer, status: 304 } : answer;
}

/** What a caller sees who is admitted, and what all but a small body of it is refused with. */
function admitted(
  { rights }: Caller,
  { route, ...asked }: { readonly route: Route } & Pick<Asked, 'params' | 'query'>,
  services: Services,
): { readonly view: CallerView; readonly beyondSmall: Problem | undefined } {
  const view = new CallerView(services, rights);
  const { catalogZoneName } = services.options;
  return { view, beyondSmall: admit(route.admission, { ...asked, rights, view, catalogZoneName }) };
}

/** What is known of a request before anything of it is judged. */
interface Handled {
  readonly requestId: string;
  readonly seen: Seen;
  readonly answers: AnswerRoom;
  readonly prefers: ReadonlyMap<string, string>;
  /** Takes the zones that the request changes; undefined where nobody waits for their secondaries. */
  readonly changed: Map<number, Zone> | undefined;
}

/** The answer, and behind it the wait for secondaries, which holds no room of bodies. */
async function answerTo(
  context: HttpContext,
  known: Pick<Handled, 'requestId' | 'seen' | 'answers'>,
  route: Route,
  services: Services,
  handle: (context: HttpContext, handled: Handled) => Promise<Answer>,
): Promise<Answer> {
  const prefers = parsePrefer(headerOf(context, 'prefer'));
  const seconds = canWait(route) ? waitOf(prefers) : undefined;
  const changed = seconds === undefined ? undefined : new Map<number, Zone>();
  const answer = await handle(context, { ...known, prefers, changed }).catch((error: unknown) => {
    throw withPointers(error, route);
  });
  hold(answer, route, context, known);
  const { exchange } = known.seen;
  if (seconds === undefined || changed === undefined || exchange === undefined) return answer;
  return onceReached(answer, [...changed.values()], seconds, services, exchange, (error) => {
    services.storage.reportRead(error);
    problemOf(error, services.log, known.requestId, route.path);
  });
}

/** For what is done after the request came. */
function byRightsOfNow(caller: Caller, services: Services) {
  const now = () => rightsNow(caller, services);
  return {
    rightsNow: now,
    heldRights: () => heldRights(caller, services),
    viewNow: () => new CallerView(services, now()),
  };
}

/** The zone that a request names, as it is now: imports and signing submit no command of the request itself. */
function zoneOf(
  { path }: Route,
  params: Readonly<Record<string, string>>,
  body: unknown,
  { zones }: Services,
): Zone | undefined {
  const inPath = path.startsWith('/zones/') ? params.name : params.zone_name;
  const name = inPath ?? (body as { readonly zone_name?: unknown }).zone_name;
  return typeof name === 'string' ? zones.byName(normaliseZoneName(name)) : undefined;
}

/** Where a caller is, and what it calls itself. */
function clientOf(context: HttpContext): Client {
  const agent = headerOf(context, 'user-agent')?.slice(0, limits.agentCharacters) ?? null;
  return { address: clientAddressOf(context), agent };
}

function ownerOf({ actor }: Caller, context: HttpContext): string {
  if (actor !== null) return `${actor.kind} ${actor.id}`;
  return context.env?.via === 'local' ? 'local' : `address ${clientAddressOf(context)}`;
}

function exchangeOf(context: HttpContext, caller: Caller, authenticate: Authenticate): Exchange {
  return {
    header: (name) => headerOf(context, name),
    stopping: context.env?.stopping,
    ended: () => endOf(context.env ?? {}),
    owner: ownerOf(caller, context),
    isKnown: () => isLetIn(context, authenticate),
    tokenName: caller.actor?.name,
    cut: () => context.env?.outgoing?.destroy(),
  };
}

async function isLetIn(context: HttpContext, authenticate: Authenticate): Promise<boolean> {
  try {
    await authenticate(context);
    return true;
  } catch {
    return false;
  }
}

/** The end of an exchange: the service stops, or nobody is there any more who takes the answer. */
function endOf({ stopping, outgoing }: Bindings): AbortSignal | undefined {
  if (outgoing === undefined) return stopping;
  const left = new AbortController();
  if (outgoing.destroyed) left.abort();
  else outgoing.once('close', () => left.abort());
  return stopping === undefined ? left.signal : AbortSignal.any([stopping, left.signal]);
}

/** What is known of a request only while it is served. */
interface Seen {
  /** Undefined until its caller is known. */
  exchange: Exchange | undefined;
  /** Nothing is done: a read, or a dry run. */
  isRead: boolean;
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
  const seen: Seen = { exchange: undefined, isRead: false };
  let made: Answer;
  try {
    made = await answer(context, requestId, seen);
  } catch (error) {
    storage.reportRead(error);
    made = problemOf(error, log, requestId, route);
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
    client: context.env?.via === 'local' ? 'local' : clientAddressOf(context),
    token: seen.exchange?.tokenName,
    code: made.problem?.code,
    error: made.problem?.message,
    requestId,
  });
  if (made.status === 304 || context.req.raw.method === 'HEAD') {
    return bodiless(made, made.status, requestId);
  }
  return responseOf(made, requestId, (error) => {
    storage.reportRead(error);
    log.error('http.broken-off', { requestId, route, error });
  });
}

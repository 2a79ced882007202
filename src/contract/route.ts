/**
 * Routes: what one operation of the HTTP interface is, as a value.
 *
 * The HTTP API reads a route to know what to check before a handler runs, OpenAPI is printed from it,
 * and tests walk over all of them. A route knows nothing of how it is served.
 *
 * Its admission is what is asked of a caller before a byte of the body of its request is read. It is as much
 * of the action that an operation needs as path and query show; the domain rules ask for the rest when the body is
 * known. Whoever is not admitted is answered as the operation itself would answer: what no grant reaches is missing.
 */
import * as v from 'valibot';
import { type ProblemCode, statusOfCode } from '../base/problem.ts';
import { nextCursor, pagination } from './fields.ts';

type ActionName =
  | 'zone:read'
  | 'zone:create'
  | 'zone:update'
  | 'zone:delete'
  | 'record:read'
  | 'record:create'
  | 'record:update'
  | 'record:delete'
  | 'dnssec:read'
  | 'dnssec:manage'
  | 'secondary:read'
  | 'secondary:manage'
  | 'access:manage';

type RecordActionName = Extract<ActionName, `record:${string}`>;

/** Kinds of named things that only some callers know of. */
export type GuardedKind = 'secondary' | 'role' | 'api-token' | 'tsig-key' | 'policy' | 'webhook';

export type Admission =
  /** Everybody, without a token. */
  | { readonly by: 'anyone' }
  /** Whoever has a token; lists are filtered row by row. */
  | { readonly by: 'token' }
  | { readonly by: 'everywhere'; readonly action: ActionName }
  /** In the zone that the path or the query names; without an action, any grant that reaches it. */
  | { readonly by: 'zone'; readonly action?: ActionName; readonly whole?: false }
  /** The same, with no narrowing of names or types. */
  | { readonly by: 'zone'; readonly action: RecordActionName; readonly whole: true }
  /** On the name that the query gives, and on its type or all of them. */
  | { readonly by: 'records'; readonly action: RecordActionName }
  /** In the zone of the path, which may be the catalog: then in all zones. */
  | { readonly by: 'zone-or-catalog'; readonly action: ActionName }
  /** In any zone: the body says in which. */
  | { readonly by: 'body'; readonly action: ActionName; readonly or?: ActionName }
  /** Into the zone of the path, or into one that is made: the body says whether. */
  | { readonly by: 'import' }
  /** On the record of an id. */
  | { readonly by: 'record'; readonly action: RecordActionName }
  /** On any record: the one of the id may have stood elsewhere before, or be deleted. */
  | { readonly by: 'record-ever'; readonly action: RecordActionName }
  /** On any event: which ones a caller sees depends on what they are about. */
  | { readonly by: 'event' }
  | { readonly by: GuardedKind; readonly action: ActionName };

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
/** What operations are about, in the order the specification shows them. */
export const tags = {
  service: 'Health, metrics and this specification; open to everyone.',
  zones: 'Zones, their files, versions and history.',
  records: 'Records of zones.',
  changes: 'Changes of several RRsets and zones as one, looked at before they are made.',
  events: 'Everything that was done, by whom and why.',
  webhooks: 'Where events are posted to.',
  secondaries: 'Name servers that transfer the zones.',
  roles: 'Roles and what is granted to them.',
  sessions: 'Browsers that are logged in.',
  tokens: 'Tokens for this interface, and what the caller may do.',
  'tsig-keys': 'Keys that sign transfers, updates and NOTIFY (RFC 8945).',
  'external-dns': 'For a controller of ExternalDNS; served when api.external_dns_enabled is on.',
  'dnssec-policies': 'How zones are signed.',
  dnssec: 'The signing of a zone and its keys.',
} as const;

type Tag = keyof typeof tags;

/** An object whose unknown fields are refused. */
export type ObjectSchema = v.StrictObjectSchema<
  v.ObjectEntries,
  v.ErrorMessage<v.StrictObjectIssue> | undefined
>;

/** What a request may carry when a route takes nothing: an empty object. */
const noFields = v.strictObject({});
type NoFields = typeof noFields;

/** How many bytes a body may have; `import` is a setting of the service. */
type BodyLimit = 'none' | 'standard' | 'bulk' | 'import';

/** An answer of a route that went well. */
interface Success {
  readonly status: 200 | 201;
  readonly description: string;
  readonly schema: v.GenericSchema;
  /** `application/json` when left out. */
  readonly mediaType?: string | undefined;
}

interface OtherAnswer {
  readonly status: 422 | 503;
  readonly description: string;
  readonly example: unknown;
}

export interface Alternatives {
  readonly names: readonly [string, string];
  /** True when one of them must be given. */
  readonly isNeeded: boolean;
}

/** What a route says of its operation. Examples are bodies as they go over the wire; a test tries them. */
interface Operation {
  readonly summary: string;
  readonly description?: string;
  /** What it is about, where that is not its resource. */
  readonly tag?: Tag;
  /** True for the paths of the earlier shape of the interface. */
  readonly deprecated?: boolean;
  /** The option of the service that serves it; always when left out. */
  readonly option?: 'metricsEnabled' | 'openapiEnabled' | 'externalDnsEnabled';
  /** What is asked of a caller before the body is read. */
  readonly admission: Admission;
  /** The action a caller needs, in words; what the admission asks for when left out. */
  readonly action?: string;
  /** How large a body may be; `standard`, the smallest, when left out. */
  readonly bodyLimit?: BodyLimit;
  /** True when a request without a body means the empty object. */
  readonly bodyOptional?: boolean;
  readonly exampleBody?: unknown;
  /** The field that is a whole file: in a large body the handler gets it as bytes, not as a string. */
  readonly fileField?: string;
  /** True for reads whose answer carries an ETag. */
  readonly tagged?: boolean;
  /** True for writes that If-Match can make conditional. */
  readonly conditional?: boolean;
  /** What another write compares in place of If-Match, in words. */
  readonly instead?: string;
  /** True for other writes whose answer waits for secondaries with `Prefer: wait`. */
  readonly waits?: boolean;
  /** Fields that its answer leaves out with `Prefer: return=minimal` (RFC 7240 4.2). */
  readonly leftOut?: readonly string[];
  /** Parameters of the query that exclude each other. */
  readonly alternatives?: readonly Alternatives[];
  /** Retired names of parameters and fields, each with what to say instead. */
  readonly retired?: Readonly<Record<string, string>>;
  readonly success: Success;
  readonly exampleAnswer?: unknown;
  /** Other forms that the answer may be asked for in, each with an example. */
  readonly otherMediaTypes?: Readonly<Record<string, string>>;
  /** Answers of the same shape under another status, each with what it means. */
  readonly otherAnswers?: readonly OtherAnswer[];
  /** A list of the request whose items a refusal names one by one in `errors`. */
  readonly itemList?: string;
  /** Codes of refusals by this operation's own rules; `problemsOf` adds those of its kind. */
  readonly problems?: readonly ProblemCode[];
}

/** A route before its resource has given it an id. */
export interface UnnamedRoute<
  Path extends string = string,
  Query extends ObjectSchema = ObjectSchema,
  Body extends ObjectSchema = ObjectSchema,
> extends Operation {
  readonly method: Method;
  /** Template of the path; parameters in braces take one segment each. */
  readonly path: Path;
  readonly query: Query;
  readonly body: Body;
  /** `never`: a body is allowed but must be the empty object. */
  readonly takesBody: 'always' | 'optionally' | 'never';
  readonly bodyLimit: BodyLimit;
}

export interface Route<
  Path extends string = string,
  Query extends ObjectSchema = ObjectSchema,
  Body extends ObjectSchema = ObjectSchema,
> extends UnnamedRoute<Path, Query, Body> {
  /** The operation's name in the specification, unique. */
  readonly id: string;
  readonly tag: Tag;
}

/** The operations of a resource by their ids. */
export function resource<const Routes extends Readonly<Record<string, UnnamedRoute>>>(
  tag: Tag,
  routes: Routes,
): { readonly [Id in keyof Routes & string]: Routes[Id] & { readonly id: Id; readonly tag: Tag } } {
  const named = Object.entries(routes).map(([id, route]) => [id, { tag, ...route, id }]);
  return Object.fromEntries(named);
}

/** How a page of a list is named. */
const eitherPage: Alternatives = { names: ['offset', 'cursor'], isNeeded: false };

/** A route of a request like `GET /zones/{name}`: completes what the operation says of itself. */
export function defineRoute<
  const Path extends string,
  Query extends ObjectSchema = NoFields,
  Body extends ObjectSchema = NoFields,
>(
  request: `${Method} ${Path}`,
  options: Operation & { readonly query?: Query; readonly body?: Body },
): UnnamedRoute<Path, Query, Body> {
  const [method, path] = request.split(' ') as [Method, Path];
  const { query, body, bodyOptional = false, bodyLimit = 'standard' } = options;
  const isList = query !== undefined && 'offset' in query.entries && 'cursor' in query.entries;
  const alternatives = isList
    ? [...(options.alternatives ?? []), eitherPage]
    : options.alternatives;
  return {
    ...options,
    ...(alternatives && { alternatives }),
    method,
    path,
    query: query ?? (noFields as unknown as Query),
    body: body ?? (noFields as unknown as Body),
    takesBody: body === undefined ? 'never' : bodyOptional ? 'optionally' : 'always',
    bodyLimit: body === undefined ? 'none' : bodyLimit,
  };
}

/** What a route answers when all went well, with an example of it. */
export function answers(
  status: 200 | 201,
  description: string,
  schema: v.GenericSchema,
  exampleAnswer: unknown,
  mediaType?: string,
) {
  return { success: { status, description, schema, mediaType }, exampleAnswer };
}

/** A page of a list (interface 2.1), with an example of an item. */
export function pageOf(item: v.GenericSchema, example: unknown, description: string) {
  const schema = v.object({ items: v.array(item), pagination, next_cursor: nextCursor });
  const pages = { limit: 50, offset: 0, total: 1 };
  const page = { items: [example], pagination: pages, next_cursor: null };
  return answers(200, description, schema, page);
}

/** The names between braces in a path template. */
export type PathParameter<Path extends string> =
  Path extends `${string}{${infer Name}}${infer Rest}` ? Name | PathParameter<Rest> : never;

export function pathParameters(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
}

/** True when some query parameter must be given. */
export function needsQuery({ query, alternatives = [] }: Route): boolean {
  return !v.is(query, {}) || alternatives.some(({ isNeeded }) => isNeeded);
}

/** True for creates that answer 200 instead of 201 in a dry run. */
export function hasDryRun(route: Route): boolean {
  return 'dry_run' in route.body.entries || 'dry_run' in route.query.entries;
}

/** The action a caller needs, in words. Those on access and secondaries are held in all zones or not at all. */
export function neededAction({ action, admission }: Route): string | undefined {
  if (action !== undefined || !('action' in admission)) return action;
  if ('whole' in admission && admission.whole) return `${admission.action} without narrowing`;
  const isEverywhere = admission.by === 'everywhere' || admission.by === 'policy';
  const isOfZones = !/^(?:access|secondary):/.test(admission.action ?? '');
  return isEverywhere && isOfZones ? `${admission.action} in all zones` : admission.action;
}

/** Codes that callers are refused with whom a route does not admit. */
const notAdmitted: Readonly<Record<Admission['by'], readonly ProblemCode[]>> = {
  anyone: [],
  token: [],
  everywhere: ['FORBIDDEN'],
  zone: ['FORBIDDEN', 'ZONE_NOT_FOUND'],
  records: ['FORBIDDEN', 'ZONE_NOT_FOUND'],
  'zone-or-catalog': ['FORBIDDEN', 'ZONE_NOT_FOUND'],
  body: ['FORBIDDEN', 'ZONE_NOT_FOUND'],
  import: ['FORBIDDEN', 'ZONE_NOT_FOUND'],
  record: ['FORBIDDEN', 'RECORD_NOT_FOUND'],
  'record-ever': ['FORBIDDEN', 'RECORD_NOT_FOUND'],
  event: ['EVENT_NOT_FOUND'],
  role: ['ROLE_NOT_FOUND'],
  'api-token': ['TOKEN_NOT_FOUND'],
  'tsig-key': ['TSIG_KEY_NOT_FOUND'],
  secondary: ['FORBIDDEN', 'SECONDARY_NOT_FOUND'],
  webhook: ['WEBHOOK_NOT_FOUND'],
  policy: ['FORBIDDEN', 'DNSSEC_POLICY_NOT_FOUND'],
};

/** All codes an operation can answer with: its own and those every request of its kind meets. */
export function problemsOf(route: Route): ProblemCode[] {
  const { admission, conditional, method, option, problems = [] } = route;
  // A parameter or body that is not known is refused wherever it is.
  const codes: ProblemCode[] = [...problems, 'INVALID_INPUT', 'METHOD_NOT_ALLOWED'];
  codes.push('INVALID_JSON_BODY', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'REQUEST_TIMEOUT');
  if (option !== undefined) codes.push('ENDPOINT_NOT_FOUND');
  if (needsToken(route)) {
    codes.push('UNAUTHORIZED', 'INVALID_TOKEN', 'RATE_LIMITED', 'INTERNAL', 'STORAGE_UNAVAILABLE');
    if (method !== 'GET') codes.push('OVERLOADED', 'REASON_REQUIRED');
  }
  if (conditional) codes.push('PRECONDITION_FAILED');
  // Whoever sees a zone by any grant is admitted where no action is asked for.
  const isOpenToSeeing = admission.by === 'zone' && admission.action === undefined;
  codes.push(...(isOpenToSeeing ? (['ZONE_NOT_FOUND'] as const) : notAdmitted[admission.by]));
  return [...new Set(codes)];
}

/** Whether the answer of an operation can wait until secondaries serve what it changed. */
export function canWait({ conditional, leftOut, waits }: Route): boolean {
  return conditional === true || leftOut !== undefined || waits === true;
}

/** Whether an operation is for callers with a token; others are open to everyone. */
export function needsToken({ admission }: Pick<Route, 'admission'>): boolean {
  return admission.by !== 'anyone';
}

/** Every status an operation can answer with; its own refusals among them. */
export function statusesOf(route: Route): number[] {
  const statuses = new Set<number>([route.success.status]);
  // A dry run makes nothing, so it answers 200 where the real thing answers 201.
  if (hasDryRun(route)) statuses.add(200);
  if (route.tagged) statuses.add(304);
  for (const { status } of route.otherAnswers ?? []) statuses.add(status);
  for (const code of problemsOf(route)) statuses.add(statusOfCode[code]);
  // Counted where no route matched.
  statuses.delete(405);
  return [...statuses].sort((a, b) => a - b);
}

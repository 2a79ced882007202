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
export type GuardedKind = 'secondary' | 'role' | 'api-token' | 'tsig-key' | 'policy';

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
  | { readonly by: GuardedKind; readonly action: ActionName };

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
/** What operations are about, in the order the specification shows them. */
export const tags = {
  service: 'Health, metrics and this specification; open to everyone.',
  zones: 'Zones, their files, versions and history.',
  records: 'Records of zones.',
  secondaries: 'Name servers that transfer the zones.',
  roles: 'Roles and what is granted to them.',
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
export const noFields = v.strictObject({});
type NoFields = typeof noFields;

/** How many bytes a body may have; `import` is a setting of the service. */
type BodyLimit = 'ordinary' | 'bulk' | 'import';

/** An answer of a route that went well. */
interface Success {
  readonly status: 200 | 201;
  readonly description: string;
  readonly schema: v.GenericSchema;
  /** `application/json` when left out. */
  readonly mediaType?: string;
}

interface OtherAnswer {
  readonly status: 422 | 503;
  readonly description: string;
  readonly example: unknown;
}

/** Bodies as they go over the wire, shown in the specification and tried by a test. */
interface Examples {
  readonly request?: unknown;
  readonly response?: unknown;
}

export interface Alternatives {
  readonly names: readonly [string, string];
  /** True when one of them must be given. */
  readonly isNeeded: boolean;
}

interface Operation {
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly Tag[];
  /** True for the paths of the earlier shape of the interface. */
  readonly deprecated?: boolean;
  /** The option of the service that serves it; always when left out. */
  readonly option?: 'metricsEnabled' | 'openapiEnabled' | 'externalDnsEnabled';
  readonly auth: 'none' | 'token';
  /** The action a caller needs, in words. */
  readonly action?: string;
  /** What is asked of a caller before the body is read. */
  readonly admission: Admission;
  /** The field that is a whole file: in a large body the handler gets it as bytes, not as a string. */
  readonly fileField?: string;
  /** True for reads whose answer carries an ETag. */
  readonly tagged?: boolean;
  /** True for writes that If-Match can make conditional. */
  readonly conditional?: boolean;
  /** Parameters of the query that exclude each other. */
  readonly alternatives?: readonly Alternatives[];
  /** Retired names of parameters and fields, each with what to say instead. */
  readonly retired?: Readonly<Record<string, string>>;
  readonly success: Success;
  /** Answers of the same shape under another status, each with what it means. */
  readonly otherAnswers?: readonly OtherAnswer[];
  /** A list of the request whose items a refusal names one by one in `errors`. */
  readonly itemList?: string;
  /** Codes of this operation's own refusals; those of its kind are added by `problemsOf`. */
  readonly problems: readonly ProblemCode[];
  readonly examples?: Examples;
}

type BodyOptions<Body> =
  | { readonly body?: never; readonly bodyLimit?: never; readonly bodyOptional?: never }
  | {
      readonly body: Body;
      /** How large it may be; `ordinary`, the least, when left out. */
      readonly bodyLimit?: BodyLimit;
      /** True when a request without a body means the empty object. */
      readonly bodyOptional?: boolean;
    };

type RouteOptions<Query, Body> = Operation & BodyOptions<Body> & { readonly query?: Query };

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
  readonly otherAnswers: readonly OtherAnswer[];
  readonly bodyLimit: BodyLimit | 'none';
  readonly deprecated: boolean;
  readonly tagged: boolean;
  readonly conditional: boolean;
}

export interface Route<
  Path extends string = string,
  Query extends ObjectSchema = ObjectSchema,
  Body extends ObjectSchema = ObjectSchema,
> extends UnnamedRoute<Path, Query, Body> {
  /** The operation's name in the specification, unique. */
  readonly id: string;
}

/** The operations of a resource by their ids. */
export function resource<const Routes extends Readonly<Record<string, UnnamedRoute>>>(
  routes: Routes,
): { readonly [Id in keyof Routes & string]: Routes[Id] & { readonly id: Id } } {
  const named = Object.entries(routes).map(([id, route]) => [id, { ...route, id }]);
  return Object.fromEntries(named);
}

/** A route of a request like `GET /zones/{name}`: completes what the operation says of itself. */
export function defineRoute<
  const Path extends string,
  Query extends ObjectSchema = NoFields,
  Body extends ObjectSchema = NoFields,
>(
  request: `${Method} ${Path}`,
  options: RouteOptions<Query, Body>,
): UnnamedRoute<Path, Query, Body> {
  const [method, path] = request.split(' ') as [Method, Path];
  return {
    ...options,
    method,
    path,
    deprecated: options.deprecated ?? false,
    tagged: options.tagged ?? false,
    conditional: options.conditional ?? false,
    query: options.query ?? (noFields as unknown as Query),
    body: options.body ?? (noFields as unknown as Body),
    takesBody: takesBody(options),
    otherAnswers: options.otherAnswers ?? [],
    bodyLimit: options.bodyLimit ?? (options.body === undefined ? 'none' : 'ordinary'),
  };
}

function takesBody(options: {
  readonly body?: unknown;
  readonly bodyOptional?: boolean;
}): UnnamedRoute['takesBody'] {
  if (options.body === undefined) return 'never';
  return options.bodyOptional === true ? 'optionally' : 'always';
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

/** All codes an operation can answer with: its own and those every request of its kind meets. */
export function problemsOf(route: Route): ProblemCode[] {
  const codes = new Set<ProblemCode>(route.problems);
  // A parameter or body that is not known is refused wherever it is.
  codes.add('INVALID_INPUT').add('METHOD_NOT_ALLOWED');
  codes.add('INVALID_JSON_BODY').add('PAYLOAD_TOO_LARGE').add('UNSUPPORTED_MEDIA_TYPE');
  codes.add('REQUEST_TIMEOUT');
  if (route.auth === 'token') {
    codes.add('UNAUTHORIZED').add('INVALID_TOKEN').add('RATE_LIMITED');
    codes.add('INTERNAL').add('STORAGE_UNAVAILABLE');
    if (route.method !== 'GET') codes.add('OVERLOADED');
  }
  if (route.conditional) codes.add('PRECONDITION_FAILED');
  return [...codes];
}

/** Every status an operation can answer with; its own refusals among them. */
export function statusesOf(route: Route): number[] {
  const statuses = new Set<number>([route.success.status]);
  // A dry run makes nothing, so it answers 200 where the real thing answers 201.
  if (hasDryRun(route)) statuses.add(200);
  if (route.tagged) statuses.add(304);
  for (const { status } of route.otherAnswers) statuses.add(status);
  for (const code of problemsOf(route)) statuses.add(statusOfCode[code]);
  // Counted where no route matched.
  statuses.delete(405);
  return [...statuses].sort((a, b) => a - b);
}

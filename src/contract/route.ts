/**
 * Routes: what one operation of the HTTP interface is, as a value.
 *
 * The door reads a route to know what to check before a handler runs, OpenAPI is printed from it,
 * and tests walk over all of them. A route knows nothing of how it is served.
 */
import * as v from 'valibot';
import { type ProblemCode, statusOfCode } from '../base/problem.ts';
import type { Admission } from './admission.ts';

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

/** How many octets a body may have; `import` is a setting of the service. */
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

interface Operation<Path extends string> {
  /** The operation's name in the specification, unique. */
  readonly id: string;
  readonly method: Method;
  /** Template of the path; parameters in braces take one segment each. */
  readonly path: Path;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly Tag[];
  /** True for the paths of the earlier shape of the interface. */
  readonly deprecated?: boolean;
  readonly auth: 'none' | 'token';
  /** The action a caller needs, in words. */
  readonly action?: string;
  /** What is asked of a caller before the body is read. */
  readonly admission: Admission;
  /** The field that is a whole file: in a large body the handler gets it as octets, not as a string. */
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

/** A route that takes a body says how large it may be. */
type BodyOptions<Body> =
  | { readonly body?: never; readonly bodyLimit?: never; readonly bodyOptional?: never }
  | {
      readonly body: Body;
      readonly bodyLimit: BodyLimit;
      /** True when a request without a body means the empty object. */
      readonly bodyOptional?: boolean;
    };

type RouteOptions<Path extends string, Query, Body> = Operation<Path> &
  BodyOptions<Body> & { readonly query?: Query };

export interface Route<
  Path extends string = string,
  Query extends ObjectSchema = ObjectSchema,
  Body extends ObjectSchema = ObjectSchema,
> extends Operation<Path> {
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

/** Completes what an operation says of itself. */
export function defineRoute<
  const Path extends string,
  Query extends ObjectSchema = NoFields,
  Body extends ObjectSchema = NoFields,
>(options: RouteOptions<Path, Query, Body>): Route<Path, Query, Body> {
  return {
    ...options,
    deprecated: options.deprecated ?? false,
    tagged: options.tagged ?? false,
    conditional: options.conditional ?? false,
    query: options.query ?? (noFields as unknown as Query),
    body: options.body ?? (noFields as unknown as Body),
    takesBody: takesBody(options),
    otherAnswers: options.otherAnswers ?? [],
    bodyLimit: options.bodyLimit ?? 'none',
  };
}

function takesBody(options: {
  readonly body?: unknown;
  readonly bodyOptional?: boolean;
}): Route['takesBody'] {
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

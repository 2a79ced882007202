/**
 * Validation: query strings and bodies against a route's schemas.
 *
 * Only shape is judged here: known names, JSON types, integers that are integers. Whether a value
 * makes sense is for the domain rules. The first fault is reported, with its field and the rule; of a body of ordinary
 * size all of them.
 */
import * as v from 'valibot';
import { limits } from '../base/limits.ts';
import { type ItemError, ListedProblem, Problem } from '../base/problem.ts';
import type { Alternatives, ObjectSchema, Route } from './route.ts';

/** Names of the earlier shape of the interface that nothing has any more, and what took their place. */
const retiredNames: Readonly<Record<string, string>> = {
  primary_ns: "use 'mname'",
  admin_email: "use 'rname'",
  record_type: "use 'type'",
};

/** The hint for a refused name, ready to stand behind the message; empty when there is none. */
function retiredHint(name: string, ofRoute: Readonly<Record<string, string>> = {}): string {
  const known = Object.hasOwn(ofRoute, name) ? ofRoute : retiredNames;
  return Object.hasOwn(known, name) ? `: ${known[name]}` : '';
}

/** Characters of a refused text that a message repeats. */
const maxCharacters = 60;
const firstIssue = { abortEarly: true, abortPipeEarly: true } as const;

/** What a query or a body is after its check. */
export type Checked<Schema extends ObjectSchema> = v.InferOutput<Schema>;

/** The parameters of a query string (without `?`), or INVALID_INPUT. */
export function parseQuery<Query extends ObjectSchema>(
  route: Route<string, Query>,
  queryString: string,
): Checked<Query> {
  const given: Record<string, string> = {};
  if (queryString !== '') {
    for (const [name, text] of new URLSearchParams(queryString)) {
      if (!Object.hasOwn(route.query.entries, name)) {
        throw invalidInput(`unknown query parameter '${shorten(name)}'`, name, route);
      }
      if (Object.hasOwn(given, name)) {
        throw invalidInput(`query parameter '${name}' is given more than once`);
      }
      given[name] = text;
    }
  }
  const result = v.safeParse(route.query, given, firstIssue);
  if (!result.success)
    throw invalidInput(`query parameter ${problemText(result.issues[0], route)}`);
  for (const alternatives of route.alternatives ?? []) checkAlternatives(alternatives, given);
  return result.output;
}

function checkAlternatives({ names, isNeeded }: Alternatives, given: object): void {
  const [one, other] = names;
  const count = names.filter((name) => Object.hasOwn(given, name)).length;
  if (isNeeded && count !== 1) {
    throw invalidInput(`query parameter '${one}' or '${other}' is required, not both`);
  }
  if (count > 1) throw invalidInput(`query parameters '${one}' and '${other}' exclude each other`);
}

/** Refuses a field that the query and the body give differently, where both may have it; null is not given. */
export function checkAgreement(route: Route, query: object, body: unknown): void {
  for (const [name, inQuery] of Object.entries(query)) {
    if (inQuery === undefined || !Object.hasOwn(route.body.entries, name)) continue;
    const inBody = (body as Readonly<Record<string, unknown>>)[name] ?? inQuery;
    if (inBody === inQuery) continue;
    throw invalidInput(
      `'${name}' is ${String(inQuery)} in the query and ${String(inBody)} in the body: give it once`,
    );
  }
}

function invalidInput(message: string, name = '', route?: Route): Problem {
  return new Problem('INVALID_INPUT', message + retiredHint(name, route?.retired));
}

/** A parsed JSON body, or INVALID_JSON_BODY. `extent`: what of it is listed that is wrong. */
export function checkBody<Body extends ObjectSchema>(
  route: Route<string, ObjectSchema, Body>,
  value: unknown,
  extent: 'first' | 'all' = 'first',
): Checked<Body> {
  // To valibot an empty array is an object without fields.
  if (Array.isArray(value)) throw invalidBody('request body: must be an object, not Array');
  const result = v.safeParse(route.body, value, firstIssue);
  if (result.success) return result.output;
  const issues = extent === 'all' ? v.safeParse(route.body, value).issues! : result.issues;
  throw invalidShape(route, value, issues);
}

/** Everything that is wrong with the shape of a body. */
function invalidShape(
  route: Route,
  value: unknown,
  issues: readonly v.BaseIssue<unknown>[],
): Problem {
  const unknown = unknownFields(route, value);
  const listed = new Set(unknown.map(({ pointer }) => pointer));
  const known = issues.filter((issue) => !listed.has(pointerOf(issue)));
  const found = [
    // What is not known is reported before what is missing: it may be the same by its old name.
    ...unknown,
    ...known.map((issue) => ({ pointer: pointerOf(issue), message: problemText(issue, route) })),
  ].slice(0, limits.reportedErrors);
  const code = 'INVALID_JSON_BODY';
  const errors: ItemError[] = found.map(({ pointer, message }) => ({ pointer, code, message }));
  return new ListedProblem(invalidBody(`request body: ${found[0]!.message}`), errors);
}

function unknownFields(route: Route, value: unknown): { pointer: string; message: string }[] {
  if (typeof value !== 'object' || value === null) return [];
  const names = Object.keys(value).filter((key) => !Object.hasOwn(route.body.entries, key));
  return names.slice(0, limits.reportedErrors).map((name) => ({
    pointer: pointerTo([name]),
    message: `unknown field '${shorten(name)}'${retiredHint(name, route.retired)}`,
  }));
}

function pointerOf({ path }: v.BaseIssue<unknown>): string {
  return pointerTo((path ?? []).map((part) => String(part.key)));
}

/** RFC 6901 3. */
function pointerTo(path: readonly string[]): string {
  const escaped = path.map((part) => shorten(part).replaceAll('~', '~0').replaceAll('/', '~1'));
  return escaped.map((part) => `/${part}`).join('');
}

/** The text of a body as JSON that fits the route, or INVALID_JSON_BODY. */
export function parseBody<Body extends ObjectSchema>(
  route: Route<string, ObjectSchema, Body>,
  text: string,
): Checked<Body> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw invalidBody(`request body is not JSON: ${shorten((error as Error).message, 200)}`);
  }
  return checkBody(route, value, text.length <= limits.smallBodyBytes ? 'all' : 'first');
}

export function invalidBody(message: string): Problem {
  return new Problem('INVALID_JSON_BODY', message);
}

/** One clause of field and rule: `'limit' must be a whole number from 1 to 1000, not "abc"`. */
function problemText(issue: v.BaseIssue<unknown>, route: Route): string {
  const path = issue.path ?? [];
  const field = path.map((part) => String(part.key)).join('.');
  if (issue.type === 'strict_object' && path.at(-1)?.origin === 'key') {
    const name = String(path.at(-1)!.key);
    return issue.expected === 'never'
      ? `unknown field '${shorten(field)}'${retiredHint(name, route.retired)}`
      : `'${field}' is required`;
  }
  const rule = issue.type === 'strict_object' ? 'must be an object' : issue.message;
  const received = issue.received === 'undefined' ? '' : `, not ${shorten(issue.received)}`;
  return field === '' ? `${rule}${received}` : `'${shorten(field)}' ${rule}${received}`;
}

function shorten(text: string, max = maxCharacters): string {
  return text.length <= max ? text : `${text.slice(0, max)}...`;
}

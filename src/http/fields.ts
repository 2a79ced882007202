/**
 * Fields of JSON and of the program, turned into each other by rule: what a schema of the contract names is presented,
 * and what a body gives is passed on, with no list of fields in between.
 *
 * `default_ttl` of JSON is `defaultTtl` of the program. A time, which is a field whose name ends in `at` or `since`, is
 * RFC 3339 in JSON and milliseconds since 1970 in the program. In a request null means not given.
 */
import { formatTime } from '../base/clock.ts';
import { type CamelCase, camelCase } from '../base/field-name.ts';
import type { Listed, Page } from '../projection/page.ts';

type TimeName = 'at' | 'since' | `${string}_at` | `${string}_since`;

const timeName = /(?:^|_)(?:at|since)$/;

/** A value of JSON as the program has it. */
export type InProgram<Json> = Json extends readonly (infer Item)[]
  ? readonly InProgram<Item>[]
  : Json extends object
    ? {
        readonly [Name in keyof Json as CamelCase<Name>]: Name extends TimeName
          ? Exclude<Json[Name], string> | number
          : InProgram<Json[Name]>;
      }
    : Json;

/** As much of a schema of valibot as presenting looks at. */
interface Schema<Json = unknown> {
  readonly type: string;
  readonly '~types'?: { readonly output: Json } | undefined;
}

interface SchemaParts extends Schema {
  readonly entries?: Readonly<Record<string, SchemaParts>>;
  readonly item?: SchemaParts;
  readonly wrapped?: SchemaParts;
}

/** Makes a value of JSON; undefined where it is the same as in the program. */
type Presented = ((value: unknown) => unknown) | undefined;

/** The function that presents values by a schema: its fields, in its order, and no others. */
export function presenter<Json>(schema: Schema<Json>): (value: InProgram<Json>) => Json {
  const present = presentedBy(schema, '') ?? ((value) => value);
  return present as (value: unknown) => Json;
}

function presentedBy({ entries, item, wrapped }: SchemaParts, name: string): Presented {
  if (timeName.test(name)) {
    return (value) => (typeof value === 'number' ? formatTime(value) : value);
  }
  if (wrapped !== undefined) {
    const inner = presentedBy(wrapped, name);
    return inner && ((value) => (value === null ? null : inner(value)));
  }
  if (item !== undefined) {
    const each = presentedBy(item, '');
    return each && ((values) => (values as readonly unknown[]).map((value) => each(value)));
  }
  return entries && presentedFields(entries);
}

function presentedFields(entries: Readonly<Record<string, SchemaParts>>): Presented {
  const fields = Object.entries(entries).map(([name, schema]) => {
    return { name, key: camelCase(name), present: presentedBy(schema, name) };
  });
  return (value) => {
    const from = value as Readonly<Record<string, unknown>>;
    const json: Record<string, unknown> = {};
    for (const { name, key, present } of fields) {
      const field = from[key];
      if (field !== undefined) json[name] = present === undefined ? field : present(field);
    }
    return json;
  };
}

/** The fields of a body or a query by the names of the program. */
export type Given<Fields> = {
  readonly [Name in keyof Fields as Name extends 'dry_run' ? never : CamelCase<Name>]: Exclude<
    Fields[Name],
    null
  >;
};

/** What is given; `dry_run` is no part of what is asked for. */
export function givenOf<Fields extends object>(fields: Fields): Given<Fields> {
  const given: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value === null || value === undefined || name === 'dry_run') continue;
    given[name.includes('_') ? camelCase(name) : name] = value;
  }
  return given as Given<Fields>;
}

/** What is listed to callers who may not know of anything there. */
export const nothingListed: Listed<never> = Object.freeze({ items: [], total: 0 });

/** A page of anything (interface 2.1). */
export function presentList<Item>(
  listed: Listed<Item>,
  request: PageRequest,
  present: (item: Item) => unknown,
) {
  return { items: listed.items.map((item) => present(item)), ...pageFields(listed, request) };
}

/** A request for a page. */
export interface PageRequest {
  readonly page: Page;
  cursorOf(next: Listed<unknown>['next']): string | null;
}

/** What an answer says of its page besides the rows. */
export function pageFields({ total, next }: Listed<unknown>, request: PageRequest) {
  const { limit, offset } = request.page;
  return { pagination: { limit, offset, total }, next_cursor: request.cursorOf(next) };
}

/**
 * Commands made from the contract: those that pass their values on to one route and show its answer.
 *
 * A row says how the command is typed, which route it asks, what each field means to people and how the answer is
 * shown. What a field takes (a number, a switch, one of some words), whether it has to be given and where it goes
 * (path, query or body) is read from the schemas of the route.
 */
import { pathParameters, type Route } from '../contract/route.ts';
import { routeById } from '../contract/routes.ts';
import type { Listing, Message } from './answers.ts';
import { type QueryValues, segment } from './client.ts';
import { type Command, type Context, defineCommand, optionName } from './command.ts';
import {
  choice,
  domainName,
  type Field,
  type Fields,
  flag,
  list,
  mailAddress,
  type NameValue,
  needed,
  serverAddress,
  text,
  type ValuesOf,
  whole,
} from './field.ts';
import type { Output } from './output.ts';
import { fetchPages, moreLine, pageOptions } from './page.ts';

type Values = Readonly<Record<string, unknown>>;

/** The meaning of a field that is a name: how what is typed becomes what is sent. */
interface Named {
  readonly meaning: string;
  readonly convert: (field: Field<NameValue>) => Field<NameValue>;
}

export const domain = (meaning: string): Named => ({ meaning, convert: domainName });
export const mailbox = (meaning: string): Named => ({ meaning, convert: mailAddress });
export const server = (meaning: string): Named => ({ meaning, convert: serverAddress });

/** A meaning, where the route says the rest; a field of its own, where it does not. */
export type FieldRow = string | Named | Field<unknown>;

interface Row extends Pick<Command, 'usage' | 'summary' | 'notes' | 'examples' | 'rest'> {
  /** The id of the route's operation. */
  readonly route: string;
  /**
   * Positionals, which the usage names, and options, in the order of help. The first positionals fill the
   * path; any other field is the parameter of its name, or the one that has its name among its words.
   */
  readonly fields?: Readonly<Record<string, FieldRow>>;
}

interface PassedOn<Answer> extends Row {
  /** Refuses what can not be meant, and makes the values that are sent. */
  readonly prepare?: (values: Values, context: Context) => Values | Promise<Values>;
  /** The message of the answer when left out. */
  readonly show?: (answer: Answer, output: Output, values: Values) => string;
}

/** A command that shows the answer of its route. */
export function passOn<Answer>({ show, prepare, ...row }: PassedOn<Answer>): Command {
  const { route, positionals, options } = fieldsOf(row);
  return defineCommand({
    ...row,
    positionals,
    options,
    async run(values, context) {
      const sent = (await prepare?.(values, context)) ?? values;
      const { path, query, body } = requestOf(route, positionals, sent);
      const client = await context.client();
      const answer = await client.ask<Answer>(route.method, path, query, body);
      await context.output.show(answer, () =>
        show === undefined ? (answer as Message).message : show(answer, context.output, sent),
      );
    },
  });
}

interface Listed<Item> extends Row {
  /** What is said of an empty list. */
  readonly none: string;
  readonly show: (items: readonly Item[], output: Output, values: Values) => string;
}

/** A command that shows pages of a list. */
export function listed<Item>({ none, show, ...row }: Listed<Item>): Command {
  const { route, positionals, options } = fieldsOf(row);
  return defineCommand({
    ...row,
    positionals,
    options: { ...options, ...pageOptions },
    async run({ limit, offset, all, ...values }: Values, context) {
      const { path, query } = requestOf(route, positionals, values);
      const page = { limit, offset, all } as ValuesOf<typeof pageOptions>;
      const answer: Listing<Item> = await fetchPages(await context.client(), path, query, page);
      await context.output.show(answer, () => {
        if (answer.items.length === 0) return none;
        return `${show(answer.items, context.output, values)}${moreLine(answer)}`;
      });
    },
  });
}

function fieldsOf({ usage, route: id, fields = {} }: Row) {
  const route = routeById(id);
  if (route === undefined) throw new Error(`the contract has no operation ${id}`);
  const inPath = pathParameters(route.path).length;
  const positionals: Record<string, Field<unknown>> = {};
  const options: Record<string, Field<unknown>> = {};
  for (const [name, row] of Object.entries(fields)) {
    const isPositional = new RegExp(`[<[]${optionName(name)}[.\\]>]`).test(usage);
    const fillsPath = isPositional && Object.keys(positionals).length < inPath;
    const shape = fillsPath ? shapeOfPathParameter : shapeOf(parameterOf(route, name)?.schema);
    const field = fieldOf(row, shape);
    if (field === undefined) throw new Error(`${id} takes no ${name}`);
    const isNeeded = isPositional ? usage.includes(`<${optionName(name)}>`) : shape?.isNeeded;
    // A field of its own refuses by itself to be left out.
    const mustBeGiven = isNeeded === true && (isPositional || field !== row);
    (isPositional ? positionals : options)[name] = mustBeGiven ? needed(field) : field;
  }
  return { route, positionals, options };
}

/** Undefined when the route has nothing of that name, and the row does not say what it takes. */
function fieldOf(row: FieldRow, shape: Shape | undefined): Field<unknown> | undefined {
  if (typeof row === 'object' && 'read' in row) return row;
  if (shape === undefined) return undefined;
  const choiceOf = (meaning: string) => choice(shape.values, meaning);
  const make = { text, whole, flag, list, choice: choiceOf }[shape.kind];
  if (typeof row === 'string') return make(row);
  return row.convert(make(row.meaning) as Field<NameValue>);
}

interface Parameter {
  readonly name: string;
  readonly where: 'query' | 'body';
  readonly schema: SchemaPart;
}

/** `defaultTtl` is `default_ttl`; `zone` is `zone_name`, `types` is `record_types`. */
function parameterOf({ query, body }: Route, field: string): Parameter | undefined {
  const wanted = optionName(field).replaceAll('-', '_');
  const all = (['query', 'body'] as const).flatMap((where) => {
    const entries = Object.entries({ query, body }[where].entries);
    return entries.map(([name, schema]): Parameter => ({ name, where, schema }));
  });
  return (
    all.find(({ name }) => name === wanted) ??
    all.find(({ name }) => `_${name}_`.includes(`_${wanted}_`))
  );
}

/** What is read of a schema of valibot: what it wraps, the parts of its pipe, the values of a choice. */
interface SchemaPart {
  readonly type: string;
  readonly wrapped?: SchemaPart;
  readonly pipe?: readonly SchemaPart[];
  readonly kind?: string;
  readonly options?: readonly unknown[];
  readonly metadata?: { readonly type?: string; readonly enum?: readonly string[] };
}

function* partsOf(schema: SchemaPart): Generator<SchemaPart> {
  if (schema.pipe !== undefined) {
    for (const part of schema.pipe) yield* partsOf(part);
    return;
  }
  yield schema;
  if (schema.wrapped !== undefined) yield* partsOf(schema.wrapped);
}

interface Shape {
  readonly kind: 'text' | 'whole' | 'flag' | 'list' | 'choice';
  /** Of a choice. */
  readonly values: readonly string[];
  readonly isNeeded: boolean;
}

const kinds: Readonly<Record<string, Shape['kind']>> = {
  number: 'whole',
  boolean: 'flag',
  array: 'list',
  picklist: 'choice',
};

const shapeOfPathParameter: Shape = { kind: 'text', values: [], isNeeded: true };

function shapeOf(schema: SchemaPart | undefined): Shape | undefined {
  if (schema === undefined) return undefined;
  const parts = [...partsOf(schema)];
  const isNeeded = !parts.some(({ type }) => type === 'optional' || type === 'nullish');
  const metadata = Object.assign({}, ...parts.map((part) => part.metadata ?? {}));
  if (metadata.enum !== undefined) return { kind: 'choice', values: metadata.enum, isNeeded };
  // A parameter is a text that becomes something else: the last schema says what, unless it is a time.
  const last = parts.filter(({ kind }) => kind === 'schema').at(-1);
  const kind = metadata.type === 'string' ? 'text' : (kinds[last?.type ?? ''] ?? 'text');
  const values = kind === 'choice' ? (last?.options as readonly string[]) : [];
  return { kind, values, isNeeded };
}

interface Request {
  readonly path: string;
  readonly query: QueryValues;
  readonly body: object | undefined;
}

function requestOf(route: Route, positionals: Fields, values: Values): Request {
  const names = Object.keys(positionals).slice(0, pathParameters(route.path).length);
  const segments = names.map((name) => segment(String(values[name])));
  const path = route.path.replace(/\{\w+\}/g, () => segments.shift()!);
  const sent = { query: {} as Record<string, string>, body: {} as Record<string, unknown> };
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || names.includes(name)) continue;
    const parameter = parameterOf(route, name);
    if (parameter === undefined) throw new Error(`${route.id} takes no ${name}`);
    sent[parameter.where][parameter.name] = value as string;
  }
  const isBare = Object.keys(sent.body).length === 0;
  const body = route.takesBody === 'always' || !isBare ? sent.body : undefined;
  return { path, query: sent.query, body };
}

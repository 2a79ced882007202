/**
 * Commands made from the contract: those that pass their values on to one route and show its answer.
 *
 * A command has the arguments that its usage names: the first ones fill the path of the route, each other one is a
 * parameter of it. All other parameters of query and body are options. What each takes (a number, a switch, a choice),
 * whether it has to be given and where it goes is read from the schemas of the route, and so is what it means, where
 * neither the row nor `meanings` says it better to those who type.
 */
import { hasDryRun, pathParameters, type Route } from '../contract/route.ts';
import { routeById } from '../contract/routes.ts';
import type { Listing, Message } from './answers.ts';
import { type Client, type QueryValues, segment } from './client.ts';
import { confirm, yesOption } from './confirm.ts';
import { expectNow } from './expected.ts';
import { type Command, type Context, defineCommand, fieldName, optionName } from './command.ts';
import type { ExitCode } from './failure.ts';
import {
  choice,
  commaList,
  domainName,
  type Field,
  flag,
  jsonObject,
  mailAddress,
  type NameValue,
  needed,
  numberOf,
  serverAddress,
  taggedSerial,
  text,
  type ValuesOf,
  whole,
} from './field.ts';
import { moment } from './moment.ts';
import type { Output } from './output.ts';
import { fetchPages, moreLine, pageOptions } from './page.ts';
import { type SchemaPart, shapeOf } from './shape.ts';

export type Values = Readonly<Record<string, unknown>>;

/** Which route a command asks, and what is said here of its fields. */
interface Source {
  /** The verb and its positionals, as of every command. */
  readonly usage: string;
  /** The id of the route's operation. */
  readonly route: string;
  /** That of the route when left out. */
  readonly summary?: string;
  /**
   * Meanings in other words, fields of what the contract does not tell, null where nothing is typed. A field that is no
   * parameter of the route is not sent.
   */
  readonly fields?: Readonly<Record<string, string | Field<unknown> | null>>;
}

interface Row extends Source, Pick<Command, 'notes' | 'examples' | 'rest' | 'presents'> {}

export interface PassedOn<Answer> extends Row {
  /** Refuses what can not be meant, and makes the values that are sent. */
  readonly prepare?: (values: Values, context: Context) => Values | Promise<Values>;
  /** Makes what is sent of the values and of what there is, which it reads. */
  readonly complete?: (values: Values, client: Client) => Promise<Values>;
  /** The message of the answer when left out. */
  readonly show?: (
    answer: Answer,
    output: Output,
    values: Values,
    client: Client,
  ) => string | Promise<string>;
  /**
   * Whether what a dry run answered, or a difference, changes anything. When left out, it does where its diff is not
   * empty, and where it has none: such routes refuse what would change nothing. Nothing else is asked: what is read
   * later is of a later state.
   */
  readonly changes?: (answer: Answer, sent: Values) => boolean;
  /** What the command ends with; 0 when left out. */
  readonly endsWith?: (answer: Answer, values: Values) => ExitCode;
  /** What is asked on a terminal before it is done; undefined where nothing is. */
  readonly ask?: {
    readonly question: (values: Values) => string | undefined;
    readonly isFinal?: boolean;
    /** Whether what a dry run answered is enough to ask for; always when left out. */
    readonly isLarge?: (answer: Answer) => boolean;
    /** What names in the request what a dry run was about, where another may have its name meanwhile. */
    readonly named?: (answer: Answer) => Values;
  };
  /** Text for another program, whatever --output says; undefined where the answer is displayed. */
  readonly exact?: (answer: Answer, values: Values) => string | undefined;
}

/** A command that shows the answer of its route. */
export function passOn<Answer>(given: PassedOn<Answer>): Command {
  const { show, prepare, complete, exact, ask, endsWith, changes = hasChanges, ...row } = given;
  const request = requestOf(row);
  const textOf = (answer: Answer, output: Output, sent: Values, client: Client) =>
    show === undefined ? (answer as Message).message : show(answer, output, sent, client);
  /** What is to be sent. It is tried first where it can be tried: that is presented, and nothing else done. */
  async function confirmed({ yes, ...values }: Values, client: Client, context: Context) {
    const text = values.dryRun === true ? undefined : ask?.question(values);
    if (ask === undefined || text === undefined) return values;
    const question = { text, isAnswered: yes as boolean | undefined, ...ask };
    const isAsked = yes !== true && context.services.isTerminal.stdin === true;
    if (!isAsked || !request.hasDryRun) {
      await confirm(question, context);
      return values;
    }
    const { path, query, body } = request.send({ ...values, dryRun: true });
    if (request.isConditional) await expectNow(path, client);
    const tried = await client.ask<Answer>(request.method, path, query, body);
    const pinned = { ...values, ...ask.named?.(tried) };
    if (ask.isLarge?.(tried) === false) return pinned;
    const preview = async () => textOf(tried, context.preview, { ...values, dryRun: true }, client);
    await confirm({ ...question, preview }, context);
    return pinned;
  }
  return defineCommand({
    ...row,
    ...request,
    options: ask === undefined ? request.options : { ...request.options, ...yesOption },
    async run(values, context) {
      const prepared = (await prepare?.(values, context)) ?? values;
      const client = await context.client();
      const completed = (await complete?.(prepared, client)) ?? prepared;
      const sent = await confirmed(completed, client, context);
      const { path, query, body } = request.send(sent);
      const answer = await client.ask<Answer>(request.method, path, query, body);
      const code = endsWith?.(answer, values);
      const text = exact?.(answer, values);
      if (text !== undefined) return void context.output.write(text);
      await context.output.show(answer, () => textOf(answer, context.output, sent, client));
      if (sent.dryRun === true || row.presents === 'difference') {
        context.foresee(changes(answer, sent));
      }
      return code;
    },
  });
}

function hasChanges(answer: unknown): boolean {
  const { diff } = answer as { readonly diff?: { readonly entries: readonly unknown[] } | null };
  return diff === undefined || (diff?.entries.length ?? 0) > 0;
}

export interface Listed<Item> extends Row {
  /** What is said of an empty list. */
  readonly none: string;
  readonly show: (items: readonly Item[], output: Output, values: Values) => string;
}

/** A command that shows pages of a list. */
export function listed<Item>({ none, show, ...row }: Listed<Item>): Command {
  const request = requestOf(row);
  return defineCommand({
    ...row,
    ...request,
    options: { ...request.options, ...pageOptions },
    async run({ limit, offset, cursor, all, ...values }: Values, context) {
      const { path, query } = request.send(values);
      const page = { limit, offset, cursor, all } as ValuesOf<typeof pageOptions>;
      const answer: Listing<Item> = await fetchPages(await context.client(), path, query, page);
      await context.output.show(answer, () => {
        if (answer.items.length === 0) return none;
        return `${show(answer.items, context.output, values)}${moreLine(answer, page.cursor)}`;
      });
    },
  });
}

/** What a command takes for a route, and how a request is made of it. */
export function requestOf({ usage, route: id, summary, fields: own = {} }: Source) {
  const route = routeById(id);
  if (route === undefined) throw new Error(`the contract has no operation ${id}`);
  const parameters = parametersOf(route);
  const inPath = pathParameters(route.path);
  const words = [...usage.matchAll(/([<[])([\w-]+)/g)];
  const names = words.map(([, , word]) => fieldName(word!));
  const fieldOf = (name: string, index: number, isNeeded: boolean) => {
    const parameter = index < inPath.length ? undefined : parameters.get(name);
    const field = makeField({
      route,
      name,
      own: own[name],
      parameter,
      inPath: inPath[index],
      isArgument: names.includes(name),
    });
    if (field === undefined) throw new Error(`${id} takes no ${name}`);
    return isNeeded ? needed(field) : field;
  };
  const positionals: Record<string, Field<unknown>> = {};
  for (const [index, name] of names.entries()) {
    positionals[name] = fieldOf(name, index, words[index]![1] === '<');
  }
  const options: Record<string, Field<unknown>> = {};
  for (const name of new Set([...parameters.keys(), ...Object.keys(own)])) {
    if (names.includes(name) || own[name] === null) continue;
    const isNeeded = shapeOf(parameters.get(name)?.schema)?.isNeeded === true;
    // A field of its own refuses by itself to be left out.
    options[name] = fieldOf(name, inPath.length, isNeeded && typeof own[name] !== 'object');
  }
  const filling = names.slice(0, inPath.length);
  const isSent = (name: string) =>
    filling.includes(name) || parameters.has(name) || typeof own[name] !== 'object';
  const send = (values: Values) => {
    const sent = Object.entries(values).filter(([name]) => isSent(name));
    return makeRequest(route, parameters, filling, Object.fromEntries(sent));
  };
  return {
    method: route.method,
    summary: summary ?? route.summary,
    hasDryRun: hasDryRun(route),
    isConditional: route.conditional === true,
    positionals,
    options,
    send,
  };
}

/** Fields whose parameters have longer names. */
const shortNames: Readonly<Record<string, string>> = {
  zone_name: 'zone',
  // --token is that of the command itself.
  token: 'tokenName',
  role_name: 'role',
  policy_name: 'policy',
  notify_key_name: 'notifyKey',
  tsig_key_name: 'tsigKey',
  record_name_pattern: 'namePattern',
  record_types: 'types',
  parent_ns_addrs: 'parentNs',
  signature_validity_days: 'validityDays',
  signature_refresh_days: 'refreshDays',
};

interface Parameter {
  readonly name: string;
  readonly where: 'query' | 'body';
  readonly schema: SchemaPart;
}

/** By the names of their fields; `default_ttl` is `defaultTtl`. What may go in either place goes into the query. */
function parametersOf({ method, query, body }: Route): ReadonlyMap<string, Parameter> {
  const all = (['body', 'query'] as const).flatMap((where) =>
    Object.entries({ query, body }[where].entries).map(([name, schema]) => {
      return [shortNames[name] ?? fieldName(name), { name, where, schema }] as const;
    }),
  );
  const isList = method === 'GET' && 'offset' in query.entries;
  return new Map(all.filter(([name]) => !(isList && name in pageOptions)));
}

/** The first word of a path, and what there is one of behind it. */
const nouns: Readonly<Record<string, string>> = {
  zones: 'zone',
  records: 'record',
  roles: 'role',
  tokens: 'token',
  webhooks: 'webhook',
  secondaries: 'secondary',
  'tsig-keys': 'key',
  'dnssec-policies': 'policy',
};

/** Meanings of fields that the contract leaves to their names. */
const meanings: Readonly<Record<string, string>> = {
  zone: 'name of the zone',
  role: 'name of the role',
  defaultTtl: 'TTL of the SOA and of records that name none, in seconds',
  minimumTtl: 'how long negative answers are cached, in seconds',
  refresh: 'seconds between two checks of a secondary',
  retry: 'seconds until a failed check is repeated',
  expire: 'seconds after which a secondary gives the zone up',
  filter: 'which events, by the filters of GET /events; all of them when left out',
  sort: 'order by',
  order: 'direction',
};

/** Fields that take a time in words too. */
const times = 'createdAfter createdBefore changedAfter changedSince since until at toAt'.split(' ');

/** How what is typed becomes what is sent; `name` is a name of the DNS only of zones and in them. */
const conversions: Readonly<Record<string, (field: Field<NameValue>) => Field<NameValue>>> = {
  zone: domainName,
  mname: domainName,
  namePattern: domainName,
  rname: mailAddress,
  address: serverAddress,
  parentNs: serverAddress,
  ...Object.fromEntries(times.map((name) => [name, moment])),
};

interface FieldSource {
  readonly route: Route;
  readonly name: string;
  readonly own: string | Field<unknown> | null | undefined;
  readonly parameter: Parameter | undefined;
  /** The parameter of the path that it fills. */
  readonly inPath: string | undefined;
  /** Whether the usage names it. */
  readonly isArgument: boolean;
}

/** Undefined when the route has nothing of that name, and the row does not say what it takes. */
function makeField(source: FieldSource): Field<unknown> | undefined {
  const { name, own, inPath } = source;
  if (typeof own === 'object') return own ?? undefined;
  const resource = source.route.path.split('/', 2)[1]!;
  const noun = nouns[resource];
  let field: Field<unknown>;
  if (inPath !== undefined) {
    const meaning = own ?? `${inPath === 'name' ? 'name' : 'id'} of the ${noun}`;
    if (inPath === 'name') field = text(meaning);
    else if (inPath === 'serial') field = taggedSerial(meaning);
    else field = numberOf(meaning, inPath === 'id' ? `id of a ${noun}` : inPath);
  } else {
    const shape = shapeOf(source.parameter?.schema);
    if (shape === undefined) return undefined;
    // What is made is named first, and described by the form of its name.
    const isMade = source.isArgument && name === 'name';
    const said = isMade ? `name of the ${noun}: ${shape.description}` : shape.description;
    const meaning = own ?? said ?? meanings[name] ?? inWords(name);
    if (shape.kind === 'choice') field = choice(shape.values, meaning);
    else field = { text, whole, flag, list: commaList, object: jsonObject }[shape.kind](meaning);
  }
  const isDomain = name === 'name' && (resource === 'zones' || resource === 'records');
  const convert = isDomain ? domainName : conversions[name];
  return convert === undefined ? field : convert(field as Field<NameValue>);
}

/** `minDefaultTtl` is `minimum default TTL`. */
function inWords(name: string): string {
  const words: Readonly<Record<string, string>> = { min: 'minimum', max: 'maximum', ttl: 'TTL' };
  return optionName(name)
    .split('-')
    .map((word) => words[word] ?? word)
    .join(' ');
}

interface Request {
  readonly path: string;
  readonly query: QueryValues;
  readonly body: object | undefined;
}

function makeRequest(
  route: Route,
  parameters: ReadonlyMap<string, Parameter>,
  inPath: readonly string[],
  values: Values,
): Request {
  const segments = inPath.map((name) => segment(String(values[name])));
  const path = route.path.replace(/\{\w+\}/g, () => segments.shift()!);
  const into = { query: {} as Record<string, string>, body: {} as Record<string, unknown> };
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || inPath.includes(name)) continue;
    const parameter = parameters.get(name);
    if (parameter === undefined) throw new Error(`${route.id} takes no ${name}`);
    into[parameter.where][parameter.name] = value as string;
  }
  const isEmpty = Object.keys(into.body).length === 0;
  const body = route.takesBody === 'always' || !isEmpty ? into.body : undefined;
  return { path, query: into.query, body };
}

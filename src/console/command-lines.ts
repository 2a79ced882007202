/**
 * A write, or the read of a screen, as lines for a shell (POSIX sh): by curl, and by the command line of this program
 * where it has the command. The token is never among them: it is what ZONEBOOK_TOKEN holds.
 */
import { pathWith } from './api.ts';
import { isUnfit, unfit } from './unfit.ts';
import type { HttpWrite } from './write.ts';

export type HttpRequest = Omit<HttpWrite, 'method'> & {
  readonly method: HttpWrite['method'] | 'GET';
};

const harmless = /^[\w@%+=:,./-]+$/;

/** One word of a shell, whatever is in it. */
function quoted(word: string): string {
  return harmless.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** JSON in which nothing is that a terminal would act on. */
function jsonText(value: unknown): string {
  return JSON.stringify(value).replaceAll(unfit, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

/** Bytes of one argument that Linux takes are 131,072, and a character is up to three. */
const maxArgument = 40_000;

/** Text on standard input; no line of it is the one that ends it. */
function heredoc(text: string): string {
  const lines = new Set(text.split('\n'));
  let end = 'END';
  while (lines.has(end)) end += '_';
  return `<<'${end}'\n${text.endsWith('\n') ? text : `${text}\n`}${end}`;
}

export function curlLine(origin: string, request: HttpRequest, hasToken: boolean): string {
  const { method, path, query, body, headers } = request;
  const json = body === undefined ? undefined : jsonText(body);
  const parts = [
    `curl -sS --fail-with-body ${method === 'GET' ? '' : `-X ${method} `}${quoted(origin + pathWith(path, query))}`,
    ...(hasToken ? ['-H "Authorization: Bearer $ZONEBOOK_TOKEN"'] : []),
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${titled(name)}: ${value}`)}`),
  ];
  if (json !== undefined) {
    parts.push(`-H ${quoted('Content-Type: application/json')}`);
    const isLong = json.length > maxArgument;
    parts.push(isLong ? `--data-binary @- ${heredoc(json)}` : `--data-raw ${quoted(json)}`);
  }
  return parts.join(' \\\n  ');
}

function titled(header: string): string {
  return header.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase());
}

interface Command {
  readonly words: string;
  /** Those that are undefined are left out; an array is an option several times. */
  readonly options?: Readonly<Record<string, unknown>>;
  readonly values?: readonly unknown[];
  readonly input?: string;
}

type Body = Readonly<Record<string, unknown>>;

/** What is given in a path, the body and the query, as a command; undefined where it has none. */
type Row = readonly [
  route: RegExp,
  commandOf: (given: readonly string[], body: Body, query: Body) => Command | undefined,
];

const valueOption = ({ value }: Body) => (Array.isArray(value) ? { segment: value } : { value });

/** Of one that was seen in a list. */
const namedOnce =
  (words: string): Row[1] =>
  (values, _, { id }) => ({ words, options: { id }, values });

const rows: readonly Row[] = [
  [
    /^POST \/records$/,
    (_, { zone_name: zone, name, type, ...given }) => {
      const { value, segment } = { segment: undefined, value: undefined, ...valueOption(given) };
      const { ttl, priority } = given;
      const values = [zone, name, type, ...(value === undefined ? [] : [value])];
      return { words: 'record create', options: { ttl, priority, segment }, values };
    },
  ],
  [
    /^PUT \/records\/(\d+)$/,
    ([id], { value, ...given }) => ({
      words: 'record update',
      options: { ...given, ...valueOption({ value }) },
      values: [id],
    }),
  ],
  [/^DELETE \/records\/(\d+)$/, ([id]) => ({ words: 'record delete', values: [id] })],
  [
    /^POST \/zones$/,
    (_, { name, ...options }) => ({ words: 'zone create', options, values: [name] }),
  ],
  [/^PUT \/zones\/([^/]+)$/, ([zone], body) => updateOf(zone!, body)],
  [
    /^POST \/zones\/([^/]+)\/versions\/(\d+)\/rollback$/,
    (values) => ({ words: 'zone version rollback', values }),
  ],
  [
    /^POST \/zones\/([^/]+)\/restore$/,
    ([zone], _, { id }) => ({ words: 'zone restore', options: { id }, values: [zone] }),
  ],
  [
    /^POST \/zones\/([^/]+)\/import$/,
    ([zone], { content, ...options }) => {
      return { words: 'zone import', options, values: [zone, '-'], input: String(content) };
    },
  ],
  [
    /^POST \/events\/(\d+)\/revert$/,
    ([seq], { force_names: names }) => ({
      words: 'undo',
      options: { 'force-names': (names as string[] | undefined)?.join(',') },
      values: [seq],
    }),
  ],
  [
    /^POST \/changes$/,
    (_, { plan_hash: hash, ...changes }) => {
      const options = { 'plan-hash': hash };
      return { words: 'change', options, values: ['-'], input: jsonText(changes) };
    },
  ],
  [/^DELETE \/zones\/([^/]+)$/, (values) => ({ words: 'zone delete', values })],
  [
    /^POST \/zones\/([^/]+)\/purge$/,
    (values, _, options) => ({ words: 'zone purge', options, values }),
  ],
  [
    /^POST \/zones\/([^/]+)\/dnssec$/,
    (values, { policy_name: policy, parent_ns_addrs: parents }) => ({
      words: 'dnssec enable',
      options: { policy, 'parent-ns': parents },
      values,
    }),
  ],
  [
    /^POST \/zones\/([^/]+)\/dnssec\/rollover$/,
    (values, options) => ({ words: 'dnssec roll', options, values }),
  ],
  [
    /^POST \/zones\/([^/]+)\/dnssec\/rollover\/(promote|abort)$/,
    ([zone, verb], options) => ({ words: `dnssec ${verb}`, options, values: [zone] }),
  ],
  [
    /^(POST|DELETE) \/zones\/([^/]+)\/dnssec\/withdraw$/,
    ([method, zone]) => ({
      words: `dnssec withdraw ${method === 'POST' ? 'start' : 'cancel'}`,
      values: [zone],
    }),
  ],
  [/^POST \/zones\/([^/]+)\/dnssec\/sign$/, (values) => ({ words: 'dnssec sign', values })],
  [
    /^DELETE \/zones\/([^/]+)\/dnssec$/,
    (values, options) => ({ words: 'dnssec disable', options, values }),
  ],
  [
    /^POST \/secondaries$/,
    (_, { name, address, notify_key_name: key }) => ({
      words: 'secondary create',
      options: { address, 'notify-key': key },
      values: [name],
    }),
  ],
  [/^DELETE \/secondaries\/([^/]+)$/, (values) => ({ words: 'secondary delete', values })],
  [/^DELETE \/tokens\/([^/]+)$/, namedOnce('token delete')],
  [
    /^POST \/tokens$/,
    (_, { name, role_name: role, ...options }) => ({
      words: 'token create',
      options: { role, ...options },
      values: [name],
    }),
  ],
  [/^DELETE \/tsig-keys\/([^/]+)$/, namedOnce('tsig-key delete')],
  [/^DELETE \/roles\/([^/]+)$/, namedOnce('role delete')],
  [/^DELETE \/roles\/([^/]+)\/grants\/(\d+)$/, (values) => ({ words: 'role revoke', values })],
  [
    /^POST \/roles\/([^/]+)\/grants$/,
    (values, { actions, zone_name: zone, record_name_pattern: names, record_types: types }) => ({
      words: 'role grant',
      options: { actions: (actions as string[]).join(','), zone, 'name-pattern': names, types },
      values,
    }),
  ],
  [/^DELETE \/sessions\/([^/]+)$/, ([id]) => ({ words: 'session close', values: [id] })],
  ...listRows(),
  [
    /^GET \/records$/,
    (_, __, { zone_name: zone, ...options }) => ({ words: 'record list', options, values: [zone] }),
  ],
  [/^GET \/search$/, (_, __, { q, ...options }) => ({ words: 'search', options, values: [q] })],
  [
    /^GET \/zones\/([^/]+)\/versions\/diff$/,
    (values, _, options) => ({ words: 'zone version diff', options, values }),
  ],
  [
    /^GET \/zones\/([^/]+)\/export$/,
    (values, _, options) => ({ words: 'zone export', options, values }),
  ],
  [
    /^GET \/zones\/([^/]+)\/versions$/,
    (values, _, options) => ({ words: 'zone version list', options, values }),
  ],
  [/^GET \/roles\/([^/]+)$/, (values) => ({ words: 'role get', values })],
  [/^GET \/zones\/([^/]+)\/dnssec$/, (values) => ({ words: 'dnssec status', values })],
  [/^GET \/zones\/([^/]+)\/status$/, (values) => ({ words: 'zone status', values })],
  [/^GET \/zones\/([^/]+)$/, (values, _, options) => ({ words: 'zone get', options, values })],
];

/** Lists of which the parameters are the options. */
function listRows(): Row[] {
  const lists = [
    [/^GET \/zones$/, 'zone list'],
    [/^GET \/events$/, 'events'],
    [/^GET \/secondaries$/, 'secondary list'],
    [/^GET \/tokens$/, 'token list'],
    [/^GET \/health$/, 'status'],
  ] as const;
  return lists.map(([route, words]) => [route, (_, __, options) => ({ words, options })]);
}

interface GivenGuard {
  readonly max_delete_percent?: number;
  readonly max_deletes?: number;
  readonly protect?: readonly { readonly name: string; readonly type?: string | null }[];
  readonly locked_until?: string;
  readonly lock_reason?: string;
}

/** The guard is set by a command of its own, here as a whole: both at once is none. */
function updateOf(zone: string, { guard, ...options }: Body): Command | undefined {
  if (guard === undefined) return { words: 'zone update', options, values: [zone] };
  if (Object.keys(options).length > 0) return undefined;
  const { protect, ...others } = guard as GivenGuard;
  const protectedNames = protect?.map(({ name, type }) => (type ? `${name}/${type}` : name));
  const given = { ...others, protect: protectedNames, default: true };
  return { words: 'zone guard', options: given, values: [zone] };
}

/** The same as a command of this program; undefined where it has none that does exactly this. */
export function commandLine(origin: string, request: HttpRequest): string | undefined {
  const { method, path, query, body = {}, headers } = request;
  for (const [route, commandOf] of rows) {
    const found = route.exec(`${method} ${path}`);
    const given = found?.slice(1).map(decodeURIComponent) ?? [];
    const command = found === null ? undefined : commandOf(given, body as Body, query);
    if (command !== undefined) return lineOf(origin, command, headers);
  }
  return undefined;
}

/** What its options are called that say why. */
const headerOptions = {
  'zonebook-reason': 'reason',
  'zonebook-reference': 'reference',
  'zonebook-allow-deletes': 'allow-deletes',
} as const;

function lineOf(origin: string, command: Command, headers: HttpWrite['headers']) {
  const { words, options = {}, values = [], input } = command;
  const why = Object.entries(headerOptions).flatMap(([header, option]) => {
    const value = headers[header];
    return value === undefined ? [] : [[option, decoded(value)] as const];
  });
  const said = [['url', origin] as const, ...why, ...Object.entries(options)];
  const last = values.map(String);
  const isDashed = last.findIndex((value) => value.startsWith('-') && value !== '-') >= 0;
  const all = [...said.flatMap(optionWords), ...(isDashed ? ['--'] : []), ...last];
  if (isUnfit(all.join('')) || (input !== undefined && isUnfit(input.replaceAll(/[\n\t]/g, '')))) {
    return undefined;
  }
  const line = `zonebook ${words} ${all.map(quoted).join(' ')}`;
  return input === undefined ? line : `${line} ${heredoc(input)}`;
}

function optionWords([name, value]: readonly [string, unknown]): readonly string[] {
  const option = name.replaceAll('_', '-');
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((each) => optionWords([name, each]));
  if (typeof value === 'boolean') return [value ? `--${option}` : `--no-${option}`];
  return [`--${option}=${String(value)}`];
}

const extended = "UTF-8''";

/** The text of a header (RFC 8187). */
function decoded(text: string): string {
  return text.startsWith(extended) ? decodeURIComponent(text.slice(extended.length)) : text;
}

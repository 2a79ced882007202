/**
 * The arguments of the process taken apart: which command is meant, and its values.
 *
 * Yargs finds the command, splits options and prints help; it runs nothing and writes nothing.
 * Unknown options and commands are refused.
 */
import {
  type Command,
  type Commands,
  examplesOf,
  type Group,
  optionName,
  verbOf,
} from './command.ts';
import { namedAsCalled } from '../base/called-as.ts';
import { CliFailure, exitMeanings, usageFailure } from './failure.ts';
import { choice, type Fields, seconds, text, type ValuesOf, whole } from './field.ts';
import { formats } from './output.ts';
import { takesRecordValues } from './preview.ts';
import { nearest } from './suggest.ts';
import { refuseSwitchValues } from './switches.ts';

import yargs, { type Argv } from 'yargs';

/** What every command takes. */
export const globalFields = {
  output: choice(formats, 'form of the output, a table when left out', { alias: 'o' }),
  config: text('configuration file; zonebook.toml here when left out'),
  dataDir: text('folder of the service, with its database and socket'),
  url: text('service to ask over HTTP instead of the local socket; also ZONEBOOK_URL'),
  token: text('token for --url; also ZONEBOOK_TOKEN'),
  tokenFile: text('file that holds the token, instead of --token'),
  context: text('service to ask by its name in context list; also ZONEBOOK_CONTEXT'),
  caFile: text('PEM file of authorities to trust as well, for an https --url'),
  reason: text('why, of a command that changes something; also ZONEBOOK_REASON'),
  reference: text('a ticket or an address with more about it; also ZONEBOOK_REFERENCE'),
  allowDeletes: whole(
    'lets a change through the guard of its zone: the exact number of records that it deletes',
  ),
  wait: seconds(
    'seconds to wait, of a command that changes something, until every secondary serves it; 30 alone',
  ),
};

const globalOptions = Object.keys(globalFields).map(optionName);
/** An option whose value is the next word. */
const valued = new RegExp(`^(?:-o|--(?:${globalOptions.join('|')}))$`);
/** Those that yargs knows by itself. */
const ownOptions = ['help', 'version'];

export type GlobalValues = ValuesOf<typeof globalFields>;

export type Parsed =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'command';
      readonly command: Command;
      readonly values: Readonly<Record<string, unknown>>;
      readonly globals: GlobalValues;
    };

type Examples = Command['examples'];

const programExamples: Examples = [
  ['zonebook serve --data-dir ./data', 'run the service in the foreground'],
  [
    'zonebook zone create example.com --mname ns1.example.com --rname hostmaster@example.com',
    'create a zone',
  ],
  ['zonebook record create example.com www A 192.0.2.1', 'and a record in it'],
];

type Raw = Readonly<Record<string, unknown>>;

interface Program extends Commands {
  readonly version: string;
  /** How the program was called, for the examples of its help. */
  readonly calledAs?: string | undefined;
  /** Columns that help may take. */
  readonly columns: number;
}

/** What was recognised so far: the program, then a group, then its command. */
interface Recognised {
  path: string;
  usage: string | undefined;
  examples: Examples;
  /** Names of the commands and groups that may stand here, and of the options. */
  names: readonly string[];
  options: readonly string[];
  /** Options of the command itself. */
  own: readonly string[];
  /** Options that are values when only one hyphen stands before them. */
  hyphened: readonly string[];
  chosen: { readonly command: Command; readonly raw: Raw } | undefined;
}

/** What yargs made of some arguments. */
interface Tried {
  readonly seen: Recognised;
  readonly failure: Error | undefined;
  readonly output: string;
}

/** Throws a usage failure whose hint names the help that fits. */
export function parseArguments(args: readonly string[], program: Program): Parsed {
  const first = firstWord(args);
  const asksHelp = args[first] === 'help';
  const others = asksHelp ? args.toSpliced(first, 1) : args;
  const words = asksHelp ? ['--help', ...others] : args;
  let tried = tryArguments(words.map(protect), program);
  if (asksHelp && others.length > first && tried.seen.path === 'zonebook') {
    tried = tryArguments(others.map(protect), program);
  } else if (tried.failure?.message === missingCommand) {
    // A group alone says what is in it.
    tried = tryArguments(['--help', ...words.map(protect)], program);
  } else if (tried.failure !== undefined && tried.seen.usage !== undefined) {
    tried = tryArguments(withHyphenedValues(words, tried.seen), program);
  }
  const { seen, failure, output } = tried;
  if (failure !== undefined) {
    const message = restore(failure.message);
    const hint = suggestionFor(message, seen, program) ?? helpOf(seen.path);
    throw usageFailure(sayFailure(message, seen.usage), hint);
  }
  if (seen.chosen === undefined) {
    if (output === program.version) return { kind: 'text', text: output };
    // Yargs says this of every positional that takes many words.
    const help = output.replaceAll('[array] [default: []]', '[array]'.padStart(21));
    return {
      kind: 'text',
      text: `${help}\n\n${namedAsCalled(exampleText(seen.examples), program.calledAs)}`,
    };
  }
  try {
    const { command, raw } = seen.chosen;
    refuseSwitchValues(words, command.options ?? {});
    const globals = readFields(sharedBy(command), raw, '--') as GlobalValues;
    return { kind: 'command', command, values: valuesOf(command, raw), globals };
  } catch (error) {
    if (!(error instanceof CliFailure) || error.hint !== undefined) throw error;
    throw usageFailure(error.message, helpOf(seen.path));
  }
}

/** The options of all commands that one has not for itself: the --url of `webhook create` names no service. */
export function sharedBy({ options = {} }: Pick<Command, 'options'>): Fields {
  return Object.fromEntries(Object.entries(globalFields).filter(([name]) => !(name in options)));
}

/** The place of the first word that is no option of all commands, nor the value of one. */
function firstWord(args: readonly string[]): number {
  let at = 0;
  while (args[at]?.startsWith('-')) at += valued.test(args[at]!) ? 2 : 1;
  return at;
}

/** `shared` are the options of all commands that help lists as such: one that a command has for itself is none. */
function tryArguments(args: readonly string[], program: Program, shared = globalOptions): Tried {
  const seen: Recognised = {
    path: 'zonebook',
    usage: undefined,
    examples: programExamples,
    names: namesIn(program),
    options: [...globalOptions, ...ownOptions],
    own: [],
    hyphened: [],
    chosen: undefined,
  };
  let failure: Error | undefined;
  let output = '';
  parserOf(program, seen, shared).parse(
    [...args],
    {},
    (error: Error | undefined | null, _: unknown, text: string) => {
      failure = error ?? undefined;
      output = text;
    },
  );
  const kept = shared.filter((name) => !seen.own.includes(name));
  const isMixed = output !== '' && kept.length < shared.length;
  return isMixed ? tryArguments(args, program, kept) : { seen, failure, output };
}

const missingCommand = 'a command is missing';
const codes = Object.entries(exitMeanings).map(([code, meaning]) => `${code} ${meaning}`);

function parserOf(program: Program, seen: Recognised, shared: readonly string[]): Argv {
  const parser = yargs()
    .scriptName('zonebook')
    .usage('$0 <command>\n\nDNS zones as an event-sourced service.')
    .detectLocale(false)
    .parserConfiguration({
      'parse-numbers': false,
      'parse-positional-numbers': false,
      'dot-notation': false,
      'greedy-arrays': false,
      'populate--': true,
    })
    .options(settingsOf(globalFields))
    .group(shared, 'Everywhere:');
  for (const command of program.commands) addCommand(parser, command, 'zonebook', seen);
  for (const group of program.groups) addGroup(parser, group, 'zonebook', seen);
  return parser
    .epilogue(`Exit codes: ${codes.join(', ')}.`)
    .demandCommand(1, missingCommand)
    .strictCommands()
    .strict()
    .version(program.version)
    .help()
    .alias('help', 'h')
    .wrap(program.columns)
    .showHelpOnFail(false);
}

function addCommand(parser: Argv, command: Command, parent: string, seen: Recognised): void {
  parser.command(
    [command.usage, ...command.aliases],
    command.summary,
    (inner) => {
      seen.path = `${parent} ${verbOf(command)}`;
      seen.usage = command.usage.slice(verbOf(command).length + 1);
      seen.examples = examplesOf(command, parent);
      seen.names = [];
      seen.own = Object.keys(command.options ?? {}).map(optionName);
      seen.options = [...seen.own, ...globalOptions, 'help'];
      seen.hyphened = takesRecordValues(command) ? ['all'] : [];
      return describe(inner, command);
    },
    (raw) => {
      seen.chosen = { command, raw };
    },
  );
}

function addGroup(parser: Argv, group: Group, parent: string, seen: Recognised): void {
  parser.command(group.name, group.summary, (inner) => {
    const here = `${parent} ${group.name}`;
    seen.path = here;
    for (const command of group.commands) addCommand(inner, command, here, seen);
    for (const part of group.groups ?? []) addGroup(inner, part, here, seen);
    seen.examples = group.commands.flatMap((command) => examplesOf(command, here).slice(0, 1));
    seen.names = namesIn(group);
    return inner.demandCommand(1, missingCommand);
  });
}

/** Lines of examples are not wrapped: they are there to be copied. */
function exampleText(examples: Examples): string {
  const lines = examples.map(([line, meaning]) => `  ${line}\n      ${meaning}`);
  return ['Examples:', ...lines].join('\n');
}

/** What a usage failure points to. */
function helpOf(path: string): string {
  return `see '${path} --help'`;
}

function describe(parser: Argv, command: Command): Argv {
  for (const [name, field] of Object.entries(command.positionals ?? {})) {
    // Whether a positional has many words is said in the usage; said twice, help shows a default.
    const { requiresArg: _, array: __, ...settings } = field.settings;
    parser.positional(optionName(name), settings as Parameters<Argv['positional']>[1]);
  }
  parser.options(settingsOf(command.options ?? {}));
  if (command.notes !== undefined) parser.epilogue(command.notes);
  return parser;
}

function settingsOf(fields: Fields) {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [optionName(name), field.settings]),
  );
}

function valuesOf(command: Command, raw: Raw): Record<string, unknown> {
  const positionals = command.positionals ?? {};
  const behind = (raw['--'] as string[] | undefined) ?? [];
  let given = raw;
  if (behind.length > 0) {
    const { rest } = command;
    if (rest === undefined) throw usageFailure(`unexpected word '${behind[0]}' behind --`);
    given = { ...raw, [rest]: [...((raw[rest] as string[] | undefined) ?? []), ...behind] };
  }
  return {
    ...readFields(positionals, given, '<'),
    ...readFields(command.options ?? {}, given, '--'),
  };
}

function readFields(fields: Fields, raw: Raw, mark: '--' | '<'): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const spelling = optionName(name);
      return [
        name,
        field.read(restore(raw[spelling]), mark === '<' ? `<${spelling}>` : `--${spelling}`),
      ];
    }),
  );
}

function namesIn({ commands, groups = [] }: Pick<Group, 'commands' | 'groups'>): string[] {
  const verbs = commands.flatMap((command) => [verbOf(command), ...command.aliases]);
  return [...verbs, ...groups.map(({ name }) => name)];
}

/** What was meant by a word or an option that is not known; undefined where nothing is near. */
function suggestionFor(message: string, seen: Recognised, program: Commands): string | undefined {
  const ask = (text: string) => `did you mean '${text}'?`;
  const [option] = unknownOptions(message);
  if (option !== undefined) {
    const meant = nearest(option, seen.options);
    return meant && ask(`--${meant}`);
  }
  const word = unknownWord(message);
  if (word === undefined || seen.usage !== undefined) return undefined;
  if (seen.path === 'zonebook' && ownOptions.includes(word)) return ask(`zonebook --${word}`);
  const meant = nearest(word, seen.names);
  if (meant !== undefined) return ask(`${seen.path} ${meant}`);
  // A command that stands in a group was named without it.
  const holder = program.groups.find((group) => namesIn(group).includes(word));
  return seen.path === 'zonebook' && holder ? ask(`zonebook ${holder.name} ${word}`) : undefined;
}

/** The first of the words that are no commands. */
function unknownWord(message: string): string | undefined {
  return /^Unknown commands?: ([^,]*)/.exec(message)?.[1];
}

/** The options that are not known, as they were given: yargs names one with a hyphen in camel case too. */
function unknownOptions(message: string): string[] {
  const names = /^Unknown arguments?: (.*)$/s.exec(message)?.[1]?.split(', ') ?? [];
  const hyphened = names.filter((name) => name.includes('-'));
  const again = new Set(hyphened.map((name) => name.replaceAll('-', '').toLowerCase()));
  return names.filter((name) => name.includes('-') || !again.has(name.toLowerCase()));
}

/** Yargs' sentence in ours: what is wrong, on one line, in small letters like every failure. */
function sayFailure(message: string, usage: string | undefined): string {
  if (message.startsWith('Not enough non-option arguments')) {
    return `an argument is missing: ${usage ?? '<command>'}`;
  }
  const word = unknownWord(message);
  if (word !== undefined) {
    return usage === undefined ? `unknown command: ${word}` : `unexpected argument '${word}'`;
  }
  const options = unknownOptions(message).map((option) => `'${option}'`);
  if (options.length > 0)
    return `unknown argument${options.length > 1 ? 's' : ''} ${options.join(', ')}`;
  const words = message.replace(/\s*\n\s*/g, '; ');
  return words.charAt(0).toLowerCase() + words.slice(1);
}

/**
 * Arguments are kept whole through yargs: it would take a lone hyphen for nothing and strip
 * quotes around a value, which are part of it in `TXT '"a" "b"'`. What it would touch is spelling with a NUL,
 * which no argument of a process can hold.
 */
const marks: readonly (readonly [character: string, mark: string])[] = [
  ['"', '\u0000d'],
  ["'", '\u0000s'],
];
const loneHyphen = '\u0000-';

/**
 * The arguments with those as values that can be nothing else, like `-all`: options of one letter stand alone. One that
 * has the name of an option is a mistake rather than a value.
 */
function withHyphenedValues(words: readonly string[], seen: Recognised): string[] {
  const { options, hyphened, path } = seen;
  const end = words.indexOf('--');
  return words.map((word, index) => {
    if (!/^-[^-][^=]/s.test(word) || (end >= 0 && index > end)) return protect(word);
    const name = word.slice(1);
    if (!options.includes(name) || hyphened.includes(name)) return protectHyphen(word);
    throw usageFailure(`unknown argument '${word}'`, `did you mean '-${word}'? ${helpOf(path)}`);
  });
}

function protectHyphen(argument: string): string {
  return `${loneHyphen}${protect(argument.slice(1))}`;
}

function protect(argument: string): string {
  if (argument === '-') return loneHyphen;
  return marks.reduce((text, [character, mark]) => text.replaceAll(character, mark), argument);
}

/** The arguments as they were, in a value of yargs or in a message of it. */
function restore<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(restore) as Value;
  if (typeof value !== 'string') return value;
  const text = marks.reduce(
    (changed, [character, mark]) => changed.replaceAll(mark, character),
    value.replaceAll(loneHyphen, '-'),
  );
  return text as Value;
}

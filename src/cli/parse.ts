/**
 * The command line taken apart: which command is meant, and its values.
 *
 * Yargs finds the command, splits options and prints help; it runs nothing and writes nothing.
 * Unknown options and commands are refused.
 */
import yargs, { type Argv } from 'yargs';
import { type Command, type Group, optionName, verbOf } from './command.ts';
import { usageFailure } from './exit-code.ts';
import { choice, type Fields, text, type ValuesOf } from './field.ts';
import { formats } from './output.ts';

const globalFields = {
  output: choice(formats, 'form of the output; table on a terminal, else json', { alias: 'o' }),
  config: text('configuration file; zonebook.toml here when left out'),
  dataDir: text('folder of the service, with its database and socket'),
  url: text('service to ask over HTTP instead of the local socket; also ZONEBOOK_URL'),
  token: text('token for --url; also ZONEBOOK_TOKEN'),
};

export type GlobalValues = ValuesOf<typeof globalFields>;

export type Parsed =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'command';
      readonly command: Command;
      readonly values: Readonly<Record<string, unknown>>;
      readonly globals: GlobalValues;
    };

type Raw = Readonly<Record<string, unknown>>;

export interface Program {
  readonly version: string;
  readonly groups: readonly Group[];
  /** Commands without a resource, like `serve`. */
  readonly commands: readonly Command[];
  /** Columns that help may take. */
  readonly columns: number;
}

/** Throws a usage failure whose hint names the help that fits. */
export function parseArguments(args: readonly string[], program: Program): Parsed {
  /** The innermost command that was recognised so far. */
  let path = 'zonebook';
  let usage = '<command>';
  let chosen: { command: Command; raw: Raw } | undefined;

  const addCommand = (parser: Argv, command: Command, parent: string) => {
    parser.command(
      [command.usage, ...(command.aliases ?? [])],
      command.summary,
      (inner) => {
        path = `${parent} ${verbOf(command)}`;
        usage = command.usage.slice(verbOf(command).length + 1);
        return describe(inner, command);
      },
      (raw) => {
        chosen = { command, raw };
      },
    );
  };

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
    .group(Object.keys(globalFields).map(optionName), 'Everywhere:');
  for (const command of program.commands) addCommand(parser, command, 'zonebook');
  for (const group of program.groups) {
    parser.command(group.name, group.summary, (inner) => {
      path = `zonebook ${group.name}`;
      for (const command of group.commands) addCommand(inner, command, path);
      const example = group.commands[0]?.examples[0];
      if (example !== undefined) inner.example(...example);
      return inner.demandCommand(1, 'a command is missing').recommendCommands();
    });
  }
  parser
    .example('zonebook serve --data-dir ./data', 'run the service in the foreground')
    .example(
      'zonebook zone create example.com --mname ns1.example.com --rname hostmaster@example.com',
      'create a zone',
    )
    .epilogue('Exit codes: 0 ok, 1 failure, 2 usage, 3 not found, 4 conflict, 5 denied,')
    .epilogue('6 configuration unusable, 7 service not reachable.')
    .demandCommand(1, 'a command is missing')
    .recommendCommands()
    .strictCommands()
    .strict()
    .version(program.version)
    .help()
    .wrap(program.columns)
    .showHelpOnFail(false);

  let failure: Error | undefined;
  let output = '';
  parser.parse(args, {}, (error: Error | undefined | null, _: unknown, text: string) => {
    failure = error ?? undefined;
    output = text;
  });
  if (failure !== undefined) throw usageFailure(sayFailure(failure.message, usage), helpOf(path));
  if (chosen === undefined) return { kind: 'text', text: output };
  try {
    const { command, raw } = chosen;
    const globals = readFields(globalFields, raw, '--') as GlobalValues;
    return { kind: 'command', command, values: valuesOf(command, raw), globals };
  } catch (error) {
    throw error instanceof Error ? usageFailure(error.message, helpOf(path)) : error;
  }
}

/** What a usage failure points to. */
function helpOf(path: string): string {
  return `see '${path} --help'`;
}

function describe(parser: Argv, command: Command): Argv {
  for (const [name, field] of Object.entries(command.positionals ?? {})) {
    const { requiresArg: _, ...settings } = field.settings;
    parser.positional(optionName(name), settings as Parameters<Argv['positional']>[1]);
  }
  parser.options(settingsOf(command.options ?? {}));
  for (const [line, meaning] of command.examples) parser.example(line, meaning);
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
      const written = optionName(name);
      return [name, field.read(raw[written], mark === '<' ? `<${written}>` : `--${written}`)];
    }),
  );
}

/** Yargs' sentence in ours: what is wrong, on one line, in small letters like every failure. */
function sayFailure(message: string, usage: string): string {
  if (message.startsWith('Not enough non-option arguments')) {
    return `an argument is missing: ${usage}`;
  }
  const option = /^Unknown argument: (\S+)$/.exec(message)?.[1];
  if (option !== undefined) return `unknown argument '${option}'`;
  const words = message.replace(/\s*\n\s*/g, '; ');
  return words.charAt(0).toLowerCase() + words.slice(1);
}

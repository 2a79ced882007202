/**
 * Commands as values: what one is called, takes, shows as an example, and does.
 *
 * Each file under commands/ defines one. The parser builds yargs from them, tests and completion
 * walk over them.
 */
import type { Author } from '../domain/why.ts';
import type { Client } from './client.ts';
import type { Fields, ValuesOf } from './field.ts';
import type { Output } from './output.ts';
import type { CliServices, LoadedConfig, ConfigLocation } from './environment.ts';
import { addedOptions } from './preview.ts';

/** What a command works with. */
export interface Context {
  readonly services: CliServices;
  readonly output: Output;
  /** The same for standard error: what stands above a question. */
  readonly preview: Output;
  readonly location: ConfigLocation;
  /** Where the service is, as the options say it. */
  readonly target: Readonly<Record<'url' | 'tokenFile' | 'caFile', string | undefined>>;
  /** All there are, for those that speak of them. */
  readonly program: Commands;
  /** Whether a service elsewhere is asked: `--url` or ZONEBOOK_URL. */
  readonly isRemote: boolean;
  /** The running service: over its local socket, or where `--url` says. */
  client(): Promise<Client>;
  config(): Promise<LoadedConfig>;
  /** Who runs the command and why, for one that writes to the journal itself. */
  author(): Author;
  /** Says of a dry run or a difference whether anything would change: for `--exit-code`. */
  foresee(wouldChange: boolean): void;
}

export interface CommandOptions<Positionals extends Fields, Options extends Fields> {
  /** The verb and its positionals as help shows them: `create <name>`. */
  readonly usage: string;
  readonly summary: string;
  /** Stands below the options. */
  readonly notes?: string;
  /** Lines that can be typed, `$0` being the command, each with what it does. */
  readonly examples: readonly (readonly [line: string, meaning: string])[];
  readonly positionals?: Positionals;
  /** Names in camel case; written with hyphens. */
  readonly options?: Options;
  /** `change`: presents what it changes line by line. `difference`: presents one, and changes nothing. */
  readonly presents?: 'change' | 'difference';
  /** The positional that words behind `--` are added to; elsewhere such words are refused. */
  readonly rest?: keyof Positionals & string;
  /** `host`: works on the files of this host and takes no `--url`. `own`: says by itself what it asks. */
  readonly where?: 'service' | 'host' | 'own';
  /** Whether a command that asks no service writes to the journal; others of these take no `--reason`. */
  readonly journals?: (values: ValuesOf<Positionals & Options>) => boolean;
  /** Resolves with the exit code; nothing means 0. */
  run(values: ValuesOf<Positionals & Options>, context: Context): Promise<number | undefined>;
}

/** A command whose values are checked by its own fields, so that all commands have one type. */
export interface Command extends CommandOptions<Fields, Fields> {
  /** Shorter verbs for it. */
  readonly aliases: readonly string[];
}

const aliasesOfVerb: Readonly<Record<string, readonly string[]>> = { list: ['ls'], delete: ['rm'] };

/** Commands of one resource, like `zone`, and those of its parts, like `zone version`. */
export interface Group {
  readonly name: string;
  readonly summary: string;
  readonly commands: readonly Command[];
  readonly groups?: readonly Group[];
}

/** What may be typed first, in the order in which help shows it. */
export interface Commands {
  readonly groups: readonly Group[];
  /** Commands without a resource, like `serve`. */
  readonly commands: readonly Command[];
}

// biome-ignore lint/complexity/noBannedTypes: the type of no fields at all
export function defineCommand<P extends Fields = {}, O extends Fields = {}>(
  options: CommandOptions<P, O>,
): Command {
  const aliases = aliasesOfVerb[verbOf(options)] ?? [];
  const command = { ...options, aliases } as unknown as Command;
  return { ...command, options: { ...options.options, ...addedOptions(command) } };
}

/** The examples of a command as they are typed, behind the words that lead to it. */
export function examplesOf(command: Command, parent: string): Command['examples'] {
  const path = `${parent} ${verbOf(command)}`;
  return command.examples.map(([line, meaning]) => [line.replace('$0', path), meaning]);
}

/** The verb of a command: the first word of its usage. */
export function verbOf(command: Pick<Command, 'usage'>): string {
  return command.usage.split(' ', 1)[0]!;
}

/** How a command knows a field: `default-ttl` and `default_ttl` are `defaultTtl`. */
export function fieldName(spelling: string): string {
  return spelling.replace(/[-_]([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** How an option is written: `defaultTtl` is `default-ttl`. */
export function optionName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/**
 * Where a line that is being typed stands: in the program, a group or a command, and at which word of it.
 *
 * The arguments are those behind `zonebook`; the last one is not complete yet, and may be empty. What can not
 * be meant is passed over: a line is judged when it is run, not while it is written.
 */
import { type Command, type Commands, type Group, optionName, verbOf } from '../command.ts';
import type { Field, Fields } from '../field.ts';

interface Program extends Commands {
  /** Options that every command takes. */
  readonly everywhere: Fields;
}

/** A field as a word of the line names it. */
export interface Named {
  /** As in the command's definition: `dataDir`. */
  readonly name: string;
  readonly field: Field<unknown>;
}

export interface LinePosition {
  /** Groups entered so far: `zone`, `version`. */
  readonly path: readonly string[];
  /** What may be chosen here; empty once a command is. */
  readonly groups: readonly Group[];
  readonly commands: readonly Command[];
  readonly command: Command | undefined;
  /** Options that may be given here. */
  readonly options: Fields;
  /** Names of the options that were given. */
  readonly given: ReadonlyMap<string, string | true>;
  /** What the current word is the value of; undefined when it is none, or none that is known. */
  readonly named: Named | undefined;
  /** The part of the current word in front of that value: `--zone=`. */
  readonly valuePrefix: string;
  /** The current word, without that part. */
  readonly current: string;
  /** Whether an option may be meant: not behind `--`, and not where a value stands. */
  readonly mayBeOption: boolean;
}

export function positionOf(program: Program, argv: readonly string[]): LinePosition {
  const path: string[] = [];
  let { groups, commands } = program;
  let command: Command | undefined;
  let positionals = 0;
  let awaited: Named | undefined;
  let isBehindHyphens = false;
  const given = new Map<string, string | true>();
  const options = (): Fields => ({ ...program.everywhere, ...command?.options });

  for (const word of argv.slice(0, -1)) {
    if (awaited !== undefined) {
      given.set(awaited.name, word);
      awaited = undefined;
    } else if (word === '--') {
      isBehindHyphens = true;
    } else if (!isBehindHyphens && word.startsWith('-') && word !== '-') {
      const [spelling, value] = splitOption(word);
      const option = findOption(options(), spelling);
      if (option === undefined) continue;
      given.set(option.name, value ?? true);
      if (value === undefined && takesValue(option.field)) awaited = option;
    } else if (command !== undefined) {
      positionals++;
    } else {
      const group = groups.find(({ name }) => name === word);
      command = commands.find((each) => [verbOf(each), ...each.aliases].includes(word));
      if (group !== undefined) path.push(group.name);
      groups = group?.groups ?? [];
      commands = group?.commands ?? [];
    }
  }

  const last = argv.at(-1) ?? '';
  const [spelling, attached] = splitOption(last);
  const isAttached = !isBehindHyphens && awaited === undefined && attached !== undefined;
  return {
    path,
    groups,
    commands,
    command,
    options: options(),
    given,
    named:
      awaited ??
      (isAttached ? findOption(options(), spelling) : positionalAt(command, positionals)),
    valuePrefix: isAttached ? `${spelling}=` : '',
    current: isAttached ? attached : last,
    mayBeOption: !isBehindHyphens && awaited === undefined && !isAttached,
  };
}

/** `--zone=example.com` as name and value. */
function splitOption(word: string): [spelling: string, value: string | undefined] {
  const sign = word.startsWith('--') ? word.indexOf('=') : -1;
  return sign < 0 ? [word, undefined] : [word.slice(0, sign), word.slice(sign + 1)];
}

function findOption(fields: Fields, spelling: string): Named | undefined {
  const word = spelling.replace(/^--?(?:no-)?/, '');
  for (const [name, field] of Object.entries(fields)) {
    const letter = field.settings.alias;
    if (spelling === `--${optionName(name)}` || optionName(name) === word) return { name, field };
    if (letter !== undefined && spelling === `-${String(letter)}`) return { name, field };
  }
  return undefined;
}

function takesValue(field: Field<unknown>): boolean {
  return field.settings.type !== 'boolean';
}

/** The positional of that index; the last one goes on when it takes many words. */
function positionalAt(command: Command | undefined, index: number): Named | undefined {
  const fields = Object.entries(command?.positionals ?? {});
  const last = fields.at(-1);
  const repeated = last?.[1].settings.array === true ? last : undefined;
  const [name, field] = fields[index] ?? repeated ?? [];
  return name === undefined || field === undefined ? undefined : { name, field };
}

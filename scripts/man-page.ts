/**
 * Writes the manual page zonebook(1) from the commands themselves, in the man macros of roff, to standard
 * output or the file that is named.
 *
 * Usage: npm run man-page [-- FILE]. Its date is that of SOURCE_DATE_EPOCH, else today.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { type Command, type Group, optionName } from '../src/cli/command.ts';
import { commands, groups } from '../src/cli/commands/index.ts';
import { exitMeanings } from '../src/cli/failure.ts';
import type { Fields } from '../src/cli/field.ts';
import { globalFields } from '../src/cli/parse.ts';

/** Characters of a line of text at most; examples are as long as they are. */
const lineCharacters = 78;

const sections: readonly (readonly [title: string, body: () => string[]])[] = [
  ['NAME', () => ['zonebook \\- DNS zones as an event\\-sourced service']],
  ['SYNOPSIS', synopsis],
  ['DESCRIPTION', description],
  ['COMMANDS', () => [...listed(), ...commands.flatMap((command) => pageOf(command, []))]],
  ['OPTIONS OF EVERY COMMAND', () => optionList(globalFields)],
  ['ENVIRONMENT', environment],
  ['FILES', files],
  ['EXIT STATUS', exitStatus],
  ['SEE ALSO', () => ['.BR dig (1),', '.BR named (8),', '.BR nsupdate (1)']],
];

function synopsis(): string[] {
  return ['.B zonebook', '.I command', '.RI [ options ]'];
}

function description(): string[] {
  return paragraphs(
    'zonebook keeps DNS zones in a journal of events, serves them to secondary servers and to clients, ' +
      'takes dynamic updates, and signs zones. One program is the service (zonebook serve) and its ' +
      'command line, which speaks to the running service over its local socket, or over the network ' +
      'with --url and --token.',
    'Every command takes --help (-h) and shows examples, and a group alone lists its commands. ' +
      'Output is a table, or a sentence, on a terminal and in a pipe; with --output json it is ' +
      'the JSON of the HTTP interface, whose fields stay.',
  );
}

function environment(): string[] {
  return [
    ...item('.B ZONEBOOK_URL', 'Service to ask, as --url.'),
    ...item('.B ZONEBOOK_TOKEN', 'Token for it, as --token.'),
    ...item('.B ZONEBOOK_CONTEXT', 'Service to ask by its name, as --context.'),
    ...item('.B ZONEBOOK_REASON', 'Why something is changed, as --reason.'),
    ...item('.B ZONEBOOK_REFERENCE', 'A ticket or an address with more about it, as --reference.'),
    ...item('.B ZONEBOOK_CONFIG', 'Configuration file, as --config.'),
    ...item(
      '.BI ZONEBOOK_ KEY',
      'Overrides a key of the configuration: api.listen_port is ZONEBOOK_API_LISTEN_PORT. ' +
        'zonebook config show lists the keys.',
    ),
    ...item(
      '.B ZONEBOOK_HINTS',
      'With off, no change on a terminal ends with the command that undoes it.',
    ),
    ...item('.B VISUAL, EDITOR', 'The editor of zonebook zone edit.'),
    ...item('.B NO_COLOR', 'When it is set and not empty, nothing is coloured.'),
  ];
}

function files(): string[] {
  return [
    ...item(
      '.I zonebook.toml',
      'Configuration, read from the working folder unless --config names another.',
    ),
    ...item(
      '.IR data_dir /zonebook.db',
      'The database: journal, what was made of it, and secrets.',
    ),
    ...item(
      '.IR data_dir /keys.key',
      'The key that seals secrets; without it they can not be read.',
    ),
    ...item('.IR data_dir /zonebook.sock', 'The local socket, for the user of the service only.'),
  ];
}

function exitStatus(): string[] {
  return Object.entries(exitMeanings).flatMap(([code, meaning]) =>
    item(`.B ${code}`, `${meaning.charAt(0).toUpperCase()}${meaning.slice(1)}.`),
  );
}

/** Commands of groups; those without one stand in front. */
function listed(): string[] {
  return paragraphs('Commands of one resource stand behind its name: zonebook zone list.');
}

function pageOf(command: Command, path: readonly string[]): string[] {
  const line = ['zonebook', ...path, command.usage].join(' ');
  const aliases = command.aliases ?? [];
  return [
    `.SS ${quoted(line)}`,
    ...paragraphs(`${command.summary}.`),
    ...(aliases.length === 0 ? [] : paragraphs(`Also written ${aliases.join(', ')}.`)),
    ...Object.entries(command.positionals ?? {}).flatMap(([name, { settings }]) =>
      item(`.I ${escaped(optionName(name))}`, sentence(settings.describe ?? '')),
    ),
    ...optionList(command.options ?? {}),
    ...(command.notes === undefined ? [] : paragraphs(command.notes)),
    ...command.examples.flatMap(([example, meaning]) => exampleOf(example, meaning)),
  ];
}

function pagesOf(group: Group, path: readonly string[]): string[] {
  const here = [...path, group.name];
  return [
    ...group.commands.flatMap((command) => pageOf(command, here)),
    ...(group.groups ?? []).flatMap((part) => pagesOf(part, here)),
  ];
}

function optionList(fields: Fields): string[] {
  return Object.entries(fields).flatMap(([name, { settings }]) => {
    const letter = settings.alias === undefined ? '' : `\\-${String(settings.alias)}, `;
    const written = `${letter}\\-\\-${escaped(optionName(name))}`;
    const meaning = settings.describe ?? '';
    // The help of a command says behind an option that it takes a number; here its value says it.
    const value = meaning.endsWith(' (number)') ? 'number' : 'value';
    const takesValue = settings.type !== 'boolean';
    const tag = takesValue
      ? `.BI ${quoted(`${written} `, false)} ${value}`
      : `.B ${quoted(written, false)}`;
    return item(tag, sentence(meaning.replace(/ \(number\)$/, '')));
  });
}

function exampleOf(example: string, meaning: string): string[] {
  const line = escaped(example);
  return ['.PP', ...text(sentence(meaning)), '.PP', '.in +4n', '.EX', line, '.EE', '.in'];
}

function item(tag: string, body: string): string[] {
  return ['.TP', tag, ...text(body)];
}

function paragraphs(...bodies: readonly string[]): string[] {
  return bodies.flatMap((body) => ['.PP', ...text(body)]);
}

function sentence(words: string): string {
  const first = /^[a-z]+(?=[ ,;:]|$)/.test(words) ? words.charAt(0).toUpperCase() : words.charAt(0);
  return `${first}${words.slice(1)}${/[.?!]$/.test(words) ? '' : '.'}`;
}

/** Text in lines of its own: nothing in them, or at their start, means anything to roff. */
function text(words: string): string[] {
  const lines: string[] = [];
  for (const word of words.split(/\s+/).map(escaped)) {
    const last = lines.at(-1);
    const isEnd = last !== undefined && /[.:;]$/.test(last);
    if (last === undefined || isEnd || last.length + word.length >= lineCharacters) {
      lines.push(/^[.']/.test(word) ? `\\&${word}` : word);
    } else {
      lines[lines.length - 1] = `${last} ${word}`;
    }
  }
  return lines;
}

function escaped(words: string): string {
  const marks: Readonly<Record<string, string>> = {
    '\\': '\\e',
    '-': '\\-',
    "'": '\\(aq',
    '`': '\\(ga',
    '^': '\\(ha',
    '~': '\\(ti',
  };
  return words.replace(/[\\\-'`^~]/g, (character) => marks[character]!);
}

/** One argument of a macro. */
function quoted(words: string, isText = true): string {
  return `"${(isText ? escaped(words) : words).replaceAll('"', '\\(dq')}"`;
}

function manPage(version: string, date: string): string {
  const lines = [
    '.\\" Made by scripts/man\\-page.ts from the commands; not to be edited.',
    `.TH ZONEBOOK 1 ${date} "zonebook ${version}" "User Commands"`,
    // Lines of tags and examples are for copying: hyphens stay hyphens, and nothing is justified.
    '.nh',
    '.ad l',
  ];
  for (const [title, body] of sections) {
    lines.push(`.SH ${quoted(title)}`, ...body());
    if (title === 'COMMANDS') lines.push(...groups.flatMap((group) => pagesOf(group, [])));
  }
  // A heading begins a paragraph by itself.
  const isDoubled = (line: string, place: number) =>
    line === '.PP' && /^\.(?:S[HS] |PP$)/.test(lines[place - 1] ?? '');
  return `${lines.filter((line, place) => !isDoubled(line, place)).join('\n')}\n`;
}

const seconds = process.env.SOURCE_DATE_EPOCH;
const day = seconds === undefined ? new Date() : new Date(Number(seconds) * 1000);
const manifest = new URL('../package.json', import.meta.url);
const { version } = JSON.parse(readFileSync(manifest, 'utf8'));
const page = manPage(version, day.toISOString().slice(0, 10));
const [file] = process.argv.slice(2);
if (file === undefined) process.stdout.write(page);
else writeFileSync(file, page);

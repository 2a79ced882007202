/**
 * `completion`: a script that completes zonebook's words in a shell, and the words it asks for.
 *
 * Names of zones and other things come from the service that the line is meant for. A shell waits for them, and nobody
 * reads its errors: a service that does not answer at once, or does not say, has no names.
 */
import { isStorable, rrtype } from '../../dns/rrtype.ts';
import { actions } from '../../base/action.ts';
import type { Listing } from '../answers.ts';
import { Client, findTarget } from '../client.ts';
import { defineCommand, optionName, verbOf } from '../command.ts';
import { type LinePosition, type Named, positionOf } from '../completion/position.ts';
import { completionScript, shells } from '../completion/scripts.ts';
import { withContext } from '../contexts.ts';
import type { CliServices } from '../environment.ts';
import { usageFailure } from '../failure.ts';
import { choice, list } from '../field.ts';
import { onOneLine } from '../terminal.ts';
import { globalFields, type GlobalValues, sharedBy } from '../parse.ts';

export const completion = defineCommand({
  usage: 'completion <shell> [words..]',
  summary: 'Print a script that completes commands, options and names in a shell',
  notes:
    'With words behind --, prints what the last of them may become: what the script asks at every tab.\n' +
    'Names come from the service that the line is meant for, also by its context, when it answers at once.',
  examples: [
    ['source <(zonebook completion bash)', 'in ~/.bashrc; or zsh, in ~/.zshrc after compinit'],
    ['$0 fish > ~/.config/fish/completions/zonebook.fish', 'for fish'],
    ['$0 bash -- zone get exa', 'the zones that begin so'],
  ],
  positionals: {
    shell: choice(shells, 'shell'),
    words: list('the line as it is so far, without its first word'),
  },
  rest: 'words',
  where: 'host',
  async run({ shell, words }, { output, program, services }) {
    if (shell === undefined) throw usageFailure('the shell is missing');
    if (words.length === 0) {
      output.write(completionScript(shell));
      return;
    }
    const position = positionOf({ ...program, everywhere: globalFields }, words);
    const lines = await linesAt(position, services);
    if (lines.length > 0) output.write(lines.join('\n'));
  },
});

/** What the last word of a line may become, each with its meaning behind a tab, or whom the script leaves it to. */
async function linesAt(position: LinePosition, services: CliServices): Promise<string[]> {
  const { command, commands, groups, current, named, valuePrefix, mayBeOption } = position;
  if (mayBeOption && current.startsWith('-')) return linesOf(optionsAt(position), current);
  if (named !== undefined) return valuesOf(named, position, services);
  if (command !== undefined || valuePrefix !== '' || !mayBeOption) return [];
  const verbs = commands.map((each): Candidate => [verbOf(each), each.summary]);
  return linesOf(
    [...verbs, ...groups.map((each): Candidate => [each.name, each.summary])],
    current,
  );
}

type Candidate = readonly [word: string, meaning?: string | null | undefined];

/** Of those that begin with what is typed; `prefix` stands before each in the word of the line. */
function linesOf(all: readonly Candidate[], typed: string, prefix = ''): string[] {
  return all
    .filter(([word]) => word.startsWith(typed))
    .map(([word, meaning]) => `${prefix}${word}${meaning ? `\t${onOneLine(meaning)}` : ''}`);
}

/** Options that were not given, or may be given again; `--no-` forms where their help names them. */
function optionsAt({ options, given }: LinePosition): Candidate[] {
  const candidates = Object.entries(options).flatMap(([name, { settings }]) => {
    if (given.has(name) && settings.array !== true) return [];
    const meaning = settings.describe ?? '';
    const negated = `--no-${optionName(name)}`;
    const forms = [`--${optionName(name)}`, ...(meaning.includes(negated) ? [negated] : [])];
    return forms.map((word): Candidate => [word, meaning]);
  });
  return [...candidates, ['--help', 'show help']];
}

const recordTypes = Object.entries(rrtype)
  .filter(([, type]) => isStorable(type))
  .map(([word]) => word);

/** Words of fields that are known without a service, though other texts may be right too. */
const knownWords: Readonly<Record<string, readonly string[]>> = {
  type: recordTypes,
  types: recordTypes,
  actions,
};

async function valuesOf(
  { name, field }: Named,
  position: LinePosition,
  services: CliServices,
): Promise<string[]> {
  const { current, valuePrefix: prefix } = position;
  const known = field.values ?? knownWords[name];
  if (known !== undefined) {
    // Of words between commas the last one is completed.
    const start = field.settings.array === true ? current.lastIndexOf(',') + 1 : 0;
    const typed = current.slice(start);
    const isMeant = (word: string) =>
      word.startsWith(typed) || word.startsWith(typed.toUpperCase());
    return known.filter(isMeant).map((word) => `${prefix}${current.slice(0, start)}${word}`);
  }
  if (name === 'file' || name === 'config' || name === 'caFile') return [':files'];
  if (name === 'dataDir' || name === 'directory') return [':folders'];
  const names = await namesOf(name, position, services);
  return linesOf(names, current.toLowerCase(), prefix).slice(0, maxNames);
}

/** Names that are offered. */
const maxNames = 200;
/** Milliseconds to wait for them. */
const timeoutMs = 1500;

/** The paths of the lists that fields name one of, in every command alike; in a group `name` is one of its own. */
const lists: Readonly<Record<string, string>> = {
  zone: '/zones',
  // Of record delete: a zone with what is in it, or an id.
  target: '/zones',
  dnssec: '/zones',
  webhook: '/webhooks',
  secondary: '/secondaries',
  role: '/roles',
  token: '/tokens',
  tsigKey: '/tsig-keys',
  notifyKey: '/tsig-keys',
  'tsig-key': '/tsig-keys',
  policy: '/dnssec-policies',
  'dnssec-policy': '/dnssec-policies',
};

interface NamedThing {
  readonly name: string;
  readonly description?: string | null;
}

async function namesOf(
  field: string,
  { path: groups, command, options, given, current }: LinePosition,
  services: CliServices,
): Promise<Candidate[]> {
  const verb = command === undefined ? '' : verbOf(command);
  // A name that is made is not one there is; neither is the new one of a rename, or a filter.
  if (field === 'name' && (verb === 'create' || options.name !== undefined)) return [];
  const path = field in globalFields ? undefined : lists[field === 'name' ? groups[0]! : field];
  if (path === undefined) return [];
  // Only zones are many, and only they can be searched for; the search finds names in the middle too.
  const search = path === '/zones' && current !== '' ? current.toLowerCase() : undefined;
  const isDeleted = field === 'name' && (verb === 'restore' || verb === 'purge');
  const query = { limit: 1000, search, deleted: isDeleted ? true : undefined };
  try {
    const target = await withContext(globalsOf(given, command), services);
    const client = new Client(await findTarget(target, services));
    try {
      const within = { withinMs: timeoutMs };
      const { status, body } = await client.send('GET', path, query, undefined, within);
      if (status !== 200) return [];
      const { items } = body as Listing<NamedThing>;
      return items.map(({ name, description }) => [name, description]);
    } finally {
      client.close();
    }
  } catch {
    return [];
  }
}

/** The options of every command that take a text, as the line has them: they say which service it is meant for. */
function globalsOf(
  given: LinePosition['given'],
  command: LinePosition['command'] = undefined,
): GlobalValues {
  const texts = Object.keys(sharedBy(command ?? {})).map((name) => {
    const value = given.get(name);
    return [name, typeof value === 'string' ? value : undefined];
  });
  const none = { output: undefined, allowDeletes: undefined, wait: undefined };
  return { ...Object.fromEntries(texts), ...none } as GlobalValues;
}

/** `completion`: a script that completes zonebook's words in a shell, and the words it asks for. */
import { type Context, defineCommand } from '../command.ts';
import { type Completion, completionAt, namesOf } from '../completion/candidates.ts';
import { type LinePosition, positionOf, type Program } from '../completion/position.ts';
import { completionScript, shells } from '../completion/scripts.ts';
import { usageFailure } from '../failure.ts';
import { choice, list } from '../field.ts';
import { onOneLine } from '../paint.ts';
import { globalFields, type GlobalValues } from '../parse.ts';

export const completion = defineCommand({
  usage: 'completion <shell> [words..]',
  summary: 'Print a script that completes commands, options and names in a shell',
  notes:
    'With words behind --, prints what the last of them may become: what the script asks at every tab.\n' +
    'Names come from the service that the line is meant for, when it answers at once.',
  examples: [
    ['source <(zonebook completion bash)', 'in ~/.bashrc; or zsh, in ~/.zshrc after compinit'],
    ['zonebook completion fish > ~/.config/fish/completions/zonebook.fish', 'for fish'],
    ['zonebook completion bash -- zone get exa', 'the zones that begin so'],
  ],
  positionals: {
    shell: choice(shells, 'shell'),
    words: list('the line as it is so far, without its first word'),
  },
  rest: 'words',
  where: 'host',
  async run({ shell, words }, context) {
    if (shell === undefined) throw usageFailure('the shell is missing');
    const { output } = context;
    if (words.length === 0) {
      output.write(completionScript(shell));
      return;
    }
    const { commands, groups } = await import('./index.ts');
    const lines = await linesFor({ commands, groups, everywhere: globalFields }, words, context);
    if (lines.length > 0) output.write(lines.join('\n'));
  },
});

async function linesFor(
  program: Program,
  words: readonly string[],
  { services }: Context,
): Promise<string[]> {
  const position = positionOf(program, words);
  const found: Completion = completionAt(position);
  switch (found.kind) {
    case 'files':
      return [':files'];
    case 'folders':
      return [':folders'];
    case 'words':
      return found.candidates.map(({ word, meaning }) => lineOf(word, meaning));
    case 'names': {
      const names = await namesOf(found.of, position.current, globalsOf(position), services);
      return names.map(({ word, meaning }) => lineOf(`${found.prefix}${word}`, meaning));
    }
  }
}

function lineOf(word: string, meaning: string): string {
  return meaning === '' ? word : `${word}\t${onOneLine(meaning)}`;
}

/** Which service the line is meant for. */
function globalsOf({ given }: LinePosition): GlobalValues {
  const text = (name: string) => {
    const value = given.get(name);
    return typeof value === 'string' ? value : undefined;
  };
  return {
    output: undefined,
    config: text('config'),
    dataDir: text('dataDir'),
    url: text('url'),
    token: text('token'),
    caFile: text('caFile'),
  };
}

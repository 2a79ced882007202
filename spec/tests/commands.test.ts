/** Every command of the command line that a page shows is one that there is, with options that it has. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Command, fieldName, type Group, verbOf } from '../../src/cli/command.ts';
import { commands, groups } from '../../src/cli/commands/index.ts';
import { globalFields } from '../../src/cli/parse.ts';
import { checkout } from '../support/test-titles.ts';

const everywhere = [...Object.keys(globalFields), 'help', 'version'].map(fieldName);

type Found = { readonly command: Command } | { readonly group: Group };

function find(words: readonly string[]): Found | undefined {
  let level: { commands: readonly Command[]; groups?: readonly Group[] } = { commands, groups };
  let group: Group | undefined;
  for (const word of words) {
    const inner: Group | undefined = level.groups?.find(({ name }) => name === word);
    if (inner === undefined) {
      const command = level.commands.find(
        (each) => verbOf(each) === word || each.aliases.includes(word),
      );
      return command && { command };
    }
    [group, level] = [inner, inner];
  }
  return group && { group };
}

/** What is wrong with a line that begins behind `zonebook`; undefined where nothing is. */
function complaint(line: string): string | undefined {
  const [ours = ''] = line.replaceAll(/"[^"]*"|'[^']*'/g, 'TEXT').split(/ [|;&>]+ |\)"|\) |`|#/, 1);
  const words = ours.split(/\s+/).filter((word) => word !== '');
  const named = words.slice(0, words.findIndex((word) => !/^[a-z][a-z-]*$/.test(word)) >>> 0);
  // `zonebook` alone, its options, and what stands for any command.
  if (named.length === 0) return undefined;
  const found = find(named);
  if (found === undefined) return 'there is no such command';
  const options = [...ours.matchAll(/(?:^| )--(?:no-)?([a-z][a-z-]*)/g)].map(([, name]) => name!);
  const own = 'command' in found ? Object.keys(found.command.options ?? {}) : [];
  const known = new Set([...everywhere, ...own]);
  const unknown = options.find((name) => !known.has(fieldName(name)));
  return unknown === undefined ? undefined : `it has no option --${unknown}`;
}

/** Code of a page: its blocks, and what stands between backquotes. */
function codeOf(text: string): string[] {
  const blocks = [...text.matchAll(/^```(?:sh|console)\n([\s\S]*?)^```/gm)].map(
    ([, code]) => code!,
  );
  const inline = [...text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/`([^`\n]+)`/g)];
  return [...blocks, ...inline.map(([, code]) => code!)];
}

function commandsIn(text: string): string[] {
  return codeOf(text).flatMap((code) =>
    [...code.replaceAll('\\\n', ' ').matchAll(/^(?:.*[ (/$])?zonebook ([a-z].*)$/gm)].map(
      ([, line]) => line!,
    ),
  );
}

it('are told from words that are none', () => {
  expect(complaint('zone list --limit 5')).toBeUndefined();
  expect(complaint('zone version diff example.com 4')).toBeUndefined();
  expect(complaint('zone lsit')).toBe('there is no such command');
  expect(complaint('zone list --limits 5')).toBe('it has no option --limits');
});

const pages = globSync('{README.md,spec/**/*.md}', { cwd: checkout });

it.each(pages)('%s shows commands that there are', (path) => {
  const lines = commandsIn(readFileSync(join(checkout, path), 'utf8'));
  const wrong = lines.flatMap((line) => {
    const said = complaint(line);
    return said === undefined ? [] : [`${line}: ${said}`];
  });
  expect(wrong).toEqual([]);
});

it('the console shows commands that there are', () => {
  const sources = globSync('src/console/**/*.{tsx,html}', { cwd: checkout });
  const lines = sources.flatMap((path) => {
    const text = readFileSync(join(checkout, path), 'utf8')
      .replaceAll(/\$?\{zone(?:\.name)?\}/g, 'NAME')
      .replaceAll(String.raw`\n`, '\n');
    return [...text.matchAll(/(?:^|[>'`])zonebook ([a-z][^'`<\n]*)/gm)].map(([, line]) => line!);
  });
  expect(lines.length).toBeGreaterThan(10);
  const wrong = lines.filter((line) => complaint(line) !== undefined);
  expect(wrong).toEqual([]);
});

/**
 * Every reference in code, tests and pages leads somewhere in this repository: `interface 4.3`, `decisions 8`,
 * `case 17`, `invariant 6`, and links to decisions by their number.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { partsOf } from '../../scripts/tidy/source.ts';
import { checkout } from '../support/test-titles.ts';

const page = (path: string) => readFileSync(join(checkout, path), 'utf8');

/** `## 4. Endpoints`, `### 4.2 Zones`, and the items of a list below one: `5.7`, `4.3 rule 2`. */
function clausesOf(text: string): Set<string> {
  const clauses = new Set<string>();
  let section = '';
  for (const line of text.split('\n')) {
    section = /^#{2,4} (\d+(?:\.\d+)*)/.exec(line)?.[1] ?? section;
    clauses.add(section);
    const item = /^(\d+)\. /.exec(line)?.[1];
    if (item !== undefined) clauses.add(`${section}.${item}`).add(`${section} rule ${item}`);
  }
  return clauses;
}

function numbersIn(text: string, pattern: RegExp): Set<string> {
  return new Set([...text.matchAll(pattern)].map(([, number]) => number!));
}

/** What each kind of reference may name. */
const targets: Readonly<Record<string, ReadonlySet<string>>> = {
  interface: clausesOf(page('spec/manual/interface.md')),
  decisions: clausesOf(page('spec/decisions/README.md')),
  case: numbersIn(page('spec/tests/cases.md'), /^(\d+)\. /gm),
  invariant: numbersIn(page('spec/ARCHITECTURE.md'), /^\| (\d+) \|/gm),
};

const number = String.raw`\d+(?:\.\d+)*(?: rule \d+)?`;
/** `interface 2.7 to 2.9`, `decisions 2, 12 and 16`, `cases 84 and 85`, `decisions, section 7`. */
const reference = new RegExp(
  String.raw`\b(interface|decisions|case|invariant)s?(?:, section)? (${number}(?:(?:, | and | to )${number})*)`,
  'gi',
);

interface Reference {
  readonly kind: string;
  readonly number: string;
}

function referencesIn(text: string): Reference[] {
  // A reference may go on in the next line of a comment.
  const flowing = text.replaceAll(/\n[ \t]*(?:\*|\/\/)?[ \t]*/g, ' ');
  return [...flowing.matchAll(reference)].flatMap(([, kind, numbers]) =>
    [...numbers!.matchAll(new RegExp(number, 'g'))].map(([each]) => {
      return { kind: kind!.toLowerCase(), number: each };
    }),
  );
}

/** Comments and texts of sources; `case 1:` of a switch is code. */
function prose(path: string): string {
  const text = page(path);
  if (!path.endsWith('.ts')) return text;
  const { comments, strings } = partsOf(text);
  return [...comments, ...strings].map(({ start, end }) => text.slice(start, end)).join('\n;\n');
}

const sources = globSync('{README.md,{src,spec,scripts}/**/*.{ts,md,c,py}}', { cwd: checkout });
/** What refers to anything. */
const paths = sources.filter((path) => {
  return /\b(?:interface|decisions|cases?|invariants?)[ ,/]/i.test(page(path));
});

it('are found in every form they have', () => {
  const text =
    'interface 2.7 to 2.9, decisions 3, 7 and 16; (cases 84\n * and 85), interface 4.8 rule 5';
  expect(referencesIn(text).map(({ kind, number: each }) => `${kind} ${each}`)).toEqual([
    'interface 2.7',
    'interface 2.9',
    'decisions 3',
    'decisions 7',
    'decisions 16',
    'case 84',
    'case 85',
    'interface 4.8 rule 5',
  ]);
});

it('name clauses, sections, cases and invariants that there are', () => {
  const all = paths.map((path) => [path, referencesIn(prose(path))] as const);
  expect(all.flatMap(([, found]) => found).length).toBeGreaterThan(300);
  const lost = all.flatMap(([path, found]) =>
    found
      .filter(({ kind, number: each }) => !targets[kind]!.has(each))
      .map(({ kind, number: each }) => `${path}: ${kind} ${each}`),
  );
  expect(lost).toEqual([]);
});

it('to decisions/NNNN name pages that there are', () => {
  const pages = globSync('[0-9]*.md', { cwd: join(checkout, 'spec/decisions') });
  const numbers = new Set(pages.map((path) => path.slice(0, 4)));
  const lost = paths.flatMap((path) =>
    [...prose(path).matchAll(/\bdecisions\/(\d{4})/g)]
      .filter(([, each]) => !numbers.has(each!))
      .map(([each]) => `${path}: ${each}`),
  );
  expect(lost).toEqual([]);
});

/**
 * Tries a sample of mutants one after the other and writes which of them lived.
 *
 * Usage: npm run mutation [-- --file PATH] [--sample N] [--minutes N] [--seed TEXT] [--line N] [--quick]
 *
 * With --quick the tests of units are asked alone, which takes seconds for a mutant.
 *
 * The sample is drawn by a hash of the seed and the mutant's own text: what changes elsewhere does not change it.
 */
import { createHash } from 'node:crypto';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { parseArgs } from 'node:util';
import { checkout } from '../support/test-titles.ts';
import { accepted } from './accepted.ts';
import { type Mutant, mutantsOf, mutated } from './mutators.ts';
import { Reaches } from './reach.ts';
import { leftOut, mutatedFiles, pathTests, unitTests } from './targets.ts';
import { Workshop } from './workshop.ts';

/** A mutant is late when its tests take this many times as long as without it, and some seconds. */
const lateFactor = 5;
const lateMs = 60_000;

export interface Trial {
  readonly mutant: Mutant;
  /** What noticed it; undefined when nothing did. */
  readonly killedBy: 'unit tests' | 'path tests' | 'timeout' | undefined;
  /** How many files of tests ran its block. */
  readonly asked: number;
}

export interface SampleOptions {
  readonly seed: string;
  readonly size: number;
  /** After this no other mutant is begun. */
  readonly limitMs: number;
  /** These files alone, and this line of them. */
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  /** Asks tests of units alone. */
  readonly isQuick?: boolean;
  /** Hears of each mutant when it is tried. */
  onTrial?(trial: Trial): void;
}

export function sourcesToMutate(file?: string): Map<string, string> {
  const paths = file === undefined ? globSync([...mutatedFiles], { cwd: checkout }) : [file];
  const kept = paths.filter((path) => !leftOut.some((glob) => matchesGlob(path, glob)));
  return new Map(kept.sort().map((path) => [path, readFileSync(join(checkout, path), 'utf8')]));
}

/** Mutants that nobody has found to be the same program, in the order of the seed. */
export function drawMutants(sources: ReadonlyMap<string, string>, seed: string): Mutant[] {
  const keyed = mutantsOf(sources)
    .filter((mutant) => !accepted.some((each) => isSame(each, mutant, sources)))
    .map((mutant) => ({ mutant, key: keyOf(mutant, sources.get(mutant.file)!, seed) }));
  return keyed.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ mutant }) => mutant);
}

function isSame(
  { file, line, to }: (typeof accepted)[number],
  mutant: Mutant,
  sources: ReadonlyMap<string, string>,
): boolean {
  return file === mutant.file && to === mutant.to && line === lineOf(mutant, sources.get(file)!);
}

function lineOf({ line }: Mutant, text: string): string {
  return text.split('\n')[line - 1]!.trim();
}

function keyOf(mutant: Mutant, text: string, seed: string): string {
  const { file, from, to } = mutant;
  const hash = createHash('sha256').update([seed, file, lineOf(mutant, text), from, to].join('\0'));
  return hash.digest('hex');
}

/** Tries mutants until enough are tried or the time is up. */
export async function tryMutants(options: SampleOptions): Promise<Trial[]> {
  const sources = sourcesToMutate(options.file);
  const drawn = drawMutants(sources, options.seed).filter(
    ({ line }) => options.line === undefined || options.line === line,
  );
  using workshop = new Workshop();
  const reaches = new Reaches(sources, join(checkout, 'dist/mutation-reach.json'), [
    ...unitTests,
    ...(options.isQuick ? [] : pathTests),
  ]);
  for (const test of await reaches.learn(workshop)) {
    console.error(`fails without a mutant, so that nothing follows from it: ${test}`);
  }
  const startedMs = performance.now();
  const trials: Trial[] = [];
  for (const mutant of drawn.slice(0, options.size)) {
    if (performance.now() - startedMs > options.limitMs) break;
    const original = sources.get(mutant.file)!;
    const { unit, path } = reaches.testsOf(mutant);
    let killedBy: Trial['killedBy'];
    workshop.write(mutant.file, mutated(original, mutant));
    for (const [name, tests] of [
      ['unit tests', unit],
      ['path tests', path],
    ] as const) {
      if (tests.length === 0 || killedBy !== undefined) continue;
      const outcome = await workshop.run(tests, reaches.msOf(tests) * lateFactor + lateMs);
      if (outcome !== 'passed') killedBy = outcome === 'failed' ? name : 'timeout';
    }
    workshop.write(mutant.file, original);
    const trial = { mutant, killedBy, asked: unit.length + path.length };
    trials.push(trial);
    options.onTrial?.(trial);
  }
  return trials;
}

export function killedShare(trials: readonly Trial[]): number {
  return trials.filter(({ killedBy }) => killedBy !== undefined).length / trials.length;
}

/** The trials as a page: a table of the survivors, then one of all. */
export function reportOf(trials: readonly Trial[], seed: string): string {
  const rowOf = ({ mutant: { file, line, from, to }, killedBy, asked }: Trial) => {
    const cells = [`${file}:${line}`, from, to].map(
      (text) => `\`${text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').slice(0, 80)}\``,
    );
    return `| ${cells.join(' | ')} | ${killedBy ?? `nobody of ${asked}`} |`;
  };
  const table = (some: readonly Trial[]) =>
    ['| Where | Code | Mutation | Noticed by |', '|---|---|---|---|', ...some.map(rowOf)].join(
      '\n',
    );
  const survivors = trials.filter(({ killedBy }) => killedBy === undefined);
  const share = (killedShare(trials) * 100).toFixed(1);
  return [
    `# Mutants\n\nSeed \`${seed}\`: ${trials.length} tried, ${share} % noticed.`,
    `## Survivors\n\n${table(survivors)}`,
    `## All\n\n${table(trials)}\n`,
  ].join('\n\n');
}

export function writeReport(trials: readonly Trial[], seed: string): string {
  const path = join(checkout, 'dist/mutation.md');
  mkdirSync(join(checkout, 'dist'), { recursive: true });
  writeFileSync(path, reportOf(trials, seed));
  return path;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      file: { type: 'string' },
      line: { type: 'string' },
      sample: { type: 'string', default: '1000' },
      minutes: { type: 'string', default: '30' },
      seed: { type: 'string', default: 'zonebook' },
      quick: { type: 'boolean', default: false },
    },
  });
  // Then the tests that are running end too.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));
  const trials = await tryMutants({
    seed: values.seed,
    size: Number(values.sample),
    limitMs: Number(values.minutes) * 60_000,
    file: values.file,
    line: values.line === undefined ? undefined : Number(values.line),
    isQuick: values.quick,
    onTrial: ({ mutant: { file, line, from, to }, killedBy, asked }) =>
      console.error(`${killedBy ?? `nobody of ${asked}`}: ${file}:${line} ${from} -> ${to}`),
  });
  console.log(reportOf(trials, values.seed));
  console.log(`written to ${writeReport(trials, values.seed)}`);
}

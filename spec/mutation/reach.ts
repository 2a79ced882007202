/**
 * Which tests can notice a mutant: those that were seen to run the block of code it stands in. Every test runs once
 * over sources that say which block they are in; what was seen is kept until something that the test imports changes.
 */
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, matchesGlob, posix } from 'node:path';
import {
  type Node,
  parseSources,
  type SourceFile,
  SyntaxKind,
  walk,
} from '../../scripts/syntax.ts';
import { importsOf } from '../../scripts/tidy/source.ts';
import { checkout } from '../support/test-titles.ts';
import type { Mutant } from './mutators.ts';
import { pathTests } from './targets.ts';
import type { Workshop } from './workshop.ts';

/** Tests of units that are asked about one mutant, the nearest first. */
const maxUnitTests = 20;
/** Tests of the whole service that are asked then, the quickest first. */
const maxPathTests = 16;
/** Files of tests that run one after the other while blocks are recorded. */
const learnedTogether = 16;
/** So many, on a slow host. */
const learnTimeoutMs = 3_600_000;
/** What starts processes takes seconds for each of its tests. */
const startsPrograms = new Set(['spec/support/program.ts']);

/** What one test was seen to do without a mutant. */
export interface Reach {
  /** Of the test and all that it imports. */
  readonly hash: string;
  readonly ms: number;
  readonly isPassed: boolean;
  /** Blocks that ran, by their file and where they begin in it. */
  readonly blocks: readonly string[];
}

/** Blocks of code: the bodies of functions, branches and loops, and the values of short functions. */
export function blocksOf(tree: Node): Node[] {
  const found: Node[] = [];
  walk(tree, (node) => {
    if (node.kind === SyntaxKind.Block) found.push(node);
    else if (node.kind === SyntaxKind.ArrowFunction) {
      let last: Node | undefined;
      node.forEachChild((child) => {
        last = child;
      });
      if (last!.kind !== SyntaxKind.Block) found.push(last!);
    }
  });
  return found;
}

/** The sources with each block naming itself to the set of `recorder.ts` when it runs. */
export function reporting(sources: ReadonlyMap<string, string>): Map<string, string> {
  const trees = parseSources(sources);
  return new Map(
    [...sources].map(([file, text]) => {
      const tree = trees.get(file)!;
      const edits = blocksOf(tree).flatMap((block) => {
        const start = block.getStart(tree);
        const call = `globalThis.reachedBlocks?.add('${file}:${start}')`;
        if (block.kind === SyntaxKind.Block) return [{ at: start + 1, insert: `${call};` }];
        return [
          { at: start, insert: `(${call}, ` },
          { at: block.end, insert: ')' },
        ];
      });
      edits.sort((a, b) => b.at - a.at);
      let result = text;
      for (const { at, insert } of edits) result = result.slice(0, at) + insert + result.slice(at);
      return [file, result];
    }),
  );
}

/** The innermost block around a mutant; undefined for what runs when its file is loaded. */
function blockOf(mutant: Mutant, tree: SourceFile): string | undefined {
  const around = blocksOf(tree)
    .map((block) => ({ start: block.getStart(tree), end: block.end }))
    .filter(({ start, end }) => start <= mutant.start && mutant.end <= end);
  const innermost = around.sort((a, b) => b.start - a.start)[0];
  return innermost && `${mutant.file}:${innermost.start}`;
}

/** For each file what it imports, by paths from the top of the checkout. */
function importGraph(): Map<string, string[]> {
  const graph = new Map<string, string[]>();
  for (const path of globSync('{src,spec,scripts}/**/*.ts', { cwd: checkout })) {
    const specifiers = importsOf(readFileSync(join(checkout, path), 'utf8'));
    const relative = specifiers.filter(({ specifier }) => specifier.startsWith('.'));
    const folder = posix.dirname(path);
    graph.set(
      path,
      relative.map(({ specifier }) => posix.join(folder, specifier)),
    );
  }
  return graph;
}

/** Imports on the shortest way from a file to each other one. */
export function distancesFrom(start: string, graph: ReadonlyMap<string, readonly string[]>) {
  const distances = new Map([[start, 0]]);
  for (const [path, distance] of distances) {
    for (const next of graph.get(path) ?? []) {
      if (!distances.has(next)) distances.set(next, distance + 1);
    }
  }
  return distances;
}

/** Which tests are asked about a mutant. */
export interface Jury {
  readonly unit: readonly string[];
  readonly path: readonly string[];
}

/** Knows of each test what it imports and what it runs. */
export class Reaches {
  readonly #distances = new Map<string, Map<string, number>>();
  readonly #reaches: Map<string, Reach>;
  readonly #file: string;
  readonly #trees: ReadonlyMap<string, SourceFile>;
  readonly #sources: ReadonlyMap<string, string>;

  /** Of tests that match some globs. What was seen before is read from `file`. */
  constructor(sources: ReadonlyMap<string, string>, file: string, tests: readonly string[]) {
    this.#sources = sources;
    this.#trees = parseSources(sources);
    this.#file = file;
    const stored: [string, Reach][] = existsSync(file)
      ? JSON.parse(readFileSync(file, 'utf8'))
      : [];
    this.#reaches = new Map(stored);
    const graph = importGraph();
    for (const test of globSync([...tests], { cwd: checkout }).sort()) {
      const distances = distancesFrom(test, graph);
      if ([...distances.keys()].some((path) => startsPrograms.has(path))) continue;
      this.#distances.set(test, distances);
    }
  }

  /** Sees what the tests run of which that is not known, or no longer. Those that fail are named. */
  async learn(workshop: Pick<Workshop, 'write' | 'record'>): Promise<string[]> {
    const hashes = new Map([...this.#distances].map(([test, all]) => [test, hashOf(all.keys())]));
    const unknown = [...hashes].filter(([test, hash]) => this.#reaches.get(test)?.hash !== hash);
    if (unknown.length > 0) {
      mkdirSync(dirname(this.#file), { recursive: true });
      for (const [path, text] of reporting(this.#sources)) workshop.write(path, text);
      // Some at a time: a run that is stopped has learned something.
      for (let from = 0; from < unknown.length; from += learnedTogether) {
        const some = unknown.slice(from, from + learnedTogether);
        const tests = some.map(([test]) => test);
        const seen = await workshop.record(tests, learnTimeoutMs);
        for (const [test, hash] of some) {
          const each = seen.get(test) ?? { ms: 0, isPassed: false, blocks: [] };
          this.#reaches.set(test, { hash, ...each });
        }
        writeFileSync(this.#file, JSON.stringify([...this.#reaches]));
      }
      for (const [path, text] of this.#sources) workshop.write(path, text);
    }
    return [...hashes.keys()].filter((test) => !this.#reaches.get(test)!.isPassed);
  }

  /** The tests that ran the mutant's block, or load its file. */
  testsOf(mutant: Mutant): Jury {
    const block = blockOf(mutant, this.#trees.get(mutant.file)!);
    const found = [...this.#distances].flatMap(([test, distances]) => {
      const { blocks, isPassed, ms } = this.#reaches.get(test)!;
      const distance = distances.get(mutant.file);
      if (!isPassed || distance === undefined) return [];
      if (block !== undefined && !blocks.includes(block)) return [];
      const isPath = pathTests.some((glob) => matchesGlob(test, glob));
      const isBeside = test === mutant.file.replace(/\.ts$/, '.test.ts');
      return [{ test, isPath, distance: isBeside ? 0 : distance, ms }];
    });
    const unit = found.filter(({ isPath }) => !isPath);
    unit.sort((a, b) => a.distance - b.distance || a.ms - b.ms);
    const path = found.filter(({ isPath }) => isPath).sort((a, b) => a.ms - b.ms);
    return {
      unit: unit.slice(0, maxUnitTests).map(({ test }) => test),
      path: path.slice(0, maxPathTests).map(({ test }) => test),
    };
  }

  /** How long tests take without a mutant. */
  msOf(tests: readonly string[]): number {
    return tests.reduce((sum, test) => sum + this.#reaches.get(test)!.ms, 0);
  }
}

function hashOf(paths: Iterable<string>): string {
  const hash = createHash('sha256');
  for (const path of [...paths].sort()) {
    const file = join(checkout, path);
    if (existsSync(file)) hash.update(`\0${path}\0`).update(readFileSync(file));
  }
  return hash.digest('hex').slice(0, 20);
}

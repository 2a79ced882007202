/** Which tests belong to a source: those that import it, or what imports it, the nearest first. */
import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { importsOf } from '../../scripts/tidy/source.ts';
import { checkout } from '../support/test-titles.ts';

/** Tests of one source at most: those that are further away are asked by `pathTests`. */
const maxTests = 4;
/** Imports between a test and a source at most. */
const maxDistance = 6;
/** What starts processes takes seconds for each of its tests. */
const startsPrograms = new Set(['spec/support/program.ts']);

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
function distancesFrom(start: string, graph: ReadonlyMap<string, readonly string[]>) {
  const distances = new Map([[start, 0]]);
  for (const [path, distance] of distances) {
    for (const next of graph.get(path) ?? []) {
      if (!distances.has(next)) distances.set(next, distance + 1);
    }
  }
  return distances;
}

/** Of two that are as near, tests of a unit go before those of a service, and the shorter file first. */
function sizeOf(test: string): number {
  return readFileSync(join(checkout, test)).length * (test.startsWith('src/') ? 1 : 100);
}

/** The tests of each source, nearest first. */
export function testsOf(sources: readonly string[]): Map<string, string[]> {
  const graph = importGraph();
  const found = new Map<string, { test: string; distance: number }[]>();
  for (const path of sources) found.set(path, []);
  for (const test of graph.keys()) {
    if (!test.endsWith('.test.ts')) continue;
    const distances = distancesFrom(test, graph);
    if ([...distances.keys()].some((path) => startsPrograms.has(path))) continue;
    for (const [path, distance] of distances) found.get(path)?.push({ test, distance });
  }
  return new Map(
    [...found].map(([path, tests]) => {
      const beside = path.replace(/\.ts$/, '.test.ts');
      const rank = (each: { test: string; distance: number }) =>
        each.test === beside ? 0 : each.distance;
      const near = tests.filter((each) => rank(each) <= maxDistance);
      near.sort((a, b) => rank(a) - rank(b) || sizeOf(a.test) - sizeOf(b.test));
      return [path, near.slice(0, maxTests).map(({ test }) => test)];
    }),
  );
}

/**
 * The strength of the tests: most small changes of the code that writes are noticed by the tests that belong to it.
 * A long run tries a sample, in a copy of the sources, and leaves the table in dist/mutation.md; any other one
 * checks how mutants are made and which tests they are given to.
 */
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isLong } from '../support/long.ts';
import { checkout } from '../support/test-titles.ts';
import { accepted } from './accepted.ts';
import { mutantsOf, mutated } from './mutators.ts';
import { type Reach, Reaches, reporting } from './reach.ts';
import { mutatedFiles, pathTests, unitTests } from './targets.ts';
import {
  drawMutants,
  killedShare,
  reportOf,
  sourcesToMutate,
  tryMutants,
  writeReport,
} from './trial.ts';

/** What a long run tries, and for how long at most. */
const sample = { seed: 'zonebook', size: 80, limitMs: 45 * 60_000 };

/** Each mutant of a line of code, as it reads. */
function variants(code: string): string[] {
  return mutantsOf(new Map([['x.ts', code]])).map((mutant) => mutated(code, mutant));
}

describe('mutants', () => {
  it.each([
    [
      'if (a > 255) b();',
      [
        'if (false) b();',
        'if (true) b();',
        'if (a >= 255) b();',
        'if (a > 256) b();',
        'if (a > 255) ;',
      ],
    ],
    ['const x = a.findLast(b)?.get(c);', ['const x = a.find(b)?.get(c);']],
    ['while (isGone(a)) a = next(a);', ['while (false) a = next(a);']],
    ['const x = a ?? b;', ['const x = a;']],
    [
      'const x = !a ? true : b;',
      ['const x = !(!a) ? true : b;', 'const x = a ? true : b;', 'const x = !a ? false : b;'],
    ],
    [
      "const x = 'SELECT a FROM b WHERE c < d ORDER BY e DESC';",
      [
        "const x = 'SELECT a FROM b WHERE c <= d ORDER BY e DESC';",
        "const x = 'SELECT a FROM b WHERE c < d ORDER BY e';",
      ],
    ],
  ])('of %s', (code, expected) => {
    expect(variants(code)).toEqual(expected);
  });

  it.each([
    "import { a } from './b-1.ts';",
    'type A = 1 | 2;',
    'interface B { readonly c: true; }',
    'function f(a: Map<1, true>): 2 { throw new Error(`${1 + 1}`); }',
    "assert(a === 1, 'a bug');",
    "const x = `a ${b} ` + c + ' d';",
    "const x = '1 < 2 AND true'; // 1 < 2",
  ])('are none of %s', (code) => {
    expect(variants(code)).toEqual([]);
  });

  it('say where they are', () => {
    const [mutant] = mutantsOf(new Map([['x.ts', '// 1\nconst x = 1;\n']]));
    expect(mutant).toEqual({ file: 'x.ts', line: 2, start: 15, end: 16, from: '1', to: '2' });
  });
});

describe('the sources that are mutated', () => {
  it('are there, and so are the tests that must notice', () => {
    const empty = [...mutatedFiles, ...unitTests, ...pathTests].filter(
      (glob) => globSync(glob, { cwd: checkout }).length === 0,
    );
    expect(empty).toEqual([]);
  });

  it('have each accepted mutant still', () => {
    const lost = accepted.filter(({ file, line, to }) => {
      const text = readFileSync(join(checkout, file), 'utf8');
      const lines = text.split('\n').map((each) => each.trim());
      return !mutantsOf(new Map([[file, text]])).some(
        (mutant) => mutant.to === to && lines[mutant.line - 1] === line,
      );
    });
    expect(lost).toEqual([]);
  });

  it('are drawn by what they say, not by where they stand', () => {
    const code = 'const a = 1;\nconst b = 2 < 3;\nconst c = !d;\n';
    const drawn = (text: string) =>
      drawMutants(new Map([['x.ts', text]]), 'seed').map((mutant) => mutated(text, mutant));
    const moved = `// First.\n${code}`;
    expect(drawn(moved)).toEqual(drawn(code).map((text) => `// First.\n${text}`));
    expect(drawn(code)).toHaveLength(5);
  });
});

describe('the tests that are asked about a mutant', () => {
  it('are found by blocks that name themselves when they run', () => {
    const code = 'function f(a) { if (a) { g(); } }\nconst h = (x) => (y) => ({ x, y });\n';
    const call = (at: number) => `globalThis.reachedBlocks?.add('x.ts:${at}')`;
    const blocks = ['{ if', '{ g', '(y)', '({'].map((text) => call(code.indexOf(text)));
    expect(reporting(new Map([['x.ts', code]])).get('x.ts')).toBe(
      `function f(a) {${blocks[0]}; if (a) {${blocks[1]}; g(); } }\n` +
        `const h = (x) => (${blocks[2]}, (y) => (${blocks[3]}, ({ x, y })));\n`,
    );
  });

  it('ran its block and passed without it: the one beside it first, then the nearest', async () => {
    const file = 'src/dns/serial.ts';
    const sources = sourcesToMutate(file);
    const folder = mkdtempSync(join(tmpdir(), 'zonebook-reach-'));
    const reaches = new Reaches(sources, join(folder, 'reach.json'), [...unitTests, ...pathTests]);
    const text = sources.get(file)!;
    const mutant = mutantsOf(sources).find(({ from }) => from === '>')!;
    const blocks = [
      ...reporting(sources)
        .get(file)!
        .matchAll(/add\('([^']*)'\)/g),
    ].map(([, block]) => block!);
    const seen: Record<string, Partial<Reach>> = {
      'src/dns/serial.test.ts': { blocks },
      'spec/properties/stored-zones.test.ts': { blocks },
      'src/domain/decide-zone.test.ts': { blocks },
      'src/nameserver/ixfr.test.ts': { blocks, isPassed: false },
      'src/nameserver/nameserver.test.ts': { blocks: [`${file}:${text.length}`] },
    };
    const recorded = (tests: readonly string[]) =>
      tests.map((test) => [test, { ms: 1, isPassed: true, blocks: [], ...seen[test] }] as const);
    const failing = await reaches.learn({
      write: () => {},
      record: async (tests) => new Map(recorded(tests)),
    });
    rmSync(folder, { recursive: true });
    expect(failing).toEqual(['src/nameserver/ixfr.test.ts']);
    expect(reaches.testsOf(mutant)).toEqual({
      unit: ['src/dns/serial.test.ts', 'src/domain/decide-zone.test.ts'],
      path: ['spec/properties/stored-zones.test.ts'],
    });
  });
});

it('survivors stand first in the report', () => {
  const mutant = { file: 'x.ts', line: 7, start: 0, end: 1, from: 'a || b', to: 'a && b' };
  const trials = [
    { mutant, killedBy: 'timeout' as const, asked: 3 },
    { mutant, killedBy: undefined, asked: 3 },
  ];
  expect(killedShare(trials)).toBe(0.5);
  const report = reportOf(trials, 'seed');
  expect(report).toContain('2 tried, 50.0 % noticed');
  expect(report.split('## All')[0]).toContain(
    '| `x.ts:7` | `a \\|\\| b` | `a && b` | nobody of 3 |',
  );
});

it('most of a sample are noticed', async () => {
  if (!isLong) return;
  const trials = await tryMutants(sample);
  const path = writeReport(trials, sample.seed);
  expect([path, killedShare(trials) >= 0.85]).toEqual([path, true]);
}, 7_200_000);

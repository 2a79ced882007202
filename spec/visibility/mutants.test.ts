/**
 * The model's strength: with any one check taken out of the code a test of this folder fails. A long run tries
 * all of them, in a copy of the sources; any other one that the list is about these sources.
 */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isLong } from '../support/long.ts';
import { checkout } from '../support/test-titles.ts';
import { type Mutant, mutants } from './mutants.ts';

/** How many callers a mutant meets: most are noticed by few of them, soon; one that is not meets many. */
const few = 12;
const many = 60;
const tests = ['reads', 'hidden', 'cases'].map((name) => `spec/visibility/${name}.test.ts`);
let copy = '';

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'zonebook-mutants-'));
  if (!isLong) return;
  for (const path of [
    'src',
    'drizzle',
    'spec/lint',
    'spec/support',
    'spec/visibility',
    'package.json',
  ]) {
    cpSync(join(checkout, path), join(copy, path), { recursive: true });
  }
  symlinkSync(realpathSync(join(checkout, 'node_modules')), join(copy, 'node_modules'));
  const patience = { testTimeout: 1_800_000, hookTimeout: 1_800_000 };
  // Its packages are those of the checkout, whose own run keeps modules beside them: it must not clear these.
  const options = { include: tests, bail: 1, ...patience, fsModuleCachePath: '.vitest-cache' };
  const config = `export default ${JSON.stringify({ root: copy, test: options })};\n`;
  writeFileSync(join(copy, 'vitest.config.mjs'), config);
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

/** The files with a change, of which there must be just one place each, by their paths. */
function changed({ also = [], ...first }: Mutant): Map<string, string> {
  const texts = new Map<string, string>();
  for (const { file, from, to } of [first, ...also]) {
    const source = texts.get(file) ?? readFileSync(join(checkout, file), 'utf8');
    expect([file, from, source.split(from).length - 1]).toEqual([file, from, 1]);
    texts.set(
      file,
      source.replace(from, () => to),
    );
  }
  return texts;
}

/** The exit status of the tests in the copy; the seed is one, so that all mutants meet the same callers. */
function run(callers: number): number | null {
  const vitest = join(copy, 'node_modules/vitest/vitest.mjs');
  const { LONG_TESTS: _, ...rest } = process.env;
  const env = { ...rest, VISIBILITY_CALLERS: String(callers), TEST_SEED: '7' };
  const args = [vitest, 'run', '--config', 'vitest.config.mjs', '--maxWorkers=1'];
  return spawnSync(process.execPath, args, { cwd: copy, env, stdio: 'ignore' }).status;
}

describe('a check that is taken away', () => {
  it('is one of these sources', () => {
    for (const mutant of mutants) changed(mutant);
  });

  it('nothing fails when none is', () => {
    if (isLong) expect([run(few), run(many)]).toEqual([0, 0]);
  });

  it.each(mutants.map((mutant) => [mutant.file, mutant.from, mutant] as const))(
    'in %s is missed: %s',
    (_file, _from, mutant) => {
      const texts = changed(mutant);
      if (!isLong) return;
      for (const [file, text] of texts) writeFileSync(join(copy, file), text);
      const status = run(few) || run(many);
      for (const file of texts.keys()) {
        writeFileSync(join(copy, file), readFileSync(join(checkout, file)));
      }
      expect(status).toBe(1);
    },
  );
});

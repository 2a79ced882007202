/**
 * Everything that can be known about the sources without running them: types, format, lint, dead
 * code, house rules, packages. Prints one line for each step, what a failed step said, and exits 1 if any failed.
 *
 * Usage: npm run check, or `npm run check -- STEP ...` for some steps only.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

/** What Biome looks at, by the configuration that editors find too (.biome.json). */
const biomeTarget = ['package.json', 'src', 'spec', 'scripts'];

const steps: readonly (readonly [name: string, ...command: string[]])[] = [
  ['types-src', 'tsc', '--noEmit', '-p', 'src'],
  ['types-console', 'tsc', '--noEmit', '-p', 'src/console'],
  ['types-spec', 'tsc', '--noEmit', '-p', 'spec'],
  ['types-scripts', 'tsc', '--noEmit', '-p', 'scripts'],
  ['format', 'biome', 'format', ...biomeTarget],
  ['lint', 'biome', 'lint', ...biomeTarget],
  ['dead-code', 'knip', '--config', 'scripts/knip.json', '--no-progress'],
  ['tidy', process.execPath, 'scripts/tidy.ts'],
  ['packages', process.execPath, 'scripts/packages.ts'],
];

const wanted = new Set(process.argv.slice(2));
let failed = 0;
for (const [name, command, ...args] of steps) {
  if (wanted.size > 0 && !wanted.has(name)) continue;
  const start = performance.now();
  const result = spawnSync(command!, args, { cwd: root, encoding: 'utf8', stdio: 'pipe' });
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  const passed = result.status === 0;
  console.log(`${passed ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)`);
  if (passed) {
    for (const [note] of result.stdout.matchAll(/^note: .*$/gm)) console.log(`       ${note}`);
    continue;
  }
  failed++;
  // A command that did not even start has an error and no output.
  console.log(
    `${result.stdout ?? ''}${result.stderr ?? ''}${result.error?.message ?? ''}`.trimEnd(),
  );
}
console.log(failed === 0 ? 'check passed' : `check failed: ${failed} of ${steps.length} steps`);
if (failed > 0) process.exitCode = 1;

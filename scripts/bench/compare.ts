/**
 * Two files of figures that `npm run bench` wrote, side by side: each figure before and after, and after as a
 * multiple of before, with a word where it is worse by more than the tolerance. Exit 1 where one is.
 *
 * Usage: npm run bench:compare -- BEFORE.json AFTER.json [--tolerance PERCENT]
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { printNumber } from './bench.ts';
import type { BenchReport, RowFigure } from './main.ts';

export interface Comparison {
  readonly name: string;
  readonly unit: string;
  readonly before: number;
  readonly after: number;
  readonly ratio: number;
  readonly isWorse: boolean;
}

/** Of a rate, and of a share of one, more is better; of a time, memory and code less is. */
function isMoreBetter(unit: string): boolean {
  return unit.endsWith('/s') || unit === '%';
}

/** The figures that are in both, and the processor time of each; `tolerance` in hundredths. */
export function compare(
  before: readonly RowFigure[],
  after: readonly RowFigure[],
  tolerance: number,
): Comparison[] {
  const found: Comparison[] = [];
  const add = (name: string, unit: string, one: number | undefined, other: number | undefined) => {
    // JSON has no numbers for what was never measured.
    if (typeof one !== 'number' || typeof other !== 'number') return;
    const ratio = other / one;
    const worse = isMoreBetter(unit) ? one / other : ratio;
    found.push({
      name,
      unit,
      before: one,
      after: other,
      ratio,
      isWorse: worse > 1 + tolerance / 100,
    });
  };
  for (const figure of before) {
    const same = after.find(({ row, what }) => row === figure.row && what === figure.what);
    if (same === undefined) continue;
    const name = `${figure.row}: ${figure.what}`;
    add(name, figure.unit, figure.value, same.value);
    add(`${name}, CPU of the main thread`, 'us', figure.mainUs, same.mainUs);
    add(`${name}, CPU in all`, 'us', figure.allUs, same.allUs);
  }
  return found;
}

function main(): void {
  const { values, positionals } = parseArgs({
    options: { tolerance: { type: 'string', default: '10' } },
    allowPositionals: true,
  });
  if (positionals.length !== 2) throw new Error('usage: npm run bench:compare -- BEFORE AFTER');
  const [before, after] = positionals.map(
    (path) => JSON.parse(readFileSync(path, 'utf8')) as BenchReport,
  );
  const { records, fsyncDelayMs, seed } = before!;
  if (records !== after!.records || fsyncDelayMs !== after!.fsyncDelayMs || seed !== after!.seed) {
    console.log('note: the two runs were asked for other records, another seed or another delay');
  }
  const all = compare(before!.rows, after!.rows, Number(values.tolerance));
  for (const { name, unit, ratio, isWorse, ...figures } of all) {
    const [one, other] = [figures.before, figures.after].map((value) =>
      printNumber(value).padStart(11),
    );
    const word = isWorse ? '  worse' : '';
    console.log(
      `${name.padEnd(80)} ${one} ${other} ${unit.padEnd(10)} x ${ratio.toFixed(2)}${word}`,
    );
  }
  if (all.some(({ isWorse }) => isWorse)) process.exitCode = 1;
}

if (import.meta.main) main();

/**
 * The benchmark: what one host does, where there are any beside real peers in the same run. Prints a table and
 * writes dist/bench.json. Timings of a noisy machine: compare what one run prints, or by scripts/bench/compare.ts
 * two runs of the same hour.
 *
 * Usage: npm run bench [-- ROW ...]
 *   --list              name the rows
 *   --records N         size of large zones (1,000,000)
 *   --runs N            whole runs of each row, of which the medians count (3)
 *   --fsync-delay MS    what each fsync takes longer (0); needs a C compiler
 *   --seed N            of the records (1)
 *   --json FILE         where the figures go (dist/bench.json)
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { besideRows } from './beside.ts';
import { Bench, type BenchOptions, type Figure, median, printNumber, type Row } from './bench.ts';
import { catalogRows } from './catalog.ts';
import { consoleRows } from './console.ts';
import { dnssecRows } from './dnssec.ts';
import { functionRows } from './functions.ts';
import { largeRows } from './large.ts';
import { pastRows } from './past.ts';
import { peerRows } from './peers.ts';
import { propagationRows } from './propagation.ts';
import { searchRows } from './search.ts';
import { updateRows } from './update.ts';
import { writeRows } from './writes.ts';

/** A figure of a row: the median of its runs. */
export interface RowFigure extends Figure {
  readonly row: string;
}

export interface BenchReport extends BenchOptions {
  readonly at: string;
  readonly runs: number;
  readonly rows: readonly RowFigure[];
}

const allRows: readonly Row[] = [
  ...writeRows,
  ...updateRows,
  ...besideRows,
  ...largeRows,
  ...dnssecRows,
  ...peerRows,
  ...catalogRows,
  ...functionRows,
  ...searchRows,
  ...pastRows,
  ...propagationRows,
  ...consoleRows,
];

/** Figures of the same name in several runs of a row, as one. */
export function mediansOf(row: string, runs: readonly (readonly Figure[])[]): RowFigure[] {
  return runs[0]!.map((first) => {
    const same = runs.flatMap((figures) => figures.filter(({ what }) => what === first.what));
    const middle = (of: (figure: Figure) => number | undefined) => {
      const values = same.map(of).filter((value) => value !== undefined);
      return values.length === 0 ? undefined : median(values);
    };
    return {
      row,
      ...first,
      value: middle(({ value }) => value)!,
      mainUs: middle(({ mainUs }) => mainUs),
      allUs: middle(({ allUs }) => allUs),
    };
  });
}

function print({ row, what, value, unit, remark, mainUs, allUs }: RowFigure): void {
  const cpu =
    mainUs === undefined || allUs === undefined
      ? []
      : [`CPU ${printNumber(mainUs)} us in the main thread, ${printNumber(allUs)} us in all`];
  const about = [...cpu, ...(remark === undefined ? [] : [remark])].join(', ');
  const name = `${row}: ${what}`;
  console.log(`${name.padEnd(64)} ${printNumber(value).padStart(11)} ${unit.padEnd(10)} ${about}`);
}

function optionNumber(name: string, text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= 0) return number;
  throw new Error(`--${name} is a whole number, not ${text}`);
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: {
      list: { type: 'boolean' },
      records: { type: 'string', default: '1000000' },
      runs: { type: 'string', default: '3' },
      'fsync-delay': { type: 'string', default: '0' },
      seed: { type: 'string', default: '1' },
      json: { type: 'string', default: 'dist/bench.json' },
    },
    allowPositionals: true,
  });
  if (values.list) {
    for (const { name, what } of allRows) console.log(`${name.padEnd(20)} ${what}`);
    return;
  }
  const unknown = positionals.filter((name) => !allRows.some((row) => row.name === name));
  if (unknown.length > 0) throw new Error(`no such row: ${unknown.join(', ')} (see --list)`);
  const options: BenchOptions = {
    records: optionNumber('records', values.records),
    seed: optionNumber('seed', values.seed),
    fsyncDelayMs: optionNumber('fsync-delay', values['fsync-delay']),
  };
  const runs = Math.max(1, optionNumber('runs', values.runs));
  const rows: RowFigure[] = [];
  for (const row of allRows) {
    if (positionals.length > 0 && !positionals.includes(row.name)) continue;
    const figures = await runsOf(row, options, runs);
    for (const figure of figures) print(figure);
    rows.push(...figures);
  }
  const report: BenchReport = { at: new Date().toISOString(), ...options, runs, rows };
  mkdirSync(dirname(values.json), { recursive: true });
  writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`);
}

/** A row that can not run here says so, and the others go on. */
async function runsOf(row: Row, options: BenchOptions, runs: number): Promise<RowFigure[]> {
  const all: Figure[][] = [];
  try {
    for (let run = 0; run < runs; run++) {
      const bench = new Bench(options);
      await row.run(bench);
      all.push(bench.figures);
    }
  } catch (error) {
    console.log(`${row.name}: did not run: ${String(error)}`);
    process.exitCode = 1;
    return [];
  }
  return mediansOf(row.name, all);
}

if (import.meta.main) await main();

/**
 * Counters, gauges and histograms as rows of a table: each row has the name, a sentence and the labels with the values
 * they take, and what counts or is asked, typed by its labels, is made of the row.
 *
 * Counters are plain numbers that are handed to the metrics library when scraped. The library builds and checks a set
 * of labels for every increment; here one string is looked up, so that counting costs a DNS query next to nothing.
 */
import { Counter, Gauge, Histogram, type Registry } from '@prometheus-io/client';
import { Memory } from '../base/memory.ts';

/** A label, and the values that are known beforehand; null where there are none. */
type Label = readonly [name: string, values: readonly string[] | null];

export interface CounterRow<Labels extends readonly Label[] = readonly Label[]> {
  readonly name: string;
  readonly help: string;
  /** At most three. */
  readonly labels: Labels;
}

/** Every combination of known values starts at 0; others appear as they are met. */
export function counter<const Labels extends readonly Label[]>(
  name: string,
  help: string,
  ...labels: Labels
): CounterRow<Labels> {
  return { name, help, labels };
}

type ValuesOf<Labels extends readonly Label[]> = {
  -readonly [Index in keyof Labels]: Labels[Index][1] extends readonly (infer Value extends
    string)[]
    ? Value
    : string;
};

interface LabelledCounter<Values extends readonly string[]> {
  inc(...values: Values): void;
  /** Shows a combination of values before it is met. */
  announce(...values: Values): void;
}

type CounterOf<Row> =
  Row extends CounterRow<infer Labels>
    ? Labels extends readonly []
      ? { inc(by?: number): void }
      : Pick<LabelledCounter<ValuesOf<Labels>>, 'inc'>
    : never;

export type CountersOf<Rows> = { readonly [Key in keyof Rows]: CounterOf<Rows[Key]> };

export function createCounters<Rows extends Readonly<Record<string, CounterRow>>>(
  registry: Registry,
  rows: Rows,
): CountersOf<Rows> {
  const made = Object.entries(rows).map(([key, row]) => [key, createCounter(registry, row)]);
  return Object.fromEntries(made) as CountersOf<Rows>;
}

interface Count {
  readonly labels: Record<string, string>;
  count: number;
}

/** A counter of its own, for one whose labels are not known beforehand. */
export function createCounter<const Labels extends readonly Label[]>(
  registry: Registry,
  { name, help, labels }: CounterRow<Labels>,
): LabelledCounter<ValuesOf<Labels>> {
  const counts = new Map<string, Count>();

  function countOf(first?: string, second?: string, third?: string): Count {
    const key = keyOf(first, second, third);
    let found = counts.get(key);
    if (found === undefined) {
      const values = [first, second, third];
      const pairs = labels.map(([label], index) => [label, values[index] ?? '']);
      found = { labels: Object.fromEntries(pairs), count: 0 };
      counts.set(key, found);
    }
    return found;
  }
  for (const values of combinations(labels)) countOf(...values);

  const made: Counter<string> = new Counter<string>({
    name,
    help,
    labelNames: labels.map(([label]) => label),
    registers: [registry],
    collect() {
      made.reset();
      for (const each of counts.values()) made.inc(each.labels, each.count);
    },
  });
  const add = (by: number, count: Count) => {
    count.count += by;
  };
  const inc =
    labels.length === 0
      ? (by = 1) => add(by, countOf())
      : (first?: string, second?: string, third?: string) => add(1, countOf(first, second, third));
  const announce = (...values: string[]) => void countOf(...values);
  return { inc, announce } as LabelledCounter<ValuesOf<Labels>>;
}

/** Label values as one string; a value with a space in it could not be distinguished from two. */
function keyOf(first = '', second?: string, third?: string): string {
  if (second === undefined) return first;
  return third === undefined ? `${first} ${second}` : `${first} ${second} ${third}`;
}

/** Every combination of the values of labels; none when those of one are not known. */
function combinations(labels: readonly Label[]): string[][] {
  return labels.reduce<string[][]>(
    (rows, [, values]) => rows.flatMap((row) => (values ?? []).map((value) => [...row, value])),
    [[]],
  );
}

export interface GaugeRow<Value extends string = string> {
  readonly name: string;
  readonly help: string;
  /** Its value until somebody gives another; null for one that is left out until then. */
  readonly initial: number | null;
  /** With one, the gauge is a number for each of its values. */
  readonly label: readonly [name: string, values: readonly Value[]] | undefined;
}

export function gauge(name: string, help: string, initial: number | null = 0): GaugeRow<never> {
  return { name, help, initial, label: undefined };
}

export function labelledGauge<const Value extends string>(
  name: string,
  help: string,
  label: readonly [name: string, values: readonly Value[]],
): GaugeRow<Value> {
  return { name, help, initial: 0, label };
}

type NumbersOf<Row> =
  Row extends GaugeRow<infer Value>
    ? [Value] extends [never]
      ? number
      : Readonly<Record<Value, number>>
    : never;

export type GaugeValuesOf<Rows> = {
  readonly [Key in keyof Rows]?: NumbersOf<Rows[Key]> | undefined;
};

/** Makes the gauges of rows; `read` gives the values that a scrape shows. */
export function createGauges<Rows extends Readonly<Record<string, GaugeRow>>>(
  registry: Registry,
  rows: Rows,
  read: () => GaugeValuesOf<Rows>,
): void {
  for (const [key, { name, help, initial, label }] of Object.entries(rows)) {
    const made: Gauge<string> = new Gauge<string>({
      name,
      help,
      labelNames: label === undefined ? [] : [label[0]],
      registers: [registry],
      collect() {
        const value: unknown = read()[key];
        if (label === undefined) {
          const number = (value as number | undefined) ?? initial;
          return number === null ? made.remove() : made.set(number);
        }
        const numbers = value as Readonly<Record<string, number>> | undefined;
        for (const each of label[1])
          made.set({ [label[0]]: each }, numbers?.[each] ?? initial ?? 0);
      },
    });
  }
}

/** A histogram whose sets of labels are looked up once. */
export interface LabelledHistogram {
  observe(value: number, ...labelValues: string[]): void;
  /** Shows a combination of values before it is met. */
  announce(...labelValues: string[]): void;
}

export function createHistogram(
  registry: Registry,
  name: string,
  help: string,
  buckets: readonly number[],
  labelNames: readonly string[] = [],
): LabelledHistogram {
  const made = new Histogram<string>({
    name,
    help,
    labelNames: [...labelNames],
    buckets: [...buckets],
    registers: [registry],
  });
  const known = new Memory<string, { observe(value: number): void }>();
  return {
    observe(value, ...values) {
      const child = () => (values.length === 0 ? made : made.labels(...values));
      known.of(keyOf(...values), child).observe(value);
    },
    announce: (...values) =>
      made.zero(Object.fromEntries(labelNames.map((label, index) => [label, values[index] ?? '']))),
  };
}

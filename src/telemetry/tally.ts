/**
 * Tallies: counters kept as plain numbers and handed to the metrics library when scraped.
 *
 * The library builds and checks a set of labels for every increment; a tally looks up one string,
 * so that counting costs a DNS query next to nothing.
 */
import { Counter, type Registry } from '@prometheus-io/client';

export interface Tally {
  inc(by: number, first?: string, second?: string, third?: string): void;
}

interface Row {
  readonly labels: Record<string, string>;
  count: number;
}

/**
 * A counter with up to three labels. `known` holds the values of each label that are known
 * beforehand; every combination of them starts at 0. Without `known` rows appear as they are met.
 */
export function createTally(
  registers: Registry[],
  name: string,
  help: string,
  labelNames: readonly string[],
  known?: readonly (readonly string[])[],
): Tally {
  const rows = new Map<string, Row>();

  function addRow(values: readonly string[]): Row {
    const pairs = labelNames.map((label, index) => [label, values[index] ?? '']);
    const row: Row = { labels: Object.fromEntries(pairs), count: 0 };
    rows.set(rowKey(values[0], values[1], values[2]), row);
    return row;
  }
  for (const values of known === undefined ? [] : combinations(known)) addRow(values);

  const counter: Counter<string> = new Counter<string>({
    name,
    help,
    labelNames: [...labelNames],
    registers,
    collect: () => {
      counter.reset();
      for (const row of rows.values()) counter.inc(row.labels, row.count);
    },
  });

  return {
    inc(by, first, second, third) {
      const row = rows.get(rowKey(first, second, third));
      (row ?? addRow([first ?? '', second ?? '', third ?? ''])).count += by;
    },
  };
}

/** Label values as one string; a value with a space in it could not be told from two. */
function rowKey(first = '', second?: string, third?: string): string {
  if (second === undefined) return first;
  return third === undefined ? `${first} ${second}` : `${first} ${second} ${third}`;
}

function combinations(lists: readonly (readonly string[])[]): string[][] {
  return lists.reduce<string[][]>(
    (rows, list) => rows.flatMap((row) => list.map((value) => [...row, value])),
    [[]],
  );
}

/**
 * Pages of lists. A page begins behind the last row of the page before, known by the values that its list is sorted by,
 * so that no row is left out or listed twice while others are added and deleted; or after a number of rows.
 */
import { and, asc, desc, eq, gt, gte, lt, lte, or, type SQL } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { Problem } from '../base/problem.ts';

/** What a row is sorted by, the values in the order of the keys. Together they belong to one row only. */
export type Position = readonly (string | number)[];

/** The refusal of a position that no row of a list has. */
export function foreignPosition(): Problem {
  return new Problem('INVALID_INPUT', "query parameter 'cursor' must be the next_cursor of a page");
}

/** A bounded number of rows of a list. */
export interface Page {
  /** 1..1000. */
  readonly limit: number;
  /** Rows to pass over; 0 with `after`. */
  readonly offset: number;
  /** The last row of the page before. */
  readonly after?: Position | undefined;
}

/** Those rows, and how many there are in all. */
export interface Listed<T> {
  readonly items: readonly T[];
  readonly total: number;
  /** Where the page ended; undefined when nothing follows. */
  readonly next?: Position | undefined;
}

/** A page of what `read` gives, which is asked for one row more, to know whether any follows. */
export function paged<Item>(
  page: Page,
  read: (page: Page) => Omit<Listed<Item>, 'next'>,
  positionOf: (item: Item) => Position,
): Listed<Item> {
  const { limit } = page;
  const { items, total } = read({ ...page, limit: limit + 1 });
  if (items.length <= limit) return { items, total };
  const rows = items.slice(0, limit);
  return { items: rows, total, next: positionOf(rows.at(-1)!) };
}

/** A column that a list is sorted by, and the field of its rows with the value, which is never null. */
export interface SortKey<Item> {
  readonly column: SQLiteColumn;
  readonly field: keyof Item;
  readonly descending?: boolean;
}

interface SortableQuery<Item> {
  orderBy(...order: SQL[]): {
    limit(rows: number): { offset(from: number): { all(): Item[] } };
  };
}

/** A page of a query; `behind` narrows it to what follows the page before. */
export function pageOf<Item>(
  query: (behind: SQL | undefined) => SortableQuery<Item>,
  keys: readonly SortKey<Item>[],
  page: Page,
  total: number,
): Listed<Item> {
  const order = keys.map(({ column, descending = false }) => (descending ? desc : asc)(column));
  const read = ({ limit, offset, after }: Page) => {
    const rows = query(after && behind(keys, after)).orderBy(...order);
    return { items: rows.limit(limit).offset(offset).all(), total };
  };
  return paged(page, read, (item) => keys.map(({ field }) => item[field] as string | number));
}

/** The first key is asked for twice, so that SQLite begins there in an index. */
function behind<Item>(keys: readonly SortKey<Item>[], after: Position): SQL | undefined {
  if (after.length !== keys.length) throw foreignPosition();
  const [first] = keys;
  const beginning = (first?.descending === true ? lte : gte)(first!.column, after[0]);
  const tests = keys.map(({ column, descending = false }, index) => {
    const same = keys.slice(0, index).map((key, before) => eq(key.column, after[before]));
    return and(...same, (descending ? lt : gt)(column, after[index]));
  });
  return keys.length === 1 ? tests[0] : and(beginning, or(...tests));
}

/** A page of rows that are all at hand, sorted by what `positionOf` gives, upwards. */
export function pageOfAll<Item>(
  all: readonly Item[],
  page: Page,
  positionOf: (item: Item) => Position,
): Listed<Item> {
  const read = ({ limit, offset, after }: Page) => {
    const rest =
      after === undefined ? all : all.filter((item) => isBehind(positionOf(item), after));
    return { items: rest.slice(offset, offset + limit), total: all.length };
  };
  return paged(page, read, positionOf);
}

/** Whether a row comes after another one, upwards. Texts are compared by their units. */
function isBehind(position: Position, after: Position): boolean {
  const index = position.findIndex((value, at) => value !== after[at]);
  return index >= 0 && position[index]! > after[index]!;
}

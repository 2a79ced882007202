/**
 * Pages of lists: a thousand rows at a time, as many as were asked for.
 *
 * Without `--all` one page is presented and how many rows are left. The answer has the shape of one page
 * of the API, however many were fetched for it.
 */
import type { Listing } from './answers.ts';
import type { Client, QueryValues } from './client.ts';
import { usageFailure } from './failure.ts';
import { flag, text, type ValuesOf, whole } from './field.ts';

/** Rows of a page when nothing is said, and the most the API gives at once. */
const pageRows = 1000;

export const pageOptions = {
  limit: whole(`rows to show at most, ${pageRows} when left out`),
  offset: whole('rows to pass over first'),
  cursor: text('next_cursor of the page before, in place of --offset'),
  all: flag('show every row, however many pages they take'),
};

/** For those who need all there is. */
export const everyPage = {
  limit: undefined,
  offset: undefined,
  cursor: undefined,
  all: true,
} as const;

export async function fetchPages<Item>(
  client: Client,
  path: string,
  query: QueryValues,
  { limit, offset, cursor: after, all }: ValuesOf<typeof pageOptions>,
): Promise<Listing<Item>> {
  if (all === true && limit !== undefined)
    throw usageFailure('--all and --limit exclude each other');
  if (limit !== undefined && limit < 1) throw usageFailure('--limit is 1 or more');
  if (offset !== undefined && offset < 0) throw usageFailure('--offset is 0 or more');
  if (offset !== undefined && after !== undefined)
    throw usageFailure('--offset and --cursor exclude each other');
  const wanted = all === true ? Number.POSITIVE_INFINITY : (limit ?? pageRows);
  const start = offset ?? 0;
  const items: Item[] = [];
  let total = 0;
  let cursor: string | null = after ?? null;
  do {
    const rows = Math.min(pageRows, wanted - items.length);
    // Rows that others add or delete meanwhile move none between the pages.
    const from = cursor === null ? { offset: start } : { cursor };
    const page = { ...query, limit: rows, ...from };
    const answer: Listing<Item> = await client.get<Listing<Item>>(path, page);
    for (const item of answer.items) items.push(item);
    total = answer.pagination.total;
    cursor = answer.next_cursor ?? null;
  } while (items.length < wanted && cursor !== null);
  const pageLimit = Number.isFinite(wanted) ? wanted : Math.max(items.length, 1);
  return { items, pagination: { limit: pageLimit, offset: start, total }, next_cursor: cursor };
}

/** The line below a table that leaves rows out; empty when it shows all. `cursor`: what it was asked with. */
export function moreLine(listing: Listing<unknown>, cursor?: string): string {
  const { items, pagination, next_cursor: next } = listing;
  // How many rows stand before a cursor is not known.
  if (cursor !== undefined) {
    return next === null ? '' : `\nmore: --cursor ${next} shows the next, --all shows all`;
  }
  const end = pagination.offset + items.length;
  const left = pagination.total - end;
  if (items.length === 0 || left <= 0) return '';
  return `\n${left} more: --offset ${end} shows the next, --all shows all`;
}

/**
 * Cursors: where a page of a list ended, as a text that belongs to this list, its filters and its order alone. There is
 * nothing secret in it: whoever makes one up reads what it may read, from there on. So a list that needs more of a
 * position than whole numbers and texts looks at it itself.
 */
import { createHash } from 'node:crypto';
import { limits } from '../base/limits.ts';
import { Problem } from '../base/problem.ts';
import { foreignPosition, type Page, type Position } from '../projection/page.ts';

/** What a list is: the operation with its path and its query. */
export interface ListName {
  readonly route: string;
  readonly params: object;
  readonly query: object;
}

/** Of the hash that stands for the list. */
const listBytes = 8;
/** What the pages of one list may differ in. */
const ofOnePage = new Set(['limit', 'offset', 'cursor']);

export function cursorOf(list: ListName, position: Position): string {
  const text = Buffer.from(JSON.stringify(position));
  return Buffer.concat([hashOf(list), checksumOf(text), text]).toString('base64url');
}

/** The page that a query asks for: without limit and offset it is none of a list, and its cursor is of another kind. */
export function pageOf(list: ListName): Page {
  const { limit, offset } = list.query as PageQuery;
  if (offset === undefined) return noPage;
  return { limit: limit ?? limits.pageDefault, offset, after: positionAfter(list) };
}

/** Where the page before ended; undefined on the first. */
export function positionAfter(list: ListName): Position | undefined {
  const { cursor } = list.query as PageQuery;
  return cursor === undefined ? undefined : parseCursor(list, cursor);
}

const noPage: Page = Object.freeze({ limit: limits.pageDefault, offset: 0 });

interface PageQuery {
  readonly limit?: number;
  readonly offset?: number;
  readonly cursor?: string;
}

/** INVALID_INPUT for a text that is no cursor, and for the cursor of another list. */
function parseCursor(list: ListName, text: string): Position {
  const bytes = Buffer.from(text, 'base64url');
  const body = bytes.subarray(2 * listBytes);
  const isWhole = bytes.toString('base64url') === text && body.length > 0;
  if (!isWhole || !bytes.subarray(listBytes, 2 * listBytes).equals(checksumOf(body))) {
    throw foreignPosition();
  }
  if (!bytes.subarray(0, listBytes).equals(hashOf(list))) {
    throw new Problem(
      'INVALID_INPUT',
      "query parameter 'cursor' belongs to another list, or to other filters or another order of this one",
    );
  }
  return positionIn(body.toString());
}

function positionIn(text: string): Position {
  let values: unknown;
  try {
    values = JSON.parse(text);
  } catch {
    throw foreignPosition();
  }
  if (!Array.isArray(values) || !values.every(isScalar)) throw foreignPosition();
  return values;
}

function isScalar(value: unknown): value is string | number {
  return typeof value === 'string' || Number.isSafeInteger(value);
}

function hashOf({ route, params, query }: ListName): Buffer {
  const asked = Object.entries(query)
    .filter(([name, value]) => value !== undefined && !ofOnePage.has(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return checksumOf(JSON.stringify([route, params, asked]));
}

function checksumOf(text: string | Uint8Array): Buffer {
  return createHash('sha256').update(text).digest().subarray(0, listBytes);
}

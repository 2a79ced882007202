/**
 * Cursors: where a page of a list ended, as a text that belongs to this list, its filters and its order alone.
 *
 * A page that has looked at enough may end at something that its caller may not see. So a cursor is sealed: nobody
 * reads in it where that is, and nobody makes one up to have others end elsewhere. Its length tells that of what is in
 * it to `paddedBytes`: the length of a long name, but not of a short one.
 */
import { createHash } from 'node:crypto';
import { limits } from '../base/limits.ts';
import { Problem } from '../base/problem.ts';
import { foreignPosition, type Page, type Position } from '../projection/page.ts';
import { SealedTexts } from './sealed-text.ts';

/** What a list is: the operation with its path and its query. */
export interface ListName {
  readonly route: string;
  readonly params: object;
  readonly query: object;
}

/** Of the hash that stands for the list. */
const listBytes = 8;
/** Bytes of which the length of a position is a multiple, by blanks behind it. */
const paddedBytes = 64;
/** What the pages of one list may differ in. */
const ofOnePage = new Set(['limit', 'offset', 'cursor']);

export class Cursors {
  readonly #sealed: SealedTexts;

  /** `keyFor` makes a key for a purpose. */
  constructor(keyFor: (purpose: string) => Buffer) {
    this.#sealed = new SealedTexts(keyFor, 'cursors');
  }

  of(list: ListName, position: Position): string {
    const text = JSON.stringify(position);
    const blanks = ' '.repeat(paddedBytes - (Buffer.byteLength(text) % paddedBytes));
    return this.#sealed.seal(Buffer.concat([hashOf(list), Buffer.from(text + blanks)]));
  }

  /** The page that a query asks for. Without limit and offset it is none of a list: its cursor is of another kind. */
  pageOf(list: ListName): Page {
    const { limit, offset } = list.query as PageQuery;
    if (offset === undefined) return noPage;
    return { limit: limit ?? limits.pageDefault, offset, after: this.positionAfter(list) };
  }

  /** Where the page before ended; undefined on the first. */
  positionAfter(list: ListName): Position | undefined {
    const { cursor } = list.query as PageQuery;
    return cursor === undefined ? undefined : this.#parse(list, cursor);
  }

  /** INVALID_INPUT for a text that is no cursor, and for the cursor of another list. */
  #parse(list: ListName, cursor: string): Position {
    const content = this.#sealed.open(cursor);
    if (content === undefined) throw foreignPosition();
    if (!content.subarray(0, listBytes).equals(hashOf(list))) {
      throw new Problem(
        'INVALID_INPUT',
        "query parameter 'cursor' belongs to another list, or to other filters or another order of this one",
      );
    }
    return positionIn(content.subarray(listBytes).toString());
  }
}

const noPage: Page = Object.freeze({ limit: limits.pageDefault, offset: 0 });

interface PageQuery {
  readonly limit?: number;
  readonly offset?: number;
  readonly cursor?: string;
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
  const text = JSON.stringify([route, params, asked]);
  return createHash('sha256').update(text).digest().subarray(0, listBytes);
}

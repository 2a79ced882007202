/** Rows of the table `block`, and how the one that an owner stands in is found. */
import type { BlockContent } from './block.ts';

export interface BlockRow extends BlockContent {
  readonly id: number;
  readonly content: number;
  readonly first: Buffer;
}

export const blockColumns = 'id, content, first, count, user_count AS userCount, records, ids';

/** What a zone shows now. A content is replaced as a whole by pointing the zone at another. */
export const contentOfZone = '(SELECT content FROM zone WHERE id = ?)';

/** The same, or what a deleted zone showed last. */
export const contentOfZoneEver = `(SELECT content FROM
  (SELECT id, content FROM zone UNION ALL SELECT id, content FROM deleted_zone) WHERE id = ?)`;

/**
 * The last block at or before a name in what a zone shows. Written with row values, because SQLite
 * (with STAT4, as it is built here) plans `content = ? ... ORDER BY first` anew at every run: 30 µs
 * instead of 8. The row is of that content when the zone exists, and there is none when it does not.
 */
export function floorQuery(
  columns: string,
  comparison: '<=' | '<' = '<=',
  content = contentOfZone,
): string {
  return `SELECT ${columns} FROM block WHERE (content, first) ${comparison} (${content}, ?)
    ORDER BY content DESC, first DESC LIMIT 1`;
}

/** The first block after a name: of another content when this one has none. */
export const nextQuery = `SELECT content, first FROM block
  WHERE (content, first) > (?, ?) ORDER BY content, first LIMIT 1`;

export interface NextRow {
  readonly content: number;
  readonly first: Buffer;
}

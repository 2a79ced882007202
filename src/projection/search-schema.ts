/** Tables of the index of searches. Like those of schema.ts they follow from the journal. */
import {
  blob,
  index,
  integer,
  primaryKey,
  sqliteTable,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core';

/**
 * What searches find (projection/search-index.ts): owners of records that are there, or were. Their text is in
 * `search_text`, a table of FTS5 that the migration makes, under the same id. Made in the background, and at any
 * time again.
 */
export const searchOwner = sqliteTable(
  'search_owner',
  {
    id: integer('id').primaryKey(),
    zoneId: integer('zone_id').notNull(),
    /** Name key relative to the apex. */
    owner: blob('owner', { mode: 'buffer' }).notNull(),
    /** The part of a delta that took records from it last; 0 when some were added since. */
    removed: integer('removed').notNull(),
  },
  (table) => [uniqueIndex('search_owner_place').on(table.zoneId, table.owner)],
);

/** Keys of the values of records that are at an owner, or were (projection/search-terms.ts). */
export const searchKey = sqliteTable(
  'search_key',
  {
    key: blob('key', { mode: 'buffer' }).notNull(),
    /** In `search_owner`. */
    owner: integer('owner').notNull(),
    /** The same for records with this key. */
    removed: integer('removed').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.key, table.owner] }),
    index('search_key_owner').on(table.owner),
  ],
);

/** How far the index has come: one row. */
export const searchProgress = sqliteTable('search_progress', {
  id: integer('id').primaryKey(),
  /** Up to and with this event it has all that was added and removed since it was begun. */
  followed: integer('followed').notNull(),
  /** From this event on it has what was removed. */
  recalled: integer('recalled').notNull(),
  /** The last zone whose records of then it has; null when it has those of all. */
  zoneId: integer('zone_id'),
});

/**
 * Tables of the journal: the only truth of the service. Every other table can be rebuilt from them.
 *
 * Both are append-only: triggers (in drizzle/) refuse UPDATE and DELETE, save for what a checkpoint
 * covers. Tables are STRICT; times are milliseconds since 1970.
 */
import { blob, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';

/** One fact. Its hash covers the hash before it, the header and the digest of payload and delta. */
export const event = sqliteTable(
  'event',
  {
    seq: integer('seq').primaryKey(),
    /** A zone's id, or 0: the administration stream. */
    stream: integer('stream').notNull(),
    /** The zone's serial after the event; null for events that take no step. */
    serial: integer('serial'),
    kind: text('kind').notNull(),
    at: integer('at').notNull(),
    changeSource: text('change_source').notNull(),
    actorKind: text('actor_kind'),
    actorName: text('actor_name'),
    requestId: text('request_id'),
    /** JSON; null once retention has dropped it. */
    payload: text('payload'),
    /** SHA-256 over the payload and the parts of the delta (event-row.ts). */
    contentDigest: blob('content_digest', { mode: 'buffer' }).notNull(),
    prevHash: blob('prev_hash', { mode: 'buffer' }).notNull(),
    hash: blob('hash', { mode: 'buffer' }).notNull(),
  },
  // Also finds the events without serial of a stream, in order: SQLite ends each entry with seq.
  (table) => [uniqueIndex('event_stream_serial').on(table.stream, table.serial)],
);

/** What an event removed and added, in the packed form and order in which an IXFR sends it. */
export const eventDelta = sqliteTable('event_delta', {
  /** seq * 65536 + part: one key that keeps the parts of an event together and in order. */
  place: integer('place').primaryKey(),
  /** 0 removed, 1 added. */
  change: integer('change').notNull(),
  /** 0 user records, 1 derived (DNSSEC) records. */
  layer: integer('layer').notNull(),
  count: integer('count').notNull(),
  records: blob('records', { mode: 'buffer' }).notNull(),
  /** Record ids and creation times of user records, 4 + 8 octets big-endian each. */
  ids: blob('ids', { mode: 'buffer' }),
});

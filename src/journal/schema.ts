/**
 * Tables of the journal: the only truth of the service. Every other table can be rebuilt from them.
 *
 * Both are append-only: triggers (in drizzle/) refuse UPDATE and DELETE, save that the content of events
 * may be deleted which a later checkpoint or purge of their stream replaces. Tables are STRICT; times
 * are milliseconds since 1970.
 */
import { sql } from 'drizzle-orm';
import {
  blob,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core';

/** Of an index, which SQLite uses for the same text alone: 1 for serials that only re-signed a zone, 0 for others. */
export const isSigning = "CASE WHEN serial IS NOT NULL THEN kind = 'zone.signed' END";
/** Null once the payload has been dropped. */
export const recordsAdded = "payload ->> '$.added'";
export const recordsRemoved = "payload ->> '$.removed'";

export const tagName = "payload ->> '$.tag.name'";

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
    /** Of events of zones: the name after it, or the one it was deleted with. Outlives the payload. */
    zoneName: text('zone_name'),
    /** Whether the zone is enabled after it; null when it is deleted. Outlives the payload too. */
    zoneEnabled: integer('zone_enabled'),
    at: integer('at').notNull(),
    changeSource: text('change_source').notNull(),
    actorKind: text('actor_kind'),
    actorName: text('actor_name'),
    requestId: text('request_id'),
    /** JSON; null once retention has dropped it. */
    payload: text('payload'),
    /** The number its parts stand under: its own, or that of the stage that prepared them. */
    delta: integer('delta').notNull(),
    /** SHA-256 over the payload and the parts of the delta (event-row.ts). */
    contentDigest: blob('content_digest', { mode: 'buffer' }).notNull(),
    prevHash: blob('prev_hash', { mode: 'buffer' }).notNull(),
    hash: blob('hash', { mode: 'buffer' }).notNull(),
    /** How many parts its delta has: so that one that is missing is noticed. */
    parts: integer('parts').notNull().default(0),
    /**
     * Of the payload and the number of parts (checksum.ts); compared whenever it is served. It
     * stays when the payload goes.
     */
    payloadChecksum: integer('payload_checksum').notNull().default(0),
    /** Why it was done, as whoever did it said, and where to read more. Both outlive the payload. */
    reason: text('reason'),
    reference: text('reference'),
    /** The number of the user of this host, as the command line says. */
    actorUid: integer('actor_uid'),
  },
  // Also finds the events without serial of a stream, in order: SQLite ends each entry with seq.
  (table) => [
    uniqueIndex('event_stream_serial').on(table.stream, table.serial),
    index('event_staged').on(table.delta).where(sql`${table.delta} <> ${table.seq}`),
    // Events whose content is deleted: the latest of a stream, of those that did more than re-sign the zone, led
    // to the oldest serial that is retained. The index has all columns that are asked for, so that rows are not read.
    index('event_dropped')
      .on(table.stream, table.serial, table.kind, table.payload)
      .where(sql`${table.payload} IS NULL`),
    // What is drawn of the activity of a zone (query/activity-queries.ts), so that rows are not read.
    index('event_activity').on(
      table.stream,
      table.changeSource,
      sql.raw(isSigning),
      table.at,
      sql.raw(recordsAdded),
      sql.raw(recordsRemoved),
    ),
    // The names that a zone gave to its serials, in order.
    index('event_tag').on(table.stream, sql.raw(tagName)).where(sql`${table.kind} = 'zone.tagged'`),
    // Steps that only re-signed a zone: they go earlier than others.
    index('event_signed')
      .on(table.stream, table.serial)
      .where(sql`${table.kind} = 'zone.signed' AND ${table.payload} IS NOT NULL`),
  ],
);

/** What an event removed and added, in the packed form and order in which an IXFR sends it. */
export const eventDelta = sqliteTable(
  'event_delta',
  {
    /** delta * 65536 + part: one key that keeps the parts of an event together and in order. */
    place: integer('place').primaryKey(),
    /** 0 removed, 1 added. */
    change: integer('change').notNull(),
    /** 0 user records, 1 DNSSEC records. */
    layer: integer('layer').notNull(),
    count: integer('count').notNull(),
    records: blob('records', { mode: 'buffer' }).notNull(),
    /** Of everything but the identities (checksum.ts); compared whenever a part is read. */
    checksum: integer('checksum').notNull(),
    /** 0 where there are none. */
    idsChecksum: integer('ids_checksum').notNull(),
    /** Record ids and creation times of user records, 4 + 8 bytes big-endian each. */
    ids: blob('ids', { mode: 'buffer' }),
    /** The stream of its event. */
    zoneId: integer('zone_id').notNull().default(0),
    /** The labels of its owner, when all its records are of users, have this one, and were not staged. */
    owner: blob('owner', { mode: 'buffer' }),
    /** Beside an owner: the type, when all have this one. */
    type: integer('type'),
  },
  // Both end with place: the last change of an RRset is found at once, or among the parts that hold several.
  (table) => [
    index('event_delta_owner')
      .on(table.zoneId, table.owner, table.type)
      .where(sql`${table.owner} IS NOT NULL`),
    index('event_delta_several')
      .on(table.zoneId)
      .where(sql`${table.owner} IS NULL AND ${table.layer} = 0`),
  ],
);

/**
 * What a large change prepares in small commits before its event is there, and what it leaves to be
 * cleared away afterwards: so that nothing stays behind when the service ends in between. The same for
 * what retention and purges delete, when it is more than one commit takes.
 */
export const stage = sqliteTable('stage', {
  /** The number that its parts of a delta and its content stand under. */
  number: integer('number').primaryKey(),
  zoneId: integer('zone_id').notNull(),
  /** Ids of new records: from the first to before the end. */
  firstId: integer('first_id').notNull(),
  endId: integer('end_id').notNull(),
  /** What it stands for (projection/stage-store.ts). */
  state: integer('state').notNull(),
  /** The content that the zone showed before; null when there is none. */
  formerContent: integer('former_content'),
});

/**
 * Where records stand that a large change brings back under their old ids. Until it is published their
 * places are those of before, if they have any.
 */
export const stageLocation = sqliteTable(
  'stage_place',
  {
    number: integer('number').notNull(),
    id: integer('id').notNull(),
    owner: blob('owner', { mode: 'buffer' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.number, table.id] })],
);

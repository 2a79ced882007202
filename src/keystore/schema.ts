/**
 * Tables of the keystore: what must really go when it is deleted, so it is never in the journal.
 */
import { blob, index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';

/** SHA-256 of the secrets of API tokens. */
export const tokenSecret = sqliteTable(
  'token_secret',
  {
    tokenId: integer('token_id').primaryKey(),
    hash: blob('hash', { mode: 'buffer' }).notNull(),
  },
  (table) => [uniqueIndex('token_secret_hash').on(table.hash)],
);

/** Secrets of TSIG keys, sealed under the key file. */
export const tsigSecret = sqliteTable('tsig_secret', {
  keyId: integer('key_id').primaryKey(),
  sealed: blob('sealed', { mode: 'buffer' }).notNull(),
});

/** Secrets that sign what is posted to webhooks, sealed under the key file. */
export const webhookSecret = sqliteTable('webhook_secret', {
  webhookId: integer('webhook_id').primaryKey(),
  sealed: blob('sealed', { mode: 'buffer' }).notNull(),
});

/** Private halves of signing keys, PKCS #8, sealed under the key file. */
export const signingKeySecret = sqliteTable(
  'signing_key_secret',
  {
    keyId: integer('key_id').primaryKey(),
    zoneId: integer('zone_id').notNull(),
    sealed: blob('sealed', { mode: 'buffer' }).notNull(),
  },
  (table) => [index('signing_key_secret_zone').on(table.zoneId)],
);

/** Sessions of browsers: SHA-256 of what their cookie holds, and whose they are. */
export const session = sqliteTable(
  'session',
  {
    id: text('id').primaryKey(),
    hash: blob('hash', { mode: 'buffer' }).notNull(),
    /** Null for a user of the host. */
    tokenId: integer('token_id'),
    /** Of the user of the host. */
    userName: text('user_name'),
    userId: integer('user_id'),
    openedAt: integer('opened_at').notNull(),
    seenAt: integer('seen_at').notNull(),
    address: text('address').notNull(),
    agent: text('agent'),
  },
  (table) => [uniqueIndex('session_hash').on(table.hash)],
);

/** One row: a known text sealed under the key file, to tell whether the file is the right one. */
export const keyFileCheck = sqliteTable('key_file_check', {
  id: integer('id').primaryKey(),
  sealed: blob('sealed', { mode: 'buffer' }).notNull(),
});

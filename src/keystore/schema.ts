/**
 * Tables of the keystore: what must really go when it is deleted, so it is never in the journal.
 */
import { blob, index, integer, sqliteTable, uniqueIndex } from 'drizzle-orm/sqlite-core';

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

/** One row: a known text sealed under the key file, to tell whether the file is the right one. */
export const keyFileCheck = sqliteTable('key_file_check', {
  id: integer('id').primaryKey(),
  sealed: blob('sealed', { mode: 'buffer' }).notNull(),
});

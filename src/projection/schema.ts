/**
 * Tables that mirror the journal: written in the same commit as the event, rebuilt from it at will.
 *
 * `transfer`, `token_use` and `webhook_cursor` are operational:
 * outside replay: who fetched what, who was last seen when.
 */
import { getTableColumns } from 'drizzle-orm';
import {
  blob,
  customType,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core';
import type { Action } from '../base/action.ts';
import type { TsigAlgorithm } from '../domain/access/model.ts';
import type { StoredCounter } from '../domain/epoch.ts';
import type { WebhookFormat, WebhookState } from '../domain/webhook.ts';
import type { DenialMode } from '../dnssec/denial.ts';

/** Actions of a grant, in storage order, separated by commas. */
const actionList = customType<{ data: readonly Action[]; driverData: string }>({
  dataType: () => 'text',
  toDriver: (actions) => actions.join(','),
  fromDriver: (stored) => stored.split(',') as Action[],
});

const zoneColumns = {
  id: integer('id').primaryKey(),
  name: text('name').notNull(),
  /** Absolute name key (dns/name.ts): canonical order, parents are prefixes. */
  apex: blob('apex', { mode: 'buffer' }).notNull(),
  mname: text('mname').notNull(),
  rname: text('rname').notNull(),
  defaultTtl: integer('default_ttl').notNull(),
  minimumTtl: integer('minimum_ttl').notNull(),
  refresh: integer('refresh').notNull(),
  retry: integer('retry').notNull(),
  expire: integer('expire').notNull(),
  serial: integer('serial').notNull(),
  description: text('description'),
  enabled: integer('enabled', { mode: 'boolean' }).notNull(),
  createdAt: integer('created_at').notNull(),
  /** Of the last step of its serial that was not of signing alone. */
  changedAt: integer('changed_at').notNull().default(0),
  /** Who took it; null for the service itself, and where nobody was named. */
  changedBy: text('changed_by'),
  recordCount: integer('record_count').notNull(),
  dnssecCount: integer('derived_count').notNull(),
  historyFromSerial: integer('history_from_serial').notNull(),
  /** The blocks that the zone shows. */
  content: integer('content').notNull(),
  /** JSON (domain/guard.ts); null where the zone has none of its own. */
  guard: text('guard'),
};

export const zone = sqliteTable('zone', zoneColumns, (table) => [
  uniqueIndex('zone_name').on(table.name),
  uniqueIndex('zone_apex').on(table.apex),
]);

/** Zones that were deleted and can be brought back: their blocks stay. */
export const deletedZone = sqliteTable(
  'deleted_zone',
  { ...zoneColumns, deletedAt: integer('deleted_at').notNull() },
  (table) => [index('deleted_zone_name').on(table.name)],
);

const { apex, content: generation, changedAt, changedBy, ...ofZone } = getTableColumns(zone);

/** Rows as values of the domain: all but the columns by which zones and blocks are found, and listed. */
export const zoneFields = ofZone;
export const deletedZoneFields = deletedFields();

function deletedFields() {
  const {
    apex,
    content: generation,
    changedAt,
    changedBy,
    ...others
  } = getTableColumns(deletedZone);
  return others;
}

/** The last serial under which a name was served by a zone that has since left it. */
export const formerName = sqliteTable('former_name', {
  name: text('name').primaryKey(),
  lastSerial: integer('last_serial').notNull(),
});

/** Where the user record of an id stands; the record itself is in a block. */
export const record = sqliteTable('record', {
  id: integer('id').primaryKey(),
  zoneId: integer('zone_id').notNull(),
  /** Name key relative to the apex. */
  owner: blob('owner', { mode: 'buffer' }).notNull(),
});

/** Records in packed form by runs of owners (projection/block.ts). */
export const block = sqliteTable(
  'block',
  {
    /** Meaningless; a table clustered by name would read whole blobs to compare two names. */
    id: integer('id').primaryKey(),
    /** What a zone shows is the content that its row names. */
    content: integer('content').notNull(),
    /** Name key of the first owner; empty for the first block of a content. */
    first: blob('first', { mode: 'buffer' }).notNull(),
    /** The first owner of the block after it, which is no more in this one; null in the last. */
    next: blob('next', { mode: 'buffer' }),
    count: integer('count').notNull(),
    /** Those of them that are not DNSSEC records. */
    userCount: integer('user_count').notNull(),
    /** Of everything but the identities (journal/checksum.ts); compared whenever a block is read. */
    checksum: integer('checksum').notNull(),
    idsChecksum: integer('ids_checksum').notNull(),
    records: blob('records', { mode: 'buffer' }).notNull(),
    /** Last, so that transfers do not read them: an identity for each record (journal/identity.ts). */
    ids: blob('ids', { mode: 'buffer' }).notNull(),
  },
  (table) => [uniqueIndex('block_first').on(table.content, table.first)],
);

/**
 * The key that says where blocks begin (projection/block-cut.ts): one row; none in a database that had events before
 * there were keys. Drawn at random, so that a rebuild keeps it.
 */
export const blockCut = sqliteTable('block_cut', {
  key: blob('key', { mode: 'buffer' }).notNull(),
});

/**
 * In which records of users two serials of a zone differ, for spans of many serials: what was long ago is read by these
 * in place of each change since (projection/net-change-store.ts). Made in the background, and at any time again.
 */
export const netChange = sqliteTable(
  'net_change',
  {
    id: integer('id').primaryKey(),
    zoneId: integer('zone_id').notNull(),
    fromSerial: integer('from_serial').notNull(),
    toSerial: integer('to_serial').notNull(),
    /** That led to its serials; those among them that only re-signed the zone. */
    events: integer('events').notNull(),
    signing: integer('signing').notNull(),
    parts: integer('parts').notNull(),
    /** Of the checksums of the parts; then of all that stands before it. */
    partsChecksum: integer('parts_checksum').notNull(),
    checksum: integer('checksum').notNull(),
  },
  (table) => [uniqueIndex('net_change_span').on(table.zoneId, table.fromSerial, table.toSerial)],
);

/** The records of a net change: parts like those of a delta (journal/delta.ts), each of its own range of owners. */
export const netChangePart = sqliteTable(
  'net_change_part',
  {
    id: integer('id').primaryKey(),
    zoneId: integer('zone_id').notNull(),
    fromSerial: integer('from_serial').notNull(),
    toSerial: integer('to_serial').notNull(),
    part: integer('part').notNull(),
    change: integer('change').notNull(),
    count: integer('count').notNull(),
    /** Name keys of the first owner and the last. */
    first: blob('first', { mode: 'buffer' }).notNull(),
    last: blob('last', { mode: 'buffer' }).notNull(),
    /** Of records and identities, then of all that stands before them and these two. */
    recordsChecksum: integer('records_checksum').notNull(),
    idsChecksum: integer('ids_checksum').notNull(),
    checksum: integer('checksum').notNull(),
    records: blob('records', { mode: 'buffer' }).notNull(),
    ids: blob('ids', { mode: 'buffer' }).notNull(),
  },
  (table) => [
    uniqueIndex('net_change_part_place').on(
      table.zoneId,
      table.fromSerial,
      table.toSerial,
      table.part,
    ),
  ],
);

/** How zones are signed (domain/signing.ts); of deleted ones too, until they are purged. */
export const zoneSigning = sqliteTable(
  'zone_signing',
  {
    zoneId: integer('zone_id').primaryKey(),
    /** Null for a zone that only knows its parents. */
    policyId: integer('policy_id'),
    /** JSON. */
    state: text('state').notNull(),
  },
  (table) => [index('zone_signing_policy').on(table.policyId)],
);

/** RRsets that teams own, with what each is to be (domain/desired.ts); of deleted zones too, until they are purged. */
export const desiredRrset = sqliteTable(
  'desired_rrset',
  {
    zoneId: integer('zone_id').notNull(),
    /** Name key relative to the apex. */
    owner: blob('owner', { mode: 'buffer' }).notNull(),
    type: integer('type').notNull(),
    team: text('team').notNull(),
    ttl: integer('ttl').notNull(),
    /** In hexadecimal, separated by spaces. */
    rdata: text('rdata').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.zoneId, table.owner, table.type] }),
    index('desired_rrset_team').on(table.zoneId, table.team),
  ],
);

/** Owners of NSEC3 in their order: between them stand names of users, any number of them. */
export const nsec3Owner = sqliteTable(
  'nsec3_owner',
  {
    content: integer('content').notNull(),
    /** Name key relative to the apex: one label. */
    owner: blob('owner', { mode: 'buffer' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.content, table.owner] })],
);

/** Where events are posted to (domain/webhook.ts). */
export const webhook = sqliteTable(
  'webhook',
  {
    id: integer('id').primaryKey(),
    name: text('name').notNull(),
    url: text('url').notNull(),
    format: text('format').$type<WebhookFormat>().notNull(),
    /** JSON. */
    filter: text('filter').notNull(),
    state: text('state').$type<WebhookState>().notNull(),
    fromSeq: integer('from_seq').notNull(),
    turn: integer('turn').notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [uniqueIndex('webhook_name').on(table.name)],
);

/** How far each webhook got; operational, written at most once a second. */
export const webhookCursor = sqliteTable('webhook_cursor', {
  webhookId: integer('webhook_id').primaryKey(),
  /** That of the webhook when it was written; one of before a replay does not count. */
  turn: integer('turn').notNull(),
  /** All events up to this number were accepted, or did not pass the filter. */
  seq: integer('seq').notNull(),
  /** When the first of the latest failures in a row was; null after a success. */
  failingSince: integer('failing_since'),
});

export const secondary = sqliteTable(
  'secondary',
  {
    id: integer('id').primaryKey(),
    name: text('name').notNull(),
    address: text('address').notNull(),
    enabled: integer('enabled', { mode: 'boolean' }).notNull(),
    notifyKeyName: text('notify_key_name'),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [
    uniqueIndex('secondary_name').on(table.name),
    uniqueIndex('secondary_address').on(table.address),
  ],
);

/** How zones are signed (domain/dnssec-policy.ts). */
export const dnssecPolicy = sqliteTable(
  'dnssec_policy',
  {
    id: integer('id').primaryKey(),
    name: text('name').notNull(),
    builtin: integer('builtin', { mode: 'boolean' }).notNull(),
    createdAt: integer('created_at').notNull(),
    algorithm: text('algorithm').notNull(),
    denial: text('denial').$type<DenialMode>().notNull(),
    splitKeys: integer('split_keys', { mode: 'boolean' }).notNull(),
    signatureValidityDays: integer('signature_validity_days').notNull(),
    signatureRefreshDays: integer('signature_refresh_days').notNull(),
    zskLifetimeDays: integer('zsk_lifetime_days').notNull(),
  },
  (table) => [uniqueIndex('dnssec_policy_name').on(table.name)],
);

export const role = sqliteTable(
  'role',
  {
    id: integer('id').primaryKey(),
    name: text('name').notNull(),
    description: text('description'),
    builtin: integer('builtin', { mode: 'boolean' }).notNull(),
    reasonRequired: integer('reason_required', { mode: 'boolean' }).notNull().default(false),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [uniqueIndex('role_name').on(table.name)],
);

export const roleGrant = sqliteTable(
  'role_grant',
  {
    id: integer('id').primaryKey(),
    roleId: integer('role_id').notNull(),
    /** Null for all zones. */
    zoneId: integer('zone_id'),
    actions: actionList('actions').notNull(),
    recordNamePattern: text('record_name_pattern').notNull(),
    recordTypes: text('record_types').notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [index('role_grant_role').on(table.roleId), index('role_grant_zone').on(table.zoneId)],
);

export const token = sqliteTable(
  'token',
  {
    id: integer('id').primaryKey(),
    name: text('name').notNull(),
    description: text('description'),
    roleId: integer('role_id').notNull(),
    createdAt: integer('created_at').notNull(),
    expiresAt: integer('expires_at'),
  },
  (table) => [uniqueIndex('token_name').on(table.name), index('token_role').on(table.roleId)],
);

export const tsigKey = sqliteTable(
  'tsig_key',
  {
    id: integer('id').primaryKey(),
    name: text('name').notNull(),
    algorithm: text('algorithm').$type<TsigAlgorithm>().notNull(),
    roleId: integer('role_id').notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (table) => [uniqueIndex('tsig_key_name').on(table.name), index('tsig_key_role').on(table.roleId)],
);

/** The members of the catalog zone (domain/catalog.ts) by the bytes of their label. */
export const catalogMember = sqliteTable('catalog_member', {
  id: blob('id', { mode: 'buffer' }).primaryKey().notNull(),
  /** The packed record that names the zone. */
  record: blob('record', { mode: 'buffer' }).notNull(),
});

/** The latest steps of the catalog's serial: which member left, which one came. */
export const catalogChange = sqliteTable(
  'catalog_change',
  {
    serial: integer('serial').notNull(),
    /** 0 for the record that was removed, 1 for the one that was added. */
    change: integer('change').notNull(),
    record: blob('record', { mode: 'buffer' }).notNull(),
    /** Members after the step. */
    memberCount: integer('member_count').notNull(),
  },
  (table) => [primaryKey({ columns: [table.serial, table.change] })],
);

/** When a token was last used; operational, stamped at most once a minute. */
export const tokenUse = sqliteTable('token_use', {
  tokenId: integer('token_id').primaryKey(),
  lastUsedAt: integer('last_used_at').notNull(),
  /** Null where there was none, and for uses before addresses were kept. */
  lastUsedFrom: text('last_used_from'),
});

/** Greatest identifier given out, by kind: ids are never reused. */
export const counter = sqliteTable('counter', {
  name: text('name').$type<StoredCounter>().primaryKey(),
  value: integer('value').notNull(),
});

/** The latest transfer per zone and client address. */
export const transfer = sqliteTable(
  'transfer',
  {
    zoneName: text('zone_name').notNull(),
    address: text('address').notNull(),
    at: integer('at').notNull(),
    kind: text('kind').$type<'axfr' | 'ixfr'>().notNull(),
    result: text('result').$type<'ok' | 'refused' | 'failed'>().notNull(),
    incremental: integer('incremental', { mode: 'boolean' }).notNull(),
    serial: integer('serial'),
    error: text('error'),
  },
  (table) => [
    primaryKey({ columns: [table.zoneName, table.address] }),
    index('transfer_address').on(table.address, table.at),
  ],
);

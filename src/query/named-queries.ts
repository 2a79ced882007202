/** Reads of tables whose rows have names: of secondaries and of DNSSEC policies. */
import { eq, type SQL } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { DnssecPolicy } from '../domain/dnssec-policy.ts';
import { findNamed } from '../domain/identifier.ts';
import type { Secondary } from '../domain/secondary.ts';
import type { Webhook } from '../domain/webhook.ts';
import type { Connection } from '../journal/database.ts';
import type { WebhookCursor } from '../projection/activity-log.ts';
import { dnssecPolicy, secondary, webhook, webhookCursor } from '../projection/schema.ts';
import { type Listed, type Page, pageOf } from '../projection/page.ts';
import { countOf, given, rowBy, type Tables, tablesOf } from '../projection/tables.ts';

type NamedTable = SQLiteTable & { readonly id: SQLiteColumn; readonly name: SQLiteColumn };

/** The rows of a table are values of the domain as they are. */
class NamedQueries<Row extends { readonly name: string }> {
  protected readonly tables: Tables;
  readonly #table: NamedTable;
  readonly #named: (name: string) => Row | undefined;
  readonly byId: (id: number) => Row | undefined;

  constructor(connection: Connection, table: NamedTable) {
    this.tables = tablesOf(connection);
    this.#table = table;
    this.#named = rowBy(this.tables, table, table.name) as (name: string) => Row | undefined;
    this.byId = rowBy(this.tables, table, table.id) as (id: number) => Row | undefined;
  }

  byName(name: string): Row | undefined {
    return findNamed(name.trim().toLowerCase(), this.#named, this.byId);
  }

  /** Ordered by name. */
  list(page: Page): Listed<Row> {
    const rows = (behind: SQL | undefined) =>
      this.tables
        .select()
        .from(this.#table as SQLiteTable)
        .where(behind);
    const byName = [{ column: this.#table.name, field: 'name' }];
    return pageOf(rows, byName, page, countOf(this.tables, this.#table)) as Listed<Row>;
  }
}

export class PolicyQueries extends NamedQueries<DnssecPolicy> {
  constructor(connection: Connection) {
    super(connection, dnssecPolicy);
  }
}

export class WebhookQueries extends NamedQueries<Webhook> {
  constructor(connection: Connection) {
    super(connection, webhook);
  }

  all(): readonly Webhook[] {
    return this.tables.select().from(webhook).orderBy(webhook.name).all();
  }

  cursors(): readonly WebhookCursor[] {
    return this.tables.select().from(webhookCursor).all();
  }

  count(): number {
    return countOf(this.tables, webhook);
  }
}

export class SecondaryQueries extends NamedQueries<Secondary> {
  readonly #enabled: SecondariesBy;
  readonly #ofAddress: SecondariesBy;
  readonly #ofKey: SecondariesBy;

  constructor(connection: Connection) {
    super(connection, secondary);
    this.#enabled = secondariesBy(this.tables, secondary.enabled);
    this.#ofAddress = secondariesBy(this.tables, secondary.address);
    this.#ofKey = secondariesBy(this.tables, secondary.notifyKeyName);
  }

  /** Ordered by name. */
  enabled(): readonly Secondary[] {
    return this.#enabled(1);
  }

  byAddress(address: string): Secondary | undefined {
    return this.#ofAddress(address)[0];
  }

  /** Those that are notified with a TSIG key. */
  notifiedWith(keyName: string): readonly Secondary[] {
    return this.#ofKey(keyName);
  }
}

/**
 * The same, where it is notified of events: the enabled ones are asked for after every commit, and the first read after
 * the commit of another connection takes 60 µs.
 */
export class KeptSecondaries extends SecondaryQueries {
  #kept: readonly Secondary[] | undefined;

  override enabled(): readonly Secondary[] {
    this.#kept ??= super.enabled();
    return this.#kept;
  }

  /** An event of administration was committed. */
  forget(): void {
    this.#kept = undefined;
  }
}

type SecondariesBy = (value: string | number) => readonly Secondary[];

/** Finds those that have a value in a column, ordered by name; prepared. */
function secondariesBy(tables: Tables, column: SQLiteColumn): SecondariesBy {
  const query = tables
    .select()
    .from(secondary)
    .where(eq(column, given('value')))
    .orderBy(secondary.name)
    .prepare();
  return (value) => query.all({ value });
}

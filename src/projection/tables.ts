/**
 * Typed queries over the tables of the schema (drizzle), for everything that is not asked with every DNS question
 * and not written with every record. Prepared, a query for one row takes 1.5 to 3.5 µs where a statement by hand
 * takes 0.7 to 2; one that is built when it is asked, as filters have to be, takes 90.
 */
import {
  and,
  type Column,
  count,
  eq,
  getTableColumns,
  gte,
  inArray,
  lte,
  type SQL,
  sql,
} from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/better-sqlite3/driver';
import type { SelectResultFields } from 'drizzle-orm/query-builders/select.types';
import type { SelectedFields, SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { Connection } from '../journal/database.ts';

export type Tables = ReturnType<typeof tablesOf>;

/** The tables over a connection; the same for all who ask. */
export const tablesOf = onceEach((connection: Connection) => drizzle({ client: connection }));

/**
 * Prepares queries once for each connection, however many read by it: a query takes 0.1 to 0.5 ms to be built. Such a
 * query is not to be read row by row, as two may ask it at once.
 */
export function preparedOnce<Prepared>(
  prepare: (tables: Tables) => Prepared,
): (connection: Connection) => Prepared {
  return onceEach((connection) => prepare(tablesOf(connection)));
}

function onceEach<Made>(make: (connection: Connection) => Made): (connection: Connection) => Made {
  const made = new WeakMap<Connection, Made & object>();
  return (connection) => {
    const known = made.get(connection);
    if (known !== undefined) return known;
    const fresh = make(connection) as Made & object;
    made.set(connection, fresh);
    return fresh;
  };
}

/** Stands for a value of a prepared query. Values of no column, such as true, have to be given as SQLite has them. */
export function given(name: string) {
  return sql.placeholder(name);
}

export type TableWithId = SQLiteTable & { readonly id: SQLiteColumn };

/** All columns of a row. */
export type Row<Table extends SQLiteTable> = Required<Table['$inferInsert']>;

interface Prepared {
  run(values: Record<string, unknown>): unknown;
}

/** Finds the row that has a value in a column, prepared; some columns of it where those are given. */
export function rowBy<Table extends SQLiteTable>(
  tables: Tables,
  table: Table,
  column: SQLiteColumn,
): (value: unknown) => Table['$inferSelect'] | undefined;
export function rowBy<Fields extends SelectedFields>(
  tables: Tables,
  table: SQLiteTable,
  column: SQLiteColumn,
  fields: Fields,
): (value: unknown) => SelectResultFields<Fields> | undefined;
export function rowBy(
  tables: Tables,
  table: SQLiteTable,
  column: SQLiteColumn,
  fields?: SelectedFields,
): (value: unknown) => unknown {
  const select = fields === undefined ? tables.select() : tables.select(fields);
  const query = select
    .from(table)
    .where(eq(column, given('value')))
    .prepare();
  return (value) => query.get({ value });
}

/** Inserts whole rows of a table, prepared. */
export function inserting<Table extends SQLiteTable>(
  tables: Tables,
  table: Table,
): (row: Row<Table>) => void {
  const row = givenFor(Object.keys(getTableColumns(table as SQLiteTable)));
  const insert: Prepared = tables
    .insert(table as SQLiteTable)
    .values(row)
    .prepare();
  return (values) => insert.run(values);
}

/** Inserts whole rows, or writes them over those with the same key; prepared. */
export function putting<Table extends SQLiteTable>(
  tables: Tables,
  table: Table,
  key: readonly (keyof Row<Table> & string)[],
): (row: Row<Table>) => void {
  const columns = getTableColumns(table as SQLiteTable);
  const others = Object.entries(columns).filter(([name]) => !key.includes(name));
  const put: Prepared = tables
    .insert(table as SQLiteTable)
    .values(givenFor(Object.keys(columns)))
    .onConflictDoUpdate({
      target: key.map((name) => columns[name]!),
      set: Object.fromEntries(
        others.map(([field, { name }]) => [field, sql`excluded.${sql.identifier(name)}`]),
      ),
    })
    .prepare();
  return (values) => put.run(values);
}

/** Updates some columns of the row with an id, all but the id when none are named; prepared. */
export function updating<Table extends TableWithId, Name extends keyof Row<Table> & string>(
  tables: Tables,
  table: Table,
  names: readonly Name[] = namesOf<Name>(table),
): (row: Pick<Row<Table>, Name> & { readonly id: number }) => void {
  const update: Prepared = tables
    .update(table as SQLiteTable)
    .set(givenFor(names))
    .where(eq(table.id, given('id')))
    .prepare();
  return (values) => update.run(values);
}

/** Deletes the rows that have a value in a column, prepared. */
export function deleting(
  tables: Tables,
  table: SQLiteTable,
  column: SQLiteColumn,
): (value: unknown) => void {
  const remove: Prepared = tables
    .delete(table)
    .where(eq(column, given('value')))
    .prepare();
  return (value) => remove.run({ value });
}

function namesOf<Name extends string>(table: SQLiteTable): Name[] {
  return Object.keys(getTableColumns(table)).filter((name) => name !== 'id') as Name[];
}

/** As values of a row: drizzle's types know no placeholders there. */
function givenFor(names: readonly string[]): Record<string, never> {
  return Object.fromEntries(names.map((name) => [name, given(name)])) as Record<string, never>;
}

/** Rows of a table that pass a condition. */
export function countOf(tables: Tables, table: SQLiteTable, where?: SQL): number {
  return tables.select({ count: count() }).from(table).where(where).get()!.count;
}

/** Equal, least and most of one column; undefined, which asks nothing, where none is given. */
export function within(
  column: Column,
  equal: number | string | undefined,
  min?: number | undefined,
  max?: number | undefined,
): SQL | undefined {
  return and(
    equal === undefined ? undefined : eq(column, equal),
    min === undefined ? undefined : gte(column, min),
    max === undefined ? undefined : lte(column, max),
  );
}

/** True for the values of a list, which is bound as one value, so that it may be of any length. */
export function among(column: Column, values: Iterable<number | string>): SQL {
  return inArray(column, sql`(SELECT value FROM json_each(${JSON.stringify([...values])}))`);
}

/** True where `text` stands anywhere in a column, `%` and `_` literally. */
export function contains(column: Column, text: string): SQL {
  const pattern = `%${text.replace(/[\\%_]/g, (character) => `\\${character}`)}%`;
  return sql`${column} LIKE ${pattern} ESCAPE '\\'`;
}

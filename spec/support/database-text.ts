/** A database as SQL text that makes it again: one statement a line, rows before indexes and triggers. */
import type { Connection } from '../../src/journal/sqlite.ts';

interface SchemaRow {
  readonly type: 'table' | 'index' | 'trigger';
  readonly name: string;
  readonly sql: string;
}

export function databaseText(connection: Connection): string {
  const schema = connection
    .prepare<[], SchemaRow>(
      `SELECT type, name, sql FROM sqlite_schema
       WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'search_text_%'`,
    )
    .all();
  const tables = schema.filter(({ type }) => type === 'table');
  // The index of searches has no text to write; it is made again.
  const written = tables.filter(({ name }) => !name.startsWith('search_'));
  const rows = written.flatMap(({ name }) => rowsOf(connection, name));
  // Triggers would refuse rows, and indexes are made faster over all of them.
  const rest = schema.filter(({ type }) => type !== 'table');
  const statements = [...tables.map(({ sql }) => sql), ...rows, ...rest.map(({ sql }) => sql)];
  return `BEGIN;\n${statements.map((sql) => `${sql};\n`).join('')}COMMIT;\n`;
}

function rowsOf(connection: Connection, table: string): string[] {
  const columns = connection
    .prepare<[string], { name: string }>('SELECT name FROM pragma_table_info(?)')
    .all(table)
    .map(({ name }) => `quote("${name}")`);
  return connection
    .prepare<[], string>(`SELECT ${columns.join(" || ',' || ")} FROM "${table}"`)
    .pluck()
    .all()
    .map((values) => `INSERT INTO "${table}" VALUES (${values})`);
}

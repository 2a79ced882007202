/** Reads of registered secondaries. */
import { findNamed } from '../domain/plain-name.ts';
import type { Secondary } from '../domain/secondary.ts';
import type { Connection, Statement } from '../journal/database.ts';
import type { Listed, Page } from './page.ts';

export type SecondaryRow = Omit<Secondary, 'enabled'> & { readonly enabled: number };

export const secondaryColumns = `id, name, address, enabled, notify_key_name AS notifyKeyName,
  created_at AS createdAt`;

export function secondaryOf(row: SecondaryRow): Secondary {
  return { ...row, enabled: row.enabled === 1 };
}

export class SecondaryQueries {
  readonly #byName: Statement;
  readonly #byId: Statement;
  readonly #page: Statement;
  readonly #enabled: Statement;
  readonly #count: Statement;

  constructor(connection: Connection) {
    const select = `SELECT ${secondaryColumns} FROM secondary`;
    this.#byName = connection.prepare(`${select} WHERE name = ?`);
    this.#byId = connection.prepare(`${select} WHERE id = ?`);
    this.#page = connection.prepare(`${select} ORDER BY name LIMIT ? OFFSET ?`);
    this.#enabled = connection.prepare(`${select} WHERE enabled = 1 ORDER BY name`);
    this.#count = connection.prepare('SELECT count(*) AS count FROM secondary');
  }

  byName(name: string): Secondary | undefined {
    const row = findNamed(
      name.trim().toLowerCase(),
      (written) => this.#byName.get(written) as SecondaryRow | undefined,
      (id) => this.#byId.get(id) as SecondaryRow | undefined,
    );
    return row && secondaryOf(row);
  }

  /** Ordered by name; disabled ones included. */
  list(page: Page): Listed<Secondary> {
    const rows = this.#page.all(page.limit, page.offset) as SecondaryRow[];
    const { count } = this.#count.get() as { count: number };
    return { items: rows.map(secondaryOf), total: count };
  }

  enabled(): readonly Secondary[] {
    return (this.#enabled.all() as SecondaryRow[]).map(secondaryOf);
  }
}

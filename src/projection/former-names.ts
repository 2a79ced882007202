/** The last serials under which names were served by zones that have since left them. */
import { lt, sql } from 'drizzle-orm';
import { limits } from '../base/limits.ts';
import type { Connection } from '../journal/database.ts';
import { formerName } from './schema.ts';
import { type Row, rowBy, type Tables, tablesOf } from './tables.ts';

/** Written into the text: as a value of its own it would be no integer, and the division no whole one. */
const greatest = sql.raw(String(limits.maxSerial));

export class FormerNames {
  readonly #tables: Tables;
  readonly #get: (name: string) => Row<typeof formerName> | undefined;

  constructor(connection: Connection) {
    this.#tables = tablesOf(connection);
    this.#get = rowBy(this.#tables, formerName, formerName.name);
  }

  serialOf(name: string): number | undefined {
    return this.#get(name)?.lastSerial;
  }

  /** A name never goes back to a serial before one that it had. */
  put(name: string, serial: number): void {
    const { name: key, lastSerial } = formerName;
    this.#tables
      .insert(formerName)
      .values({ name, lastSerial: serial })
      .onConflictDoUpdate({
        target: key,
        set: { lastSerial: sql`max(${lastSerial}, excluded.last_serial)` },
      })
      .run();
  }

  /** All names go on: `serialBeyond` of domain/epoch.ts for every row; SQLite rounds towards 0. */
  moveOn(jump: number): void {
    const { lastSerial } = formerName;
    const beyond = sql`${lastSerial} + max(1, min(${jump}, (${greatest} - ${lastSerial}) / 2))`;
    this.#tables
      .update(formerName)
      .set({ lastSerial: beyond })
      .where(lt(lastSerial, limits.serial))
      .run();
  }
}

/** What the beginning of an epoch does to the tables: everything that counts goes on further on. */
import { limits } from '../base/limits.ts';
import { type ServiceRecovered, type StoredCounter, serialBeyond } from '../domain/epoch.ts';
import type { Connection, Statement } from '../journal/database.ts';
import { setEpoch } from '../journal/epoch.ts';
import type { CatalogFold } from './catalog-fold.ts';
import type { PendingCounters } from './pending.ts';

/** `serialBeyond` of domain/epoch.ts for every row; SQLite rounds towards 0. */
const beyond = `last_serial + max(1, min(?, (${limits.ordinarySerial} - last_serial) / 2))`;

export class EpochFold {
  readonly #connection: Connection;
  readonly #counters: PendingCounters;
  readonly #catalog: CatalogFold;
  readonly #see: Statement;
  readonly #moveOn: Statement;

  constructor(connection: Connection, counters: PendingCounters, catalog: CatalogFold) {
    this.#connection = connection;
    this.#counters = counters;
    this.#catalog = catalog;
    this.#see = connection.prepare(
      `INSERT INTO former_name (name, last_serial) VALUES (?, ?)
       ON CONFLICT DO UPDATE SET last_serial = max(last_serial, excluded.last_serial)`,
    );
    this.#moveOn = connection.prepare(
      `UPDATE former_name SET last_serial = ${beyond} WHERE last_serial < ${limits.serial}`,
    );
  }

  /**
   * Names that zones have left, and those that were seen elsewhere, go on beyond their last serials. The
   * zones that are there take steps of their own, which begin beyond what is left here for their names.
   */
  apply({ epoch, jump, serials, catalogSerial, counters }: ServiceRecovered): void {
    setEpoch(this.#connection, epoch);
    this.#moveOn.run(jump);
    for (const { name, serial } of serials) this.#see.run(name, serialBeyond(serial) ?? serial);
    this.#catalog.moveOn(catalogSerial);
    for (const [name, value] of Object.entries(counters)) {
      this.#counters.raise(name as StoredCounter, value);
    }
  }
}

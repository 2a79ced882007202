/** What was fetched from us: the latest transfer per zone and client address. Outside replay. */
import type { Connection, Statement } from '../journal/database.ts';

export interface TransferEntry {
  readonly zoneName: string;
  /** Client address without port. */
  readonly address: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly kind: 'axfr' | 'ixfr';
  readonly result: 'ok' | 'refused' | 'failed';
  /** True for an IXFR answered as a delta. */
  readonly incremental: boolean;
  readonly serial: number | null;
  readonly error: string | null;
}

/** Entries kept in memory before they are written; a crash loses at most these. */
const bufferedEntries = 1000;

export class TransferLog {
  readonly #connection: Connection;
  readonly #settle: () => void;
  readonly #put: Statement;
  readonly #pending = new Map<string, TransferEntry>();

  /** `settle` is called before writing: whoever else writes has to be done. */
  constructor(connection: Connection, settle: () => void = () => {}) {
    this.#connection = connection;
    this.#settle = settle;
    this.#put = connection.prepare(
      `INSERT INTO transfer (zone_name, address, at, kind, result, incremental, serial, error)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET at = excluded.at, kind = excluded.kind, result = excluded.result,
        incremental = excluded.incremental, serial = excluded.serial, error = excluded.error`,
    );
  }

  /** Keeps an entry; it is written with the next flush. */
  record(entry: TransferEntry): void {
    this.#pending.set(`${entry.zoneName} ${entry.address}`, entry);
    if (this.#pending.size >= bufferedEntries) this.flush();
  }

  /** Writes what was kept. Called now and then, before reads of the log, and at the end. */
  flush(): void {
    if (this.#pending.size === 0) return;
    this.#settle();
    if (this.#connection.inTransaction) return;
    const entries = [...this.#pending.values()];
    this.#pending.clear();
    this.#connection.transaction(() => {
      for (const entry of entries) {
        const { zoneName, address, at, kind, result, incremental, serial, error } = entry;
        this.#put.run(zoneName, address, at, kind, result, incremental ? 1 : 0, serial, error);
      }
    })();
  }
}

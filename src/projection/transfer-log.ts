/** What was fetched from us: the latest transfer per zone and client address. Outside replay. */
import { limits } from '../base/limits.ts';
import type { Connection, Statement } from '../journal/database.ts';
import { type SideWrites, sideWrites } from '../journal/side-writes.ts';

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
  readonly #writes: SideWrites;
  readonly #put: Statement;
  readonly #pending = new Map<string, TransferEntry>();

  constructor(connection: Connection, writes: SideWrites = sideWrites(connection)) {
    this.#writes = writes;
    this.#put = connection.prepare(
      `INSERT INTO transfer (zone_name, address, at, kind, result, incremental, serial, error)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET at = excluded.at, kind = excluded.kind, result = excluded.result,
        incremental = excluded.incremental, serial = excluded.serial, error = excluded.error`,
    );
  }

  /** Keeps an entry; it is written with the next flush. */
  record(entry: TransferEntry): void {
    const key = `${entry.zoneName} ${entry.address}`;
    // The latest stands last.
    this.#pending.delete(key);
    this.#pending.set(key, entry);
    if (this.#pending.size % bufferedEntries === 0) this.flush();
    if (this.#pending.size <= limits.transfersNoted) return;
    const [oldest] = this.#pending.keys();
    this.#pending.delete(oldest!);
  }

  /** Writes what was kept, when it can be. Called now and then, before reads of the log, and at the end. */
  flush(): void {
    if (this.#pending.size === 0) return;
    const isWritten = this.#writes.run(() => {
      for (const entry of this.#pending.values()) {
        const { zoneName, address, at, kind, result, incremental, serial, error } = entry;
        this.#put.run(zoneName, address, at, kind, result, incremental ? 1 : 0, serial, error);
      }
    });
    if (isWritten) this.#pending.clear();
  }
}

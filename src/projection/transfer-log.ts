/** What was fetched from us: the latest transfer per zone and client address. Outside replay. */
import { limits } from '../base/limits.ts';
import { Problem } from '../base/problem.ts';
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

/** Entries after which they are written without waiting for the next flush; those of one commit. */
const bufferedEntries = 1000;

export class TransferLog {
  readonly #write: (entries: readonly TransferEntry[]) => Promise<unknown>;
  readonly #pending = new Map<string, TransferEntry>();

  /** `write` has them stored; it rejects with a Problem when that can not be done now. */
  constructor(write: (entries: readonly TransferEntry[]) => Promise<unknown>) {
    this.#write = write;
  }

  /** Keeps an entry; it is written with the next flush. A crash loses those that are not. */
  record(entry: TransferEntry): void {
    const key = keyOf(entry);
    // The latest stands last.
    this.#pending.delete(key);
    this.#pending.set(key, entry);
    if (this.#pending.size % bufferedEntries === 0) void this.flush();
    if (this.#pending.size <= limits.transfersNoted) return;
    const [oldest] = this.#pending.keys();
    this.#pending.delete(oldest!);
  }

  /** Writes what was kept, when it can be. Called now and then, before reads of the log, and at the end. */
  async flush(): Promise<void> {
    const entries = [...this.#pending.values()];
    for (let start = 0; start < entries.length; start += bufferedEntries) {
      const some = entries.slice(start, start + bufferedEntries);
      try {
        await this.#write(some);
      } catch (error) {
        if (error instanceof Problem) return;
        throw error;
      }
      for (const entry of some) {
        if (this.#pending.get(keyOf(entry)) === entry) this.#pending.delete(keyOf(entry));
      }
    }
  }
}

function keyOf({ zoneName, address }: TransferEntry): string {
  return `${zoneName} ${address}`;
}

/** The table, for the one who writes it. */
export class TransferStore {
  readonly #put: Statement;

  constructor(connection: Connection) {
    this.#put = connection.prepare(
      `INSERT INTO transfer (zone_name, address, at, kind, result, incremental, serial, error)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET at = excluded.at, kind = excluded.kind, result = excluded.result,
        incremental = excluded.incremental, serial = excluded.serial, error = excluded.error`,
    );
  }

  put(entries: readonly TransferEntry[]): void {
    for (const { zoneName, address, at, kind, result, incremental, serial, error } of entries) {
      this.#put.run(zoneName, address, at, kind, result, incremental ? 1 : 0, serial, error);
    }
  }
}

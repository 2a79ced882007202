/**
 * What was fetched from us: the latest transfer per zone and client address. What is not written yet is read from
 * memory: no read waits for a write. Outside replay.
 */
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

/** Entries after which a flush should come; those of one commit. */
const bufferedEntries = 1000;

export class TransferLog {
  readonly #write: (entries: readonly TransferEntry[]) => Promise<unknown>;
  readonly #pending = new Map<string, TransferEntry>();

  readonly #isMuch: () => void;

  /**
   * `write` has entries stored; it rejects with a Problem when that can not be done now. `isMuch` is called when a
   * flush should not wait any longer.
   */
  constructor(
    write: (entries: readonly TransferEntry[]) => Promise<unknown>,
    isMuch: () => void = () => {},
  ) {
    this.#write = write;
    this.#isMuch = isMuch;
  }

  /** Keeps an entry; it is written with the next flush. A crash loses those that are not. */
  record(entry: TransferEntry): void {
    const key = keyOf(entry);
    // The latest stands last.
    const isNew = !this.#pending.delete(key);
    this.#pending.set(key, entry);
    if (isNew && this.#pending.size % bufferedEntries === 0) this.#isMuch();
    if (this.#pending.size <= limits.transfersNoted) return;
    const [oldest] = this.#pending.keys();
    this.#pending.delete(oldest!);
  }

  /** What is not written yet, the latest last. */
  buffered(): Iterable<TransferEntry> {
    return this.#pending.values();
  }

  /** Writes what was kept, when it can be. Called now and then, and at the end. */
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

export function keyOf({ zoneName, address }: Pick<TransferEntry, 'zoneName' | 'address'>): string {
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

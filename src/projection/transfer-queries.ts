/** Reads of the transfer log: what the addresses of a secondary fetched, and how that went. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Connection, Statement } from '../journal/database.ts';
import { keyOf, type TransferEntry, type TransferLog } from './transfer-log.ts';

export interface TransferFilter {
  /** Of the clients, without ports. */
  readonly addresses: readonly string[];
  readonly zoneName?: string | undefined;
}

/** Each zone counted once, by its latest transfer. */
export interface TransferSummary {
  readonly zones: number;
  readonly axfr: number;
  readonly ixfrFull: number;
  readonly ixfrDelta: number;
  readonly refused: number;
  readonly failed: number;
}

export const noTransfers: TransferSummary = {
  zones: 0,
  axfr: 0,
  ixfrFull: 0,
  ixfrDelta: 0,
  refused: 0,
  failed: 0,
};

/** Rows read in one turn of the event loop. */
const rowsPerTurn = 2000;

type Row = Omit<TransferEntry, 'incremental'> & { readonly incremental: number };

const columns = 'zone_name AS zoneName, address, at, kind, result, incremental, serial, error';
/** Addresses go in as one JSON array; an absent zone name lets all through. */
const addressIn = 'address IN (SELECT value FROM json_each(@addresses))';

export class TransferQueries {
  readonly #log: Pick<TransferLog, 'buffered'>;
  readonly #newest: Statement;
  readonly #ofZone: Statement;
  readonly #byZone: Statement;

  constructor(connection: Connection, log: Pick<TransferLog, 'buffered'>) {
    this.#log = log;
    this.#newest = connection.prepare(
      `SELECT ${columns} FROM transfer WHERE ${addressIn} ORDER BY at DESC, zone_name LIMIT @limit`,
    );
    this.#ofZone = connection.prepare(
      `SELECT ${columns} FROM transfer WHERE zone_name = @zoneName AND ${addressIn}
       ORDER BY at DESC, address LIMIT @limit`,
    );
    this.#byZone = connection.prepare(
      `SELECT ${columns} FROM transfer
       WHERE (zone_name, address) > (@zoneName, @address) AND ${addressIn}
       ORDER BY zone_name, address LIMIT ${rowsPerTurn}`,
    );
  }

  /** Newest first. */
  list(filter: TransferFilter, limit: number): readonly TransferEntry[] {
    const { addresses, zoneName } = filter;
    const buffered = this.#buffered(filter);
    const given = { addresses: JSON.stringify(addresses), limit: limit + buffered.size };
    const rows =
      zoneName === undefined ? this.#newest.all(given) : this.#ofZone.all({ ...given, zoneName });
    const stored = (rows as Row[]).filter((row) => !buffered.has(keyOf(row))).map(entryOf);
    return [...buffered.values(), ...stored].sort(newestFirst).slice(0, limit);
  }

  /** The latest of a zone, by whichever address. */
  latest(addresses: readonly string[], zoneName: string): TransferEntry | undefined {
    return this.list({ addresses, zoneName }, 1)[0];
  }

  /** What replaces rows of the table, or is not in it yet. */
  #buffered({ addresses, zoneName }: TransferFilter): Map<string, TransferEntry> {
    const buffered = new Map<string, TransferEntry>();
    for (const entry of this.#log.buffered()) {
      const isOfZone = zoneName === undefined || entry.zoneName === zoneName;
      if (isOfZone && addresses.includes(entry.address)) buffered.set(keyOf(entry), entry);
    }
    return buffered;
  }

  /** Reads in slices: a secondary may have fetched very many zones. */
  async summary(filter: TransferFilter): Promise<TransferSummary> {
    const { addresses, zoneName } = filter;
    if (zoneName !== undefined) {
      const latest = this.latest(addresses, zoneName);
      return latest === undefined ? noTransfers : counted(noTransfers, latest);
    }
    const buffered = this.#buffered(filter);
    const bufferedOfZone = new Map<string, TransferEntry>();
    for (const entry of buffered.values()) {
      bufferedOfZone.set(entry.zoneName, later(bufferedOfZone.get(entry.zoneName), entry));
    }
    let summary = noTransfers;
    let latest: TransferEntry | undefined;
    let last = { zoneName: '', address: '' };
    const given = { addresses: JSON.stringify(addresses) };
    for (;;) {
      const rows = this.#byZone.all({ ...given, ...last }) as Row[];
      for (const entry of rows.map(entryOf)) {
        if (latest !== undefined && latest.zoneName !== entry.zoneName) {
          summary = counted(summary, latest);
          latest = undefined;
        }
        latest ??= bufferedOfZone.get(entry.zoneName);
        bufferedOfZone.delete(entry.zoneName);
        if (!buffered.has(keyOf(entry))) latest = later(latest, entry);
      }
      const end = rows.at(-1);
      if (end === undefined || rows.length < rowsPerTurn) break;
      last = { zoneName: end.zoneName, address: end.address };
      await nextTurn();
    }
    if (latest !== undefined) summary = counted(summary, latest);
    for (const entry of bufferedOfZone.values()) summary = counted(summary, entry);
    return summary;
  }
}

function later(one: TransferEntry | undefined, other: TransferEntry): TransferEntry {
  return one === undefined || other.at >= one.at ? other : one;
}

function newestFirst(one: TransferEntry, other: TransferEntry): number {
  if (one.at !== other.at) return other.at - one.at;
  return keyOf(one) < keyOf(other) ? -1 : 1;
}

function entryOf(row: Row): TransferEntry {
  return { ...row, incremental: row.incremental === 1 };
}

function counted(summary: TransferSummary, entry: TransferEntry): TransferSummary {
  const field = fieldOf(entry);
  return { ...summary, zones: summary.zones + 1, [field]: summary[field] + 1 };
}

function fieldOf({
  kind,
  result,
  incremental,
}: TransferEntry): Exclude<keyof TransferSummary, 'zones'> {
  if (result !== 'ok') return result;
  if (kind === 'axfr') return 'axfr';
  return incremental ? 'ixfrDelta' : 'ixfrFull';
}

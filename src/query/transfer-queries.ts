/** Reads of the transfer log: what the addresses of a secondary fetched, and how that went. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { and, desc, eq, gt, max } from 'drizzle-orm';
import type { Connection } from '../journal/database.ts';
import { keyOf, type TransferEntry, type TransferLog } from '../projection/activity-log.ts';
import { transfer } from '../projection/schema.ts';
import { among, type Tables, tablesOf, within } from '../projection/tables.ts';

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

/** Zones counted in one turn of the event loop. */
const zonesPerTurn = 2000;

export class TransferQueries {
  readonly #log: Pick<TransferLog, 'buffered' | 'measured'>;
  readonly #tables: Tables;

  constructor(connection: Connection, log: Pick<TransferLog, 'buffered' | 'measured'>) {
    this.#log = log;
    this.#tables = tablesOf(connection);
  }

  /** Newest first. */
  list(filter: TransferFilter, limit: number): readonly TransferEntry[] {
    const { addresses, zoneName } = filter;
    const buffered = this.#buffered(filter);
    const [only, ...others] = addresses;
    // Of one address the latest is found by the index, however much it transferred.
    const ofAddress =
      others.length === 0 ? eq(transfer.address, only ?? '') : among(transfer.address, addresses);
    const stored = this.#tables
      .select()
      .from(transfer)
      .where(and(within(transfer.zoneName, zoneName), ofAddress))
      .orderBy(desc(transfer.at), transfer.zoneName, transfer.address)
      .limit(limit + buffered.size)
      .all();
    const rest = stored.filter((entry) => !buffered.has(keyOf(entry)));
    const all: (TransferEntry | (typeof rest)[number])[] = [...buffered.values(), ...rest];
    return all
      .sort(newestFirst)
      .slice(0, limit)
      .map((entry) => ('bytes' in entry ? entry : this.#log.measured(entry)));
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

  /** The latest of a zone, or of any, by whichever address. */
  latest(addresses: readonly string[], zoneName?: string): TransferEntry | undefined {
    return this.list({ addresses, zoneName }, 1)[0];
  }

  /** Reads in slices: a secondary may have fetched very many zones. */
  async summary(filter: TransferFilter): Promise<TransferSummary> {
    const { addresses, zoneName } = filter;
    if (zoneName !== undefined) {
      const latest = this.latest(addresses, zoneName);
      return latest === undefined ? noTransfers : counted(noTransfers, latest);
    }
    const buffered = new Map<string, TransferEntry>();
    for (const entry of this.#buffered(filter).values()) {
      const other = buffered.get(entry.zoneName);
      if (other === undefined || entry.at >= other.at) buffered.set(entry.zoneName, entry);
    }
    let summary = noTransfers;
    let last = '';
    for (;;) {
      const zones = this.#latestAfter(last, addresses);
      for (const stored of zones) {
        const later = buffered.get(stored.zoneName);
        buffered.delete(stored.zoneName);
        summary = counted(summary, later !== undefined && later.at >= stored.at! ? later : stored);
      }
      const end = zones.at(-1);
      if (end === undefined || zones.length < zonesPerTurn) break;
      last = end.zoneName;
      await nextTurn();
    }
    return [...buffered.values()].reduce(counted, summary);
  }

  /** The latest transfer of each zone: SQLite takes the other columns from the row that has the maximum. */
  #latestAfter(lastZone: string, addresses: readonly string[]) {
    const { zoneName, address, at, kind, result, incremental } = transfer;
    return this.#tables
      .select({ zoneName, kind, result, incremental, at: max(at) })
      .from(transfer)
      .where(and(gt(zoneName, lastZone), among(address, addresses)))
      .groupBy(zoneName)
      .orderBy(zoneName)
      .limit(zonesPerTurn)
      .all();
  }
}

type Placed = Pick<TransferEntry, 'zoneName' | 'address' | 'at'>;

function newestFirst(one: Placed, other: Placed): number {
  if (one.at !== other.at) return other.at - one.at;
  return keyOf(one) < keyOf(other) ? -1 : 1;
}

type Outcome = Pick<TransferEntry, 'kind' | 'result' | 'incremental'>;

function counted(summary: TransferSummary, entry: Outcome): TransferSummary {
  const field = fieldOf(entry);
  return { ...summary, zones: summary.zones + 1, [field]: summary[field] + 1 };
}

function fieldOf({ kind, result, incremental }: Outcome): Exclude<keyof TransferSummary, 'zones'> {
  if (result !== 'ok') return result;
  if (kind === 'axfr') return 'axfr';
  return incremental ? 'ixfrDelta' : 'ixfrFull';
}

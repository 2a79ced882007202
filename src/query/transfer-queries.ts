/** Reads of the transfer log: what the addresses of a secondary fetched, and how that went. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { and, desc, gt, max } from 'drizzle-orm';
import type { Connection } from '../journal/database.ts';
import type { TransferEntry, TransferLog } from '../projection/activity-log.ts';
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
  readonly #log: Pick<TransferLog, 'flush'>;
  readonly #tables: Tables;

  constructor(connection: Connection, log: Pick<TransferLog, 'flush'>) {
    this.#log = log;
    this.#tables = tablesOf(connection);
  }

  /** Newest first. */
  async list(
    { addresses, zoneName }: TransferFilter,
    limit: number,
  ): Promise<readonly TransferEntry[]> {
    await this.#log.flush();
    return this.#tables
      .select()
      .from(transfer)
      .where(and(within(transfer.zoneName, zoneName), among(transfer.address, addresses)))
      .orderBy(desc(transfer.at), transfer.zoneName, transfer.address)
      .limit(limit)
      .all();
  }

  /** The latest of a zone, by whichever address. */
  async latest(addresses: readonly string[], zoneName: string): Promise<TransferEntry | undefined> {
    return (await this.list({ addresses, zoneName }, 1))[0];
  }

  /** Reads in slices: a secondary may have fetched very many zones. */
  async summary({ addresses, zoneName }: TransferFilter): Promise<TransferSummary> {
    if (zoneName !== undefined) {
      const latest = await this.latest(addresses, zoneName);
      return latest === undefined ? noTransfers : counted(noTransfers, latest);
    }
    await this.#log.flush();
    let summary = noTransfers;
    let last = '';
    for (;;) {
      const zones = this.#latestAfter(last, addresses);
      summary = zones.reduce(counted, summary);
      const end = zones.at(-1);
      if (end === undefined || zones.length < zonesPerTurn) return summary;
      last = end.zoneName;
      await nextTurn();
    }
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

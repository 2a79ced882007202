/** The records that a caller may read, and what they were. */
import { requireOnRecord } from '../../domain/access/require.ts';
import type { Rights } from '../../domain/access/rights.ts';
import { noRecord } from '../../domain/access/visibility.ts';
import type { HistoryEntry } from '../../projection/history-queries.ts';
import type { Listed, Page } from '../../projection/page.ts';
import type { FoundRecord, RecordFilter, RecordSort } from '../../projection/record-queries.ts';
import type { Stored } from '../services.ts';

export class RecordView {
  readonly #stored: Pick<Stored, 'records' | 'versions'>;
  readonly #rights: Rights;

  constructor(stored: Pick<Stored, 'records' | 'versions'>, rights: Rights) {
    this.#stored = stored;
    this.#rights = rights;
  }

  /** Row by row; a filter only narrows what may be read. */
  list(
    filter: RecordFilter,
    sort: RecordSort,
    page: Page,
  ): Listed<FoundRecord> | Promise<Listed<FoundRecord>> {
    return this.#stored.records.list(this.#rights, filter, sort, page);
  }

  /** The record of an id: missing when no record grant reaches it, whichever action that is for. */
  seen(id: number): FoundRecord {
    const { zone, record } = this.#stored.records.byId(id) ?? {};
    if (!zone || !record || !this.#rights.seesRecord(zone.id, record.owner, record.type)) {
      throw noRecord(id);
    }
    return { zone, record };
  }

  /** The same, FORBIDDEN when no grant lets it be read. */
  get(id: number): FoundRecord {
    const { zone, record } = this.seen(id);
    requireOnRecord(this.#rights, 'record:read', zone, record.owner, record.type);
    return { zone, record };
  }

  /**
   * What a record was, also one that was deleted since; found and refused as it is now or was last. States with
   * an owner or a type that the caller may not read are left out.
   */
  async historyOf(id: number, page: Page): Promise<Listed<HistoryEntry>> {
    const { versions } = this.#stored;
    const found = await versions.recordEver(this.#rights, id);
    if (found === undefined) throw noRecord(id);
    const { zone, owner, type } = found;
    requireOnRecord(this.#rights, 'record:read', zone, owner, type);
    return versions.history(this.#rights, zone, { recordId: id }, page);
  }
}

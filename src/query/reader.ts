/**
 * Reads for the doors: short ones at once on the connection of the service, long ones in a worker.
 */

import { withBuffers } from '../base/message-bytes.ts';
import type { Rights } from '../domain/access/rights.ts';
import type { NodeVersion } from '../domain/command.ts';
import type { NodeChange } from '../domain/diff.ts';
import type { StoredExternalRecord } from '../domain/external-dns.ts';
import type { Zone, ZoneSettings } from '../domain/zone.ts';
import type { WorkerPool } from '../base/worker-pool.ts';
import type { Connection } from '../journal/database.ts';
import type { ExternalDnsQueries } from './external-dns-queries.ts';
import type { EventFilter, EventPage, SeenEvent, SeenEvents } from './event-queries.ts';
import type { EverRecord, HistoryEntry, HistoryFilter } from './history-queries.ts';
import type { Listed, Page } from '../projection/tables.ts';
import { LongReading } from './long-reading.ts';
import { longReads, type Reads } from './long-reads.ts';
import type { FoundRecord, RecordFilter, RecordQueries, RecordSort } from './record-queries.ts';
import type { SignatureFacts, SignatureQuestion } from './signature-scan.ts';
import type { VersionFilter, VersionQueries, ZoneVersion } from './version-queries.ts';

/** Records, or steps, that are looked at without leaving this thread: about 5 ms. */
const lookedAtHere = 10_000;
/** Steps of a zone that are looked at here: each is a read of its own. */
const stepsHere = 300;

export class Reader {
  readonly #records: RecordQueries;
  readonly #versions: VersionQueries;
  readonly #externalDns: ExternalDnsQueries;
  readonly #here: Reads;
  readonly #thread: LongReading;

  constructor(workers: Pick<WorkerPool, 'open'>, connection: Connection) {
    const { records, versions, externalDns, reads } = longReads(connection);
    this.#records = records;
    this.#versions = versions;
    this.#externalDns = externalDns;
    this.#here = reads;
    this.#thread = new LongReading(workers);
  }

  byId(id: number): FoundRecord | undefined {
    return this.#records.byId(id);
  }

  list(
    rights: Rights,
    filter: RecordFilter,
    sort: RecordSort,
    page: Page,
  ): Listed<FoundRecord> | Promise<Listed<FoundRecord>> {
    if (this.#records.cost(rights, filter, sort, page) <= lookedAtHere) {
      return this.#records.list(rights, filter, sort, page);
    }
    return this.#thread.read('listRecords', rights.message(), filter, sort, page).then(withBuffers);
  }

  /** Earlier states of zones. */
  readonly versions = {
    list: (zone: Zone, filter: VersionFilter, page: Page): Listed<ZoneVersion> =>
      this.#versions.list(zone, filter, page),

    get: (zone: Zone, serial: number): ZoneVersion | undefined => this.#versions.get(zone, serial),

    serialAt: (zone: Zone, timeMs: number): number | undefined =>
      this.#versions.serialAt(zone, timeMs),

    recordsText: (zone: Zone, serial: number): AsyncIterable<Uint8Array> =>
      this.#textAt(zone, serial),

    changedNodes: (zone: Zone, from: number, to: number): AsyncIterable<readonly NodeChange[]> =>
      this.#changedNodes(zone, from, to),

    forRollback: (
      zone: Zone,
      targetSerial: number,
      most: number,
    ): Promise<RollbackReading | undefined> => this.#forRollback(zone, targetSerial, most),

    history: async (
      rights: Rights,
      zone: Zone,
      filter: HistoryFilter,
      page: Page,
    ): Promise<Listed<HistoryEntry>> => {
      const sent = rights.message();
      if (this.#isShort(zone, zone.historyFromSerial))
        return this.#here.history(sent, zone, filter, page);
      return withBuffers(await this.#thread.read('history', sent, zone, filter, page));
    },

    recordEver: (rights: Rights, id: number): Promise<EverRecord | undefined> =>
      this.#thread.read('recordEver', rights.message(), id),
  };

  /** Events of the journal. */
  readonly events = {
    page: async (rights: Rights, filter: EventFilter, page: EventPage): Promise<SeenEvents> =>
      withBuffers(await this.#thread.read('events', rights.message(), filter, page)),

    get: async (rights: Rights, seq: number): Promise<SeenEvent | undefined> => {
      const found = await this.#thread.read('event', rights.message(), seq);
      return found && withBuffers(found);
    },
  };

  /** A zone as a master file, of its state when the first piece is asked for. */
  exportText(
    zone: Zone,
    what: { readonly serial: number | undefined; readonly signed: boolean },
  ): AsyncIterable<string> {
    return this.#thread.stream('exportText', zone, what.serial, what.signed);
  }

  /** What the signatures of a zone come to. */
  async signatures(zone: Zone, question: SignatureQuestion): Promise<SignatureFacts> {
    const isShort = zone.recordCount + zone.derivedCount <= lookedAtHere && !question.withGone;
    return isShort
      ? this.#here.signatures(zone.id, question)
      : this.#thread.read('signatures', zone.id, question);
  }

  /** What an external DNS controller may manage. */
  readonly externalDns = {
    domains: async (rights: Rights): Promise<readonly string[]> =>
      this.#externalDns.cost() <= lookedAtHere
        ? this.#externalDns.domains(rights)
        : this.#thread.read('externalDomains', rights.message()),

    records: (rights: Rights): AsyncIterable<readonly StoredExternalRecord[]> =>
      this.#externalRecords(rights),
  };

  async *#externalRecords(rights: Rights): AsyncGenerator<readonly StoredExternalRecord[]> {
    // In one go, so that all parts are of one state.
    if (this.#externalDns.cost() <= lookedAtHere) yield* [...this.#externalDns.records(rights)];
    else yield* this.#thread.stream('externalRecords', rights.message());
  }

  /** True when a zone and its steps since a serial are few enough to be read here. */
  #isShort(zone: Zone, serial: number): boolean {
    return zone.recordCount + zone.derivedCount < lookedAtHere && zone.serial - serial < stepsHere;
  }

  async *#textAt(zone: Zone, serial: number): AsyncGenerator<Uint8Array> {
    // In one go, so that all of it is of one state.
    if (this.#isShort(zone, serial)) yield* [...this.#versions.text(zone, serial)];
    else yield* this.#thread.stream('versionText', zone, serial);
  }

  async *#changedNodes(
    zone: Zone,
    from: number,
    to: number,
  ): AsyncGenerator<readonly NodeChange[]> {
    if (this.#isShort(zone, Math.min(from, to))) {
      yield [...this.#versions.changedNodes(zone, from, to)];
      return;
    }
    for await (const part of this.#thread.stream('changedNodes', zone, from, to)) {
      yield withBuffers(part);
    }
  }

  async #forRollback(
    zone: Zone,
    targetSerial: number,
    most: number,
  ): Promise<RollbackReading | undefined> {
    const settings = this.#versions.get(zone, targetSerial)?.settings;
    if (settings === undefined) return undefined;
    if (this.#isShort(zone, targetSerial)) {
      const here = this.#here.nodesThen(zone, targetSerial, most);
      return here && { ...here, settings };
    }
    const then = await this.#thread.read('nodesThen', zone, targetSerial, most);
    return then && { ...withBuffers(then), settings };
  }
}

/** What a rollback needs to know, read from one state of the zone. */
export interface RollbackReading {
  /** The serial of the zone when it was read. */
  readonly atSerial: number;
  /** Of the target version. */
  readonly settings: ZoneSettings;
  /** Owners whose records differ between then and now, as they were then; undefined when too many do. */
  readonly nodes: readonly NodeVersion[] | undefined;
}

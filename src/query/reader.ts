/**
 * Reads for the listeners: short ones at once on the connection of the service, long ones in a worker.
 */

import { withBuffers } from '../base/message-bytes.ts';
import type { Moment } from '../contract/fields.ts';
import type { Rights } from '../domain/access/rights.ts';
import type { NodeChange } from '../domain/diff.ts';
import type { StoredExternalRecord } from '../domain/external-dns.ts';
import type { Zone, ZoneSettings } from '../domain/zone.ts';
import type { WorkerPool } from '../base/worker-pool.ts';
import type { Connection } from '../journal/database.ts';
import type { ActivityBucket, ActivityRange } from './activity-queries.ts';
import type { Blame, BlameFilter, BlamePage } from './blame-queries.ts';
import type { ExternalDnsQueries } from './external-dns-queries.ts';
import type { EventPart } from './event-diff.ts';
import type { EventPage, SeenEvents } from './event-queries.ts';
import type { EventFilter, SeenEvent } from './event-reader.ts';
import { EventTail, type Followed, type FollowRequest } from './event-tail.ts';
import type { EverRecord, HistoryEntry, HistoryFilter } from './history-queries.ts';
import type { Drift } from './drift-queries.ts';
import type { LintCounts, LintPage, LintPosition } from './lint-queries.ts';
import type { Listed, Page } from '../projection/page.ts';
import type { KeyRange } from './key-range.ts';
import { LongReading } from './long-reading.ts';
import { longReads, type RollbackNodes, type Reads } from './long-reads.ts';
import type { FoundRecord, RecordFilter, RecordQueries, RecordSort } from './record-queries.ts';
import type { IndexReach, SearchPage, SearchPosition, SearchQuestion } from './search-queries.ts';
import type { SignatureFacts, SignatureQuestion } from './signature-scan.ts';
import type { ZoneTag } from './tag-queries.ts';
import type { VersionFilter, VersionQueries, ZoneVersion } from './version-queries.ts';
import type { Deletion } from './zone-events.ts';
import type { RollbackTarget } from './rollback-target.ts';
import type { VersionPage, WantedPart } from './version-page.ts';

/** Records, or steps, that are looked at without leaving this thread: about 5 ms. */
const lookedAtHere = 10_000;
/** Steps of a zone that are looked at here: each is a read of its own. */
const stepsHere = 300;
/** Versions that are counted here: 1 ms. */
const versionsCountedHere = 20_000;

export class Reader {
  readonly #records: RecordQueries;
  readonly #versions: VersionQueries;
  readonly #externalDns: ExternalDnsQueries;
  readonly #here: Reads;
  readonly #thread: LongReading;
  readonly tail: EventTail;

  constructor(workers: Pick<WorkerPool, 'open'>, connection: Connection) {
    const { records, versions, externalDns, reads } = longReads(connection);
    this.#records = records;
    this.#versions = versions;
    this.#externalDns = externalDns;
    this.#here = reads;
    this.#thread = new LongReading(workers);
    this.tail = new EventTail(workers, connection);
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

  /** The same of a zone as it was at a serial. */
  async listThen(
    rights: Rights,
    then: { readonly zone: Zone; readonly serial: number },
    filter: RecordFilter,
    sort: RecordSort,
    page: Page,
  ): Promise<Listed<FoundRecord>> {
    const asked = [rights.message(), then, filter, sort, page] as const;
    const listed = this.#isShort(then.zone, then.serial)
      ? this.#here.recordsThen(...asked)
      : withBuffers(await this.#thread.read('recordsThen', ...asked));
    return { ...listed, items: listed.items.map((record) => ({ zone: then.zone, record })) };
  }

  /** Earlier states of zones. */
  readonly versions = {
    list: async (zone: Zone, filter: VersionFilter, page: Page): Promise<Listed<ZoneVersion>> =>
      zone.serial - zone.historyFromSerial <= versionsCountedHere
        ? this.#versions.list(zone, filter, page)
        : this.#thread.read('versionList', zone, filter, page),

    get: (zone: Zone, serial: number): ZoneVersion | undefined => this.#versions.get(zone, serial),

    serialOf: (zone: Zone, moment: Moment): number | undefined =>
      this.#versions.serialOf(zone, moment),

    tags: (zone: Zone): readonly ZoneTag[] => this.#versions.tags(zone),

    recordsText: (zone: Zone, serial: number): AsyncIterable<Uint8Array> =>
      this.#textAt(zone, serial),

    page: async (zone: Zone, serial: number, part: WantedPart): Promise<VersionPage> =>
      this.#isShort(zone, serial)
        ? this.#here.versionPage(zone, serial, part)
        : withBuffers(await this.#thread.read('versionPage', zone, serial, part)),

    changedNodes: (
      zone: Zone,
      from: number,
      to: number,
      within: KeyRange,
    ): AsyncIterable<readonly NodeChange[]> => this.#changedNodes(zone, from, to, within),

    forRollback: (
      zone: Zone,
      target: RollbackTarget,
      most: number,
    ): Promise<RollbackReading | undefined> => this.#forRollback(zone, target, most),

    /** The owners that differ, as they are now before and as they will be after. */
    rollbackNodes: (zone: Zone, target: RollbackTarget): AsyncIterable<readonly NodeChange[]> =>
      this.#rollbackNodes(zone, target),

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

    blame: async (
      rights: Rights,
      then: { readonly zone: Zone; readonly serial: number },
      filter: BlameFilter,
      page: BlamePage,
    ): Promise<Blame> =>
      withBuffers(await this.#thread.read('blame', rights.message(), then, filter, page)),

    activity: (zone: Zone, range: ActivityRange): Promise<readonly ActivityBucket[]> =>
      this.#thread.read('activity', zone.id, range),

    deletions: (zoneIds: readonly number[]): Promise<readonly Deletion[]> =>
      this.#thread.read('deletions', zoneIds),

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

    /** One with a page of what it changed. */
    part: async (rights: Rights, seq: number, part: WantedPart): Promise<EventPart | undefined> => {
      const found = await this.#thread.read('eventPart', rights.message(), seq, part);
      return found && withBuffers(found);
    },

    /** The number of the newest one. */
    last: (): number => this.tail.last(),

    follow: (request: FollowRequest): Followed => this.tail.follow(request),
  };

  /** What is probably a mistake, in a zone as a caller reads it, or counted in all of them. */
  readonly lint = {
    page: (
      rights: Rights,
      zone: Zone,
      after: LintPosition | null,
      limit: number,
    ): Promise<LintPage> => this.#thread.read('lint', rights.message(), zone, after, limit),

    counts: (from: LintCounts['next']): Promise<LintCounts> =>
      this.#thread.read('lintCounts', from),
  };

  /** What differs from what a team last desired of a zone, as a caller reads it. */
  drift(rights: Rights, zone: Zone, team: string): Promise<Drift> {
    return this.#thread.read('drift', rights.message(), zone, team);
  }

  /** Records by a part of their name or by their value, in all zones that a caller reads. */
  async search(
    rights: Rights,
    question: SearchQuestion,
    limit: number,
    after: SearchPosition | null,
  ): Promise<SearchPage & IndexReach> {
    return withBuffers(await this.#thread.read('search', rights.message(), question, limit, after));
  }

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
    within: KeyRange,
  ): AsyncGenerator<readonly NodeChange[]> {
    if (this.#isShort(zone, Math.min(from, to))) {
      yield [...this.#versions.changedNodes(zone, from, to, within)];
      return;
    }
    for await (const part of this.#thread.stream('changedNodes', zone, from, to, within)) {
      yield withBuffers(part);
    }
  }

  async *#rollbackNodes(zone: Zone, target: RollbackTarget): AsyncGenerator<readonly NodeChange[]> {
    for await (const part of this.#thread.stream('rollbackNodes', zone, target)) {
      yield withBuffers(part).map(({ owner, before, after }) => {
        return { owner, before: after, after: before };
      });
    }
  }

  async #forRollback(
    zone: Zone,
    target: RollbackTarget,
    most: number,
  ): Promise<RollbackReading | undefined> {
    const settings = this.#versions.get(zone, target.serial)?.settings;
    if (settings === undefined) return undefined;
    const around = target.isUndo ? this.#versions.settingsAround(zone, target.serial) : undefined;
    const settingsBefore = around?.before ?? undefined;
    if (this.#isShort(zone, target.serial)) {
      const here = this.#here.rollbackNodes(zone, target, most);
      return here && { ...here, settings, settingsBefore };
    }
    const then = await this.#thread.read('rollbackNodes', zone, target, most);
    return then && { ...withBuffers(then), settings, settingsBefore };
  }
}

/** What a rollback needs to know, read from one state of the zone. */
export interface RollbackReading extends RollbackNodes {
  /** Of the version, or as the change left them. */
  readonly settings: ZoneSettings;
  /** Before the change that is undone. */
  readonly settingsBefore: ZoneSettings | undefined;
}

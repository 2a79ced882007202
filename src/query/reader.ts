/**
 * Reads for the listeners: short ones at once on the connection of the service, long ones in a worker.
 */
import type { Moment } from '../contract/fields.ts';
import type { Rights } from '../domain/access/rights.ts';
import type { StoredExternalRecord } from '../domain/external-dns.ts';
import type { Zone, ZoneSettings } from '../domain/zone.ts';
import type { WorkerPool } from '../base/worker-pool.ts';
import type { Connection } from '../journal/database.ts';
import type { Listed, Page } from '../projection/page.ts';
import { asksForChanges } from './changed-rrsets.ts';
import type { StreamIds } from './event-ids.ts';
import { EventTail, type Followed, type FollowRequest } from './event-tail.ts';
import { LongReading } from './long-reading.ts';
import {
  longReads,
  type PartOf,
  type Reads,
  type RollbackNodes,
  type Streams,
} from './long-reads.ts';
import type { FoundRecord, RecordFilter, RecordSort } from './record-queries.ts';
import type { RollbackTarget } from './rollback-target.ts';
import type { SignatureFacts, SignatureQuestion } from './signature-scan.ts';

/** Records, or steps, that are looked at without leaving this thread: about 5 ms. */
const lookedAtHere = 10_000;
/** Steps of a zone that are looked at here: each is a read of its own. */
const changesHere = 300;
/** Versions that are counted here: 1 ms. */
const versionsCountedHere = 20_000;

export class Reader {
  readonly #here: ReturnType<typeof longReads>;
  readonly #thread: LongReading;
  readonly tail: EventTail;

  constructor(workers: Pick<WorkerPool, 'open'>, connection: Connection) {
    this.#here = longReads(connection);
    this.#thread = new LongReading(workers);
    this.tail = new EventTail(workers, connection);
  }

  byId(id: number): FoundRecord | undefined {
    return this.#here.records.byId(id);
  }

  list(...asked: Parameters<Reads['listRecords']>): Promise<Listed<FoundRecord>> {
    const isShort = this.#here.records.cost(...asked) <= lookedAtHere;
    return this.#read(isShort, 'listRecords', ...asked);
  }

  /** The same of a zone as it was at a serial. */
  async listThen(
    rights: Rights,
    then: { readonly zone: Zone; readonly serial: number },
    filter: RecordFilter,
    sort: RecordSort,
    page: Page,
  ): Promise<Listed<FoundRecord>> {
    const { zone, serial } = then;
    const isShort = this.#isShort(zone, serial) && !asksForChanges(filter);
    const listed = await this.#read(isShort, 'recordsThen', rights, then, filter, sort, page);
    return { ...listed, items: listed.items.map((record) => ({ zone, record })) };
  }

  /** Earlier states of zones. */
  readonly versions = {
    list: (...asked: Parameters<Reads['versionList']>) => {
      const [{ serial, historyFromSerial }] = asked;
      return this.#read(serial - historyFromSerial <= versionsCountedHere, 'versionList', ...asked);
    },

    get: (zone: Zone, serial: number) => this.#here.versions.get(zone, serial),

    serialOf: (zone: Zone, moment: Moment) => this.#here.versions.serialOf(zone, moment),

    tags: (zone: Zone) => this.#here.versions.tags(zone),

    recordsText: (zone: Zone, serial: number) =>
      this.#stream(this.#isShort(zone, serial), 'versionText', zone, serial),

    page: (...asked: Parameters<Reads['versionPage']>) => {
      const [zone, serial] = asked;
      return this.#read(this.#isShort(zone, serial), 'versionPage', ...asked);
    },

    changedNodes: (...asked: Parameters<Streams['changedNodes']>) => {
      const [zone, from, to] = asked;
      return this.#stream(this.#isShort(zone, Math.min(from, to)), 'changedNodes', ...asked);
    },

    forRollback: async (
      zone: Zone,
      target: RollbackTarget,
      max: number,
    ): Promise<RollbackReading | undefined> => {
      const { versions } = this.#here;
      const settings = versions.get(zone, target.serial)?.settings;
      if (settings === undefined) return undefined;
      const around = target.isUndo ? versions.settingsAround(zone, target.serial) : undefined;
      const isShort = this.#isShort(zone, target.serial);
      const nodes = await this.#read(isShort, 'rollbackNodes', zone, target, max);
      return nodes && { ...nodes, settings, settingsBefore: around?.before ?? undefined };
    },

    history: (...asked: Parameters<Reads['history']>) => {
      const [, zone] = asked;
      return this.#read(this.#isShort(zone, zone.historyFromSerial), 'history', ...asked);
    },

    blame: this.#inWorker('blame'),
    activity: this.#inWorker('activity'),
    /** What changes replaced that caches may still hold. */
    replacedAnswers: this.#inWorker('replacedAnswers'),
    deletions: this.#inWorker('deletions'),
    recordEver: this.#inWorker('recordEver'),
  };

  /** Events of the journal. */
  readonly events = {
    page: this.#inWorker('events'),
    get: this.#inWorker('event'),
    /** One with a page of what it changed. */
    part: this.#inWorker('eventPart'),
    /** The number of the newest one. */
    last: () => this.tail.last(),
    follow: (request: FollowRequest): Followed => this.tail.follow(request),
    ids: (): StreamIds => this.tail.ids,
  };

  /** What is probably a mistake, in a zone as a caller reads it, or counted in all of them. */
  readonly lint = { page: this.#inWorker('lint'), counts: this.#inWorker('lintCounts') };

  /** What differs from what a team last desired of a zone, as a caller reads it. */
  readonly drift = this.#inWorker('drift');

  /** Records by a part of their name or by their value, in all zones that a caller reads. */
  readonly search = this.#inWorker('search');

  /** A zone as a master file, of its state when the first piece is asked for. */
  exportText(
    zone: Zone,
    what: { readonly serial: number | undefined; readonly signed: boolean },
  ): AsyncIterable<string> {
    return this.#thread.stream('exportText', zone, what.serial, what.signed);
  }

  /** What the signatures of a zone come to. */
  signatures(zone: Zone, question: SignatureQuestion): Promise<SignatureFacts> {
    const isShort = zone.recordCount + zone.dnssecCount <= lookedAtHere && !question.withFormer;
    return this.#read(isShort, 'signatures', zone.id, question);
  }

  /** What an external DNS controller may manage. */
  readonly externalDns = {
    domains: (rights: Rights): Promise<readonly string[]> =>
      this.#read(this.#here.externalDns.cost() <= lookedAtHere, 'externalDomains', rights),

    records: (rights: Rights): AsyncIterable<readonly StoredExternalRecord[]> =>
      this.#stream(this.#here.externalDns.cost() <= lookedAtHere, 'externalRecords', rights),
  };

  /** A read by a worker, whatever it costs. */
  #inWorker<Name extends keyof Reads>(name: Name) {
    return (...asked: Parameters<Reads[Name]>) => this.#thread.read(name, ...asked);
  }

  async #read<Name extends keyof Reads>(
    isShort: boolean,
    name: Name,
    ...asked: Parameters<Reads[Name]>
  ): Promise<ReturnType<Reads[Name]>> {
    if (!isShort) return this.#thread.read(name, ...asked);
    const read = this.#here.reads[name] as (...args: typeof asked) => ReturnType<Reads[Name]>;
    return read(...asked);
  }

  async *#stream<Name extends keyof Streams>(
    isShort: boolean,
    name: Name,
    ...asked: Parameters<Streams[Name]>
  ): AsyncGenerator<PartOf<Name>, void, undefined> {
    if (!isShort) return yield* this.#thread.stream(name, ...asked);
    const stream = this.#here.streams[name] as (...args: typeof asked) => Iterable<PartOf<Name>>;
    // In one go, so that all parts are of one state.
    yield* [...stream(...asked)];
  }

  /** True when a zone and its steps since a serial are few enough to be read here. */
  #isShort(zone: Zone, serial: number): boolean {
    return zone.recordCount + zone.dnssecCount < lookedAtHere && zone.serial - serial < changesHere;
  }
}

/** What a rollback needs to know, read from one state of the zone. */
export interface RollbackReading extends RollbackNodes {
  /** Of the version, or as the change left them. */
  readonly settings: ZoneSettings;
  /** Before the change that is undone. */
  readonly settingsBefore: ZoneSettings | undefined;
}

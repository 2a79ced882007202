/**
 * Imports: a file or a transfer is read in a thread. What is small goes in by one command; what is large is
 * planned in the thread against the zone as it is, staged in small commits that no reader sees, and published
 * by one short command. When the zone has moved meanwhile, its changes wait while it is planned anew.
 */
import type { WorkerPool } from '../../base/worker-pool.ts';
import { parseAbsoluteName } from '../../dns/name.ts';
import { withBuffer } from '../../dns/record.ts';
import type { Rights } from '../../domain/access/rights.ts';
import type { ImportOutcome, RevertOutcome, RollbackOutcome } from '../../domain/command.ts';
import type { DiffEntry, RecordDiff } from '../../domain/diff.ts';
import type { StagedDelta } from '../../domain/event.ts';
import { faultOfEmptyFile } from '../../domain/decide-import.ts';
import { requireSoa } from '../../domain/imported-zone.ts';
import { parseServerAddress } from '../../domain/server-address.ts';
import { normaliseZoneName, noZone, parseZoneName, type Zone } from '../../domain/zone.ts';
import type { SubmitOptions } from '../../writer/submission.ts';
import type { OutboundPolicy } from '../../outbound/policy.ts';
import type { RollbackTarget } from '../../query/rollback-target.ts';
import { BulkInserts } from './bulk.ts';
import { fileReadOf, readContent } from './file-content.ts';
import { ImportThread } from './import-threads.ts';
import type {
  CompareJob,
  CompareReport,
  FileRead,
  FileReport,
  ImportSource,
  ReadJob,
} from './protocol.ts';
import { Places } from './places.ts';
import type {
  BulkRecords,
  DiffText,
  ImportRequest,
  ImportResult,
  Prepared,
  RevertRequest,
  RollbackRequest,
} from './requests.ts';
import { inStage, stagedDelta, type StagingServices, untilPublished } from './staged-change.ts';

export interface ImportServices extends StagingServices {
  /** What servers may be asked. */
  readonly outbound: Pick<OutboundPolicy, 'rules'>;
  readonly workers: Pick<WorkerPool, 'open' | 'expect'>;
}

export interface ImportOptions {
  /** Seconds for records of a new zone's file that says none. */
  readonly defaultTtl: number;
  /** Milliseconds without a byte after which a transfer is given up. */
  readonly transferTimeoutMs: number;
  readonly transferMaxRecords: number;
  /** Records up to which one command imports them: some 30 ms of the writer. */
  readonly smallRecords?: number;
}

interface PlannedTarget {
  readonly atSerial: number;
  readonly conflicts: readonly DiffEntry[];
  readonly staged: StagedDelta;
}

const smallRecords = 3000;
/** The same for a zone that is signed: each record comes with several signatures. */
const smallSignedRecords = 500;
/** Bytes of a file that is read without a thread: at most some 2,000 records. */
const shortContent = 64 * 1024;
/** Imports that are read or prepared at once; others wait their turn. */
const atOnce = 2;
/** Bytes of a file above which it is read alone: with its records it takes several times as much memory. */
const largeFile = 16 * 1024 * 1024;

export class Importer {
  readonly #services: ImportServices;
  #options: ImportOptions;
  readonly #bulk: BulkInserts;
  readonly #places = new Places(atOnce);

  constructor(services: ImportServices, options: ImportOptions) {
    this.#services = services;
    this.#options = options;
    this.#bulk = new BulkInserts(services);
  }

  /** Takes another TTL for the records of zones created from now on. */
  configure({ defaultTtl }: Pick<ImportOptions, 'defaultTtl'>): void {
    this.#options = { ...this.#options, defaultTtl };
  }

  /** Makes very many records of a zone; undefined when one command has to make them. */
  create(
    bulk: BulkRecords,
    rights: Rights,
    options: SubmitOptions,
  ): Promise<AsyncIterable<Uint8Array> | undefined> {
    return this.#bulk.run(bulk, rights, options);
  }

  /** A large file is coming in. */
  expect(): void {
    // One for the body that the file comes in, and one for the file.
    this.#services.workers.expect(2);
  }

  async run(request: ImportRequest): Promise<ImportResult> {
    const { content } = request;
    const here =
      content !== undefined && content.length <= shortContent
        ? await this.#runHere(request, content)
        : undefined;
    return here ?? this.#runApart(request);
  }

  /** The normalised name of a zone that is stored, or that can be made. */
  #nameOf({ zoneName, create }: ImportRequest): string {
    const name = normaliseZoneName(zoneName);
    if (this.#services.zones.byName(name) !== undefined) return name;
    if (create) return parseZoneName(zoneName);
    throw noZone(zoneName);
  }

  #sourceOf({ content, fromServer, tsigKey, reach }: ImportRequest): ImportSource {
    if (content !== undefined) return { kind: 'content', content };
    return {
      kind: 'server',
      server: parseServerAddress('from_server', fromServer ?? ''),
      timeoutMs: this.#options.transferTimeoutMs,
      maxRecords: this.#options.transferMaxRecords,
      tsigKey,
      outbound: this.#services.outbound.rules,
      reach,
    };
  }

  /** Imports a short file without a thread; undefined when it has to be staged all the same. */
  async #runHere(
    request: ImportRequest,
    content: string | Uint8Array,
  ): Promise<ImportResult | undefined> {
    const zoneName = this.#nameOf(request);
    const job = this.#readJob(request, zoneName);
    if (job.smallRecords === 0) return undefined;
    const file = readContent(content, { apex: parseAbsoluteName(zoneName), ...job });
    return this.#runSmall(request, zoneName, fileReadOf(file, file.records.count));
  }

  #readJob(request: ImportRequest, zoneName: string): ReadJob {
    const { mode, create, skipUnsupported, rights } = request;
    const zone = this.#services.zones.byName(zoneName);
    const most = this.smallStep(zone ?? { derivedCount: 0 });
    return {
      zoneName,
      source: this.#sourceOf(request),
      mode,
      create,
      skipUnsupported,
      defaultTtl: zone?.defaultTtl ?? this.#options.defaultTtl,
      smallRecords: mode === 'replace' && (zone?.recordCount ?? 0) > most ? 0 : most,
      rights: rights.message(),
    };
  }

  async #runApart(request: ImportRequest): Promise<ImportResult> {
    // The thread is kept until the diff is sent.
    const isLarge = (request.content?.length ?? 0) > largeFile;
    return this.#inThread(
      isLarge ? atOnce : 1,
      (thread) => this.#runIn(thread, { ...request, ...request.askAgain?.() }),
      ({ diff }) => 'summary' in diff,
    );
  }

  /**
   * Compares a zone with a file or with another zone. `requireRight` throws if whoever asks may not read them any
   * more when its turn comes.
   */
  compare(
    job: CompareJob,
    requireRight: () => void = () => {},
  ): Promise<CompareReport & { readonly diff: DiffText }> {
    const isLarge = (job.file?.length ?? 0) > largeFile;
    return this.#inThread(
      isLarge ? atOnce : 1,
      async (thread) => {
        requireRight();
        const report = await thread.compare(job);
        return { ...report, diff: { summary: report.summary, entries: thread.diff() } };
      },
      ({ errors }) => errors.length === 0,
    );
  }

  /** Records of a change of a zone up to which one command makes it. */
  smallStep({ derivedCount }: Pick<Zone, 'derivedCount'>): number {
    return this.#options.smallRecords ?? (derivedCount > 0 ? smallSignedRecords : smallRecords);
  }

  /** Takes a zone back to an earlier version, when that is too much for one command. */
  rollBack(request: RollbackRequest): Promise<Prepared<RollbackOutcome>> {
    const { zone, targetSerial, settings, scope } = request;
    const isPartial = scope !== undefined;
    const fields = { zoneName: zone.name, zoneId: zone.id, targetSerial, settings, isPartial };
    const target = { ...scope, serial: targetSerial, isUndo: false };
    return this.#goBack(request, target, ({ atSerial, staged }, options) =>
      this.#services.writer.submit(
        { kind: 'publish-rollback', ...fields, atSerial, staged },
        options,
      ),
    );
  }

  /** Undoes one change of a zone, when that is too much for one command. */
  revert(request: RevertRequest): Promise<Prepared<RevertOutcome>> {
    const { zone, target, settings } = request;
    const fields = { zoneName: zone.name, zoneId: zone.id, settings, nodes: [] };
    return this.#goBack(request, target, (planned, options) =>
      this.#services.writer.submit({ kind: 'revert-change', ...fields, ...planned }, options),
    );
  }

  #goBack<Outcome extends Pick<RollbackOutcome, 'moved' | 'warnings'>>(
    asked: Pick<RollbackRequest, 'zone' | 'rights' | 'rightsNow' | 'options'>,
    target: RollbackTarget,
    publish: (planned: PlannedTarget, options: SubmitOptions) => Promise<Outcome>,
  ): Promise<Prepared<Outcome>> {
    const { writer } = this.#services;
    const { zone, options, rightsNow = () => asked.rights } = asked;
    const { id: zoneId, name: zoneName } = zone;
    const { dryRun } = options;
    /** Plans and publishes once; undefined when the zone has moved in between. */
    const once = (thread: ImportThread, rights: Rights, heldName: string | undefined) =>
      inStage(writer, { zoneId, records: 0, dryRun }, async (stage) => {
        const job = { zoneName, zoneId, target, dryRun, rights: rights.message() };
        const planned = await thread.rollBack(job, stage.put);
        const { atSerial, warnings, conflicts, diffSummary: summary } = planned;
        // Ids are those of before: none is given out.
        const staged = stagedDelta(stage, planned, 0);
        const outcome = await publish({ atSerial, conflicts, staged }, { ...options, heldName });
        if (outcome.moved) return undefined;
        const diff = dryRun ? { summary, entries: thread.diff() } : undefined;
        return { ...outcome, warnings: [...outcome.warnings, ...warnings], diff };
      });
    return this.#inThread(
      1,
      (thread) => {
        const rights = rightsNow();
        return untilPublished(writer, { zoneName, dryRun }, (heldName) =>
          once(thread, rights, heldName),
        );
      },
      ({ diff }) => diff !== undefined,
    );
  }

  #inThread<Result>(
    places: number,
    work: (thread: ImportThread) => Promise<Result>,
    keepsThread: (result: Result) => boolean,
  ): Promise<Result> {
    return this.#places.during(places, async () => {
      const thread = new ImportThread(this.#services.workers);
      let isKept = false;
      try {
        const result = await work(thread);
        isKept = keepsThread(result);
        return result;
      } finally {
        if (!isKept) thread.end();
      }
    });
  }

  async #runIn(thread: ImportThread, request: ImportRequest): Promise<ImportResult> {
    const zoneName = this.#nameOf(request);
    const read = await thread.read(this.#readJob(request, zoneName));
    const here = { ...read, records: read.records?.map(withBuffer) };
    const small = await this.#runSmall(request, zoneName, here);
    if (small !== undefined) return small;
    const { dryRun } = request.options;
    return untilPublished(this.#services.writer, { zoneName, dryRun }, (heldName) => {
      const options = { ...request.options, heldName };
      return this.#attempt(thread, { ...request, options }, zoneName, read);
    });
  }

  /** What one command takes in; undefined when it is too much for that. */
  async #runSmall(
    { mode, create, readsCatalog, overrides, options }: ImportRequest,
    zoneName: string,
    { soa, report, records, withoutTtl }: FileRead,
  ): Promise<ImportResult | undefined> {
    if (report.errors.length > 0) return refused(report, report.errors);
    if (records === undefined) return undefined;
    const settings = create ? { create: soa ?? null, overrides } : {};
    const outcome = await this.#services.writer.submit(
      { kind: 'import-zone', zoneName, mode, readsCatalog, records, withoutTtl, soa, ...settings },
      options,
    );
    return resultOf(outcome, report, options.dryRun);
  }

  /** Plans and publishes once; undefined when the zone has moved in between. */
  async #attempt(
    thread: ImportThread,
    { mode, create, readsCatalog, overrides, options }: ImportRequest,
    zoneName: string,
    { soa, count, report }: FileRead,
  ): Promise<ImportResult | undefined> {
    const { writer, zones, clock } = this.#services;
    const zone = zones.byName(zoneName);
    if (zone === undefined && !create) {
      throw noZone(zoneName);
    }
    if (zone === undefined) requireSoa(soa, zoneName);
    // Asked before the whole zone is staged to be deleted; the law asks again.
    const empty = faultOfEmptyFile(mode, { records: count, hasSoa: soa !== undefined }, zone);
    if (empty !== undefined) return refused(report, [empty]);
    const { dryRun } = options;
    return inStage(writer, { zoneId: zone?.id, records: count, dryRun }, async (stage) => {
      const { zoneId, firstId } = stage;
      const planned = await thread.plan(
        { zoneId, isNew: zone === undefined, overrides, firstId, now: clock(), dryRun },
        stage.put,
      );
      // What was deleted before the plan looked at it is not made anew under its id.
      if (zone !== undefined && planned.atSerial === null) return undefined;
      // A plan that was made while the zone moved counts for nothing, what it finds wrong neither.
      const isSame = zones.byName(zoneName)?.serial === (planned.atSerial ?? undefined);
      if (planned.errors.length > 0) {
        return isSame ? refused(report, planned.errors) : undefined;
      }
      const { atSerial, greatestId } = planned;
      const outcome = await writer.submit(
        {
          kind: 'publish-import',
          zoneName,
          mode,
          isCreating: create,
          readsCatalog,
          file: soa ?? null,
          overrides,
          fileRecords: count,
          zoneId,
          atSerial,
          staged: stagedDelta(stage, planned, greatestId),
        },
        options,
      );
      if (outcome.moved) return undefined;
      if (outcome.errors.length > 0) return refused(report, outcome.errors);
      const { skipped, skippedCount } = report;
      return {
        applied: !dryRun,
        errors: [],
        skipped,
        summary: { ...planned.summary, skipped: skippedCount },
        newSerial: outcome.newSerial,
        diff: { summary: planned.diffSummary, entries: thread.diff() },
        warnings: [...outcome.warnings, ...planned.warnings],
      };
    });
  }
}

function refused(report: FileReport, errors: readonly string[]): ImportResult {
  const { parsed, skipped, skippedCount } = report;
  const none = { added: 0, deleted: 0, updated: 0, unchanged: 0 };
  return {
    applied: false,
    errors,
    skipped,
    summary: { parsed, ...none, skipped: skippedCount },
    newSerial: undefined,
    diff: { apex: '' as RecordDiff['apex'], entries: [] },
    warnings: [],
  };
}

function resultOf(outcome: ImportOutcome, report: FileReport, dryRun: boolean): ImportResult {
  const { errors, summary, newSerial, diff, warnings } = outcome;
  return {
    applied: !dryRun && errors.length === 0,
    errors,
    skipped: report.skipped,
    summary: { ...summary, skipped: report.skippedCount },
    newSerial,
    diff,
    warnings,
  };
}

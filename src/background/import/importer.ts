/**
 * Imports: a file or a transfer is read in a thread; a transfer before its turn, as it takes what time its server
 * likes. What is small goes in by one command; what is large is
 * planned in the thread against the zone as it is, staged in small commits that no reader sees, and published
 * by one short command. When the zone has moved meanwhile, its changes wait while it is planned anew.
 */
import { limits } from '../../base/limits.ts';
import type { WorkerPool } from '../../base/worker-pool.ts';
import { parseAbsoluteName } from '../../dns/name.ts';
import type { Rights } from '../../domain/access/rights.ts';
import type { RevertOutcome, RollbackOutcome } from '../../domain/command.ts';
import type { DiffEntry } from '../../domain/diff.ts';
import type { StagedDelta } from '../../domain/event.ts';
import { errorOfEmptyFile } from '../../domain/decide-import.ts';
import { requireSoa } from '../../domain/imported-zone.ts';
import { parseServerAddress } from '../../domain/server-address.ts';
import { normaliseZoneName, noZone, parseZoneName, type Zone } from '../../domain/zone.ts';
import type { SubmitOptions } from '../../writer/submission.ts';
import type { OutboundPolicy } from '../../outbound/policy.ts';
import type { RollbackTarget } from '../../query/rollback-target.ts';
import { BulkInserts } from './bulk.ts';
import { fileReadOf, readSource } from './read-file.ts';
import { refused, resultOf } from './import-result.ts';
import { type ImportThread, ImportThreads } from './import-threads.ts';
import type { CompareJob, CompareReport, FileRead, ImportSource, ReadJob } from './protocol.ts';
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
import { TransferRoom } from './transfer-room.ts';

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
  /** Of names and RDATA. */
  readonly transferMaxBytes: number;
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
const shortSourceBytes = 64 * 1024;

export class Importer {
  readonly #services: ImportServices;
  #options: ImportOptions;
  readonly #bulk: BulkInserts;
  readonly #threads: ImportThreads;
  readonly #transfers: TransferRoom;

  constructor(services: ImportServices, options: ImportOptions) {
    this.#services = services;
    this.#options = options;
    this.#bulk = new BulkInserts(services);
    this.#threads = new ImportThreads(services.workers);
    this.#transfers = new TransferRoom(options.transferMaxBytes);
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
    const { source } = request;
    if (source === undefined) return this.#runTransfer(request);
    const here =
      source.length <= shortSourceBytes ? await this.#runHere(request, source) : undefined;
    return here ?? this.#runInWorker(request, source.length);
  }

  /** The normalised name of a zone that is stored, or that can be made. */
  #nameOf({ zoneName, create }: ImportRequest): string {
    const name = normaliseZoneName(zoneName);
    if (this.#services.zones.byName(name) !== undefined) return name;
    if (create) return parseZoneName(zoneName);
    throw noZone(zoneName);
  }

  #sourceOf({ source, fromServer, tsigKey, reach }: ImportRequest): ImportSource {
    if (source !== undefined) return { kind: 'content', text: source };
    return {
      kind: 'server',
      server: parseServerAddress('from_server', fromServer ?? ''),
      timeoutMs: this.#options.transferTimeoutMs,
      totalMs: limits.importTransferMs,
      maxRecords: this.#options.transferMaxRecords,
      maxBytes: this.#options.transferMaxBytes,
      shareBytes: this.#transfers.shareBytes,
      tsigKey,
      outbound: this.#services.outbound.rules,
      reach,
    };
  }

  /** Imports a short file without a thread; undefined when it has to be staged all the same. */
  async #runHere(
    request: ImportRequest,
    source: string | Uint8Array,
  ): Promise<ImportResult | undefined> {
    const zoneName = this.#nameOf(request);
    const job = this.#readJob(request, zoneName);
    if (job.smallRecords === 0) return undefined;
    const file = readSource(source, { apex: parseAbsoluteName(zoneName), ...job });
    return this.#runSmall(request, zoneName, fileReadOf(file, file.records.count));
  }

  #readJob(request: ImportRequest, zoneName: string): ReadJob {
    const { mode, create, skipUnsupported } = request;
    const zone = this.#services.zones.byName(zoneName);
    const maxChanged = this.maxSmallChange(zone ?? { dnssecCount: 0 });
    return {
      zoneName,
      source: this.#sourceOf(request),
      mode,
      create,
      skipUnsupported,
      defaultTtl: zone?.defaultTtl ?? this.#options.defaultTtl,
      smallRecords: mode === 'replace' && (zone?.recordCount ?? 0) > maxChanged ? 0 : maxChanged,
    };
  }

  #runInWorker(request: ImportRequest, bytes: number): Promise<ImportResult> {
    return this.#threads.run(
      bytes,
      async (thread) => {
        const asked = askedAgain(request);
        const zoneName = this.#nameOf(asked);
        const read = await thread.read(this.#readJob(asked, zoneName));
        const small = await this.#runSmall(asked, zoneName, read);
        return small ?? this.#publish(thread, asked, zoneName, read);
      },
      keepsThread,
    );
  }

  /** The zone comes in before the import has its turn: a slow server holds up none but its caller. */
  #runTransfer(request: ImportRequest): Promise<ImportResult> {
    return this.#transfers.during(request.owner, (more) =>
      this.#threads.with(async (thread) => {
        const zoneName = this.#nameOf(request);
        const job = this.#readJob(request, zoneName);
        const read = await thread.transfer(job, more, request.ended);
        const small = await this.#runSmall(askedAgain(request), zoneName, read);
        if (small !== undefined) return small;
        return this.#threads.inTurn(0, () =>
          this.#publish(thread, askedAgain(request), zoneName, read),
        );
      }, keepsThread),
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
    return this.#threads.run(
      job.file?.length ?? 0,
      async (thread) => {
        requireRight();
        const report = await thread.compare(job);
        return { ...report, diff: { summary: report.summary, entries: thread.diff() } };
      },
      ({ errors }) => errors.length === 0,
    );
  }

  /** Records of a change of a zone up to which one command makes it. */
  maxSmallChange({ dnssecCount }: Pick<Zone, 'dnssecCount'>): number {
    return this.#options.smallRecords ?? (dnssecCount > 0 ? smallSignedRecords : smallRecords);
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
    return this.#threads.run(
      0,
      (thread) => {
        const rights = rightsNow();
        return untilPublished(writer, { zoneName, dryRun }, (heldName) =>
          once(thread, rights, heldName),
        );
      },
      ({ diff }) => diff !== undefined,
    );
  }

  /** What was too much for one command. */
  #publish(
    thread: ImportThread,
    request: ImportRequest,
    zoneName: string,
    read: FileRead,
  ): Promise<ImportResult> {
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
    { mode, create, readsCatalog, overrides, rights, options }: ImportRequest,
    zoneName: string,
    { soa, count, report }: FileRead,
  ): Promise<ImportResult | undefined> {
    const { writer, zones, clock } = this.#services;
    const zone = zones.byName(zoneName);
    if (zone === undefined && !create) {
      throw noZone(zoneName);
    }
    if (zone === undefined) requireSoa(soa, zoneName);
    // Checked before the whole zone is staged to be deleted; the domain rules check it again.
    const empty = errorOfEmptyFile(mode, { records: count, hasSoa: soa !== undefined }, zone);
    if (empty !== undefined) return refused(report, [empty]);
    const { dryRun } = options;
    const order = { isNew: zone === undefined, overrides, rights: rights.message(), dryRun };
    return inStage(writer, { zoneId: zone?.id, records: count, dryRun }, async (stage) => {
      const { zoneId, firstId } = stage;
      const planned = await thread.plan({ ...order, zoneId, firstId, now: clock() }, stage.put);
      // What was deleted before the plan looked at it is not made anew under its id.
      if (zone !== undefined && planned.atSerial === null) return undefined;
      // A plan that was made while the zone moved counts for nothing, what it finds wrong neither.
      const isSame = zones.byName(zoneName)?.serial === (planned.atSerial ?? undefined);
      if (planned.errors.length > 0) {
        return isSame ? refused(report, planned.errors) : undefined;
      }
      const { atSerial, greatestId } = planned;
      const asked = { zoneName, mode, isCreating: create, readsCatalog, overrides };
      const source = { file: soa ?? null, fileRecords: count };
      const plan = { zoneId, atSerial, staged: stagedDelta(stage, planned, greatestId) };
      const command = { kind: 'publish-import', ...asked, ...source, ...plan } as const;
      const outcome = await writer.submit(command, options);
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

/** The request as its caller may make it now. */
function askedAgain(request: ImportRequest): ImportRequest {
  return { ...request, ...request.askAgain?.() };
}

/** The thread is kept until the diff is sent. */
function keepsThread({ diff }: ImportResult): boolean {
  return 'summary' in diff;
}

/**
 * Retention: what was in a zone longer ago than it is to be kept goes, and zones that were deleted longer
 * ago than that go wholly.
 *
 * A zone whose old changes no checkpoint replaces gets one; then the contents of the changes are deleted,
 * oldest first. A checkpoint goes on replacing changes as they grow old, so that a zone gets one about as often
 * as the time that history is kept. The version in force at that moment stays readable, those before do not.
 *
 * Changes that only re-signed a zone are kept for a time of their own, which is shorter as a rule: they are
 * many, and what users had put in can be read without them.
 *
 * What goes by a wrong clock does not come back: nothing goes for a while after a start, or after the clock was set.
 */
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { type Clock, ClockWatch, monotonicMs } from '../../base/clock.ts';
import { Periodic } from '../../base/periodic.ts';
import { Problem, serviceStops } from '../../base/problem.ts';
import { isTransient, judgeError } from '../../base/storage-problem.ts';
import type { ForgottenHistory } from '../../domain/decide-forget.ts';
import type { Zone } from '../../domain/zone.ts';
import { bySystem, type SubmitOptions } from '../../writer/submission.ts';
import type { Connection } from '../../journal/database.ts';
import { EventRows } from '../../query/event-rows.ts';
import { type DeletionDue, ZoneHistory } from '../../query/zone-history.ts';
import type { Log } from '../../telemetry/log.ts';
import type { GaugeValues } from '../../telemetry/metrics.ts';
import { type CheckpointServices, CheckpointWriter } from './checkpoint-writer.ts';

/** Milliseconds between two goes of dropping, so that others come first. */
const pauseMs = 2;
/** Milliseconds until something that has to be cleared away first is looked at again. */
const waitMs = 500;
/** Milliseconds from the start, or from when it was seen that the clock was set, until something may go. */
const clockWaitMs = 600_000;
/** Damaged zones that a run goes on after. */
const maxDamaged = 10;

const msPerDay = 86_400_000;

export interface RetentionServices extends CheckpointServices {
  readonly connection: Connection;
  readonly clock: Clock;
  readonly log: Pick<Log, 'info' | 'error'>;
  /** Hears that changes of users were deleted. */
  readonly deleted?: () => void;
}

export interface RetentionOptions {
  /** Days that history is kept; 0 keeps it for ever. */
  readonly days: number;
  /** Days that steps are kept which only re-signed a zone; 0 keeps them as long as the others. */
  readonly signerDays: number;
  /** Seconds between two runs; 0 turns them off. */
  readonly intervalSecs: number;
}

export class Retention extends Periodic {
  readonly #services: RetentionServices;
  readonly #history: ZoneHistory;
  readonly #rows: EventRows;
  readonly #checkpoints: CheckpointWriter;
  readonly #options: RetentionOptions;
  /** One zone at a time. */
  #work: Promise<unknown> = Promise.resolve();
  #watch: ClockWatch | undefined;
  /** By the monotonic clock. */
  #goesFromMs = 0;

  constructor(services: RetentionServices, options: RetentionOptions) {
    const isOn = options.days > 0 || options.signerDays > 0;
    const everyMs = isOn ? options.intervalSecs * 1000 : 0;
    super(() => this.#run(), { everyMs, firstMs: 0 });
    this.#services = services;
    this.#options = options;
    this.#history = new ZoneHistory(services.connection);
    this.#rows = new EventRows(services.connection);
    this.#checkpoints = new CheckpointWriter(services);
  }

  override start(): void {
    this.#watch = new ClockWatch(this.#services.clock);
    this.#goesFromMs = monotonicMs() + clockWaitMs;
    super.start();
  }

  gauges(): GaugeValues {
    const { days, signerDays } = this.#options;
    return { historyDays: { changes: days, signing: signerDays } };
  }

  resume(): void {
    if (this.#options.intervalSecs > 0) void this.run();
  }

  /** One run. What fails is logged and tried again with the next. */
  run(): Promise<void> {
    return this.wake();
  }

  async #run(): Promise<number | undefined> {
    const { clock, log } = this.#services;
    const { days, signerDays } = this.#options;
    const now = clock();
    if (this.#watch?.wasSet()) this.#goesFromMs = monotonicMs() + clockWaitMs;
    const leftMs = this.#goesFromMs - monotonicMs();
    if (leftMs > 0) return leftMs;
    const momentOf = (kept: number) => now - kept * msPerDay;
    // Nothing of a step is kept longer than history is.
    const shortest = Math.min(...[days, signerDays].filter((kept) => kept > 0));
    try {
      const purged = days === 0 ? 0 : await this.#purgeDeleted(momentOf(days));
      const zones = days === 0 ? 0 : await this.#forgetOld(momentOf(days));
      const signed = shortest === Infinity ? 0 : await this.#forgetOldSigning(momentOf(shortest));
      if (zones > 0) this.#services.deleted?.();
      if (purged + zones + signed > 0) log.info('retention.done', { purged, zones, signed });
    } catch (error) {
      if (!this.isStopped) log.error('retention.failed', { error });
    }
    return undefined;
  }

  /**
   * Deletes the versions of a zone that were replaced before a moment. Waits for the zone that a run has in work. The
   * writer decides by one event what goes; before it nothing goes, and what goes follows it.
   */
  forget(
    zone: Pick<Zone, 'id' | 'name'>,
    beforeMs: number,
    options: SubmitOptions,
  ): Promise<ForgottenHistory> {
    const { id, name } = zone;
    const command = { kind: 'forget-history', zoneId: id, name, beforeMs } as const;
    const { writer } = this.#services;
    if (options.dryRun) return writer.submit(command, options);
    return this.#inTurn(async () => {
      this.#requireRunning();
      const upToSeq = this.#rows.lastBefore(beforeMs);
      if (this.#history.needsCheckpointForAll(id, upToSeq))
        await this.#checkpoints.write(id, options);
      this.#requireRunning();
      const decided = await writer.submit(command, options);
      await this.#dropEvents(id, decided.upToSeq);
      await this.#dropSignerEvents(id, decided.upToSeq);
      this.#services.deleted?.();
      return decided;
    });
  }

  /** From when on a deleted zone is purged, in milliseconds since 1970; null when it is kept for ever. */
  purgeTimeOf(deletedAt: number): number | null {
    const { days } = this.#options;
    return days === 0 ? null : deletedAt + days * msPerDay;
  }

  /** Ends when what is in work is at a good end. */
  override async stop(): Promise<void> {
    this.#checkpoints.stop();
    await super.stop();
    await this.#work.catch(() => {});
    this.#checkpoints.close();
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#work.then(work, work);
    this.#work = result.catch(() => {});
    return result;
  }

  async #purgeDeleted(beforeMs: number): Promise<number> {
    let count = 0;
    while (true) {
      const zones = this.#history.deletedBefore(beforeMs);
      if (zones.length === 0 || this.isStopped) return count;
      for (const zone of zones) {
        if (await this.#inTurn(() => this.#purge(zone))) count++;
      }
    }
  }

  /** False when it was restored meanwhile, also where it was deleted again: that deletion has its own time. */
  async #purge(zone: DeletionDue): Promise<boolean> {
    try {
      await this.#services.writer.submit({ kind: 'purge-zone', ...zone }, bySystem);
      return true;
    } catch (error) {
      if (isMissing(error) || isConflict(error)) return false;
      throw error;
    }
  }

  /** Zones that were forgotten something of. */
  async #forgetOld(beforeMs: number): Promise<number> {
    const upToSeq = this.#rows.lastBefore(beforeMs);
    const history = this.#history;
    return this.#countOf(
      (last) => history.zonesAfter(last),
      async (id) => {
        if (!history.isLong(id, upToSeq)) return false;
        const isOld =
          history.needsCheckpoint(id, upToSeq, false) ||
          history.droppable(id, upToSeq) !== undefined;
        if (isOld) await this.#forgetUpTo(id, upToSeq);
        return isOld;
      },
    );
  }

  async #forgetOldSigning(beforeMs: number): Promise<number> {
    const upToSeq = this.#rows.lastBefore(beforeMs);
    return this.#countOf(
      (last) => this.#history.onceSignedAfter(last),
      (id) => this.#forgetSigningUpTo(id, upToSeq),
    );
  }

  /** Does something with each zone, in the order of their ids, until a stop; counts those that it did. */
  async #countOf(
    zonesAfter: (last: number) => readonly number[],
    work: (zoneId: number) => Promise<boolean>,
  ): Promise<number> {
    let count = 0;
    let damaged = 0;
    let last = 0;
    while (true) {
      const ids = zonesAfter(last);
      if (ids.length === 0 || this.isStopped) return count;
      for (const id of ids) {
        try {
          if (await this.#inTurn(() => work(id))) count++;
        } catch (error) {
          // A damaged zone keeps no other from its turn. Many at once are a damaged file.
          if (!isDamage(error) || ++damaged > maxDamaged) throw error;
          this.#services.log.error('retention.failed', { zoneId: id, error });
        }
        if (this.isStopped) return count;
      }
      last = ids.at(-1)!;
      await nextTurn();
    }
  }

  #requireRunning(): void {
    if (this.isStopped) throw serviceStops();
  }

  async #forgetUpTo(zoneId: number, upToSeq: number): Promise<void> {
    this.#requireRunning();
    const needsOne = this.#history.needsCheckpoint(zoneId, upToSeq, false);
    if (needsOne && !(await this.#writeCheckpoint(zoneId))) return;
    await this.#dropEvents(zoneId, upToSeq);
  }

  async #dropEvents(zoneId: number, upToSeq: number): Promise<void> {
    const droppable = this.#history.droppable(zoneId, upToSeq);
    if (droppable !== undefined) await this.#drop(zoneId, droppable, 'steps');
  }

  /** False when there was nothing to delete. What a stop cuts short is done by the next run. */
  async #forgetSigningUpTo(zoneId: number, upToSeq: number): Promise<boolean> {
    this.#requireRunning();
    const needsOne = this.#history.needsSignerCheckpoint(zoneId, upToSeq);
    if (needsOne && !(await this.#writeCheckpoint(zoneId))) return false;
    return this.#dropSignerEvents(zoneId, upToSeq);
  }

  async #dropSignerEvents(zoneId: number, upToSeq: number): Promise<boolean> {
    if (!this.#history.hasDroppableSignerEvents(zoneId, upToSeq)) return false;
    await this.#drop(zoneId, upToSeq, 'signer-steps');
    return true;
  }

  /**
   * What a stop cuts short of all steps is done after the next start (import/clearing.ts). So is what a deletion of the
   * zone does: its stages are not cleared away while it may come back.
   */
  async #drop(zoneId: number, upToSeq: number, dropped: 'steps' | 'signer-steps'): Promise<void> {
    const { writer } = this.#services;
    let begun: number | undefined;
    while (true) {
      const operation = { kind: 'drop-history', zoneId, upToSeq, dropped, begun } as const;
      const done = await writer.operate(operation);
      if (done.left === 'none') return;
      if (done.left === 'waits' && !this.#history.isThere(zoneId)) return;
      ({ begun } = done);
      this.#requireRunning();
      await wait(done.left === 'waits' ? waitMs : pauseMs);
    }
  }

  /** False when the zone was deleted while it was read: a purge is to come. */
  async #writeCheckpoint(zoneId: number): Promise<boolean> {
    try {
      await this.#checkpoints.write(zoneId, bySystem);
      return true;
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  }
}

/** Of rows or of pages, in whichever thread it was met: none of a disk that is full. */
function isDamage(thrown: unknown): boolean {
  const error = judgeError(thrown);
  const isOfStorage = error instanceof Problem && error.code === 'STORAGE_UNAVAILABLE';
  return isOfStorage && !isTransient(error);
}

function isConflict(error: unknown): boolean {
  return error instanceof Problem && error.code === 'ZONE_CONFLICT';
}

function isMissing(error: unknown): boolean {
  return error instanceof Problem && error.code === 'ZONE_NOT_FOUND';
}

/**
 * Passes over whole zones that are too long for a commit: the zone is held, signed by a worker, staged in
 * small commits that no reader sees, and published by the step that needs it. Other zones never wait.
 */
import { MessageChannel } from 'node:worker_threads';
import { Problem, serviceStops } from '../../base/problem.ts';
import type { WorkerPool } from '../../base/worker-pool.ts';
import { signingKeys } from '../../dnssec/key-plan.ts';
import type { Command, OutcomeOf } from '../../domain/command.ts';
import type { Writer } from '../../writer/writer.ts';
import type { SubmitOptions } from '../../writer/submission.ts';
import { type WholePass, WholePassNeeded } from '../../writer/zone-signer.ts';
import type { StageSlice } from '../../projection/stage-store.ts';
import { inStage } from '../import/staged-change.ts';
import type { SigningJob, SigningReport } from './signing-job.ts';

export interface WholePassServices {
  readonly writer: Pick<Writer, 'submit' | 'operate' | 'endStage' | 'hold' | 'sendKeys'>;
  readonly workers: Pick<WorkerPool, 'open'>;
  /** The same command, with what parents say by now where it goes by that. */
  readonly renewed: <C extends Command>(command: C) => Promise<C>;
  /** Hears how many signatures were made. */
  readonly signed: (signatures: number) => void;
}

/** A zone of another's moves while it waits to be held; then it is looked at again, so often. */
const maxTries = 3;

export class WholePasses {
  readonly #services: WholePassServices;
  #isStopped = false;

  constructor(services: WholePassServices) {
    this.#services = services;
  }

  /** The service stops: a pass ends with its next slice, and its command is refused with OVERLOADED. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Prepares the pass that a command needs, and submits the command with it. */
  async run<C extends Command>(given: C, options: SubmitOptions): Promise<OutcomeOf<C>> {
    const { writer, renewed } = this.#services;
    let needed = await this.#needed(given, options);
    if ('outcome' in needed) return needed.outcome;
    const heldName = options.heldName ?? needed.whole.zoneName;
    const release = options.heldName === undefined ? await writer.hold(heldName) : () => {};
    let held: SubmitOptions = { ...options, heldName };
    try {
      for (let tries = 0; tries < maxTries; tries++) {
        const command = await renewed(given);
        needed = await this.#needed(command, held);
        if ('outcome' in needed) return needed.outcome;
        const { added, staged } = needed.whole;
        if (staged === undefined && added.length > 0 && held.firstRecordId === undefined) {
          // Others get ids meanwhile, and those in the pass must be those of the step.
          const count = added.length;
          const ids = await writer.operate({ kind: 'reserve-ids', counter: 'record', count });
          held = { ...held, firstRecordId: ids.first };
          needed = await this.#needed(command, held);
          if ('outcome' in needed) return needed.outcome;
        }
        const done = await this.#attempt(command, held, needed.whole);
        if (done !== undefined) return done.outcome;
      }
      throw new Problem('OVERLOADED', 'the zone changes too fast to be signed as a whole', 5);
    } finally {
      release();
    }
  }

  /** What the command needs by now; it may be done without by now too. */
  async #needed<C extends Command>(
    command: C,
    options: SubmitOptions,
  ): Promise<{ whole: WholePass } | { outcome: OutcomeOf<C> }> {
    try {
      const described = { ...options, describesWhole: true };
      return { outcome: await this.#services.writer.submit(command, described) };
    } catch (error) {
      if (error instanceof WholePassNeeded) return { whole: error.whole };
      throw error;
    }
  }

  async #attempt<C extends Command>(
    command: C,
    options: SubmitOptions,
    whole: WholePass,
  ): Promise<{ outcome: OutcomeOf<C> } | undefined> {
    const { writer, signed, renewed } = this.#services;
    const { zoneId } = whole;
    return inStage(writer, { zoneId, records: 0, dryRun: false }, async ({ number, put }) => {
      const report = await this.#sign(whole, command, put);
      signed(report.signatures);
      const { partCount, dnssecRemoved, dnssecAdded, largestTtl } = report;
      const staged = {
        number,
        partCount,
        partsDigest: Buffer.from(report.partsDigest),
        removed: whole.staged?.removed ?? whole.removed.length,
        added: whole.staged?.added ?? whole.added.length,
        dnssecRemoved,
        dnssecAdded,
        greatestId: whole.staged?.greatestId ?? 0,
        ...(whole.staged === undefined ? {} : { mergedStage: whole.staged.number }),
      };
      const prepared = { staged, fingerprint: whole.fingerprint, largestTtl };
      const done = await this.#needed(await renewed(command), { ...options, prepared });
      return 'outcome' in done ? done : undefined;
    });
  }

  async #sign(
    whole: WholePass,
    command: Command,
    write: (slice: StageSlice) => Promise<void>,
  ): Promise<SigningReport> {
    const job = this.#services.workers.open<SigningJob>('signing');
    const made = 'keys' in command ? command.keys : [];
    const madeKeys = new Map(made.map(({ id, privateKey }) => [id, privateKey]));
    const { port1: storedKeys, port2 } = new MessageChannel();
    const used = [...signingKeys(whole.pass?.keys ?? [])].map(({ id }) => id);
    const keyIds = used.filter((id) => !madeKeys.has(id));
    this.#services.writer.sendKeys(keyIds, port2);
    const take = (slice: StageSlice) => {
      if (this.#isStopped) throw serviceStops();
      return write(slice);
    };
    try {
      const order = { whole, madeKeys, storedKeys };
      return await job.call('sign', order, { transfer: [storedKeys], take });
    } finally {
      // Its heap has held the zone and its keys.
      job.end();
    }
  }
}

/**
 * What the thread that writes and the main thread send each other, and the form in which it is passed:
 * structured clones, whose bytes go in memory of their own
 * (`packed`) and become Buffers again on arrival (`withBuffers`).
 *
 * ```
 *   main thread                                            writer thread
 *   all requests of one turn of the loop     --->          queue
 *   answers, and what listeners hear         <---          commit, on disk
 *   the storage can be written again         --->
 *                                            <---          a write failed
 * ```
 * One message takes all of a turn: a message costs more than a command in it.
 */
import type { MessagePort } from 'node:worker_threads';
import { errorOf, failureOf, type ThreadFailure } from '../base/storage-problem.ts';
import type { Command } from '../domain/command.ts';
import type { Checkpoints } from '../journal/checkpoint-owners.ts';
import type { WriterOptions } from './executor.ts';
import type { Operation } from './operation.ts';
import type { CommitFigures, JournalledEvent, SubmitOptions, ZoneChange } from './submission.ts';
import { type WholePass, WholePassNeeded } from './zone-signer.ts';

/** What a writer thread begins with. */
export interface WriterData {
  /** The database, which is open and of today's schema. */
  readonly file: string;
  readonly checkpoints: Checkpoints;
  /** Shared: 1 in its first place keeps checkpoints from copying what may be lost. */
  readonly checkpointsHeld: Int32Array | undefined;
  /** Shared: its first place counts what is deleted for good. */
  readonly erasures?: Int32Array | undefined;
  /** Shared: its first place is counted up when a commit begins to wait for the disk, and when it ends. */
  readonly commits?: Int32Array | undefined;
  readonly keyFile: string;
  readonly insecureKeyFile: boolean;
  readonly options: WriterOptions;
}

/** What is asked of the writer and answered, by the number it is given. */
export type Request =
  | { readonly kind: 'submit'; readonly command: Command; readonly options: SubmitOptions }
  | { readonly kind: 'operate'; readonly operation: Operation }
  | { readonly kind: 'hold'; readonly zoneName: string }
  /** The last of all; answered when everything before it is. */
  | { readonly kind: 'close' };

/** What is sent to it, without an answer. */
export type Notice =
  | { readonly kind: 'release'; readonly zoneName: string }
  | { readonly kind: 'end-stage'; readonly stage: number }
  | { readonly kind: 'configure'; readonly options: Partial<WriterOptions> }
  | {
      readonly kind: 'send-keys';
      readonly keyIds: readonly number[];
      readonly port: MessagePort;
    }
  | { readonly kind: 'writable' };

/** A number of 0 is that of a notice. */
export type ToWriter = readonly (readonly [number: number, message: Request | Notice])[];

export type Answer = { readonly outcome: unknown } | { readonly failure: Failure };

export type FromWriter =
  | { readonly kind: 'ready' }
  | {
      readonly kind: 'committed';
      readonly answers: readonly (readonly [number: number, answer: Answer])[];
      readonly events: readonly JournalledEvent[];
      readonly changes: readonly ZoneChange[];
      readonly figures: readonly CommitFigures[];
      /** DNSSEC signatures that were made. */
      readonly signatures: number;
    }
  /** The storage failed; where that stops writing, nothing is written until `writable` comes. */
  | { readonly kind: 'storage-failed'; readonly failure: Failure };

/** An error that passes from one thread to the other. */
export interface Failure extends ThreadFailure {
  readonly whole?: WholePass;
  /** Of a bug. */
  readonly stack?: string | undefined;
}

export function encodeFailure(error: unknown): Failure {
  const failure = failureOf(error);
  if (error instanceof WholePassNeeded) return { ...failure, whole: error.whole };
  const isBug = failure.code === undefined && error instanceof Error;
  return isBug ? { ...failure, stack: error.stack } : failure;
}

export function decodeFailure(failure: Failure): Error {
  const { whole, stack } = failure;
  if (whole !== undefined) return new WholePassNeeded(whole);
  const error = errorOf(failure);
  return stack === undefined ? error : Object.assign(error, { stack });
}

/** What went wrong in a thread, as a message carries it: a Problem arrives as one, everything else as a bug. */
import { Problem, type ProblemCode } from './problem.ts';
import { judgeError, StorageFault, type StorageFaultKind } from './storage-fault.ts';

export interface ThreadFailure {
  readonly code: ProblemCode | undefined;
  readonly message: string;
  readonly retryAfterSeconds?: number | undefined;
  readonly storage?: StorageFaultKind | undefined;
}

export function failureOf(thrown: unknown): ThreadFailure {
  const error = judgeError(thrown);
  return {
    code: error instanceof Problem ? error.code : undefined,
    // Of a fault of the storage the cause, for the log; callers are told what it means.
    message: thrown instanceof Error ? thrown.message : String(thrown),
    retryAfterSeconds: error instanceof Problem ? error.retryAfterSeconds : undefined,
    ...(error instanceof StorageFault && { storage: error.kind }),
  };
}

export function errorOf({ code, message, retryAfterSeconds, storage }: ThreadFailure): Error {
  if (storage !== undefined) return new StorageFault(storage, new Error(message));
  return code === undefined ? new Error(message) : new Problem(code, message, retryAfterSeconds);
}

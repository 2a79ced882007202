/** What went wrong in a thread, as a message carries it: a Problem arrives as one, everything else as a bug. */
import { Problem, type ProblemCode } from './problem.ts';
import { judgeError, StorageFault, type StorageFaultKind } from './storage-fault.ts';

export interface ThreadFailure {
  readonly code: ProblemCode | undefined;
  readonly message: string;
  readonly retryAfterSeconds?: number | undefined;
  readonly storage?: StorageFaultKind | undefined;
  /** Of what was thrown, or of the cause of a fault of the storage: `SqliteError` for one. */
  readonly name?: string;
  /** Of SQLite or the system. */
  readonly systemCode?: string | undefined;
}

export function failureOf(thrown: unknown): ThreadFailure {
  const error = judgeError(thrown);
  // Of a fault of the storage the cause, for the log; callers are told what it means.
  const cause = thrown instanceof StorageFault ? (thrown.cause ?? thrown) : thrown;
  if (error instanceof Problem && !(error instanceof StorageFault)) {
    const { code, message, retryAfterSeconds } = error;
    return { code, message, retryAfterSeconds };
  }
  const { name, message } = cause instanceof Error ? cause : new Error(String(cause));
  const { code: systemCode } = cause as { readonly code?: string };
  if (!(error instanceof StorageFault)) return { code: undefined, message, name, systemCode };
  const { code, retryAfterSeconds, kind } = error;
  return { code, message, retryAfterSeconds, storage: kind, name, systemCode };
}

export function errorOf(failure: ThreadFailure): Error {
  const { code, message, retryAfterSeconds, storage, name = 'Error', systemCode } = failure;
  if (code !== undefined && storage === undefined) {
    return new Problem(code, message, retryAfterSeconds);
  }
  const error = Object.assign(new Error(message), { name }, systemCode && { code: systemCode });
  return storage === undefined ? error : new StorageFault(storage, error);
}

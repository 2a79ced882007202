/** What went wrong in a thread, as a message carries it: a Problem arrives as one, everything else as a bug. */
import { Problem, type ProblemCode } from './problem.ts';
import { judgeError, StorageFault, type StorageFaultKind } from './storage-fault.ts';

export interface ThreadFailure {
  readonly code: ProblemCode | undefined;
  readonly message: string;
  readonly retryAfterSeconds?: number | undefined;
  readonly storage?: StorageFaultKind | undefined;
  /** Of SQLite or the system, for the log. */
  readonly causeCode?: string | undefined;
}

export function failureOf(thrown: unknown): ThreadFailure {
  const error = judgeError(thrown);
  // Of a fault of the storage the cause, for the log; callers are told what it means.
  const cause = thrown instanceof StorageFault ? (thrown.cause ?? thrown) : thrown;
  return {
    code: error instanceof Problem ? error.code : undefined,
    message: cause instanceof Error ? cause.message : String(cause),
    retryAfterSeconds: error instanceof Problem ? error.retryAfterSeconds : undefined,
    ...(error instanceof StorageFault && { storage: error.kind }),
    ...(!(error instanceof Problem && error === cause) && { causeCode: codeOf(cause) }),
  };
}

function codeOf(error: unknown): string | undefined {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' ? code : undefined;
}

export function errorOf(failure: ThreadFailure): Error {
  const { code, message, retryAfterSeconds, storage, causeCode } = failure;
  if (storage !== undefined) {
    return new StorageFault(storage, Object.assign(new Error(message), { code: causeCode }));
  }
  if (code !== undefined) return new Problem(code, message, retryAfterSeconds);
  return Object.assign(new Error(message), causeCode !== undefined && { code: causeCode });
}

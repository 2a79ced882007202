/** What went wrong in a thread, as a message carries it: a Problem arrives as one, everything else as a bug. */
import { Problem, type ProblemCode } from './problem.ts';

export interface ThreadFailure {
  readonly code: ProblemCode | undefined;
  readonly message: string;
  readonly retryAfterSeconds?: number | undefined;
}

export function failureOf(error: unknown): ThreadFailure {
  return {
    code: error instanceof Problem ? error.code : undefined,
    message: error instanceof Error ? error.message : String(error),
    retryAfterSeconds: error instanceof Problem ? error.retryAfterSeconds : undefined,
  };
}

export function errorOf({ code, message, retryAfterSeconds }: ThreadFailure): Error {
  return code === undefined ? new Error(message) : new Problem(code, message, retryAfterSeconds);
}

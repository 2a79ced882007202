/**
 * Problems: the failures that a caller can cause, as values with a code.
 *
 * A Problem is thrown where a rule is broken and caught once, by the API that took the request, which
 * maps its code to an HTTP status, an RCODE or an exit code. Anything else that is thrown is a bug.
 */
import { limits } from './limits.ts';

/** Every error code of the HTTP interface, with its status (decisions: one code, one status). */
export const statusOfCode = {
  INVALID_INPUT: 400,
  INVALID_JSON_BODY: 400,
  INVALID_ZONE_FIELD: 400,
  INVALID_RECORD_NAME: 400,
  INVALID_RECORD_VALUE: 400,
  REASON_REQUIRED: 400,
  UNAUTHORIZED: 401,
  INVALID_TOKEN: 401,
  FORBIDDEN: 403,
  ENDPOINT_NOT_FOUND: 404,
  ZONE_NOT_FOUND: 404,
  RECORD_NOT_FOUND: 404,
  VERSION_NOT_FOUND: 404,
  EVENT_NOT_FOUND: 404,
  TOKEN_NOT_FOUND: 404,
  SESSION_NOT_FOUND: 404,
  ROLE_NOT_FOUND: 404,
  ROLE_GRANT_NOT_FOUND: 404,
  TSIG_KEY_NOT_FOUND: 404,
  SECONDARY_NOT_FOUND: 404,
  WEBHOOK_NOT_FOUND: 404,
  DNSSEC_POLICY_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  ZONE_CONFLICT: 409,
  RECORD_CONFLICT: 409,
  REVERT_CONFLICT: 409,
  EVENT_NOT_REVERTIBLE: 409,
  GUARDED: 409,
  TOKEN_CONFLICT: 409,
  ROLE_CONFLICT: 409,
  ROLE_IN_USE: 409,
  TSIG_KEY_CONFLICT: 409,
  TSIG_KEY_IN_USE: 409,
  SECONDARY_CONFLICT: 409,
  WEBHOOK_CONFLICT: 409,
  DNSSEC_ALREADY_ENABLED: 409,
  DNSSEC_NOT_ENABLED: 409,
  DNSSEC_ROLLOVER_IN_PROGRESS: 409,
  DNSSEC_NO_ROLLOVER_IN_PROGRESS: 409,
  DNSSEC_DS_PUBLISHED: 409,
  DNSSEC_DS_NOT_PUBLISHED: 409,
  DNSSEC_DS_UNVERIFIED: 409,
  DNSSEC_SECONDARY_BEHIND: 409,
  DNSSEC_POLICY_CONFLICT: 409,
  DNSSEC_POLICY_IN_USE: 409,
  PLAN_STALE: 409,
  OWNED: 409,
  EVENTS_TAKEN_BACK: 410,
  PRECONDITION_FAILED: 412,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RATE_LIMITED: 429,
  INTERNAL: 500,
  DNSSEC_SIGNING_FAILED: 500,
  NOTIFY_FAILED: 502,
  OVERLOADED: 503,
  STORAGE_UNAVAILABLE: 503,
} as const;

export type ProblemCode = keyof typeof statusOfCode;

export const problemCodes = Object.keys(statusOfCode) as ProblemCode[];

/**
 * A failure that a caller caused: a code for machines and one sentence for people. One about a field of a request
 * begins with its path and a colon, `records[3].ttl: 5000000000 is outside 0..2147483647` (item-errors.ts).
 */
export class Problem extends Error {
  readonly code: ProblemCode;
  /** Seconds until trying again makes sense; sent as Retry-After. */
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ProblemCode, message: string, retryAfterSeconds?: number) {
    super(message);
    this.name = 'Problem';
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  get status(): number {
    return statusOfCode[this.code];
  }
}

/** One of the things that are wrong with a request. */
export interface ItemError {
  /** Where in the body it is (RFC 6901). */
  readonly pointer?: string;
  /** The list of the request that it is in, and where, for operations whose lists are judged as one. */
  readonly list?: string;
  readonly index?: number;
  readonly code: ProblemCode;
  readonly message: string;
}

/** The Problem of the first thing that is wrong with a request, with everything that is. */
export class ListedProblem extends Problem {
  readonly errors: readonly ItemError[];
  /** Facts for programs, of a Problem that has some. */
  readonly details: DetailedProblem['details'];

  constructor(
    problem: Pick<Problem, 'code' | 'message'> & Partial<Pick<DetailedProblem, 'details'>>,
    errors: readonly ItemError[],
  ) {
    super(problem.code, problem.message);
    this.errors = errors;
    this.details = problem.details ?? {};
  }
}

/** A Problem with facts for programs, which stand beside its code in the answer. */
export class DetailedProblem extends Problem {
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ProblemCode, message: string, details: Readonly<Record<string, unknown>>) {
    super(code, message);
    this.details = details;
  }
}

/** A caller's text as a message repeats it: nobody reads back a megabyte that was refused. */
export function excerpt(text: string): string {
  if (text.length <= limits.quotedCharacters) return text;
  return `${text.slice(0, limits.quotedCharacters)}...`;
}

/** States what must be true here; throws an ordinary Error (a bug, never a Problem) when it is not. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`assertion failed: ${message}`);
}

/** What went wrong, for people. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Ends a switch over a closed union: the compiler complains when a case is missing. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
}

/** A refusal by the stop of the service, as it is thrown in this thread: from another one comes an ordinary Problem. */
export class ServiceStops extends Problem {}

/** For whoever comes too late: a service that stops takes nothing more. */
export function serviceStops(): Problem {
  return new ServiceStops('OVERLOADED', 'the service is stopping', 1);
}

/** For whoever would have to wait behind more changes than `limits.queuedCommands`. */
export function tooManyWait(): Problem {
  return new Problem('OVERLOADED', 'too many changes are waiting', 1);
}

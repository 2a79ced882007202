/**
 * What the result codes of SQLite and the errors of the system mean to the service, in one table: an error that an API,
 * a thread or a commit meets is judged here. A fault of the storage is a Problem with a
 * code; everything else stays what it is, a bug. What fails in a thread is sent as a message, and is the same after it.
 */
import { limits } from './limits.ts';
import {
  DetailedProblem,
  type ItemError,
  ListedProblem,
  Problem,
  type ProblemCode,
} from './problem.ts';

/**
 * `full`, `io`, `readonly`: nothing can be written until the disk is better. `damaged`: pages are not what was
 * written; what does not need them goes on. `busy`, `memory`: over in a moment. `stalled`: a commit has been waiting
 * for the disk for a long time, which neither does it nor fails.
 */
export const storageProblemKinds = [
  'full',
  'io',
  'readonly',
  'damaged',
  'busy',
  'memory',
  'stalled',
] as const;
export type StorageProblemKind = (typeof storageProblemKinds)[number];

/** Every primary result code that is an error (https://www.sqlite.org/rescode.html). */
const kindOfResult: Readonly<Record<string, StorageProblemKind | 'bug'>> = {
  SQLITE_ERROR: 'bug',
  SQLITE_INTERNAL: 'bug',
  SQLITE_PERM: 'readonly',
  SQLITE_ABORT: 'bug',
  SQLITE_BUSY: 'busy',
  SQLITE_LOCKED: 'busy',
  SQLITE_NOMEM: 'memory',
  SQLITE_READONLY: 'readonly',
  SQLITE_INTERRUPT: 'bug',
  SQLITE_IOERR: 'io',
  SQLITE_CORRUPT: 'damaged',
  SQLITE_NOTFOUND: 'bug',
  SQLITE_FULL: 'full',
  SQLITE_CANTOPEN: 'io',
  SQLITE_PROTOCOL: 'busy',
  SQLITE_EMPTY: 'bug',
  SQLITE_SCHEMA: 'bug',
  SQLITE_TOOBIG: 'bug',
  SQLITE_CONSTRAINT: 'bug',
  SQLITE_MISMATCH: 'bug',
  SQLITE_MISUSE: 'bug',
  SQLITE_NOLFS: 'full',
  SQLITE_AUTH: 'bug',
  SQLITE_FORMAT: 'bug',
  SQLITE_RANGE: 'bug',
  SQLITE_NOTADB: 'damaged',
};

/** Extended codes that say something else than the code they extend. */
const kindOfExtended: Readonly<Record<string, StorageProblemKind>> = {
  SQLITE_IOERR_NOMEM: 'memory',
  // The wal-index can not get the room that it needs, before anything is read.
  SQLITE_IOERR_SHMSIZE: 'full',
  // A rollback that came from below: out of space or of order underneath.
  SQLITE_ABORT_ROLLBACK: 'io',
};

/** Errors of system calls on files: spools, the epoch file. */
const kindOfSystemError: Readonly<Record<string, StorageProblemKind>> = {
  ENOSPC: 'full',
  EDQUOT: 'full',
  EFBIG: 'full',
  EIO: 'io',
  EROFS: 'readonly',
  ENOMEM: 'memory',
};

const sentences: Readonly<Record<StorageProblemKind, string>> = {
  full: 'the disk of the database is full',
  io: 'the disk of the database fails',
  readonly: 'the disk of the database can not be written',
  damaged: 'the database is damaged',
  busy: 'the database is in use by another program',
  memory: 'there is no memory left for the database',
  stalled: 'the disk of the database does not answer',
};

const remedies: Readonly<Record<StorageProblemKind, string>> = {
  full: 'make room on the disk of the data folder: writes go on by themselves then',
  io: "look at the disk and at the log of the system ('dmesg')",
  readonly: "make it writable again, and look at the log of the system ('dmesg')",
  damaged: "'zonebook journal verify' tells what is damaged",
  busy: 'end the other program that has the database open',
  memory: 'let the service have more memory, or end other programs',
  stalled: "look at the disk and at the log of the system ('dmesg')",
};

/** STORAGE_UNAVAILABLE (HTTP 503, SERVFAIL). */
export class StorageProblem extends Problem {
  readonly kind: StorageProblemKind;

  constructor(kind: StorageProblemKind, cause?: unknown) {
    super('STORAGE_UNAVAILABLE', sentences[kind], limits.storageRetrySeconds);
    this.kind = kind;
    this.cause = cause;
  }

  /** What to do about it on the host. */
  get remedy(): string {
    return remedies[this.kind];
  }
}

/** The fault of the storage that an error is, or the error itself. */
export function judgeError(error: unknown): unknown {
  const kind = error instanceof Error ? kindOf(error) : undefined;
  return kind === undefined ? error : new StorageProblem(kind, error);
}

/** The same where it is one of the storage; undefined for any other. */
export function storageProblemOf(error: unknown): StorageProblem | undefined {
  const judged = judgeError(error);
  return judged instanceof StorageProblem ? judged : undefined;
}

/** Whether an error says that a database is not what was written. */
export function isDamage(error: unknown): boolean {
  return storageProblemOf(error)?.kind === 'damaged';
}

/** Of these codes of `io` what cannot be read is to blame; of all others whatever writes, locks or opens. */
const readCodes = /^SQLITE_IOERR(_READ|_SHORT_READ|_DATA|_CORRUPTFS)?$/;

/**
 * Whether an error says nothing of what is stored: no room, no memory, another program, a disk that can not be
 * written. Nobody may call a database damaged by it.
 */
export function isTransient(error: unknown): boolean {
  const problem = storageProblemOf(error);
  if (problem === undefined || problem.kind === 'damaged') return false;
  const { code } = (problem.cause ?? {}) as { readonly code?: unknown };
  return !(typeof code === 'string' && readCodes.test(code));
}

function kindOf(error: Error): StorageProblemKind | undefined {
  const { code, syscall } = error as { code?: unknown; syscall?: unknown };
  if (typeof code !== 'string' || error instanceof Problem) return undefined;
  if (typeof syscall === 'string') return kindOfSystemError[code];
  return kindOfCode(code);
}

/** The meaning of a result code of SQLite, extended or not; undefined when it is a bug or no such code. */
export function kindOfCode(code: string): StorageProblemKind | undefined {
  const extended = kindOfExtended[code];
  if (extended !== undefined) return extended;
  const primary = code.split('_').slice(0, 2).join('_');
  const kind = kindOfResult[primary];
  return kind === 'bug' ? undefined : kind;
}

/** Whether nothing can be written any more after such a fault, until it is over. */
export function stopsWriting(kind: StorageProblemKind): boolean {
  return kind === 'full' || kind === 'io' || kind === 'readonly';
}

/** What went wrong in a thread, as a message carries it: a Problem arrives as one, everything else as a bug. */
export interface ThreadFailure {
  readonly code: ProblemCode | undefined;
  readonly message: string;
  readonly retryAfterSeconds?: number | undefined;
  /** Of a ListedProblem. */
  readonly errors?: readonly ItemError[];
  /** Of a ListedProblem or DetailedProblem. */
  readonly details?: DetailedProblem['details'];
  readonly storage?: StorageProblemKind | undefined;
  /** Of what was thrown, or of the cause of a fault of the storage: `SqliteError` for one. */
  readonly name?: string;
  /** Of SQLite or the system. */
  readonly systemCode?: string | undefined;
}

export function failureOf(thrown: unknown): ThreadFailure {
  const error = judgeError(thrown);
  // Of a fault of the storage the cause, for the log; the answer to callers says what it means.
  const cause = thrown instanceof StorageProblem ? (thrown.cause ?? thrown) : thrown;
  if (error instanceof Problem && !(error instanceof StorageProblem)) {
    const { code, message, retryAfterSeconds } = error;
    const failure = { code, message, retryAfterSeconds };
    if (error instanceof ListedProblem) {
      return { ...failure, errors: error.errors, details: error.details };
    }
    if (error instanceof DetailedProblem) return { ...failure, details: error.details };
    return failure;
  }
  const { name, message } = cause instanceof Error ? cause : new Error(String(cause));
  const { code: systemCode } = cause as { readonly code?: string };
  if (!(error instanceof StorageProblem)) return { code: undefined, message, name, systemCode };
  const { code, retryAfterSeconds, kind } = error;
  return { code, message, retryAfterSeconds, storage: kind, name, systemCode };
}

export function errorOf(failure: ThreadFailure): Error {
  const { code, message, retryAfterSeconds, storage, name = 'Error', systemCode } = failure;
  const { errors, details } = failure;
  if (code !== undefined && storage === undefined) {
    const problem = new Problem(code, message, retryAfterSeconds);
    const facts = details === undefined ? {} : { details };
    if (errors !== undefined) return new ListedProblem({ code, message, ...facts }, errors);
    return details === undefined ? problem : new DetailedProblem(code, message, details);
  }
  const error = Object.assign(new Error(message), { name }, systemCode && { code: systemCode });
  return storage === undefined ? error : new StorageProblem(storage, error);
}

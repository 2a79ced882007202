/**
 * Exit codes of the command line, and the failures that end with one (decisions 14).
 *
 * A failure is one line for people: what went wrong, then what to do about it.
 */
import { Problem } from '../base/problem.ts';
import { isDamage, storageProblemOf, stopsWriting } from '../base/storage-problem.ts';

export const exitCode = {
  ok: 0,
  failure: 1,
  usage: 2,
  notFound: 3,
  conflict: 4,
  denied: 5,
  configurationUnusable: 6,
  serviceNotReachable: 7,
  wouldChange: 8,
  notPropagated: 9,
} as const;

/** What each means, for help and the manual. */
export const exitMeanings: Readonly<Record<ExitCode, string>> = {
  0: 'ok',
  1: 'failure',
  2: 'usage',
  3: 'not found',
  4: 'conflict',
  5: 'denied',
  6: 'configuration unusable',
  7: 'service not reachable',
  8: 'something would change (--exit-code)',
  9: 'done but not everywhere yet',
};

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

/** A refusal as the service answers it. */
export interface ProblemBody {
  readonly error: string;
  readonly code: string;
  readonly errors?: readonly { readonly message: string }[];
  /** A check that may be skipped by a parameter, and what that risks. */
  readonly skippable?: { readonly by: string; readonly danger: string };
}

export class CliFailure extends Error {
  override readonly name = 'CliFailure';
  readonly exitCode: ExitCode;
  /** What to do about it, without a full stop; a command that did a part of what it was to do knows better. */
  hint: string | undefined;
  /** The answer of the service that it was made of. */
  readonly problem: ProblemBody | undefined;
  /** The HTTP status of an answer that it was made of, whoever gave that. */
  readonly status: number | undefined;

  constructor(
    code: ExitCode,
    message: string,
    hint?: string,
    problem?: ProblemBody,
    status?: number,
  ) {
    super(message);
    this.exitCode = code;
    this.hint = hint;
    this.problem = problem;
    this.status = status;
  }
}

/** The arguments can not be meant like this; the hint names the help of the command. */
export function usageFailure(message: string, hint?: string): CliFailure {
  return new CliFailure(exitCode.usage, message, hint);
}

/** What a refusal with an HTTP status ends with. */
function exitCodeOf(status: number): ExitCode {
  if (status === 401 || status === 403) return exitCode.denied;
  if (status === 404) return exitCode.notFound;
  if (status === 409 || status === 412) return exitCode.conflict;
  return exitCode.failure;
}

/** Errors of what works on the files of this host, by their names: none of it is loaded to know them. */
const errorsOfHost: Readonly<Record<string, readonly [code: ExitCode, hint?: string]>> = {
  DatabaseError: [exitCode.configurationUnusable],
  InUseError: [exitCode.conflict, 'stop the service first'],
  LoadError: [exitCode.configurationUnusable],
  AccessError: [exitCode.denied],
  KeyFileError: [exitCode.configurationUnusable],
};

/** The failure that an error stands for; undefined when it is none that is foreseen. */
export function asFailure(error: unknown): CliFailure | undefined {
  if (error instanceof CliFailure) return error;
  if (error instanceof Error && isDamage(error)) {
    const message = `the database that was read is damaged (${error.message})`;
    return new CliFailure(exitCode.failure, message, "'zonebook restore FILE' puts back a backup");
  }
  const storage =
    error instanceof Error && 'syscall' in error ? undefined : storageProblemOf(error);
  if (storage !== undefined) {
    return new CliFailure(exitCode.failure, storage.message, storage.remedy);
  }
  if (error instanceof Problem) return new CliFailure(exitCodeOf(error.status), error.message);
  const known = error instanceof Error ? errorsOfHost[error.name] : undefined;
  if (known === undefined) return undefined;
  const { message, cause, name } = error as Error;
  const behind = name === 'DatabaseError' ? storageProblemOf(cause) : undefined;
  if (behind?.kind === 'busy') return new CliFailure(exitCode.conflict, message, behind.remedy);
  // It may be better with the next attempt, as with the next start.
  if (behind !== undefined && stopsWriting(behind.kind)) {
    return new CliFailure(exitCode.failure, message, behind.remedy);
  }
  return new CliFailure(known[0], message, known[1]);
}

/** What to do about a refusal, by its code; codes whose message says it all have none. */
const hints: Readonly<Record<string, string>> = {
  UNAUTHORIZED: 'give a token with --token or ZONEBOOK_TOKEN',
  INVALID_TOKEN: 'check --token or ZONEBOOK_TOKEN',
  REASON_REQUIRED: 'give one with --reason or ZONEBOOK_REASON',
  ZONE_NOT_FOUND: "'zonebook zone list' shows the zones",
  VERSION_NOT_FOUND:
    "'zonebook zone version list ZONE' shows the versions, 'zonebook zone tag list ZONE' the tags",
  RECORD_NOT_FOUND: "'zonebook record list ZONE' shows the records with their ids",
  WEBHOOK_NOT_FOUND: "'zonebook webhook list' shows the webhooks",
  SECONDARY_NOT_FOUND: "'zonebook secondary list' shows the secondaries",
  ROLE_NOT_FOUND: "'zonebook role list' shows the roles",
  ROLE_GRANT_NOT_FOUND: "'zonebook role grants ROLE' shows the grants with their ids",
  SESSION_NOT_FOUND: "'zonebook session list' shows the sessions",
  TOKEN_NOT_FOUND: "'zonebook token list' shows the tokens",
  TSIG_KEY_NOT_FOUND: "'zonebook tsig-key list' shows the keys",
  DNSSEC_POLICY_NOT_FOUND: "'zonebook dnssec-policy list' shows the policies",
  ENDPOINT_NOT_FOUND: 'the service does not know this command; compare its version with --version',
  METHOD_NOT_ALLOWED: 'the service does not know this command; compare its version with --version',
  OWNED: 'leave it out, or let its owner apply without it first',
  PRECONDITION_FAILED: 'it was changed meanwhile: look at it again, then repeat the command',
  PLAN_STALE: '--dry-run shows what it would do now',
  PAYLOAD_TOO_LARGE: 'send it in smaller parts',
  RATE_LIMITED: 'try again in a minute',
  NOTIFY_FAILED: "'zonebook secondary check NAME' tells what is wrong with a secondary",
  OVERLOADED: 'try again in a moment',
  STORAGE_UNAVAILABLE: "'zonebook status' tells what to do about it",
  INTERNAL: 'the log of the service tells more',
};

/** An answer that is none of the service. */
export function strangeAnswer(status: number, message: string): CliFailure {
  const hint = 'check that --url or ZONEBOOK_URL names a zonebook service';
  return new CliFailure(exitCodeOf(status), message, hint, undefined, status);
}

/** Deleted zones have the code of the others, and are listed elsewhere. */
function hintOf({ code, error, skippable }: ProblemBody): string | undefined {
  if (skippable !== undefined) {
    const option = `--${skippable.by.replaceAll('_', '-')}`;
    return `${option} skips this check, at this risk: ${skippable.danger.replace(/\.$/, '')}`;
  }
  const isDeleted = code === 'ZONE_NOT_FOUND' && error.startsWith('no deleted zone ');
  return isDeleted ? "'zonebook zone list --deleted' shows the deleted zones" : hints[code];
}

/** What a refusal of the service ends with. */
export function refusedWith(status: number, problem: ProblemBody): CliFailure {
  const { error, code } = problem;
  return new CliFailure(exitCodeOf(status), `${error} (${code})`, hintOf(problem), problem, status);
}

/** Failures of the system as sentences: which file it is, and what is the matter with it. */
const sentences: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'this user may not open it',
  EPERM: 'this user may not do that',
  EISDIR: 'it is a folder',
  ENOTDIR: 'what stands before it is no folder',
  EEXIST: 'it already exists',
  ENOSPC: 'no space is left on its disk',
  EDQUOT: 'the quota of this user is used up',
  EROFS: 'its file system can only be read',
  EMFILE: 'too many files are open',
};

export function sentenceOf(
  error: Error & { readonly code?: unknown; readonly path?: unknown },
): string {
  const sentence = sentences[String(error.code)];
  if (sentence === undefined || typeof error.path !== 'string') return error.message;
  // Files are written under another name first; the user knows the last one.
  return `${error.path.replace(/\.partial(?:-\w+)?$/, '')}: ${sentence}`;
}

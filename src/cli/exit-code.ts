/**
 * Exit codes of the command line, and the failures that end with one (decisions 14).
 *
 * A failure is one line for people: what went wrong, then what to do about it.
 */
export const exitCode = {
  ok: 0,
  failure: 1,
  usage: 2,
  notFound: 3,
  conflict: 4,
  denied: 5,
  configurationUnusable: 6,
  serviceNotReachable: 7,
} as const;

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

export class CliFailure extends Error {
  override readonly name = 'CliFailure';
  readonly exitCode: ExitCode;
  /** What to do about it, without a full stop. */
  readonly hint: string | undefined;

  constructor(code: ExitCode, message: string, hint?: string) {
    super(message);
    this.exitCode = code;
    this.hint = hint;
  }
}

/** The arguments can not be meant like this; the hint names the help of the command. */
export function usageFailure(message: string, hint?: string): CliFailure {
  return new CliFailure(exitCode.usage, message, hint);
}

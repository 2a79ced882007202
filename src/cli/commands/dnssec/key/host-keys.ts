/** The database and the key file of this host, for commands that handle private keys without the service. */
import { Problem, type ProblemCode } from '../../../../base/problem.ts';
import type { Context } from '../../../command.ts';
import { CliFailure, type ExitCode, exitCode } from '../../../exit-code.ts';

const exitCodes: Partial<Record<ProblemCode, ExitCode>> = {
  ZONE_NOT_FOUND: exitCode.notFound,
  DNSSEC_POLICY_NOT_FOUND: exitCode.notFound,
  DNSSEC_NOT_ENABLED: exitCode.conflict,
  DNSSEC_ALREADY_ENABLED: exitCode.conflict,
  DNSSEC_ROLLOVER_IN_PROGRESS: exitCode.conflict,
};

/** Refusals of the law in the words and codes of the command line. */
export async function refusing<Result>(work: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw new CliFailure(exitCodes[error.code] ?? exitCode.failure, error.message);
  }
}

/** Opens the key file of a database; a failure when it is missing or another one. */
export async function openKeystore(
  context: Context,
  connection: import('../../../../journal/database.ts').Connection,
) {
  const { Keystore } = await import('../../../../keystore/keystore.ts');
  const { KeyFileError } = await import('../../../../keystore/sealing.ts');
  const { keyFileOf } = await import('../../backup/key-file.ts');
  try {
    return new Keystore(connection, keyFileOf(await context.config()));
  } catch (error) {
    if (!(error instanceof KeyFileError)) throw error;
    throw new CliFailure(exitCode.configurationUnusable, error.message);
  }
}

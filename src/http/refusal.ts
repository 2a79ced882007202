/**
 * The one place where errors become answers: a Problem with its code and status, anything else 500.
 *
 * What is no Problem is a bug: it is logged whole, and nothing of it leaves the process.
 */
import { ListedProblem, Problem } from '../base/problem.ts';
import { judgeError, StorageFault } from '../base/storage-fault.ts';
import type { Log } from '../telemetry/log.ts';
import { type Answer, json } from './answer.ts';
import { acceptedCodings, CodingProblem } from './body-source.ts';

export function refusalOf(thrown: unknown, log: Log, requestId: string, route: string): Answer {
  const error = judgeError(thrown);
  if (!(error instanceof Problem)) {
    log.error('http.failed', { requestId, route, error });
    return json(500, { error: 'internal error; the log has it by request id', code: 'INTERNAL' });
  }
  // Faults of the storage are logged where they are counted, and not once more for each who meets them.
  if (error.status >= 500 && !(error instanceof StorageFault)) {
    log.error('http.failed', { requestId, route, code: error.code, error });
  }
  const { code, message, status } = error;
  const listed = error instanceof ListedProblem ? { errors: error.errors } : {};
  const answer = json(status, { error: message, code, ...listed }, headersOf(error));
  return { ...answer, refusal: { code, message } };
}

function headersOf(problem: Problem): Record<string, string> | undefined {
  if (problem.retryAfterSeconds !== undefined) {
    return { 'Retry-After': String(problem.retryAfterSeconds) };
  }
  if (problem instanceof CodingProblem) return acceptedCodings;
  return problem.status === 401 ? { 'WWW-Authenticate': 'Bearer' } : undefined;
}

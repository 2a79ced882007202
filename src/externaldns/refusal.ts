/**
 * Refusals: every way a call of the controller can fail, with the status it is told (decisions 11).
 *
 * The controller drops what an answer says and ends its process on any status outside 500 to 510. So only
 * what would fail for ever is a 4xx, and what somebody can set right meanwhile is a 5xx:
 *
 * ```
 *   the service says 400      400   the changes themselves are wrong
 *   401, 403, 429             503   the token, or the grants of its role
 *   404, 409, other 4xx       500   a zone that is not there, a record in the way
 *   5xx, no answer, no JSON   502
 * ```
 */
import type { AdapterResult } from '../telemetry/adapter-metrics.ts';

export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly result: AdapterResult;
  /** What the service said, when it said anything. */
  readonly upstream: { readonly status: number; readonly code: string } | undefined;

  constructor(
    status: number,
    result: AdapterResult,
    message: string,
    upstream?: { status: number; code: string },
  ) {
    super(message);
    this.status = status;
    this.result = result;
    this.upstream = upstream;
  }
}

/** The controller asked for what is no call of the webhook, or never can be done. */
export function badRequest(message: string, status = 400): Refusal {
  return new Refusal(status, 'client_error', message);
}

/** The service can not be asked, or its answer not be read. */
export function badGateway(message: string): Refusal {
  return new Refusal(502, 'upstream_error', message);
}

/** What the controller is told when the service refuses. */
export function refusalOf(status: number, code: string, message: string): Refusal {
  const told = statusFor(status);
  const result = told === 400 ? 'client_error' : 'upstream_error';
  return new Refusal(told, result, message, { status, code });
}

function statusFor(status: number): number {
  if (status === 400) return 400;
  if (status === 401 || status === 403 || status === 429) return 503;
  return status >= 400 && status < 500 ? 500 : 502;
}

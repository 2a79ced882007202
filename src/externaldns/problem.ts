/**
 * Problems: every way a call of the controller can fail, with the status of its answer.
 *
 * The controller drops what an answer says and ends its process on any status outside 500 to 510. So only
 * what is no call of the webhook at all is a 4xx, and what somebody can set right meanwhile is a 5xx:
 *
 * ```
 *   401, 403, 429             503   the token, or the grants of its role
 *   other 4xx                 500
 *   5xx, no answer, no JSON   502
 * ```
 * What the service refuses because of some endpoints never comes to that: these are left out.
 */
import type { AdapterResult, LeftOutReason } from '../telemetry/adapter-metrics.ts';

/** Why something is left out. */
export interface Unfit {
  readonly reason: LeftOutReason;
  readonly message: string;
}

/** What is wrong with one item of a call of the service. */
export interface ItemError {
  readonly list: string;
  readonly index: number;
  readonly code: string;
  readonly message: string;
}

/** What the service said. */
interface Upstream {
  readonly status: number;
  readonly code: string;
  readonly errors: readonly ItemError[];
}

export class WebhookProblem extends Error {
  override readonly name = 'WebhookProblem';
  readonly status: number;
  readonly result: AdapterResult;
  /** What the service said, when it said anything. */
  readonly upstream: Upstream | undefined;

  constructor(status: number, result: AdapterResult, message: string, upstream?: Upstream) {
    super(message);
    this.status = status;
    this.result = result;
    this.upstream = upstream;
  }

  /** The items that the service names. */
  get errors(): readonly ItemError[] {
    return this.upstream?.errors ?? [];
  }

  get code(): string {
    return this.upstream?.code ?? '';
  }

  /**
   * Whether the service might take the call without some of its items. A guard judges all of them: it is not asked
   * about fewer until it lets them through.
   */
  get isAboutItems(): boolean {
    if (this.code === guardCode) return false;
    return this.errors.length > 0 || itemCodes.has(this.code);
  }
}

const guardCode = 'GUARDED';

const reasons: Readonly<Record<string, LeftOutReason>> = {
  INVALID_RECORD_NAME: 'name',
  INVALID_RECORD_VALUE: 'value',
  ZONE_NOT_FOUND: 'zone',
  FORBIDDEN: 'forbidden',
  ZONE_CONFLICT: 'conflict',
  RECORD_CONFLICT: 'conflict',
  [guardCode]: 'guarded',
};

/** Codes with which the service refuses what it was sent, rather than the caller or the path. */
const itemCodes: ReadonlySet<string> = new Set([
  ...Object.keys(reasons),
  'INVALID_JSON_BODY',
  'PAYLOAD_TOO_LARGE',
  'DNSSEC_SIGNING_FAILED',
]);

/** Why an item is left out that the service does not take. */
export function unfitFor({ code, message }: { code: string; message: string }): Unfit {
  return { reason: reasons[code] ?? 'refused', message };
}

/** The controller asked for what is no call of the webhook. */
export function badRequest(message: string, status = 400): WebhookProblem {
  return new WebhookProblem(status, 'client_error', message);
}

/** The service can not be asked, or its answer not be read. */
export function badGateway(message: string): WebhookProblem {
  return new WebhookProblem(502, 'upstream_error', message);
}

/** What the controller is answered when the service refuses, and nothing can be left out. */
export function problemOf(upstream: Upstream, message: string): WebhookProblem {
  return new WebhookProblem(statusFor(upstream.status), 'upstream_error', message, upstream);
}

function statusFor(status: number): number {
  if (status === 401 || status === 403 || status === 429) return 503;
  return status >= 400 && status < 500 ? 500 : 502;
}

/**
 * The account of transfers: every request is counted; what a client got, or why not, is recorded and
 * logged.
 *
 * An IXFR answered with one SOA moved nothing, so it is counted but leaves the record of the last
 * transfer as it is. Addresses of datagrams can be forged, so refusals over UDP are recorded at a
 * bounded pace; anybody can be refused at will, so that refusals are logged at one too.
 */
import type { Clock } from '../base/clock.ts';
import { unreachable } from '../base/problem.ts';
import type { TransferEntry } from '../projection/transfer-log.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics, TransferResult, TransferType } from '../telemetry/metrics.ts';
import type { IxfrPlan } from './ixfr.ts';
import { nameserverLimits } from './limits.ts';
import { Pace } from './pace.ts';
import { clientAddress, type Request } from './request.ts';
import type { TransferSource } from './transfer-source.ts';

export interface AccountServices {
  readonly transfers: Metrics['transfers'];
  readonly transferLog: { record(entry: TransferEntry): void };
  readonly clock: Clock;
  readonly log: Log;
}

export interface TransferAccount {
  readonly request: Request;
  readonly kind: TransferType;
  readonly services: AccountServices;
}

export interface Outcome {
  readonly result: TransferResult;
  /** True for an IXFR answered as a delta. */
  readonly incremental?: boolean;
  readonly serial?: number;
  readonly error?: string;
}

export function count(account: TransferAccount, result: TransferResult): void {
  account.services.transfers.inc(account.kind, result, account.request.client.transport);
}

/** Counts and records how a request ended. */
export function settle(account: TransferAccount, zoneName: string, outcome: Outcome): void {
  count(account, outcome.result);
  record(account, zoneName, outcome);
}

/** Counts and records what was sent. */
export function settlePlan(account: TransferAccount, plan: IxfrPlan, source: TransferSource): void {
  count(account, 'ok');
  if (plan.form === 'current') return;
  const incremental = plan.form === 'delta';
  record(account, source.zoneName, { result: 'ok', incremental, serial: source.serial });
}

const refusedDatagrams = new Pace(nameserverLimits.refusedDatagramsPerMinute);
const loggedRefusals = new Pace(nameserverLimits.loggedTransferRefusalsPerMinute);

export function record(account: TransferAccount, zoneName: string, outcome: Outcome): void {
  const { services, kind, request } = account;
  const at = services.clock();
  tell(account, zoneName, outcome, at);
  if (outcome.result === 'refused' && request.client.transport === 'udp') {
    if (!refusedDatagrams.take(at)) return;
  }
  services.transferLog.record({
    zoneName,
    address: clientAddress(request.client),
    at,
    kind,
    result: outcome.result,
    incremental: outcome.incremental ?? false,
    serial: outcome.serial ?? null,
    error: outcome.error ?? null,
  });
}

function tell(
  { services: { log }, kind, request }: TransferAccount,
  zoneName: string,
  { result, incremental, serial, error }: Outcome,
  at: number,
): void {
  const fields = {
    zone: zoneName,
    kind,
    client: clientAddress(request.client),
    transport: request.client.transport,
    key: request.signedBy?.name,
    serial,
    error,
  };
  switch (result) {
    case 'ok':
      log.info('transfer.sent', { ...fields, incremental: incremental ?? false });
      break;
    case 'refused':
      if (loggedRefusals.take(at)) log.warn('transfer.refused', fields);
      break;
    case 'failed':
      log.warn('transfer.failed', fields);
      break;
    default:
      unreachable(result);
  }
}

/**
 * The account of transfers: every request is counted; what a client got, or why not, is recorded and
 * logged.
 *
 * An IXFR answered with one SOA moved nothing, so it is counted but leaves the record of the last
 * transfer as it is. Addresses of datagrams can be forged, and anybody can be refused at will: refusals recorded of UDP
 * and refusals logged have a number a minute.
 */
import type { Clock } from '../base/clock.ts';
import { unreachable } from '../base/problem.ts';
import { rrtype } from '../dns/rrtype.ts';
import type { TransferLog } from '../projection/activity-log.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics, TransferResult, TransferType } from '../telemetry/metrics.ts';
import type { IxfrPlan } from './ixfr.ts';
import { nameserverLimits } from './limits.ts';
import { MinuteLimit } from './rate-limit.ts';
import { clientAddress, type Request } from './request.ts';
import type { TransferSource } from './transfer-source.ts';

export interface AccountServices {
  readonly metrics: Pick<Metrics, 'transfers'>;
  readonly transferLog: Pick<TransferLog, 'record'>;
  readonly clock: Clock;
  readonly log: Log;
}

interface Outcome {
  readonly result: TransferResult;
  /** True for an IXFR answered as a delta. */
  readonly incremental?: boolean;
  readonly serial?: number;
  readonly error?: string;
  readonly sent?: Sent;
}

/** How much went to the client. */
export interface Sent {
  /** Of all messages as they went out, with their signatures. */
  readonly bytes: number;
  /** From the request to the last message. */
  readonly tookMs: number;
}

/** The type that a transfer was asked for with. */
export function kindOf(request: Request): TransferType {
  return request.question.type === rrtype.AXFR ? 'axfr' : 'ixfr';
}

export class TransferAccount {
  readonly #services: AccountServices;
  readonly #refusedDatagrams = new MinuteLimit(nameserverLimits.refusedDatagramsPerMinute);
  readonly #loggedRefused = new MinuteLimit(nameserverLimits.loggedRefusedTransfersPerMinute);

  constructor(services: AccountServices) {
    this.#services = services;
  }

  count(request: Request, result: TransferResult): void {
    this.#services.metrics.transfers.inc(kindOf(request), result, request.client.transport);
  }

  /** Counts and records that a request was not granted, or failed. */
  deny(request: Request, zoneName: string, result: 'refused' | 'failed', error: string): void {
    this.count(request, result);
    this.#record(request, zoneName, { result, error });
  }

  /** Counts and records what was sent. */
  sent(request: Request, { form }: IxfrPlan, source: TransferSource, sent: Sent): void {
    this.count(request, 'ok');
    if (form === 'current') return;
    const { zoneName, serial } = source;
    this.#record(request, zoneName, { result: 'ok', incremental: form === 'delta', serial, sent });
  }

  #record(request: Request, zoneName: string, outcome: Outcome): void {
    const at = this.#services.clock();
    this.#log(request, zoneName, outcome, at);
    if (outcome.result === 'refused' && request.client.transport === 'udp') {
      if (!this.#refusedDatagrams.take(at)) return;
    }
    this.#services.transferLog.record({
      zoneName,
      address: clientAddress(request.client),
      at,
      kind: kindOf(request),
      result: outcome.result,
      incremental: outcome.incremental ?? false,
      serial: outcome.serial ?? null,
      error: outcome.error ?? null,
      bytes: outcome.sent?.bytes ?? null,
      tookMs: outcome.sent?.tookMs ?? null,
    });
  }

  #log(
    request: Request,
    zoneName: string,
    { result, incremental = false, serial, error }: Outcome,
    at: number,
  ): void {
    const { log } = this.#services;
    const fields = {
      zone: zoneName,
      kind: kindOf(request),
      client: clientAddress(request.client),
      transport: request.client.transport,
      key: request.signedBy?.name,
      serial,
      error,
    };
    switch (result) {
      case 'ok':
        log.info('transfer.sent', { ...fields, incremental });
        break;
      case 'refused':
        if (this.#loggedRefused.take(at)) log.warn('transfer.refused', fields);
        break;
      case 'failed':
        log.warn('transfer.failed', fields);
        break;
      default:
        unreachable(result);
    }
  }
}

/**
 * Zone transfers out: who gets which answer (RFC 5936, RFC 1995, decisions 8), counted and recorded.
 *
 * The order of checks: is the zone ours and enabled (NOTAUTH), may this client have it (REFUSED), is
 * the request well formed (FORMERR), then the transfer. Over TCP it is streamed; over UDP an IXFR is
 * answered when it fits and an AXFR never.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../base/clock.ts';
import { Problem } from '../base/problem.ts';
import { judgeError } from '../base/storage-fault.ts';
import type { NameKey } from '../dns/name.ts';
import { rrtype } from '../dns/rrtype.ts';
import { optOctets, writeOpt } from '../dns/wire/edns.ts';
import { headerFlags, rcode, recordClass } from '../dns/wire/header.ts';
import { apexOf, type Zone } from '../domain/zone.ts';
import type { TransferType } from '../telemetry/metrics.ts';
import { fullZone } from './axfr.ts';
import type { TransferGate } from './gate.ts';
import { type IxfrPlan, planIxfr } from './ixfr.ts';
import { nameserverLimits } from './limits.ts';
import type { NodeSource } from './lookup.ts';
import {
  explanations,
  finishReply,
  type ReplyFields,
  type ReplyOptions,
  replyEdns,
  replyHeader,
  shortReply,
  startReply,
} from './reply.ts';
import type { Request } from './request.ts';
import {
  type AccountServices,
  count,
  record,
  settle,
  settlePlan,
  type TransferAccount,
} from './transfer-account.ts';
import type { TransferFrame } from './transfer-messages.ts';
import type { PackedRecords, TransferSource } from './transfer-source.ts';
import type { SpoolRoom } from './transfer-spool.ts';
import type { StalledTransfers } from './transfer-stalls.ts';
import { type ReplyStream, streamTransfer } from './transfer-stream.ts';

export interface TransferServices extends AccountServices {
  readonly nodes: NodeSource;
  readonly gate: TransferGate;
  /** Opens the enabled zone of an apex at this moment; throws Problem OVERLOADED when busy. */
  openSource(apex: NameKey): TransferSource | undefined;
  /** Room for transfers that outlive their snapshot. */
  readonly spools: Pick<SpoolRoom, 'open'>;
  /** Hears of what failed, and logs what is a fault of the storage. */
  readonly storage?: Pick<Storage, 'noted'> | undefined;
  /** Transfers that give way when others wait. */
  readonly stalled: StalledTransfers;
}

export interface TransferOptions extends ReplyOptions {
  readonly ixfrCondense: boolean;
  /** Milliseconds a transfer may keep its snapshot open; then the rest is spooled. */
  readonly snapshotMs: number;
}

/** One transfer request under way. */
interface Transfer extends TransferAccount {
  readonly services: TransferServices;
  readonly options: TransferOptions;
}

export function isTransfer(type: number): boolean {
  return type === rrtype.AXFR || type === rrtype.IXFR;
}

/** Accounts for a transfer that was asked for with a signature that does not hold. */
export function accountUnverified(
  request: Request,
  reason: string,
  services: TransferServices,
): void {
  const { name } = request.question;
  const account = { request, kind: kindOf(request), services };
  const zone = services.nodes.findZone(name);
  if (zone === undefined || apexOf(zone) !== name) count(account, 'refused');
  else settle(account, zone.name, { result: 'refused', error: reason });
}

/** Answers over UDP with one message. */
export async function transferOverUdp(
  request: Request,
  services: TransferServices,
  options: TransferOptions,
): Promise<Buffer> {
  const transfer = transferOf(request, services, options);
  const admitted = await admit(transfer);
  if (Buffer.isBuffer(admitted)) return admitted;
  if (transfer.kind === 'axfr') {
    return reply(transfer, { rcode: rcode.NOERROR, authoritative: true, truncated: true });
  }
  const clientSerial = serialOf(request);
  if (clientSerial === undefined) return malformed(transfer);
  const source = await openWhenFree(transfer);
  if (source === undefined) return notAuthoritative(transfer);
  try {
    return answerIxfrDatagram(transfer, source, clientSerial);
  } finally {
    source.close();
  }
}

/** Answers over TCP, message by message; resolves when the last one is handed to the socket. */
export async function transferOverTcp(
  request: Request,
  stream: ReplyStream,
  services: TransferServices,
  options: TransferOptions,
): Promise<Buffer | undefined> {
  const transfer = transferOf(request, services, options);
  const admitted = await admit(transfer);
  if (Buffer.isBuffer(admitted)) return admitted;
  const clientSerial = transfer.kind === 'ixfr' ? serialOf(request) : undefined;
  if (transfer.kind === 'ixfr' && clientSerial === undefined) return malformed(transfer);
  let source: TransferSource | undefined;
  let endTurn: (() => void) | undefined;
  try {
    endTurn = await stream.takeTurn();
    source = await openWhenFree(transfer);
    if (source === undefined) return notAuthoritative(transfer);
    const opened = source;
    const plan = await planned(transfer, opened, clientSerial, stream, ({ runs }) =>
      streamTransfer(frameOf(transfer, opened), runs, stream, {
        snapshotMs: options.snapshotMs,
        openSpool: () => services.spools.open(),
        stalled: services.stalled,
        release: () => opened.close(),
      }),
    );
    settlePlan(transfer, plan, source);
    return undefined;
  } catch (error) {
    services.storage?.noted(error);
    const reason = error instanceof Error ? error.message : String(error);
    const zoneName = source?.zoneName ?? admitted.name;
    settle(transfer, zoneName, { result: 'failed', error: reason });
    if (stream.started) {
      // What the client has is no zone, and only the end of the connection tells it so.
      stream.cut();
      return undefined;
    }
    return reply(transfer, { rcode: rcode.SERVFAIL });
  } finally {
    source?.close();
    endTurn?.();
  }
}

function transferOf(
  request: Request,
  services: TransferServices,
  options: TransferOptions,
): Transfer {
  return { request, kind: kindOf(request), services, options };
}

function kindOf(request: Request): TransferType {
  return request.question.type === rrtype.AXFR ? 'axfr' : 'ixfr';
}

/** The zone when the client may have it, or the reply that says why not. */
async function admit(transfer: Transfer): Promise<Zone | Buffer> {
  const { request, services } = transfer;
  const { name } = request.question;
  const zone = services.nodes.findZone(name);
  if (zone === undefined || !zone.enabled || apexOf(zone) !== name) {
    return notAuthoritative(transfer);
  }
  if (await services.gate.admits(request, zone)) return zone;
  settle(transfer, zone.name, { result: 'refused', error: 'the client may not pull the zone' });
  return reply(transfer, { rcode: rcode.REFUSED, explanation: explanations.prohibited });
}

/**
 * Opens what is transferred. When too many transfers are under way it waits for a while: most are
 * over soon, and a secondary that is turned away comes back only after its retry time.
 */
async function openWhenFree(transfer: Transfer): Promise<TransferSource | undefined> {
  const { request, services } = transfer;
  const deadline = monotonicMs() + nameserverLimits.busyWaitMs;
  for (;;) {
    try {
      return services.openSource(request.question.name);
    } catch (error) {
      const busy = error instanceof Problem && error.code === 'OVERLOADED';
      if (!busy || monotonicMs() >= deadline) throw error;
    }
    services.stalled.makeRoom();
    await sleep(nameserverLimits.busyRetryMs);
  }
}

function notAuthoritative(transfer: Transfer): Buffer {
  const { request, services } = transfer;
  count(transfer, 'refused');
  const zone = services.nodes.findZone(request.question.name);
  if (zone !== undefined && apexOf(zone) === request.question.name) {
    // A disabled zone is known, so that it was asked for can be shown.
    record(transfer, zone.name, { result: 'refused', error: 'the zone is disabled' });
  }
  return reply(transfer, { rcode: rcode.NOTAUTH, explanation: explanations.notAuthoritative });
}

function malformed(transfer: Transfer): Buffer {
  count(transfer, 'failed');
  return reply(transfer, { rcode: rcode.FORMERR });
}

/** The client's serial: the SOA of the zone in the authority section (RFC 1995 3). */
function serialOf(request: Request): number | undefined {
  const authorities = request.message?.authorities ?? [];
  const soa = authorities.length === 1 ? authorities[0]! : undefined;
  if (soa === undefined || soa.type !== rrtype.SOA || soa.class !== recordClass.IN)
    return undefined;
  if (soa.name !== request.question.name) return undefined;
  // Serial, refresh, retry, expire and minimum are the last 20 octets (RFC 1035 3.3.13).
  return soa.rdata.length >= 22 ? soa.rdata.readUInt32BE(soa.rdata.length - 20) : undefined;
}

function planTransfer(
  transfer: Transfer,
  source: TransferSource,
  clientSerial: number | undefined,
): IxfrPlan {
  if (clientSerial === undefined) return { form: 'full', runs: fullZone(source) };
  return planIxfr(source, clientSerial, transfer.options.ixfrCondense);
}

/**
 * Plans a transfer and sends it. Where a step turns out to be damaged before anything was sent, the next plan, which
 * knows of that, is the full zone.
 */
async function planned(
  transfer: Transfer,
  source: TransferSource,
  clientSerial: number | undefined,
  stream: ReplyStream,
  send: (plan: IxfrPlan) => Promise<void>,
): Promise<IxfrPlan> {
  const plan = planTransfer(transfer, source, clientSerial);
  try {
    await send(plan);
    return plan;
  } catch (error) {
    if (plan.form !== 'delta' || !isDamage(error) || stream.started) throw error;
  }
  const full = planTransfer(transfer, source, clientSerial);
  await send(full);
  return full;
}

function isDamage(thrown: unknown): boolean {
  const error = judgeError(thrown);
  return error instanceof Problem && error.code === 'STORAGE_UNAVAILABLE';
}

/** A whole delta when it fits one datagram, else the SOA of now: the client comes back over TCP. */
function answerIxfrDatagram(
  transfer: Transfer,
  source: TransferSource,
  clientSerial: number,
): Buffer {
  const plan = planIxfr(source, clientSerial, transfer.options.ixfrCondense);
  if (plan.form === 'delta') {
    const whole = deltaDatagram(transfer, source, plan);
    if (whole !== undefined) {
      settlePlan(transfer, plan, source);
      return whole;
    }
  }
  count(transfer, 'ok');
  return datagramOf(transfer, source, [source.soa]) ?? reply(transfer, { rcode: rcode.SERVFAIL });
}

/** Undefined when it does not fit, or is damaged: the client comes back over TCP. */
function deltaDatagram(
  transfer: Transfer,
  source: TransferSource,
  plan: IxfrPlan,
): Buffer | undefined {
  try {
    return datagramOf(transfer, source, plan.runs);
  } catch (error) {
    if (isDamage(error)) return undefined;
    throw error;
  }
}

function datagramOf(
  transfer: Transfer,
  source: TransferSource,
  runs: Iterable<PackedRecords>,
): Buffer | undefined {
  const { request, options } = transfer;
  const fields = { rcode: rcode.NOERROR, authoritative: true, expire: expireOf(source) };
  const writer = startReply(request, fields, options);
  for (const { records, count } of runs) {
    if (!writer.packedRecords('answer', records, count)) return undefined;
  }
  return finishReply(request, writer);
}

/** The expire of the SOA that is sent: the last field but one. */
function expireOf({ soa: { records } }: TransferSource): number {
  return records.readUInt32BE(records.length - 8);
}

function frameOf(transfer: Transfer, source: TransferSource): TransferFrame {
  const { request, options } = transfer;
  const edns = replyEdns(request, { expire: expireOf(source) }, options);
  let optBytes: Buffer | undefined;
  if (edns !== undefined) {
    optBytes = Buffer.allocUnsafe(optOctets(edns));
    writeOpt(edns, rcode.NOERROR, optBytes, 0);
  }
  const header = replyHeader(request.header, { rcode: rcode.NOERROR, authoritative: true });
  return {
    id: header.id,
    flags: headerFlags(header),
    questionBytes: request.questionBytes,
    optBytes,
    signer: request.signer,
  };
}

function reply(transfer: Transfer, fields: ReplyFields): Buffer {
  return shortReply(transfer.request, fields, transfer.options);
}

/**
 * Zone transfers out: who gets which answer (RFC 5936, RFC 1995), counted and recorded.
 *
 * The order of checks: is the zone ours and enabled (NOTAUTH), may this client have it (REFUSED), is
 * the request well formed (FORMERR), then the transfer. Over TCP it is streamed; over UDP an IXFR is
 * answered when it fits and an AXFR never.
 */
import { monotonicMs } from '../base/clock.ts';
import { Problem } from '../base/problem.ts';
import { judgeError } from '../base/storage-problem.ts';
import type { NameKey } from '../dns/name.ts';
import { rrtype } from '../dns/rrtype.ts';
import { rcode, recordClass } from '../dns/wire/header.ts';
import { apexOf, type Zone } from '../domain/zone.ts';
import type { Storage } from '../journal/storage.ts';
import type { NodeSource } from './answer.ts';
import { fullZone, type IxfrPlan, planIxfr } from './ixfr.ts';
import { errorReply, explanations, finishReply, shortReply, startReply } from './reply.ts';
import type { Request } from './request.ts';
import { SnapshotQueue } from './snapshot-queue.ts';
import type { SlowTransfers } from './slow-transfers.ts';
import { type AccountServices, kindOf, TransferAccount } from './transfer-account.ts';
import type { TransferAcl } from './transfer-acl.ts';
import type { PackedRecords, TransferSource } from './transfer-source.ts';
import { fillMessages, type ReplyStream, streamTransfer } from './transfer-stream.ts';

export interface TransferServices extends AccountServices {
  readonly nodes: NodeSource;
  readonly acl: TransferAcl;
  /** Opens the enabled zone of an apex at this moment; throws Problem OVERLOADED when busy. */
  openSource(apex: NameKey): TransferSource | undefined;
  readonly slow: SlowTransfers;
  /** Hears of what failed, and logs what is a fault of the storage. */
  readonly storage?: Pick<Storage, 'reportRead'> | undefined;
  readonly ixfrCondense: boolean;
  /** Milliseconds a transfer may keep its snapshot open; then the rest is spooled. */
  readonly snapshotMs: number;
}

export function isTransfer(type: number): boolean {
  return type === rrtype.AXFR || type === rrtype.IXFR;
}

export class Transfers {
  readonly #services: TransferServices;
  readonly #account: TransferAccount;
  readonly #queue: SnapshotQueue;

  constructor(services: TransferServices) {
    this.#services = services;
    this.#queue = new SnapshotQueue(services.slow);
    this.#account = new TransferAccount(services);
  }

  /** Accounts for a transfer that was asked for with a signature that does not hold. */
  accountUnverified(request: Request, reason: string): void {
    const zone = this.#zoneOf(request);
    if (zone === undefined) this.#account.count(request, 'refused');
    else this.#account.deny(request, zone.name, 'refused', reason);
  }

  /** Answers over UDP with one message. */
  async overUdp(request: Request): Promise<Buffer> {
    const admitted = await this.#admit(request);
    if (Buffer.isBuffer(admitted)) return admitted;
    if (kindOf(request) === 'axfr') {
      return shortReply(request, { rcode: rcode.NOERROR, authoritative: true, truncated: true });
    }
    const clientSerial = serialOf(request);
    if (clientSerial === undefined) return this.#malformed(request);
    const source = await this.#openInTurn(request, () => 0);
    if (source === undefined) return this.#notAuthoritative(request);
    try {
      return this.#answerIxfrDatagram(request, source, clientSerial);
    } finally {
      source.close();
    }
  }

  /** Answers over TCP, message by message; resolves when the last one is given to the socket. */
  async overTcp(request: Request, stream: ReplyStream): Promise<Buffer | undefined> {
    const admitted = await this.#admit(request);
    if (Buffer.isBuffer(admitted)) return admitted;
    const startedMs = monotonicMs();
    const isIncremental = kindOf(request) === 'ixfr';
    const clientSerial = isIncremental ? serialOf(request) : undefined;
    if (isIncremental && clientSerial === undefined) return this.#malformed(request);
    let source: TransferSource | undefined;
    let endTurn: (() => void) | undefined;
    let end: (() => void) | undefined;
    try {
      endTurn = await stream.takeTurn();
      end = this.#queue.begin(request.client);
      source = await this.#openInTurn(request, () => stream.turnsTaken);
      if (source === undefined) return this.#notAuthoritative(request);
      const { plan, bytes } = await this.#send(request, source, clientSerial, stream);
      const tookMs = Math.round(monotonicMs() - startedMs);
      this.#account.sent(request, plan, source, { bytes, tookMs });
      return undefined;
    } catch (error) {
      this.#services.storage?.reportRead(error);
      const reason = error instanceof Error ? error.message : String(error);
      this.#account.deny(request, source?.zoneName ?? admitted.name, 'failed', reason);
      if (!stream.started) return errorReply(request, rcode.SERVFAIL);
      // What the client has is no zone, and only the end of the connection tells it so.
      stream.cut();
      return undefined;
    } finally {
      source?.close();
      end?.();
      endTurn?.();
    }
  }

  /** The zone whose apex is asked for, enabled or not. */
  #zoneOf({ question: { name } }: Request): Zone | undefined {
    const zone = this.#services.nodes.findZone(name);
    return zone !== undefined && apexOf(zone) === name ? zone : undefined;
  }

  /** The zone when the client may have it, or the reply that says why not. */
  async #admit(request: Request): Promise<Zone | Buffer> {
    const zone = this.#zoneOf(request);
    if (zone === undefined || !zone.enabled) return this.#notAuthoritative(request);
    if (await this.#services.acl.admits(request, zone)) return zone;
    this.#account.deny(request, zone.name, 'refused', 'the client may not transfer the zone');
    return errorReply(request, rcode.REFUSED, explanations.prohibited);
  }

  #notAuthoritative(request: Request): Buffer {
    const zone = this.#zoneOf(request);
    // A disabled zone is known, so that it was asked for can be listed.
    if (zone === undefined) this.#account.count(request, 'refused');
    else this.#account.deny(request, zone.name, 'refused', 'the zone is disabled');
    return errorReply(request, rcode.NOTAUTH, explanations.notAuthoritative);
  }

  #malformed(request: Request): Buffer {
    this.#account.count(request, 'failed');
    return errorReply(request, rcode.FORMERR);
  }

  /** Opens what is transferred, when its turn has come. */
  #openInTurn(
    request: Request,
    begunOnConnection: () => number,
  ): Promise<TransferSource | undefined> {
    const open = () => this.#services.openSource(request.question.name);
    return this.#queue.open({ client: request.client, begunOnConnection, open });
  }

  #plan(source: TransferSource, clientSerial: number | undefined): IxfrPlan {
    if (clientSerial === undefined) return { form: 'full', runs: fullZone(source) };
    return planIxfr(source, clientSerial, this.#services.ixfrCondense);
  }

  /**
   * Plans a transfer and sends it. Where a delta turns out to be damaged before anything was sent, the next plan, which
   * knows of that, is the full zone.
   */
  async #send(
    request: Request,
    source: TransferSource,
    clientSerial: number | undefined,
    stream: ReplyStream,
  ): Promise<{ readonly plan: IxfrPlan; readonly bytes: number }> {
    const { slow, snapshotMs } = this.#services;
    const send = async (plan: IxfrPlan) => {
      const messages = fillMessages(request, plan.runs, expireOf(source));
      const bytes = await streamTransfer(messages, request.signer, stream, {
        limitMs: snapshotMs,
        slow,
        release: () => source.close(),
      });
      return { plan, bytes };
    };
    const plan = this.#plan(source, clientSerial);
    try {
      return await send(plan);
    } catch (error) {
      if (plan.form !== 'delta' || !isDamage(error) || stream.started) throw error;
    }
    return send(this.#plan(source, clientSerial));
  }

  /** A whole delta when it fits one datagram, else the SOA of now: the client comes back over TCP. */
  #answerIxfrDatagram(request: Request, source: TransferSource, clientSerial: number): Buffer {
    const plan = this.#plan(source, clientSerial);
    if (plan.form === 'delta') {
      const whole = deltaDatagram(request, source, plan);
      if (whole !== undefined) {
        this.#account.sent(request, plan, source, { bytes: whole.length, tookMs: 0 });
        return whole;
      }
    }
    this.#account.count(request, 'ok');
    return datagramOf(request, source, [source.soa]) ?? errorReply(request, rcode.SERVFAIL);
  }
}

/** The client's serial: the SOA of the zone in the authority section (RFC 1995 3). */
function serialOf(request: Request): number | undefined {
  const { authorities } = request.message;
  const soa = authorities.length === 1 ? authorities[0]! : undefined;
  if (soa === undefined || soa.type !== rrtype.SOA || soa.class !== recordClass.IN) {
    return undefined;
  }
  if (soa.name !== request.question.name) return undefined;
  // Serial, refresh, retry, expire and minimum are the last 20 bytes (RFC 1035 3.3.13).
  return soa.rdata.length >= 22 ? soa.rdata.readUInt32BE(soa.rdata.length - 20) : undefined;
}

function isDamage(thrown: unknown): boolean {
  const error = judgeError(thrown);
  return error instanceof Problem && error.code === 'STORAGE_UNAVAILABLE';
}

/** Undefined when it does not fit, or is damaged: the client comes back over TCP. */
function deltaDatagram(
  request: Request,
  source: TransferSource,
  plan: IxfrPlan,
): Buffer | undefined {
  try {
    return datagramOf(request, source, plan.runs);
  } catch (error) {
    if (isDamage(error)) return undefined;
    throw error;
  }
}

function datagramOf(
  request: Request,
  source: TransferSource,
  runs: Iterable<PackedRecords>,
): Buffer | undefined {
  const expire = expireOf(source);
  const writer = startReply(request, { rcode: rcode.NOERROR, authoritative: true, expire });
  for (const { records, count } of runs) {
    if (!writer.packedRecords('answer', records, count)) return undefined;
  }
  return finishReply(request, writer);
}

/** The expire of the SOA that is sent: the last field but one. */
function expireOf({ soa: { records } }: TransferSource): number {
  return records.readUInt32BE(records.length - 8);
}

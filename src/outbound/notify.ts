/**
 * NOTIFY to another server (RFC 1996): one message to one address, sent again until it is answered.
 *
 * Each exchange has a socket of its own on a fresh random port, so that who does not see the message can
 * not answer it: he would have to guess port and id. An answer counts when it comes from the server, with
 * id and opcode of the message; whatever its RCODE, it ends the exchange. Sent from the address the
 * service listens on when that is a concrete one, because secondaries know their primary by address.
 */
import { randomInt } from 'node:crypto';
import { isIPv6 } from 'node:net';
import pLimit from 'p-limit';
import { limits } from '../base/limits.ts';
import type { NameKey } from '../dns/name.ts';
import { rrtype } from '../dns/rrtype.ts';
import { MessageWriter } from '../dns/wire/encode.ts';
import { decodeHeader, opcode, rcode, rcodeName, recordClass } from '../dns/wire/header.ts';
import type { RequestSigner } from '../dns/wire/tsig-exchange.ts';
import { canonicalAddress, isLoopback, joinHostAndPort } from './address.ts';
import type { Destination } from './policy.ts';
import { requestEdns, requestHeader, unreadable } from './question.ts';
import { datagramsTo } from './sockets.ts';

/** What a NOTIFY says: the zone and its current SOA. */
export interface Notice {
  /** Absolute. */
  readonly apex: NameKey;
  readonly soa: { readonly ttl: number; readonly rdata: Buffer };
}

/** Makes what signs one message and checks the signature of its answer. */
export type NotifySigner = () => Pick<RequestSigner, 'sign' | 'verify'>;

export interface NotifyTarget {
  readonly destination: Destination;
  readonly signer?: NotifySigner | undefined;
}

export interface NotifySenderOptions {
  /** Messages sent after the first when nobody answers. */
  readonly retries: number;
  readonly timeoutMs: number;
  /** Where the service listens; the source of messages when it is concrete and not loopback. */
  readonly listenAddress?: string | undefined;
}

/** Why a NOTIFY was not acknowledged; the message is a clause that names the address. */
class NotifyError extends Error {
  override readonly name = 'NotifyError';
}

export interface NotifySender {
  /** Resolves when the address acknowledged; rejects with NotifyError, or when `signal` aborts. */
  send(notice: Notice, target: NotifyTarget, signal?: AbortSignal): Promise<void>;
  /** Takes effect with the next exchange; SIGHUP re-reads both. */
  setTimeouts(retries: number, timeoutMs: number): void;
  close(): void;
}

export function createNotifySender(options: NotifySenderOptions): NotifySender {
  const turns = pLimit(limits.notifySockets);
  const source = concreteAddress(options.listenAddress);
  const closing = new AbortController();
  let { retries, timeoutMs } = options;
  return {
    send: (notice, target, signal) =>
      turns(async () => {
        const signals = [closing.signal, ...(signal === undefined ? [] : [signal])];
        const ended = AbortSignal.any(signals);
        ended.throwIfAborted();
        await exchange(notice, target, { retries, timeoutMs, source, signal: ended });
      }),
    setTimeouts(nextRetries, nextTimeoutMs) {
      retries = nextRetries;
      timeoutMs = nextTimeoutMs;
    },
    close() {
      closing.abort(new NotifyError('the sender is closed'));
    },
  };
}

interface ExchangeOptions {
  readonly retries: number;
  readonly timeoutMs: number;
  /** The address to send from, where it is of the family of the destination. */
  readonly source: string | undefined;
  readonly signal: AbortSignal;
}

function exchange(
  notice: Notice,
  { destination, ...target }: NotifyTarget,
  { retries, timeoutMs, source, signal }: ExchangeOptions,
): Promise<void> {
  const { address, port } = destination;
  const where = joinHostAndPort(address, port);
  const id = randomInt(0x1_0000);
  const signer = target.signer?.();
  const unsigned = notifyMessage(id, notice, signer !== undefined);
  const message = signer === undefined ? unsigned : signer.sign(unsigned);
  let end = () => {};
  return new Promise<void>((resolve, reject) => {
    let sent = 0;
    let distrust = '';
    let timer: NodeJS.Timeout | undefined;
    const fail = (clause: string) => reject(new NotifyError(`${where} ${clause}`));
    const unreachable = (cause: Error) =>
      reject(new NotifyError(`${where} can not be reached: ${cause.message}`, { cause }));
    const transmit = () => {
      if (sent > retries) {
        fail(`did not answer${distrust}`);
        return;
      }
      sent++;
      socket.send(message, (error) => {
        // A server that is being started does not listen yet.
        if (error && !isRefused(error)) unreachable(error);
      });
      timer = setTimeout(transmit, timeoutMs);
    };
    const events = {
      ready: (error?: Error) => (error ? unreachable(error) : transmit()),
      failed: (error: Error) => isRefused(error) || unreachable(error),
      unreadable: ({ message: why }: Error) => fail(unreadable(why)),
      message(answer: Buffer) {
        const header = decodeHeader(answer);
        if (header?.id !== id || !header.response || header.opcode !== opcode.NOTIFY) return;
        const wrong = signer?.verify(answer);
        // A forged answer must not end the exchange; the real one may still come.
        if (wrong !== undefined) distrust = ` (an answer was ignored: ${wrong})`;
        else if (header.rcode === rcode.NOERROR) resolve();
        else fail(`answered ${rcodeName(header.rcode)}`);
      },
    };
    const isUsable = source !== undefined && isIPv6(source) === isIPv6(address);
    const socket = datagramsTo(destination, events, isUsable ? source : undefined);
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort);
    end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      socket.close();
    };
  }).finally(() => end());
}

/** Nobody listens on the port: its host says so at once. */
function isRefused(error: NodeJS.ErrnoException): boolean {
  return error.code === 'ECONNREFUSED';
}

/** The address messages are sent from: none for wildcards and for loopback. */
function concreteAddress(listenAddress: string | undefined): string | undefined {
  if (listenAddress === undefined) return undefined;
  const address = canonicalAddress(listenAddress);
  if (address === '0.0.0.0' || address === '::' || isLoopback(address)) return undefined;
  return address;
}

/**
 * The message of RFC 1996 3.7: the zone as question, its SOA as answer, AA set. One that will be signed
 * carries EDNS: the signed answer to it may pass 512 bytes, and Knot answers SERVFAIL where it has no room.
 */
export function notifyMessage(id: number, notice: Notice, isSigned = false): Buffer {
  const writer = new MessageWriter(
    requestHeader(id, { opcode: opcode.NOTIFY, authoritative: true }),
  );
  const { apex, soa } = notice;
  writer.question({ name: apex, type: rrtype.SOA, class: recordClass.IN });
  writer.rrset('answer', apex, rrtype.SOA, soa.ttl, [soa.rdata]);
  if (isSigned) writer.edns(requestEdns(false));
  return writer.finish();
}

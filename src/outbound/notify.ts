/**
 * NOTIFY to another server (RFC 1996): one message to one address, sent again until it is answered.
 *
 * All exchanges share one socket per address family. An answer counts when id, address, port and
 * opcode are those of a message that waits; whatever its RCODE, it ends the exchange. Sent from the
 * address the service listens on when that is a concrete one, because secondaries know their
 * primary by address.
 */
import { randomInt } from 'node:crypto';
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import { limits } from '../base/limits.ts';
import type { NameKey } from '../dns/name.ts';
import { rrtype } from '../dns/rrtype.ts';
import { MessageWriter } from '../dns/wire/encode.ts';
import { decodeHeader, opcode, rcode, rcodeName, recordClass } from '../dns/wire/header.ts';
import { canonicalAddress, isLoopback, joinHostAndPort } from './address.ts';

/** What secondaries are told: the zone and its SOA of now. */
export interface Notice {
  /** Absolute. */
  readonly apex: NameKey;
  readonly soa: { readonly ttl: number; readonly rdata: Buffer };
}

/** Signs one message and checks the signature of its answer: the place for TSIG. */
export interface NotifySigner {
  sign(message: Buffer): Buffer;
  /** What is wrong with the answer's signature, as a clause; undefined when nothing is. */
  verify(answer: Buffer, request: Buffer): string | undefined;
}

export interface NotifyTarget {
  /** An IP address. */
  readonly address: string;
  readonly port: number;
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
  setPatience(retries: number, timeoutMs: number): void;
  close(): void;
}

interface Exchange {
  answered(answer: Buffer): void;
  failed(error: Error): void;
}

export function createNotifySender(options: NotifySenderOptions): NotifySender {
  const sockets = new Map<'udp4' | 'udp6', Promise<Socket>>();
  const exchanges = new Map<string, Exchange>();
  const source = concreteAddress(options.listenAddress);
  let { retries, timeoutMs } = options;
  let closed = false;

  function socketFor(address: string): Promise<Socket> {
    const type = isIPv6(address) ? 'udp6' : 'udp4';
    let socket = sockets.get(type);
    if (socket === undefined) {
      const local =
        source !== undefined && isIPv6(source) === (type === 'udp6') ? source : undefined;
      socket = openSocket(type, local, receive);
      // One that could not be opened is tried anew by the next exchange.
      socket.catch(() => sockets.delete(type));
      sockets.set(type, socket);
    }
    return socket;
  }

  function receive(answer: Buffer, from: RemoteInfo): void {
    const header = decodeHeader(answer);
    if (header === undefined || !header.response || header.opcode !== opcode.NOTIFY) return;
    exchanges
      .get(exchangeKey(header.id, canonicalAddress(from.address), from.port))
      ?.answered(answer);
  }

  /** An id that no other exchange with the same server uses. */
  function freeId(address: string, port: number): number {
    for (;;) {
      const id = randomInt(0x1_0000);
      if (!exchanges.has(exchangeKey(id, address, port))) return id;
    }
  }

  async function send(notice: Notice, target: NotifyTarget, signal?: AbortSignal): Promise<void> {
    const address = canonicalAddress(target.address);
    const where = joinHostAndPort(address, target.port);
    if (closed) throw new NotifyError('the sender is closed');
    const socket = await socketFor(address);
    signal?.throwIfAborted();
    if (closed) throw new NotifyError('the sender is closed');
    const id = freeId(address, target.port);
    const key = exchangeKey(id, address, target.port);
    const plain = notifyMessage(id, notice, target.signer !== undefined);
    const message = target.signer === undefined ? plain : target.signer.sign(plain);
    let timer: NodeJS.Timeout | undefined;
    let onAbort: (() => void) | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        let sent = 0;
        let distrust = '';
        const transmit = () => {
          if (sent > retries) {
            reject(new NotifyError(`${where} did not answer${distrust}`));
            return;
          }
          sent++;
          socket.send(message, target.port, address, (error) => {
            if (error) reject(new NotifyError(`${where} can not be reached: ${error.message}`));
          });
          timer = setTimeout(transmit, timeoutMs);
        };
        exchanges.set(key, {
          answered(answer) {
            const wrong = target.signer?.verify(answer, message);
            if (wrong !== undefined) {
              // A forged answer must not end the exchange; the real one may still come.
              distrust = ` (an answer was ignored: ${wrong})`;
              return;
            }
            const code = decodeHeader(answer)!.rcode;
            if (code === rcode.NOERROR) resolve();
            else reject(new NotifyError(`${where} answered ${rcodeName(code)}`));
          },
          failed: reject,
        });
        onAbort = () => reject(signal?.reason);
        signal?.addEventListener('abort', onAbort);
        transmit();
      });
    } finally {
      clearTimeout(timer);
      if (onAbort !== undefined) signal?.removeEventListener('abort', onAbort);
      exchanges.delete(key);
    }
  }

  return {
    send,
    setPatience(nextRetries, nextTimeoutMs) {
      retries = nextRetries;
      timeoutMs = nextTimeoutMs;
    },
    close() {
      closed = true;
      for (const exchange of exchanges.values()) {
        exchange.failed(new NotifyError('the sender is closed'));
      }
      for (const socket of sockets.values()) socket.then((open) => open.close()).catch(() => {});
      sockets.clear();
    },
  };
}

function exchangeKey(id: number, address: string, port: number): string {
  return `${id} ${address} ${port}`;
}

/** The address messages are sent from: none for wildcards and for loopback. */
function concreteAddress(listenAddress: string | undefined): string | undefined {
  if (listenAddress === undefined) return undefined;
  const address = canonicalAddress(listenAddress);
  if (address === '0.0.0.0' || address === '::' || isLoopback(address)) return undefined;
  return address;
}

function openSocket(
  type: 'udp4' | 'udp6',
  local: string | undefined,
  receive: (answer: Buffer, from: RemoteInfo) => void,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = createSocket({
      type,
      lookup: (host, _options, done) => done(null, host, isIPv6(host) ? 6 : 4),
    });
    socket.once('error', (error) => {
      socket.close();
      reject(new NotifyError(`no socket for NOTIFY: ${error.message}`));
    });
    socket.bind({ port: 0, ...(local === undefined ? undefined : { address: local }) }, () => {
      socket.removeAllListeners('error');
      // Errors of single messages go to their callbacks; what is left concerns no exchange.
      socket.on('error', () => {});
      socket.on('message', receive);
      resolve(socket);
    });
  });
}

/**
 * The message of RFC 1996 3.7: the zone as question, its SOA as answer, AA set. One that will be signed
 * carries EDNS: the signed answer to it may pass 512 bytes, and Knot answers SERVFAIL where it has no room.
 */
export function notifyMessage(id: number, notice: Notice, isSigned = false): Buffer {
  const writer = new MessageWriter({
    id,
    opcode: opcode.NOTIFY,
    rcode: rcode.NOERROR,
    response: false,
    authoritative: true,
    truncated: false,
    recursionDesired: false,
    recursionAvailable: false,
    authenticData: false,
    checkingDisabled: false,
  });
  const { apex, soa } = notice;
  writer.question({ name: apex, type: rrtype.SOA, class: recordClass.IN });
  writer.rrset('answer', apex, rrtype.SOA, soa.ttl, [soa.rdata]);
  if (isSigned) {
    const udpPayload = limits.udpPayloadOctets;
    writer.edns({ udpPayload, version: 0, dnssecOk: false, options: [] });
  }
  return writer.finish();
}

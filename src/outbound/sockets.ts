/**
 * The only sockets that the service opens towards others. They go to a Destination, an address that passed the
 * outbound policy, and can send nowhere else: datagram sockets are connected.
 */
import { createSocket, type Socket as DatagramSocket } from 'node:dgram';
import { Agent, request as httpRequest } from 'node:http';
import { Agent as TlsAgent, request as httpsRequest } from 'node:https';
import { connect, isIP, isIPv6, type Socket } from 'node:net';
import { connect as connectTls, getCACertificates } from 'node:tls';
import { onceAnswered } from '../base/http-exchange.ts';
import { limits } from '../base/limits.ts';
import { assert } from '../base/problem.ts';
import { Destination } from './policy.ts';

export interface DatagramEvents {
  /** It can send; with the reason when it can not. */
  ready(error?: Error): void;
  message(bytes: Buffer): void;
  /** What an answer made `message` throw. */
  unreadable(error: Error): void;
  /** Once it is ready: often that nobody listens there. */
  failed(error: Error): void;
}

/** A datagram socket on a fresh port of its own, which hears of its destination alone. */
export function datagramsTo(
  destination: Destination,
  events: DatagramEvents,
  localAddress?: string,
): DatagramSocket {
  assert(Destination.isOne(destination), 'datagrams go to addresses that were judged');
  const { address, port } = destination;
  const socket = createSocket({
    type: isIPv6(address) ? 'udp6' : 'udp4',
    // Sent to addresses only: nothing has to be looked up.
    lookup: (host, _options, done) => done(null, host, isIPv6(host) ? 6 : 4),
  });
  socket.on('error', events.failed);
  socket.on('message', taking(events.message, events.unreadable));
  // Where there is no route, the connecting fails already. It waits for the binding: `connect` on a socket that could
  // not be bound, without IPv6 or where no port is free, leaves one that `close` does not close.
  const join = () => socket.connect(port, address, events.ready as () => void);
  socket.bind({ port: 0, ...(localAddress !== undefined && { address: localAddress }) }, join);
  return socket;
}

const passing = ['EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN', 'EADDRNOTAVAIL', 'EAI_AGAIN'];

/** Whether what failed may be over soon: there is no network, or nobody who resolves names. */
export function isPassing(failure: unknown): boolean {
  const { cause = failure } = failure as Error;
  return passing.includes((cause as NodeJS.ErrnoException).code ?? '');
}

/** Takes bytes that another server sent. `failed` hears what they make `take` throw: no answer ends the process. */
export function taking(
  take: (bytes: Buffer) => void,
  failed: (error: Error) => void,
): (bytes: Buffer) => void {
  return (bytes) => {
    try {
      take(bytes);
    } catch (error) {
      failed(error as Error);
    }
  };
}

/** A connection, or one that is being opened. */
export function connectionTo(destination: Destination, noDelay = false): Socket {
  assert(Destination.isOne(destination), 'connections go to addresses that were judged');
  return connect({ host: destination.address, port: destination.port, noDelay });
}

/** Posts to an http or https URL, one request after the other, by a connection that is kept. */
export class Poster {
  readonly #authorities: readonly string[];
  #kept: { readonly key: string; readonly agent: Agent } | undefined;

  /** `authorities`: whom it trusts besides those that Node brings along, in PEM. */
  constructor(authorities: readonly string[] = []) {
    this.#authorities = authorities;
  }

  /** The status of the answer, of which nothing else is read. */
  async post(
    url: URL,
    destination: Destination,
    sent: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
    signal: AbortSignal,
  ): Promise<number> {
    const agent = this.#agentTo(url, destination);
    const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
    return new Promise((resolve, reject) => {
      const length = Buffer.byteLength(sent.body);
      const headers = { ...sent.headers, 'content-length': length };
      const asked = request(url, { method: 'POST', agent, headers, signal });
      onceAnswered(asked, reject, (answer) => {
        let bytes = 0;
        answer.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes > limits.webhookAnswerBytes) answer.destroy();
        });
        answer.on('error', () => {});
        answer.on('close', () => resolve(answer.statusCode ?? 0));
      });
      asked.end(sent.body);
    });
  }

  close(): void {
    this.#kept?.agent.destroy();
    this.#kept = undefined;
  }

  /** A name may lead elsewhere than when its connection was opened: then it is not used any more. */
  #agentTo(url: URL, destination: Destination): Agent {
    const key = `${url.origin} ${destination.address}`;
    if (this.#kept?.key === key) return this.#kept.agent;
    this.close();
    const isTls = url.protocol === 'https:';
    const agent = new (isTls ? TlsAgent : Agent)({ keepAlive: true, maxSockets: 1 });
    const servername = isIP(url.hostname) === 0 ? url.hostname : undefined;
    const isTrusting = isTls && this.#authorities.length > 0;
    const ca = isTrusting ? [...getCACertificates('default'), ...this.#authorities] : undefined;
    agent.createConnection = () => {
      const socket = connectionTo(destination, true);
      const host = url.hostname.replace(/^\[|\]$/g, '');
      return isTls ? connectTls({ socket, host, ca, ...(servername && { servername }) }) : socket;
    };
    this.#kept = { key, agent };
    return agent;
  }
}

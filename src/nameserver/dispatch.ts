/**
 * From one message to its answer: what is dropped, what is no request of ours, and who handles the
 * rest (the table of decisions 8, in its order).
 *
 * Whatever a handler does wrong is answered SERVFAIL and logged: one odd message never ends the
 * process, nor costs the others their answer.
 */
import { rrtype } from '../dns/rrtype.ts';
import { WireError } from '../dns/wire/error.ts';
import { opcode, rcode, rcodeName, recordClass } from '../dns/wire/header.ts';
import { apexOf } from '../domain/zone.ts';
import type { Log } from '../telemetry/log.ts';
import type { SoaQueryResult } from '../telemetry/metrics.ts';
import { answerQuery, type QueryOptions } from './query.ts';
import { explanations, headerReply, replyRcode, shortReply } from './reply.ts';
import { type Client, readRequest, type Request, type VerifiedKey } from './request.ts';
import {
  isTransfer,
  type TransferOptions,
  transferOverTcp,
  transferOverUdp,
  type TransferServices,
} from './transfer.ts';
import type { ReplyStream } from './transfer-stream.ts';

export interface DispatchServices extends TransferServices {
  readonly soaQueries: { inc(result: SoaQueryResult): void };
  readonly dnsQueries: { inc(rcode: string): void };
  readonly log: Log;
  /**
   * Verifies the TSIG of a signed request: the key, or the reply that says what is wrong. Without a
   * verifier no key is known.
   */
  readonly verify?: ((request: Request) => VerifiedKey | Buffer) | undefined;
  /** Applies a dynamic update; without it updates are refused. */
  readonly update?: ((request: Request) => Promise<Buffer>) | undefined;
}

export interface DispatchOptions extends QueryOptions, TransferOptions {}

/** The answer to a message, now or later; undefined when there is none to send. */
export type Reply = Buffer | undefined;

export interface Dispatcher {
  /** Answers one datagram; synchronously whenever nothing has to be waited for. */
  answerDatagram(bytes: Buffer, address: string): Reply | Promise<Reply>;
  /** Answers one message of a TCP connection; transfers go to `stream` message by message. */
  answerMessage(bytes: Buffer, address: string, stream: ReplyStream): Reply | Promise<Reply>;
}

/** Octet of the header whose highest bit says response, and whose next four are the opcode. */
const flagsOctet = 2;
const headerOctets = 12;

export function createDispatcher(services: DispatchServices, options: DispatchOptions): Dispatcher {
  function answer(
    bytes: Buffer,
    client: Client,
    stream: ReplyStream | undefined,
  ): Reply | Promise<Reply> {
    // An answer to an answer could go round for ever (case 59).
    if (bytes.length < headerOctets || (bytes[flagsOctet]! & 0x80) !== 0) return undefined;
    try {
      const reply = route(bytes, client, stream);
      if (!(reply instanceof Promise)) return counted(reply);
      return reply.then(counted).catch((error) => failed(bytes, client, error));
    } catch (error) {
      return failed(bytes, client, error);
    }
  }

  function route(
    bytes: Buffer,
    client: Client,
    stream: ReplyStream | undefined,
  ): Reply | Promise<Reply> {
    const code = (bytes[flagsOctet]! >> 3) & 15;
    if (code !== opcode.QUERY && code !== opcode.UPDATE) return notImplemented(bytes, client);
    let request: Request;
    try {
      request = readRequest(bytes, client);
    } catch (error) {
      if (error instanceof WireError) return headerReply(bytes, rcode.FORMERR);
      throw error;
    }
    if (request.edns !== undefined && request.edns.version > 0) {
      return shortReply(request, { rcode: rcode.BADVERS }, options);
    }
    if (request.message?.tsig !== undefined) {
      const verified = services.verify?.(request);
      if (verified === undefined) return shortReply(request, { rcode: rcode.NOTAUTH }, options);
      if (Buffer.isBuffer(verified)) return verified;
      request = { ...request, signedBy: verified };
    }
    if (code === opcode.UPDATE) return update(request);
    if (request.question.class !== recordClass.IN) {
      return shortReply(request, { rcode: rcode.REFUSED }, options);
    }
    if (!isTransfer(request.question.type)) return answerQuery(request, services, options);
    return stream === undefined
      ? transferOverUdp(request, services, options)
      : transferOverTcp(request, stream, services, options);
  }

  /** NOTIFY and opcodes nobody knows: said so, with the question when it can be read. */
  function notImplemented(bytes: Buffer, client: Client): Reply {
    try {
      const request = readRequest(bytes, client);
      if (request.question !== undefined) {
        return shortReply(request, { rcode: rcode.NOTIMP }, options);
      }
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
    }
    return headerReply(bytes, rcode.NOTIMP);
  }

  function update(request: Request): Reply | Promise<Reply> {
    const { name, type, class: zoneClass } = request.question;
    // The zone section has to name one zone by its SOA (RFC 2136 3.1.1).
    if (type !== rrtype.SOA) return shortReply(request, { rcode: rcode.FORMERR }, options);
    const zone = services.nodes.findZone(name);
    const isApex = zone !== undefined && apexOf(zone) === name;
    if (!isApex || !zone.enabled || zoneClass !== recordClass.IN) {
      const explanation = explanations.notAuthoritative;
      return shortReply(request, { rcode: rcode.NOTAUTH, explanation }, options);
    }
    if (services.update !== undefined) return services.update(request);
    return shortReply(request, { rcode: rcode.REFUSED }, options);
  }

  function counted(reply: Reply): Reply {
    if (reply !== undefined) services.dnsQueries.inc(rcodeName(replyRcode(reply)));
    return reply;
  }

  function failed(bytes: Buffer, client: Client, error: unknown): Reply {
    const { address, transport } = client;
    services.log.error('dns.failed', { client: address, transport, error });
    return counted(headerReply(bytes, rcode.SERVFAIL));
  }

  return {
    answerDatagram: (bytes, address) => answer(bytes, { address, transport: 'udp' }, undefined),
    answerMessage: (bytes, address, stream) => answer(bytes, { address, transport: 'tcp' }, stream),
  };
}

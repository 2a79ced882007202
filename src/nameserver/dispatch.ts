/**
 * From one message to its answer: what is dropped, what is no request of ours, and who handles the
 * rest (the table of decisions 8, in its order).
 *
 * Whatever a handler does wrong is answered SERVFAIL and logged: one odd message never ends the
 * process, nor costs the others their answer.
 */
import { Problem } from '../base/problem.ts';
import { rrtype } from '../dns/rrtype.ts';
import { WireError } from '../dns/wire/error.ts';
import { opcode, rcode, rcodeName, recordClass } from '../dns/wire/header.ts';
import { catalogZoneId } from '../domain/catalog.ts';
import { apexOf } from '../domain/zone.ts';
import { isLoopback } from '../outbound/address.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Log } from '../telemetry/log.ts';
import { authenticate, type FindKey, type Refusal } from './authenticate.ts';
import type { Cookies } from './cookies.ts';
import { nameserverLimits } from './limits.ts';
import { Pace } from './pace.ts';
import { answerQuery, type QueryOptions, type QueryServices } from './query.ts';
import type { RateLimit } from './rate-limit.ts';
import { explanations, headerReply, questionlessReply, replyRcode, shortReply } from './reply.ts';
import {
  type Client,
  clientAddress,
  type Request,
  readBrokenRequest,
  readRequest,
} from './request.ts';
import {
  accountUnverified,
  isTransfer,
  type TransferOptions,
  type TransferServices,
  transferOverTcp,
  transferOverUdp,
} from './transfer.ts';
import type { ReplyStream } from './transfer-stream.ts';
import type { UpdateHandler } from './update.ts';
import { updateResultOf } from './update-result.ts';

export interface DispatchServices extends QueryServices, TransferServices {
  readonly dnsQueries: Metrics['dnsQueries'];
  readonly log: Log;
  /** Finds the key of a signed request; without it no key is known. */
  readonly findKey?: FindKey | undefined;
  /** Applies a dynamic update; without it updates are refused. */
  readonly update?: UpdateHandler | undefined;
  readonly updates?: Metrics['updates'] | undefined;
  /** Limits answers over UDP; without it there is no limit. */
  readonly rateLimit?: RateLimit | undefined;
  readonly rateLimited?: Metrics['rateLimited'] | undefined;
  /** Serves DNS cookies; without it they are ignored. */
  readonly cookies?: Cookies | undefined;
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

/** One message in work: `request` is what is known of it so far. */
interface Task {
  readonly bytes: Buffer;
  readonly client: Client;
  request: Request | undefined;
}

const noKey: FindKey = () => undefined;

/** Octet of the header whose highest bit says response, and whose next four are the opcode. */
const flagsOctet = 2;
const headerOctets = 12;

export function createDispatcher(services: DispatchServices, options: DispatchOptions): Dispatcher {
  const { clock, log } = services;
  const loggedSignatures = new Pace(nameserverLimits.loggedSignaturesPerMinute);

  function answer(
    bytes: Buffer,
    client: Client,
    stream: ReplyStream | undefined,
  ): Reply | Promise<Reply> {
    // An answer to an answer could go round for ever (case 59).
    if (bytes.length < headerOctets || (bytes[flagsOctet]! & 0x80) !== 0) return undefined;
    const { rateLimit } = services;
    if (stream === undefined && rateLimit?.take(client.address) === false) {
      return answerBeyondLimit(bytes, client, rateLimit);
    }
    return answerFreely(bytes, client, stream);
  }

  function answerFreely(
    bytes: Buffer,
    client: Client,
    stream: ReplyStream | undefined,
  ): Reply | Promise<Reply> {
    const task: Task = { bytes, client, request: undefined };
    try {
      const reply = route(task, stream);
      if (!(reply instanceof Promise)) return counted(reply, task);
      return reply.then(
        (later) => counted(later, task),
        (error) => counted(failed(task, error), task),
      );
    } catch (error) {
      return counted(failed(task, error), task);
    }
  }

  /** Its prefix has had its answers: only those are answered who can not be somebody else, or are known. */
  function answerBeyondLimit(
    bytes: Buffer,
    client: Client,
    rateLimit: RateLimit,
  ): Reply | Promise<Reply> {
    const request = readOrIgnore(bytes, client, services.cookies);
    if (request !== undefined && isProven(request)) return answerFreely(bytes, client, undefined);
    const decide = (isKnown: boolean) =>
      isKnown
        ? answerFreely(bytes, client, undefined)
        : answerInShort(request, rateLimit.slips(client.address));
    const address = clientAddress(client);
    const isKnown = isLoopback(address) || services.gate.allows(address);
    return typeof isKnown === 'boolean' ? decide(isKnown) : isKnown.then(decide);
  }

  /** True for a client that receives what is sent to its address, or that signs. */
  function isProven(request: Request): boolean {
    if (request.cookie?.verdict === 'valid') return true;
    const tsig = request.message?.tsig;
    if (tsig === undefined) return false;
    return !('refusal' in authenticate(request, tsig, services.findKey ?? noKey, clock));
  }

  function answerInShort(request: Request | undefined, slips: boolean): Reply {
    const isQuery = request?.question !== undefined && request.header.opcode === opcode.QUERY;
    const isAnswered = slips && isQuery && (request.edns?.version ?? 0) === 0;
    services.rateLimited?.inc(isAnswered ? 'slipped' : 'dropped');
    if (!isAnswered) return undefined;
    const verdict = request.cookie?.verdict;
    const hasCookie = verdict === 'new' || verdict === 'wrong';
    const code = hasCookie ? rcode.BADCOOKIE : rcode.NOERROR;
    services.dnsQueries.inc(rcodeName(code));
    // Nothing that makes it longer, as the name of the server would.
    const plain = { tcpIdleSeconds: options.tcpIdleSeconds };
    return shortReply(request, { rcode: code, truncated: !hasCookie }, plain);
  }

  function route(task: Task, stream: ReplyStream | undefined): Reply | Promise<Reply> {
    const { bytes, client } = task;
    const code = opcodeOf(bytes);
    // NOTIFY and opcodes nobody knows: said so, with the question when it can be read.
    const isKnown = code === opcode.QUERY || code === opcode.UPDATE;
    let request: Request;
    try {
      request = readRequest(bytes, client, services.cookies);
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      return refuseBroken(task, isKnown ? rcode.FORMERR : rcode.NOTIMP);
    }
    if (request.question === undefined) return answerWithoutQuestion(request);
    task.request = request;
    if (request.cookie?.verdict === 'malformed') {
      return shortReply(request, { rcode: rcode.FORMERR }, options);
    }
    const tsig = request.message?.tsig;
    if (tsig !== undefined) {
      const authenticated = authenticate(request, tsig, services.findKey ?? noKey, clock);
      if ('refusal' in authenticated) return refuse(task, authenticated.refusal);
      request = authenticated.request;
      task.request = request;
    }
    if (!isKnown) return shortReply(request, { rcode: rcode.NOTIMP }, options);
    if (request.edns !== undefined && request.edns.version > 0) {
      return shortReply(request, { rcode: rcode.BADVERS }, options);
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

  /** A query without question asks for a cookie, or whether the one it has is good (RFC 7873 5.4). */
  function answerWithoutQuestion(request: Request): Reply {
    const { cookie, header } = request;
    if (header.opcode !== opcode.QUERY) return headerReply(request.bytes, rcode.NOTIMP);
    if (cookie === undefined) return headerReply(request.bytes, rcode.FORMERR);
    const codes = {
      malformed: rcode.FORMERR,
      wrong: rcode.BADCOOKIE,
      new: rcode.NOERROR,
      valid: rcode.NOERROR,
    };
    return questionlessReply(request, codes[cookie.verdict], options);
  }

  /** Answers what can not be read, signed for whoever signed it (RFC 8945 5.3). */
  function refuseBroken(task: Task, code: number): Reply {
    const { bytes, client } = task;
    const broken = readBrokenRequest(bytes, client);
    if (broken?.question === undefined) return headerReply(bytes, code);
    const { tsig } = broken.message!;
    const authenticated = authenticate(broken, tsig!, services.findKey ?? noKey, clock);
    if ('refusal' in authenticated) return refuse(task, authenticated.refusal);
    task.request = authenticated.request;
    return shortReply(authenticated.request, { rcode: code }, options);
  }

  /** Answers a request whose signature does not hold; whoever set up the client wants to know. */
  function refuse(task: Task, { request, rcode: code, reason }: Refusal): Reply {
    const { address, transport } = request.client;
    task.request = request;
    if (loggedSignatures.take(clock())) {
      log.warn('dns.unverified', { client: address, transport, reason });
    }
    const isQuery = request.header.opcode === opcode.QUERY;
    if (isQuery && isTransfer(request.question.type)) accountUnverified(request, reason, services);
    return shortReply(request, { rcode: code }, options);
  }

  function update(request: Request): Reply | Promise<Reply> {
    const { name, type, class: zoneClass } = request.question;
    // The zone section has to name one zone by its SOA (RFC 2136 3.1.1).
    if (type !== rrtype.SOA) return shortReply(request, { rcode: rcode.FORMERR }, options);
    const explanation = explanations.notAuthoritative;
    if (zoneClass !== recordClass.IN) {
      return shortReply(request, { rcode: rcode.NOTAUTH, explanation }, options);
    }
    const isServed = () => {
      const zone = services.nodes.findZone(name);
      // The catalog follows the zones; nobody updates it.
      if (zone === undefined || zone.id === catalogZoneId) return false;
      return zone.enabled && apexOf(zone) === name;
    };
    if (services.update !== undefined) return services.update(request, isServed);
    return isServed()
      ? shortReply(request, { rcode: rcode.REFUSED }, options)
      : shortReply(request, { rcode: rcode.NOTAUTH, explanation }, options);
  }

  function counted(reply: Reply, task: Task): Reply {
    if (reply === undefined) return undefined;
    const code = replyRcode(reply, task.request);
    services.dnsQueries.inc(rcodeName(code));
    if (opcodeOf(task.bytes) === opcode.UPDATE) services.updates?.inc(updateResultOf(code));
    return reply;
  }

  function failed({ bytes, client, request }: Task, error: unknown): Reply {
    const { address, transport } = client;
    // Told once by those who repair it, and not with every question.
    const isDamage = error instanceof Problem && error.code === 'STORAGE_UNAVAILABLE';
    if (services.storage?.noted(error) !== true && !isDamage)
      log.error('dns.failed', { client: address, transport, error });
    // A client that signs takes no answer without signature for ours.
    try {
      if (request?.signer !== undefined) {
        return shortReply(request, { rcode: rcode.SERVFAIL }, options);
      }
    } catch (signing) {
      log.error('dns.failed', { client: address, transport, error: signing });
    }
    return headerReply(bytes, rcode.SERVFAIL);
  }

  return {
    answerDatagram: (bytes, address) => answer(bytes, { address, transport: 'udp' }, undefined),
    answerMessage: (bytes, address, stream) => answer(bytes, { address, transport: 'tcp' }, stream),
  };
}

function readOrIgnore(
  bytes: Buffer,
  client: Client,
  cookies: Cookies | undefined,
): Request | undefined {
  try {
    return readRequest(bytes, client, cookies);
  } catch (error) {
    if (error instanceof WireError) return undefined;
    throw error;
  }
}

function opcodeOf(bytes: Buffer): number {
  return (bytes[flagsOctet]! >> 3) & 15;
}

/**
 * From one message to its answer: what is dropped, what is no request of ours, and who handles the
 * rest.
 *
 * Whatever a handler does wrong is answered SERVFAIL and logged; beyond the rate limit it is dropped. One odd message
 * never ends the process, nor costs the others their answer.
 */
import { Problem } from '../base/problem.ts';
import { WireError } from '../dns/error.ts';
import { rrtype } from '../dns/rrtype.ts';
import { headerBytes, opcode, rcode, rcodeName, recordClass } from '../dns/wire/header.ts';
import { catalogZoneId } from '../domain/catalog.ts';
import { apexOf } from '../domain/zone.ts';
import { isLoopback } from '../outbound/address.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { type Authenticated, authenticate, type FindKey, type Rejection } from './authenticate.ts';
import { nameserverLimits } from './limits.ts';
import { answerQuery, type QueryServices } from './query.ts';
import { MinuteLimit, type RateLimit } from './rate-limit.ts';
import {
  errorReply,
  explanations,
  headerReply,
  questionlessReply,
  replyRcode,
  shortReply,
} from './reply.ts';
import {
  type Client,
  clientAddress,
  MustNotWait,
  type Request,
  readBrokenRequest,
  readRequest,
  type ServerInfo,
} from './request.ts';
import { isTransfer, type TransferServices, Transfers } from './transfer.ts';
import type { ReplyStream } from './transfer-stream.ts';
import { type UpdateHandler, updateResultOf } from './update.ts';

export interface DispatchServices extends QueryServices, TransferServices {
  readonly server: ServerInfo;
  readonly metrics: NameserverMetrics;
  /** Finds the key of a signed request; without it no key is known. */
  readonly findKey?: FindKey | undefined;
  /** Applies dynamic updates; without it they are refused. */
  readonly updates?: Pick<UpdateHandler, 'answer'> | undefined;
  /** Limits answers over UDP; without it there is no limit. */
  readonly rateLimit?: RateLimit | undefined;
}

export type NameserverMetrics = Pick<Metrics, 'transfers' | 'soaQueries' | 'dnsQueries'> &
  Partial<Pick<Metrics, 'rateLimited' | 'updates'>>;

/** The answer to a message, now or later; undefined when there is none to send. */
export type Reply = Buffer | undefined;

/** One message in work: `request` is what is known of it so far. */
interface Task {
  readonly bytes: Buffer;
  readonly client: Client;
  request: Request | undefined;
}

const noKey: FindKey = () => undefined;

/** Where the header has the byte whose highest bit says response, and whose next four are the opcode. */
const flagsOffset = 2;

export class Dispatcher {
  readonly #services: DispatchServices;
  readonly #transfers: Transfers;
  readonly #loggedSignatures = new MinuteLimit(nameserverLimits.loggedSignaturesPerMinute);

  constructor(services: DispatchServices) {
    this.#services = services;
    this.#transfers = new Transfers(services);
  }

  /** Answers one datagram; synchronously whenever nothing has to be waited for. Never throws nor rejects. */
  answerDatagram(bytes: Buffer, address: string, mustNotWait = false): Reply | Promise<Reply> {
    if (isNoRequest(bytes)) return undefined;
    const client: Client = { address, transport: 'udp', mustNotWait };
    const { rateLimit } = this.#services;
    if (rateLimit?.take(address) === false) {
      const decide = () => this.#answerBeyondLimit(bytes, client, rateLimit);
      return guarded(decide, () => this.#answerInShort(undefined, false));
    }
    return this.#answer(bytes, client, undefined);
  }

  /** Answers one message of a TCP connection; transfers go to `stream` message by message. */
  answerMessage(bytes: Buffer, address: string, stream: ReplyStream): Reply | Promise<Reply> {
    if (isNoRequest(bytes)) return undefined;
    return this.#answer(bytes, { address, transport: 'tcp' }, stream);
  }

  #answer(bytes: Buffer, client: Client, stream: ReplyStream | undefined): Reply | Promise<Reply> {
    const task: Task = { bytes, client, request: undefined };
    const reply = guarded(
      () => this.#route(task, stream),
      (error) => this.#failed(task, error),
    );
    return reply instanceof Promise
      ? reply.then((later) => this.#counted(later, task))
      : this.#counted(reply, task);
  }

  /** Its prefix has had its answers: only those are answered who can not be somebody else, or are known. */
  #answerBeyondLimit(bytes: Buffer, client: Client, rateLimit: RateLimit): Reply | Promise<Reply> {
    const request = readOrIgnore(bytes, client, this.#services.server);
    if (request !== undefined && this.#isProven(request)) {
      return this.#answer(bytes, client, undefined);
    }
    const decide = (isKnown: boolean) =>
      isKnown
        ? this.#answer(bytes, client, undefined)
        : this.#answerInShort(request, rateLimit.slips(client.address));
    const address = clientAddress(client);
    const isKnown = isLoopback(address) || this.#services.acl.allows(address, client.mustNotWait);
    return typeof isKnown === 'boolean' ? decide(isKnown) : isKnown.then(decide);
  }

  /** True for a client that receives what is sent to its address, or that signs. */
  #isProven(request: Request): boolean {
    if (request.cookie?.state === 'valid') return true;
    return request.message.tsig !== undefined && !('refusal' in this.#authenticate(request));
  }

  #answerInShort(request: Request | undefined, slips: boolean): Reply {
    const { metrics } = this.#services;
    const isQuery = request?.question !== undefined && request.header.opcode === opcode.QUERY;
    const isAnswered = slips && isQuery && (request.edns?.version ?? 0) === 0;
    metrics.rateLimited?.inc(isAnswered ? 'slipped' : 'dropped');
    if (!isAnswered) return undefined;
    const state = request.cookie?.state;
    const hasCookie = state === 'new' || state === 'wrong';
    const code = hasCookie ? rcode.BADCOOKIE : rcode.NOERROR;
    metrics.dnsQueries.inc(rcodeName(code));
    // Nothing that makes it longer, as the name of the server would.
    const server = { ...request.server, nsid: undefined };
    return shortReply({ ...request, server }, { rcode: code, truncated: !hasCookie });
  }

  #route(task: Task, stream: ReplyStream | undefined): Reply | Promise<Reply> {
    const { bytes, client } = task;
    const { server } = this.#services;
    const code = opcodeOf(bytes);
    // NOTIFY and opcodes nobody knows: said so, with the question when it can be read.
    const isKnown = code === opcode.QUERY || code === opcode.UPDATE;
    let request: Request;
    try {
      request = readRequest(bytes, client, server);
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      return this.#refuseBroken(task, isKnown ? rcode.FORMERR : rcode.NOTIMP);
    }
    if (request.question === undefined) return answerWithoutQuestion(request);
    task.request = request;
    if (request.cookie?.state === 'malformed') return errorReply(request, rcode.FORMERR);
    const authenticated = this.#authenticate(request);
    if ('rejection' in authenticated) return this.#refuse(task, authenticated.rejection);
    request = authenticated.request;
    task.request = request;
    if (!isKnown) return errorReply(request, rcode.NOTIMP);
    if (request.edns !== undefined && request.edns.version > 0) {
      return errorReply(request, rcode.BADVERS);
    }
    if (code === opcode.UPDATE) return this.#update(request);
    if (request.question.class !== recordClass.IN) return errorReply(request, rcode.REFUSED);
    if (!isTransfer(request.question.type)) return answerQuery(request, this.#services);
    return stream === undefined
      ? this.#transfers.overUdp(request)
      : this.#transfers.overTcp(request, stream);
  }

  /** Judges the signature of a request; one that has none goes on as it is. */
  #authenticate(request: Request): Authenticated {
    const { tsig } = request.message;
    const { findKey = noKey, clock } = this.#services;
    return tsig === undefined ? { request } : authenticate(request, tsig, findKey, clock);
  }

  /** Answers what can not be read, signed for whoever signed it (RFC 8945 5.3). */
  #refuseBroken(task: Task, code: number): Reply {
    const { bytes, client } = task;
    const broken = readBrokenRequest(bytes, client, this.#services.server);
    if (broken?.question === undefined) return headerReply(bytes, code);
    const authenticated = this.#authenticate(broken);
    if ('rejection' in authenticated) return this.#refuse(task, authenticated.rejection);
    task.request = authenticated.request;
    return errorReply(authenticated.request, code);
  }

  /** Answers a request whose signature does not hold; whoever set up the client wants to know. */
  #refuse(task: Task, { request, rcode: code, reason }: Rejection): Reply {
    const { address, transport } = request.client;
    const { log, clock } = this.#services;
    task.request = request;
    if (this.#loggedSignatures.take(clock())) {
      log.warn('dns.unverified', { client: address, transport, reason });
    }
    const isQuery = request.header.opcode === opcode.QUERY;
    if (isQuery && isTransfer(request.question.type)) {
      this.#transfers.accountUnverified(request, reason);
    }
    return errorReply(request, code);
  }

  #update(request: Request): Reply | Promise<Reply> {
    const { name, type, class: zoneClass } = request.question;
    // The zone section has to name one zone by its SOA (RFC 2136 3.1.1).
    if (type !== rrtype.SOA) return errorReply(request, rcode.FORMERR);
    if (zoneClass !== recordClass.IN) {
      return errorReply(request, rcode.NOTAUTH, explanations.notAuthoritative);
    }
    const isServed = () => {
      const zone = this.#services.nodes.findZone(name);
      // The catalog follows the zones; nobody updates it.
      if (zone === undefined || zone.id === catalogZoneId) return false;
      return zone.enabled && apexOf(zone) === name;
    };
    const { updates } = this.#services;
    if (request.client.mustNotWait) throw new MustNotWait();
    if (updates !== undefined) return updates.answer(request, isServed);
    return isServed()
      ? errorReply(request, rcode.REFUSED)
      : errorReply(request, rcode.NOTAUTH, explanations.notAuthoritative);
  }

  #counted(reply: Reply, task: Task): Reply {
    if (reply === undefined) return undefined;
    const { metrics } = this.#services;
    const code = replyRcode(reply, task.request);
    metrics.dnsQueries.inc(rcodeName(code));
    if (opcodeOf(task.bytes) === opcode.UPDATE) metrics.updates?.inc(updateResultOf(code));
    return reply;
  }

  #failed({ bytes, client, request }: Task, error: unknown): Reply {
    if (error instanceof MustNotWait) return undefined;
    const { address, transport } = client;
    const { log, storage } = this.#services;
    // Logged once by those who repair it, and not with every query.
    const isDamage = error instanceof Problem && error.code === 'STORAGE_UNAVAILABLE';
    if (storage?.reportRead(error) !== true && !isDamage) {
      log.error('dns.failed', { client: address, transport, error });
    }
    // A client that signs takes no answer without signature for ours.
    try {
      if (request?.signer !== undefined) return errorReply(request, rcode.SERVFAIL);
    } catch (signing) {
      log.error('dns.failed', { client: address, transport, error: signing });
    }
    return headerReply(bytes, rcode.SERVFAIL);
  }
}

/** What is made, now or later, or what stands for it where that fails. */
function guarded(
  make: () => Reply | Promise<Reply>,
  failed: (error: unknown) => Reply,
): Reply | Promise<Reply> {
  try {
    const reply = make();
    return reply instanceof Promise ? reply.catch(failed) : reply;
  } catch (error) {
    return failed(error);
  }
}

/** An answer to an answer could go round for ever (case 59). */
function isNoRequest(bytes: Buffer): boolean {
  return bytes.length < headerBytes || (bytes[flagsOffset]! & 0x80) !== 0;
}

function opcodeOf(bytes: Buffer): number {
  return (bytes[flagsOffset]! >> 3) & 15;
}

/** A query without question asks for a cookie, or whether the one it has is good (RFC 7873 5.4). */
function answerWithoutQuestion(request: Request): Reply {
  const { cookie, edns, header } = request;
  if (header.opcode !== opcode.QUERY) return questionlessReply(request, rcode.NOTIMP);
  if (edns !== undefined && edns.version > 0) return questionlessReply(request, rcode.BADVERS);
  if (cookie === undefined) return questionlessReply(request, rcode.FORMERR);
  const codes = {
    malformed: rcode.FORMERR,
    wrong: rcode.BADCOOKIE,
    new: rcode.NOERROR,
    valid: rcode.NOERROR,
  };
  return questionlessReply(request, codes[cookie.state]);
}

function readOrIgnore(bytes: Buffer, client: Client, server: ServerInfo): Request | undefined {
  try {
    return readRequest(bytes, client, server);
  } catch (error) {
    if (error instanceof WireError) return undefined;
    throw error;
  }
}

/**
 * Answers to QUERY, zone transfers aside: which zone answers, whether this client is answered at
 * all, and the answer in octets (decisions 8 and 12).
 *
 * With answer_queries off the server is a hidden primary: SOA for those who may transfer and for
 * this host, nothing else.
 */
import { isMetaType, rrtype } from '../dns/rrtype.ts';
import { rcode } from '../dns/wire/header.ts';
import { isLoopback } from '../outbound/address.ts';
import type { SoaQueryResult } from '../telemetry/metrics.ts';
import type { Answer, AnswerRrset } from './answer.ts';
import type { TransferGate } from './gate.ts';
import { findAnsweringZone, lookup, type NodeSource } from './lookup.ts';
import { explanations, finishReply, type ReplyOptions, shortReply, startReply } from './reply.ts';
import { clientAddress, type Request } from './request.ts';

export interface QueryServices {
  readonly nodes: NodeSource;
  readonly gate: TransferGate;
  readonly soaQueries: { inc(result: SoaQueryResult): void };
}

export interface QueryOptions extends ReplyOptions {
  /** Whether stored zones are answered for in public. */
  readonly answerQueries: boolean;
}

/** Answers a query of class IN that asks for no transfer. */
export function answerQuery(
  request: Request,
  services: QueryServices,
  options: QueryOptions,
): Buffer | Promise<Buffer> {
  const { type } = request.question;
  if (isMetaType(type) && type !== rrtype.ANY) {
    const explanation = explanations.notSupported;
    return shortReply(request, { rcode: rcode.REFUSED, explanation }, options);
  }
  if (type === rrtype.SOA) return answerSoaQuery(request, services, options);
  if (options.answerQueries) return answerFromZone(request, services, options);
  const zone = findAnsweringZone(services.nodes, request.question.name, type);
  const explanation = zone?.enabled ? explanations.notSupported : explanations.notAuthoritative;
  return shortReply(request, { rcode: rcode.REFUSED, explanation }, options);
}

/** SOA queries are how secondaries ask for news, so they are gated and counted on their own. */
function answerSoaQuery(
  request: Request,
  services: QueryServices,
  options: QueryOptions,
): Buffer | Promise<Buffer> {
  try {
    return answerIfAllowed(request, services, options);
  } catch (error) {
    services.soaQueries.inc('failed');
    throw error;
  }
}

function answerIfAllowed(
  request: Request,
  services: QueryServices,
  options: QueryOptions,
): Buffer | Promise<Buffer> {
  const zone = services.nodes.findZone(request.question.name);
  if (zone === undefined || !zone.enabled) {
    services.soaQueries.inc('notauth');
    const explanation = explanations.notAuthoritative;
    return shortReply(request, { rcode: rcode.NOTAUTH, explanation }, options);
  }
  const allowed =
    options.answerQueries ||
    isLoopback(clientAddress(request.client)) ||
    services.gate.admits(request, zone);
  if (typeof allowed === 'boolean') return answerGated(allowed, request, services, options);
  return allowed.then((letIn) => answerGated(letIn, request, services, options));
}

function answerGated(
  allowed: boolean,
  request: Request,
  services: QueryServices,
  options: QueryOptions,
): Buffer {
  if (allowed) {
    const answer = answerFromZone(request, services, options);
    services.soaQueries.inc('answered');
    return answer;
  }
  services.soaQueries.inc('refused');
  const explanation = explanations.prohibited;
  return shortReply(request, { rcode: rcode.REFUSED, explanation }, options);
}

function answerFromZone(request: Request, services: QueryServices, options: QueryOptions): Buffer {
  const { name, type } = request.question;
  const zone = findAnsweringZone(services.nodes, name, type);
  if (zone === undefined || !zone.enabled) {
    const explanation = explanations.notAuthoritative;
    const code = type === rrtype.SOA ? rcode.NOTAUTH : rcode.REFUSED;
    return shortReply(request, { rcode: code, explanation }, options);
  }
  return writeAnswer(request, lookup(services.nodes, zone, name, type), options);
}

/**
 * The octets of an answer. The first needed RRset that does not fit ends it with TC (RFC 2181 9);
 * additional addresses are left out one by one.
 */
function writeAnswer(request: Request, answer: Answer, options: QueryOptions): Buffer {
  const writer = startReply(
    request,
    { rcode: answer.rcode, authoritative: answer.authoritative },
    options,
  );
  const write = (section: 'answer' | 'authority' | 'additional') => (rrset: AnswerRrset) =>
    writer.rrset(section, rrset.name, rrset.type, rrset.ttl, rrset.rdatas);
  const complete =
    answer.answers.every(write('answer')) &&
    answer.authorities.every(write('authority')) &&
    answer.glue.every(write('additional'));
  if (complete) for (const rrset of answer.additionals) write('additional')(rrset);
  else writer.setTruncated();
  return finishReply(request, writer);
}

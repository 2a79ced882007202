/**
 * Answers to QUERY, zone transfers aside: which zone answers, whether this client is answered at
 * all, and the answer in octets (decisions 8 and 12).
 *
 * With answer_queries off the server is a hidden primary: SOA for those who may transfer and for
 * this host, nothing else. The catalog is always hidden: only those who may transfer it see any of it.
 */
import { isWithin, type NameKey } from '../dns/name.ts';
import { isMetaType, rrtype } from '../dns/rrtype.ts';
import type { MessageWriter, Section } from '../dns/wire/encode.ts';
import { rcode } from '../dns/wire/header.ts';
import { catalogZoneId } from '../domain/catalog.ts';
import { apexOf, type Zone } from '../domain/zone.ts';
import { isLoopback } from '../outbound/address.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Answer, AnswerRrset } from './answer.ts';
import type { TransferGate } from './gate.ts';
import { findAnsweringZone, lookup, type NodeSource } from './lookup.ts';
import { explanations, finishReply, type ReplyOptions, shortReply, startReply } from './reply.ts';
import { clientAddress, type Request } from './request.ts';

export interface QueryServices {
  readonly nodes: NodeSource;
  readonly gate: TransferGate;
  /** The catalog's apex, which is among `nodes` too. */
  readonly catalogApex?: NameKey | undefined;
  readonly soaQueries: Metrics['soaQueries'];
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
  const catalog = catalogOf(request, services);
  if (catalog !== undefined) return answerFromCatalog(request, catalog, services, options);
  if (options.answerQueries) return answerFromZone(request, services, options);
  const zone = findAnsweringZone(services.nodes, request.question.name, type);
  const explanation = zone?.enabled ? explanations.notSupported : explanations.notAuthoritative;
  return shortReply(request, { rcode: rcode.REFUSED, explanation }, options);
}

/** The catalog, when the question is about it; asked of the nodes only for names below its apex. */
function catalogOf(
  { question: { name } }: Request,
  { catalogApex, nodes }: QueryServices,
): Zone | undefined {
  if (catalogApex === undefined || !isWithin(name, catalogApex)) return undefined;
  const zone = nodes.findZone(name);
  return zone?.id === catalogZoneId ? zone : undefined;
}

/** Answers from the catalog, for those who may transfer it. */
async function answerFromCatalog(
  request: Request,
  catalog: Zone,
  services: QueryServices,
  options: QueryOptions,
): Promise<Buffer> {
  if (await services.gate.admits(request, catalog)) {
    return answerFromZone(request, services, options);
  }
  const explanation = explanations.prohibited;
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
  const isOpen =
    zone.id !== catalogZoneId &&
    (options.answerQueries || isLoopback(clientAddress(request.client)));
  const allowed = isOpen || services.gate.admits(request, zone);
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
  const dnssecOk = request.edns?.dnssecOk ?? false;
  const answer = lookup(services.nodes, zone, name, type, dnssecOk);
  // Whoever asks for the SOA of the zone may be about to copy it (RFC 7314 3.1).
  const isSoa = type === rrtype.SOA && name === apexOf(zone);
  return writeAnswer(request, answer, options, isSoa ? zone.expire : undefined);
}

/**
 * The octets of an answer. The first needed RRset that does not fit ends it with TC (RFC 2181 9);
 * additional addresses are left out one by one. Signatures have to fit like what they sign, except
 * those of additional addresses, which may go without (RFC 4035 3.1.1).
 */
function writeAnswer(
  request: Request,
  answer: Answer,
  options: QueryOptions,
  expire: number | undefined,
): Buffer {
  const { rcode: code, authoritative } = answer;
  const fields = { rcode: code, authoritative, ...(expire !== undefined && { expire }) };
  const writer = startReply(request, fields, options);
  const write = (section: Section) => (rrset: AnswerRrset) => writeRrset(writer, section, rrset);
  const complete =
    answer.answers.every(write('answer')) &&
    answer.authorities.every(write('authority')) &&
    answer.glue.every(write('additional'));
  if (complete) for (const rrset of answer.additionals) write('additional')(rrset);
  else writer.setTruncated();
  return finishReply(request, writer);
}

/** Writes an RRset and its signatures; false when not all of it fits. */
function writeRrset(writer: MessageWriter, section: Section, rrset: AnswerRrset): boolean {
  const { name, type, ttl, rdatas, signatures } = rrset;
  if (!writer.rrset(section, name, type, ttl, rdatas)) return false;
  if (signatures === undefined || signatures.length === 0) return true;
  return writer.rrset(section, name, rrtype.RRSIG, ttl, signatures);
}

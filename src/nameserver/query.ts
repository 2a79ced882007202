/**
 * Answers to QUERY, zone transfers aside: which zone answers, whether this client is answered at
 * all, and the answer in bytes.
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
import type { Answer, AnswerRrset, NodeSource } from './answer.ts';
import { findAnsweringZone, lookup } from './lookup.ts';
import { errorReply, explanations, finishReply, startReply } from './reply.ts';
import { clientAddress, MustNotWait, type Request } from './request.ts';
import type { TransferAcl } from './transfer-acl.ts';

export interface QueryServices {
  readonly nodes: NodeSource;
  readonly acl: TransferAcl;
  /** The catalog's apex, which is among `nodes` too. */
  readonly catalogApex?: NameKey | undefined;
  readonly metrics: Pick<Metrics, 'soaQueries'>;
  /** Whether stored zones are answered for in public. */
  readonly answerQueries: boolean;
}

/** Answers a query of class IN that asks for no transfer. */
export function answerQuery(request: Request, services: QueryServices): Buffer | Promise<Buffer> {
  const { name, type } = request.question;
  if (isMetaType(type) && type !== rrtype.ANY) {
    return errorReply(request, rcode.REFUSED, explanations.notSupported);
  }
  if (type === rrtype.SOA) return answerSoaQuery(request, services);
  const catalog = catalogOf(request, services);
  if (catalog !== undefined) return answerFromCatalog(request, catalog, services);
  if (services.answerQueries) return answerFromZone(request, services);
  const { notSupported, notAuthoritative } = explanations;
  const isOurs = findAnsweringZone(services.nodes, name, type)?.enabled === true;
  return errorReply(request, rcode.REFUSED, isOurs ? notSupported : notAuthoritative);
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
): Promise<Buffer> {
  return (await services.acl.admits(request, catalog))
    ? answerFromZone(request, services)
    : errorReply(request, rcode.REFUSED, explanations.prohibited);
}

/** SOA queries are how secondaries ask for news, so they are allowed and counted on their own. */
function answerSoaQuery(request: Request, services: QueryServices): Buffer | Promise<Buffer> {
  const { nodes, acl, metrics, answerQueries } = services;
  const answer = (isAllowed: boolean) => {
    if (!isAllowed) {
      metrics.soaQueries.inc('refused');
      return errorReply(request, rcode.REFUSED, explanations.prohibited);
    }
    const reply = answerFromZone(request, services);
    metrics.soaQueries.inc('answered');
    return reply;
  };
  try {
    const zone = zoneOfSoa(nodes, request.question.name);
    if (zone === undefined || !zone.enabled) {
      metrics.soaQueries.inc('notauth');
      return errorReply(request, rcode.NOTAUTH, explanations.notAuthoritative);
    }
    const isOpen =
      zone.id !== catalogZoneId && (answerQueries || isLoopback(clientAddress(request.client)));
    const allowed = isOpen || acl.admits(request, zone);
    return typeof allowed === 'boolean' ? answer(allowed) : allowed.then(answer);
  } catch (error) {
    if (!(error instanceof MustNotWait)) metrics.soaQueries.inc('failed');
    throw error;
  }
}

/** A secondary that asks for the SOA of a zone hears that the zone is not enabled. */
function zoneOfSoa(nodes: NodeSource, name: NameKey): Zone | undefined {
  const zone = nodes.findZone(name);
  const isApex = zone !== undefined && name === apexOf(zone);
  return isApex ? zone : findAnsweringZone(nodes, name, rrtype.SOA);
}

function answerFromZone(request: Request, { nodes }: QueryServices): Buffer {
  const { name, type } = request.question;
  const zone = findAnsweringZone(nodes, name, type);
  if (zone === undefined || !zone.enabled) {
    const code = type === rrtype.SOA ? rcode.NOTAUTH : rcode.REFUSED;
    return errorReply(request, code, explanations.notAuthoritative);
  }
  const answer = lookup(nodes, zone, name, type, request.edns?.dnssecOk ?? false);
  // Whoever asks for the SOA of the zone may be about to copy it (RFC 7314 3.1).
  const isSoa = type === rrtype.SOA && name === apexOf(zone);
  return writeAnswer(request, answer, isSoa ? zone.expire : undefined);
}

/**
 * The bytes of an answer. The first needed RRset that does not fit ends it with TC (RFC 2181 9);
 * additional addresses are left out one by one. Signatures have to fit like what they sign, except
 * those of additional addresses, which may go without (RFC 4035 3.1.1).
 */
function writeAnswer(request: Request, answer: Answer, expire: number | undefined): Buffer {
  const { rcode: code, authoritative } = answer;
  const fields = { rcode: code, authoritative, ...(expire !== undefined && { expire }) };
  const writer = startReply(request, fields);
  const write = (section: Section) => (rrset: AnswerRrset) => writeRrset(writer, section, rrset);
  const complete =
    answer.answers.every(write('answer')) &&
    answer.authorities.every(write('authority')) &&
    answer.glue.every(write('additional')) &&
    !answer.lacksGlue;
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

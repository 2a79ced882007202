/**
 * A whole zone from another server: AXFR over TCP (RFC 5936), signed when there is a signer.
 *
 * The zone comes in parts as the server sends them, and is complete only when the generator ends:
 * before that any part may be followed by a failure, and with TSIG a part may not be verified yet.
 * The addresses of a host are tried in turn until one sends the SOA; after that there is no other
 * try. Every failure is a Problem that names the server and the reason; an abort is the reason of
 * its signal.
 */
import { randomInt } from 'node:crypto';
import { isIP } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../base/clock.ts';
import { limits } from '../base/limits.ts';
import { excerpt, Problem } from '../base/problem.ts';
import type { NameKey } from '../dns/name.ts';
import type { RequestSigner } from '../dns/wire/tsig-exchange.ts';
import type { Reach } from '../domain/reach.ts';
import { joinHostAndPort, splitHostAndPort } from './address.ts';
import { type Destination, isOpen, noAnswer, type Outbound } from './policy.ts';
import { unlessAborted } from './resolver.ts';
import { TransferAnswer, transferRequest, type ZonePart } from './transfer-answer.ts';
import { TransferConnection, TransferError } from './transfer-connection.ts';

export interface ZoneFetchOptions {
  /** `host[:port]`, port 53 when left out; an IPv6 address with port is `[addr]:port`. */
  readonly server: string;
  /** Absolute. */
  readonly apex: NameKey;
  /** Milliseconds of silence after which the server counts as gone. */
  readonly timeoutMs: number;
  /** Milliseconds that the whole may take, from the look-up of the host on. */
  readonly totalMs: number;
  /** Records taken at most, the SOA not counted. */
  readonly maxRecords: number;
  /** Bytes of their names and RDATA taken at most. */
  readonly maxBytes: number;
  /** Makes the signer of one request; every address that is tried gets its own. */
  readonly signer?: (() => RequestSigner) | undefined;
  /** Looks hosts up, and says which addresses may be asked. */
  readonly outbound: Outbound;
  /** How far the server may be: as far as whoever named it may reach. */
  readonly reach: Reach;
  /** Ends the transfer and closes its connection. */
  readonly signal?: AbortSignal | undefined;
  /** Makes what is thrown where the server was not named by a field of a request. */
  readonly failure?: Failure | undefined;
}

/** A transfer whose first message has come. */
interface BegunTransfer {
  readonly connection: TransferConnection;
  readonly answer: TransferAnswer;
  readonly parts: readonly ZonePart[];
  /** What failures name besides the server: the address, when the server is a host name. */
  readonly prefix: string;
}

/** How a failure is reported: a clause, as an error that names the server; `isRefused` when that sent an RCODE. */
type Failure = (clause: string, isRefused?: boolean) => Error;

/**
 * The SOA, then the other records in batches of one message each. Who may name public servers only gets the same
 * error for every failure, at the same time after the request, so that nobody learns of other hosts and their ports.
 */
export async function* fetchZone(
  options: ZoneFetchOptions,
): AsyncGenerator<ZonePart, void, undefined> {
  const { host, port } = splitHostAndPort(options.server);
  const server = joinHostAndPort(host, port);
  if (host === '' || !(port >= 1 && port <= 65_535)) {
    const given = excerpt(options.server);
    throw new Problem('INVALID_INPUT', `from_server: '${given}' is not host[:port]`);
  }
  const failure: Failure =
    options.failure ??
    ((clause) => new Problem('INVALID_INPUT', `from_server: ${excerpt(server)}: ${clause}`));
  if (options.reach === 'private') {
    yield* transferred(options, failure);
    return;
  }
  const startedAt = monotonicMs();
  const quietMs = Math.min(options.timeoutMs, limits.quietAnswerMs);
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(new TransferError('is too slow')), quietMs);
  const signals = [silence.signal, ...(options.signal === undefined ? [] : [options.signal])];
  try {
    for await (const part of transferred(
      { ...options, signal: AbortSignal.any(signals) },
      failure,
    )) {
      clearTimeout(timer);
      yield part;
    }
  } catch (error) {
    options.signal?.throwIfAborted();
    if (!(error instanceof Problem || error instanceof TransferError)) throw error;
    await sleep(Math.max(0, startedAt + quietMs - monotonicMs()), undefined, {
      signal: options.signal,
    });
    throw failure(noAnswer);
  } finally {
    clearTimeout(timer);
  }
}

/** The zone within its time. */
async function* transferred(
  asked: ZoneFetchOptions,
  failure: Failure,
): AsyncGenerator<ZonePart, void, undefined> {
  const { totalMs } = asked;
  const late = new AbortController();
  const timer = setTimeout(
    () => late.abort(failure(`the transfer took more than ${totalMs / 1000} s`)),
    totalMs,
  );
  const signals = [late.signal, ...(asked.signal === undefined ? [] : [asked.signal])];
  try {
    yield* received({ ...asked, signal: AbortSignal.any(signals) }, failure);
  } finally {
    clearTimeout(timer);
  }
}

async function* received(
  options: ZoneFetchOptions,
  failure: Failure,
): AsyncGenerator<ZonePart, void, undefined> {
  const begun = begin(await addressesOf(options, failure), options, failure);
  const { connection, answer, parts, prefix } = await begun;
  try {
    for (const part of parts) yield part;
    while (!answer.ended) for (const part of answer.take(await connection.next())) yield part;
    if (connection.hasMore) throw new TransferError('sent more after the closing SOA');
  } catch (error) {
    if (!(error instanceof TransferError)) throw error;
    throw failure(`${prefix}the server ${error.message}`);
  } finally {
    connection.close();
  }
}

/** At least one address, or a Problem. */
async function addressesOf(
  { server, outbound, reach, signal, timeoutMs }: ZoneFetchOptions,
  failure: Failure,
): Promise<readonly Destination[]> {
  signal?.throwIfAborted();
  const limit = AbortSignal.timeout(timeoutMs);
  const ended = AbortSignal.any(signal === undefined ? [limit] : [limit, signal]);
  let destinations: Awaited<ReturnType<Outbound['destinationsTo']>>;
  try {
    const found = await unlessAborted(ended, outbound.destinationsTo(server, reach));
    if (found.length === 0) throw new Error('no address');
    destinations = found;
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof Problem) throw error;
    if (limit.aborted) throw failure(`the host was not resolved within ${timeoutMs / 1000} s`);
    const { code, message } = error as NodeJS.ErrnoException;
    throw failure(`the host does not resolve (${code ?? message})`);
  }
  const open = destinations.filter(isOpen);
  const [first] = destinations;
  if (open.length === 0 && first !== undefined && 'problem' in first) throw failure(first.problem);
  return open;
}

/** Asks one address after the other until one sends the first message of the zone. */
async function begin(
  destinations: readonly Destination[],
  options: ZoneFetchOptions,
  failure: Failure,
): Promise<BegunTransfer> {
  const { apex, maxRecords, maxBytes, signal, timeoutMs } = options;
  const { host } = splitHostAndPort(options.server);
  const clauses: string[] = [];
  let isRefused = true;
  for (const destination of destinations) {
    const prefix = isIP(host) === 0 ? `${destination.address}: ` : '';
    const id = randomInt(0x1_0000);
    const signer = options.signer?.();
    const unsigned = transferRequest(id, apex);
    const request = signer === undefined ? unsigned : signer.sign(unsigned);
    const answer = new TransferAnswer({ id, apex, maxRecords, maxBytes, signer });
    const connection = new TransferConnection({ destination, timeoutMs, signal });
    try {
      connection.send(request);
      const parts = answer.take(await connection.next());
      return { connection, answer, parts, prefix };
    } catch (error) {
      connection.close();
      if (!(error instanceof TransferError)) throw error;
      clauses.push(`${prefix}the server ${error.message}`);
      isRefused &&= error.isRefused;
    }
  }
  throw failure(clauses.join('; '), isRefused);
}

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
import { excerpt, Problem } from '../base/problem.ts';
import type { NameKey } from '../dns/name.ts';
import { type HostAndPort, joinHostAndPort, splitHostAndPort } from './address.ts';
import { createResolver } from './resolver.ts';
import {
  TransferAnswer,
  type TransferSigner,
  transferRequest,
  type ZonePart,
} from './transfer-answer.ts';
import { TransferConnection } from './transfer-connection.ts';
import { TransferError } from './transfer-error.ts';

export interface ZoneFetchOptions {
  /** `host[:port]`, port 53 when left out; an IPv6 address with port is `[addr]:port`. */
  readonly server: string;
  /** Absolute. */
  readonly apex: NameKey;
  /** Milliseconds of silence after which the server counts as gone; the whole may take longer. */
  readonly timeoutMs: number;
  /** Records taken at most, the SOA not counted. */
  readonly maxRecords: number;
  /** Makes the signer of one request; every address that is tried gets its own. */
  readonly signer?: (() => TransferSigner) | undefined;
  /** The addresses of a host; the system's answer unless told. */
  readonly resolve?: (host: string) => readonly string[] | Promise<readonly string[]>;
  /** Ends the transfer and closes its connection. */
  readonly signal?: AbortSignal | undefined;
}

/** A transfer whose first message has come. */
interface BegunTransfer {
  readonly connection: TransferConnection;
  readonly answer: TransferAnswer;
  readonly parts: readonly ZonePart[];
  /** What failures name besides the server: the address, when the server is a host name. */
  readonly place: string;
}

/** The SOA, then the other records in batches of one message each. */
export async function* fetchZone(
  options: ZoneFetchOptions,
): AsyncGenerator<ZonePart, void, undefined> {
  const target = splitHostAndPort(options.server);
  const { host, port } = target;
  const server = joinHostAndPort(host, port);
  const failure = (clause: string) =>
    new Problem('INVALID_INPUT', `from_server: ${excerpt(server)}: ${clause}`);
  if (host === '' || !(port >= 1 && port <= 65_535)) {
    const written = excerpt(options.server);
    throw new Problem('INVALID_INPUT', `from_server: '${written}' is not host[:port]`);
  }
  const addresses = await addressesOf(host, options, failure);
  const { connection, answer, parts, place } = await begin(addresses, target, options, failure);
  try {
    for (const part of parts) yield part;
    while (!answer.ended) for (const part of answer.take(await connection.next())) yield part;
    if (connection.hasMore) throw new TransferError('sent more after the closing SOA');
  } catch (error) {
    if (!(error instanceof TransferError)) throw error;
    throw failure(`${place}the server ${error.message}`);
  } finally {
    connection.close();
  }
}

/** At least one address, or a Problem. */
async function addressesOf(
  host: string,
  { resolve = createResolver().addressesOf, signal, timeoutMs }: ZoneFetchOptions,
  failure: (clause: string) => Problem,
): Promise<readonly string[]> {
  signal?.throwIfAborted();
  const limit = AbortSignal.timeout(timeoutMs);
  const ended = AbortSignal.any(signal === undefined ? [limit] : [limit, signal]);
  try {
    // A look-up can not be called off, so it is left alone when time is up.
    const addresses = await Promise.race([resolve(host), rejectOnAbort(ended)]);
    if (addresses.length === 0) throw new Error('no address');
    return addresses;
  } catch (error) {
    signal?.throwIfAborted();
    if (limit.aborted) throw failure(`the host was not resolved within ${timeoutMs / 1000} s`);
    const { code, message } = error as NodeJS.ErrnoException;
    throw failure(`the host does not resolve (${code ?? message})`);
  }
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });
}

/** Asks one address after the other until one sends the first message of the zone. */
async function begin(
  addresses: readonly string[],
  { host, port }: HostAndPort,
  options: ZoneFetchOptions,
  failure: (clause: string) => Problem,
): Promise<BegunTransfer> {
  const { apex, maxRecords, signal, timeoutMs } = options;
  const clauses: string[] = [];
  for (const address of addresses) {
    const place = isIP(host) === 0 ? `${address}: ` : '';
    const id = randomInt(0x1_0000);
    const signer = options.signer?.();
    const plain = transferRequest(id, apex);
    const request = signer === undefined ? plain : signer.sign(plain);
    const answer = new TransferAnswer({ id, apex, maxRecords, signer });
    const connection = new TransferConnection({ address, port, timeoutMs, signal });
    try {
      connection.send(request);
      const parts = answer.take(await connection.next());
      return { connection, answer, parts, place };
    } catch (error) {
      connection.close();
      if (!(error instanceof TransferError)) throw error;
      clauses.push(`${place}the server ${error.message}`);
    }
  }
  throw failure(clauses.join('; '));
}

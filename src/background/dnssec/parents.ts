/**
 * Asks the servers of a zone's parent for its DS (decisions 10): every address of every configured
 * server, all at once. What they said is judged in dnssec/parent-ds.ts; here nobody is believed for
 * another, and an address that can not be asked is told as such.
 */
import { isIP } from 'node:net';
import pLimit from 'p-limit';
import type { ParentAnswer } from '../../dnssec/parent-ds.ts';
import { joinHostAndPort, splitHostAndPort } from '../../outbound/address.ts';
import { probeDs } from '../../outbound/ds-probe.ts';
import type { ProbeOptions, ProbeTarget } from '../../outbound/question.ts';
import type { Resolver } from '../../outbound/resolver.ts';

export interface ParentServices {
  readonly resolver: Resolver;
}

/** One message may be lost before an address counts as silent. */
const patience: ProbeOptions = { tryMs: 2000, tries: 2 };

/** Addresses of one zone's parents asked at a time: all that parents have. */
const questionsAtOnce = 64;

/** An address to ask under the name that people are told, or why there is none. */
type Server =
  | { readonly label: string; readonly target: ProbeTarget }
  | { readonly label: string; readonly failure: string };

/**
 * What each address says about the DS of a zone, whose name has no closing dot. `parentNsAddrs` are
 * `host:port`; an address that several of them have is asked once. It never rejects for what others
 * do or do not do.
 */
export async function askParents(
  zoneName: string,
  parentNsAddrs: readonly string[],
  { resolver }: ParentServices,
): Promise<ParentAnswer[]> {
  const found = await Promise.all(parentNsAddrs.map((entry) => serversOf(entry, resolver)));
  const limit = pLimit(questionsAtOnce);
  return limit.map(withoutRepetition(found.flat()), async (server): Promise<ParentAnswer> => {
    const { label: address } = server;
    if ('failure' in server) return { address, failure: server.failure };
    return { address, ...(await probeDs(server.target, zoneName, patience)) };
  });
}

async function serversOf(entry: string, resolver: Resolver): Promise<Server[]> {
  const { host, port } = splitHostAndPort(entry);
  try {
    const addresses = await resolver.addressesOf(host);
    if (addresses.length === 0) return [{ label: entry, failure: `${host} has no address` }];
    return addresses.map((address) => ({
      label: labelOf(host, { address, port }),
      target: { address, port },
    }));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return [{ label: entry, failure: `${host} does not resolve (${reason})` }];
  }
}

/** The address, with the host where people wrote that down. */
function labelOf(host: string, { address, port }: ProbeTarget): string {
  const where = joinHostAndPort(address, port);
  return isIP(host) === 0 ? `${where} (${host})` : where;
}

/** Without those that have an address and port of an earlier one. */
function withoutRepetition(servers: readonly Server[]): Server[] {
  const byPlace = new Map<string, Server>();
  for (const server of servers) {
    const place =
      'target' in server
        ? joinHostAndPort(server.target.address, server.target.port)
        : server.label;
    if (!byPlace.has(place)) byPlace.set(place, server);
  }
  return [...byPlace.values()];
}

/**
 * Asks the servers of a zone's parent for its DS (decisions 10): every address of every configured
 * server, all at once. What they said is judged in dnssec/parent-ds.ts; here no answer counts
 * for another address, and an address that can not be asked is reported as such.
 */
import { isIP } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { monotonicMs } from '../../base/clock.ts';
import { limits } from '../../base/limits.ts';
import { reasonOf } from '../../base/problem.ts';
import type { ParentAnswer } from '../../dnssec/parent-ds.ts';
import type { Reach } from '../../domain/reach.ts';
import type { ZoneSigning } from '../../domain/signing.ts';
import { joinHostAndPort, splitHostAndPort } from '../../outbound/address.ts';
import { probeDs } from '../../outbound/ds-probe.ts';
import { isOpen, noAnswer, type Outbound, type Endpoint } from '../../outbound/policy.ts';
import type { ProbeOptions, ProbeTarget } from '../../outbound/question.ts';

export interface ParentServices {
  readonly outbound: Outbound;
}

/** The servers that somebody named, and how far he could reach. */
export type Parents = Pick<ZoneSigning, 'parentNsAddrs' | 'parentsReach'>;

/** One message may be lost before an address counts as silent. */
const probeOptions: ProbeOptions = { tryMs: 2000, tries: 2 };

/** Addresses of one zone's parents asked at a time: all that parents have. */
const questionsAtOnce = 64;

/** An address to ask, with the label that answers have for it, or why there is none. */
type Server =
  | { readonly entry: string; readonly label: string; readonly target: ProbeTarget }
  | { readonly entry: string; readonly label: string; readonly failure: string };

/**
 * What each address says about the DS of a zone, whose name has no closing dot. An address that several servers have is
 * asked once. It never rejects for what others do or do not do. Of servers that were named by somebody who reaches
 * public addresses only, all failures read the same and are reported at the same time.
 */
export async function askParents(
  zoneName: string,
  { parentNsAddrs, parentsReach: reach }: Parents,
  { outbound }: ParentServices,
): Promise<ParentAnswer[]> {
  const startedAt = monotonicMs();
  const found = await Promise.all(parentNsAddrs.map((entry) => serversOf(entry, reach, outbound)));
  const limit = pLimit(questionsAtOnce);
  const answers = await limit.map(
    withoutRepetition(found.flat()),
    async (server): Promise<DetailedAnswer> => {
      const { label: address, entry } = server;
      if ('failure' in server) return { entry, answer: { address, failure: server.failure } };
      const said = await probeDs(server.target, zoneName, probeOptions);
      return { entry, answer: { address, ...said } };
    },
  );
  if (reach === 'private') return answers.map(({ answer }) => answer);
  if (answers.some(({ answer }) => 'failure' in answer)) {
    await sleep(Math.max(0, startedAt + limits.quietAnswerMs - monotonicMs()));
  }
  return withoutDetails(answers);
}

/** What was said, and the server as it was named. */
interface DetailedAnswer {
  readonly entry: string;
  readonly answer: ParentAnswer;
}

/** One failure for each server that was named, whatever addresses it has. */
function withoutDetails(answers: readonly DetailedAnswer[]): ParentAnswer[] {
  const silent = answers.filter(({ answer }) => 'failure' in answer).map(({ entry }) => entry);
  return [
    ...answers.map(({ answer }) => answer).filter((answer) => 'ds' in answer),
    ...[...new Set(silent)].map((address) => ({ address, failure: noAnswer })),
  ];
}

async function serversOf(entry: string, reach: Reach, outbound: Outbound): Promise<Server[]> {
  const { host } = splitHostAndPort(entry);
  try {
    const destinations = await outbound.destinationsTo(entry, reach);
    if (destinations.length === 0)
      return [{ entry, label: entry, failure: `${host} has no address` }];
    return destinations.map((destination) => {
      const label = labelOf(host, destination);
      if (isOpen(destination)) return { entry, label, target: destination };
      return { entry, label, failure: destination.problem };
    });
  } catch (error) {
    const reason = reasonOf(error);
    return [{ entry, label: entry, failure: `${host} does not resolve (${reason})` }];
  }
}

/** The address, with the host where people wrote that down. */
function labelOf(host: string, { address, port }: Endpoint): string {
  const where = joinHostAndPort(address, port);
  return isIP(host) === 0 ? `${where} (${host})` : where;
}

/** Without those that have an address and port of an earlier one. */
function withoutRepetition(servers: readonly Server[]): Server[] {
  const byAddress = new Map<string, Server>();
  for (const server of servers) {
    const address =
      'target' in server
        ? joinHostAndPort(server.target.address, server.target.port)
        : server.label;
    if (!byAddress.has(address)) byAddress.set(address, server);
  }
  return [...byAddress.values()];
}

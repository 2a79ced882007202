/**
 * Which serials the secondaries serve: all zones of the service asked of each, at the same time and within
 * a bounded time. What nobody answers for is left out; who asks says so.
 */
import { monotonicMs } from '../base/clock.ts';
import { reasonOf } from '../base/problem.ts';
import type { SeenElsewhere } from '../domain/epoch.ts';
import type { Secondary } from '../domain/secondary.ts';
import {
  type IgnoredSerial,
  judgeSerials,
  type Said,
  type SerialSource,
} from '../domain/seen-serials.ts';
import { splitHostAndPort } from '../outbound/address.ts';
import type { Outbound } from '../outbound/policy.ts';
import { type SurveyResult, surveySerials } from '../outbound/serial-survey.ts';
import type { CountedState } from '../query/epoch-queries.ts';
import type { Log } from '../telemetry/log.ts';

export interface SurveyedSecondary {
  readonly name: string;
  /** host:port. */
  readonly address: string;
  /** On the monotonic clock: when the survey began. */
  readonly askedMs: number;
  /** What its addresses serve: of a zone there is a serial for each that serves it. */
  readonly serials: readonly Said[];
  /** Why not all zones were answered for; null when they were. */
  readonly error: string | null;
}

export interface SurveyQuestion {
  readonly zoneNames: readonly string[];
  readonly catalogName: string;
  readonly withinMs: number;
  /** Questions in flight for each address. */
  readonly inFlight?: number;
  /** True for a survey that keeps no process from ending. */
  readonly isBackground?: boolean;
}

export async function surveySecondaries(
  secondaries: readonly Pick<Secondary, 'name' | 'address'>[],
  question: SurveyQuestion,
  outbound: Outbound,
): Promise<readonly SurveyedSecondary[]> {
  const askedMs = monotonicMs();
  const names = [...new Set([question.catalogName, ...question.zoneNames])];
  return Promise.all(
    secondaries.map(async ({ name, address }) => {
      const { host } = splitHostAndPort(address);
      try {
        const reachable = outbound.destinationsOf(address, 'private');
        const destinations = await within(reachable, question.withinMs);
        const results = await Promise.all(
          destinations.map((destination) =>
            surveySerials(destination, names, {
              withinMs: question.withinMs,
              overTcp: question.catalogName,
              isBackground: question.isBackground ?? false,
              ...(question.inFlight === undefined ? {} : { inFlight: question.inFlight }),
            }),
          ),
        );
        const serials = results.flatMap((result) => [...result.serials]);
        return { name, address, askedMs, serials, error: errorOf(results) };
      } catch (error) {
        const reason = reasonOf(error);
        return { name, address, askedMs, serials: [], error: `${host}: ${reason}` };
      }
    }),
  );
}

async function within<T>(work: T | Promise<T>, milliseconds: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('its address was not found in time')), milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function errorOf(results: readonly SurveyResult[]): string | null {
  const errors = results.map(({ error }) => error).filter((error) => error !== null);
  return errors.length === 0 ? null : errors.join('; ');
}

/** The greatest serial of each name. */
export function greatestSerials(serials: Iterable<Said>): Map<string, number> {
  const greatest = new Map<string, number>();
  for (const [name, serial] of serials) {
    greatest.set(name, Math.max(serial, greatest.get(name) ?? 0));
  }
  return greatest;
}

/** What an epoch takes of what is served elsewhere, and what it ignores. `own`: of the database that goes on. */
export function seenSerials(
  sources: Iterable<SerialSource>,
  own: Pick<CountedState, 'serials' | 'catalogSerial'>,
  catalogName: string,
): Pick<SeenElsewhere, 'serials' | 'catalogSerial'> & {
  readonly ignored: readonly IgnoredSerial[];
} {
  const ownOf = (name: string) =>
    name === catalogName ? own.catalogSerial : (own.serials.get(name) ?? 0);
  const { greatest, ignored } = judgeSerials(sources, ownOf);
  const zones = [...greatest].filter(([name]) => name !== catalogName);
  const serials = zones.map(([name, serial]) => ({ name, serial }));
  return { serials, catalogSerial: greatest.get(catalogName) ?? 0, ignored };
}

/** A line for each secondary that says serials which are ignored, with the first of them. */
export function logIgnored(ignored: readonly IgnoredSerial[], log: Pick<Log, 'warn'>): void {
  for (const [secondary, all] of Map.groupBy(ignored, ({ source }) => source)) {
    const { zone, serial, own } = all[0]!;
    log.warn('secondary.serials-ignored', {
      secondary,
      serials: all.length,
      zone,
      serial,
      ours: own,
    });
  }
}

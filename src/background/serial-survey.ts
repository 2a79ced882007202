/**
 * Which serials the secondaries serve: all zones of the service asked of each, at the same time and within
 * a bounded time. What nobody answers for is left out; who asks says so.
 */
import { reasonOf } from '../base/problem.ts';
import type { SeenSerial } from '../domain/epoch.ts';
import type { Secondary } from '../domain/secondary.ts';
import { splitHostAndPort } from '../outbound/address.ts';
import type { Outbound } from '../outbound/policy.ts';
import { type SurveyResult, surveySerials } from '../outbound/serial-survey.ts';

export interface SurveyedSecondary {
  readonly name: string;
  /** host:port. */
  readonly address: string;
  /** The greatest serial that any of its addresses serves, by the name of the zone. */
  readonly serials: ReadonlyMap<string, number>;
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
  const names = [...new Set([question.catalogName, ...question.zoneNames])];
  return Promise.all(
    secondaries.map(async ({ name, address }) => {
      const { host } = splitHostAndPort(address);
      try {
        const ways = outbound.destinationsOf(address, 'private');
        const destinations = await within(ways, question.withinMs);
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
        return { name, address, serials: greatest(results), error: errorOf(results) };
      } catch (error) {
        const reason = reasonOf(error);
        return { name, address, serials: new Map(), error: `${host}: ${reason}` };
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

function greatest(results: readonly SurveyResult[]): Map<string, number> {
  const serials = new Map<string, number>();
  for (const result of results) raise(serials, result.serials);
  return serials;
}

function raise(into: Map<string, number>, from: ReadonlyMap<string, number>): void {
  for (const [name, serial] of from) into.set(name, Math.max(serial, into.get(name) ?? 0));
}

/** The greatest serial of each name that any of the secondaries serves. */
export function greatestSerials(
  surveyed: readonly SurveyedSecondary[],
  ...further: readonly ReadonlyMap<string, number>[]
): readonly SeenSerial[] {
  const serials = new Map<string, number>();
  for (const from of [...surveyed.map((each) => each.serials), ...further]) raise(serials, from);
  return [...serials].map(([name, serial]) => ({ name, serial }));
}

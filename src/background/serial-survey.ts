/**
 * Which serials the secondaries serve: all zones of the service asked of each, at the same time and within
 * a bounded time. What nobody answers for is left out; who asks says so.
 */
import { reasonOf } from '../base/problem.ts';
import type { SeenElsewhere } from '../domain/epoch.ts';
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
        return { name, address, serials: greatestSerials(results), error: errorOf(results) };
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

/** The greatest serial of each name that any of the secondaries serves. */
export function greatestSerials(
  surveyed: readonly Pick<SurveyedSecondary, 'serials'>[],
): Map<string, number> {
  const greatest = new Map<string, number>();
  for (const { serials } of surveyed) {
    for (const [name, serial] of serials) {
      greatest.set(name, Math.max(serial, greatest.get(name) ?? 0));
    }
  }
  return greatest;
}

/** The same as an epoch takes it, with the catalog aside. */
export function seenSerials(
  surveyed: readonly Pick<SurveyedSecondary, 'serials'>[],
  catalogName: string,
): Pick<SeenElsewhere, 'serials' | 'catalogSerial'> {
  const greatest = greatestSerials(surveyed);
  const catalogSerial = greatest.get(catalogName) ?? 0;
  greatest.delete(catalogName);
  const serials = [...greatest].map(([name, serial]) => ({ name, serial }));
  return { serials, catalogSerial };
}

/**
 * Asks the enabled secondaries which serial of a zone they serve, all at once and within a bounded time.
 * What that means for keys is judged in dnssec/secondary-serials.ts.
 *
 * A secondary with several addresses is one secondary: the oldest serial that any of them serves counts,
 * because clients may meet it.
 */
import { limits } from '../../base/limits.ts';
import { reasonOf } from '../../base/problem.ts';
import { olderSerial } from '../../dns/serial.ts';
import type { SecondaryAnswer } from '../../dnssec/secondary-serials.ts';
import type { Secondary } from '../../domain/secondary.ts';
import type { Outbound } from '../../outbound/policy.ts';
import type { ProbeOptions } from '../../outbound/question.ts';
import { probeAll } from '../../outbound/soa-probe.ts';

export interface SecondaryServices {
  readonly secondaries: { enabled(): readonly Secondary[] };
  readonly outbound: Outbound;
}

/** Asks the secondaries for a zone, without those whose names are skipped. */
export type AskSecondaries = (
  zoneName: string,
  skipped?: ReadonlySet<string>,
) => Promise<SecondaryAnswer[]>;

/** One message may be lost before a secondary counts as silent. */
const probeOptions: ProbeOptions = { tryMs: 1500, tries: 2 };

/** What each enabled secondary says about a zone. It never rejects for what others do or do not do. */
export function askSecondaries(
  zoneName: string,
  { secondaries, outbound }: SecondaryServices,
  skipped: ReadonlySet<string> = new Set(),
): Promise<SecondaryAnswer[]> {
  return Promise.all(
    secondaries.enabled().map(async (secondary): Promise<SecondaryAnswer> => {
      const { name, address } = secondary;
      if (skipped.has(name)) return { name, address, failure: 'did not answer for other zones' };
      try {
        return { name, address, serial: await oldestSerial(zoneName, address, outbound) };
      } catch (error) {
        const failure = reasonOf(error);
        const hasAnswered = error instanceof TransientAnswer;
        return { name, address, failure, ...(hasAnswered && { hasAnswered }) };
      }
    }),
  );
}

/** An answer that does not tell whether the zone is served. */
class TransientAnswer extends Error {}

/** Rejects when no address answers, or none gives a serial and one may do so soon. */
async function oldestSerial(
  zoneName: string,
  where: string,
  outbound: Outbound,
): Promise<number | null> {
  const targets = await outbound.destinationsOf(where, 'private');
  const found = await probeAll(targets, zoneName, probeOptions);
  if (found.every((each) => 'unreachable' in each)) {
    throw new Error(found[0]?.unreachable);
  }
  const serials = found.flatMap((each) => ('unreachable' in each ? [] : (each.serial ?? [])));
  const [first, ...others] = serials;
  if (first !== undefined) return others.reduce(olderSerial, first);
  for (const each of found) {
    if ('isTransient' in each) throw new TransientAnswer(each.reason);
  }
  return null;
}

/**
 * The same for many zones in one run: a secondary that left several zones in a row unanswered is taken
 * for silent for the rest of them.
 */
export function askerOfRun(ask: AskSecondaries): (zoneName: string) => Promise<SecondaryAnswer[]> {
  const silences = new Map<string, number>();
  return async (zoneName) => {
    const silent = [...silences].filter(([, count]) => count >= limits.secondarySilences);
    const answers = await ask(zoneName, new Set(silent.map(([name]) => name)));
    for (const answer of answers) {
      const isSilent = 'failure' in answer && answer.hasAnswered !== true;
      const count = isSilent ? (silences.get(answer.name) ?? 0) + 1 : 0;
      silences.set(answer.name, count);
    }
    return answers;
  };
}

/**
 * What the doctor says of one thing it looked at: how it is, and what to do about it.
 *
 * A check gives one result, or generates several, so that each is presented as soon as it is known; it returns what
 * later checks build on.
 */
import { AccessError, LoadError } from '../../journal/database.ts';
import { asFailure, exitCode, sentenceOf } from '../failure.ts';

export type Result = 'OK' | 'WARN' | 'FAIL' | 'SKIP';

export interface CheckResult {
  readonly check: string;
  readonly result: Result;
  readonly message: string;
  readonly what_to_do: string | null;
}

export type CheckResults<Fact = void> = AsyncGenerator<CheckResult, Fact>;

export function ok(check: string, message: string): CheckResult {
  return { check, result: 'OK', message, what_to_do: null };
}

/** Nothing is broken, and somebody should do something all the same. */
export function warn(check: string, message: string, whatToDo: string): CheckResult {
  return { check, result: 'WARN', message, what_to_do: whatToDo };
}

export function fail(check: string, message: string, whatToDo: string): CheckResult {
  return { check, result: 'FAIL', message, what_to_do: whatToDo };
}

/** It could not be looked at, or there is nothing to look at; `whatToDo` where something can be done. */
export function skip(check: string, message: string, whatToDo: string | null = null): CheckResult {
  return { check, result: 'SKIP', message, what_to_do: whatToDo };
}

/** A check of one result or several, whose failures are results as well. */
export async function* guarded<Fact>(
  check: string,
  look: () => CheckResults<Fact> | CheckResult | Promise<CheckResult>,
): CheckResults<Fact | undefined> {
  try {
    const seen = look();
    if (Symbol.asyncIterator in seen) return yield* seen;
    yield await seen;
  } catch (error) {
    yield resultOfFailure(check, error);
  }
  return undefined;
}

/** What a failure of a check says. No check may end the others: what was not foreseen fails that one, too. */
export function resultOfFailure(check: string, error: unknown): CheckResult {
  // It says itself what to do.
  if (error instanceof AccessError) {
    const advice = 'do that, and run doctor again as root or as the user of the service';
    return fail(check, error.message, advice);
  }
  if (error instanceof LoadError) {
    return fail(check, error.message, 'do that, and run doctor again');
  }
  const failure = asFailure(error);
  if (failure !== undefined) {
    // What the caller may not see says nothing about how it is.
    if (failure.exitCode === exitCode.denied) {
      return skip(check, failure.message, failure.hint ?? 'use a token whose role allows it');
    }
    return fail(check, failure.message, failure.hint ?? 'the log of the service may tell more');
  }
  if (error instanceof Error && 'code' in error) {
    const isDenied = error.code === 'EACCES' || error.code === 'EPERM';
    const advice = isDenied ? 'run doctor as the user of the service' : 'look at what it names';
    return fail(check, sentenceOf(error), advice);
  }
  return fail(check, `it could not be looked at: ${reasonOf(error)}`, 'report it with this line');
}

/** What was thrown, and where: whoever reports it needs to say so. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const [at] = /^ *at .*/m.exec(error.stack ?? '') ?? [''];
  return [`${error.name}: ${error.message}`, at.trim()].join(' ').trim();
}

/** Does something for each item, a few at a time; the results are in the order of the items. */
export async function inTurns<Item, Made>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<Made>,
): Promise<Made[]> {
  const made: Made[] = [];
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const index = next++;
      made[index] = await work(items[index]!);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
  return made;
}

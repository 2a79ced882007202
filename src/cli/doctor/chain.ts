/**
 * The chain of the journal: all of it when it is small, else some runs of it.
 *
 * A run proves that its events are what was hashed and follow each other; that nothing is missing between
 * two runs only `zonebook journal verify` proves, which reads everything.
 */
import { monotonicMs } from '../../base/clock.ts';
import type { Connection } from '../../journal/database.ts';
import { Journal } from '../../journal/journal.ts';
import { findMissingAtEnd } from '../../journal/end.ts';
import { type Finding, sentenceOf } from '../../journal/finding.ts';
import { ChainCheck, verifyChain } from '../../journal/verify.ts';
import { type CheckResult, fail, ok } from './check-result.ts';

const check = 'journal';

/** Events, and bytes of the database, up to which everything is read. */
const wholeEvents = 20_000;
const wholeBytes = 256 * 1024 * 1024;

/** Events of the first, the last and each other run of a sample. */
const endEvents = 1000;
const runEvents = 100;
const runs = 20;
/** Milliseconds after which a sample is large enough: single events may hold a whole zone. */
const timeoutMs = 5000;

const advice =
  "'zonebook journal verify' tells all; a broken journal is replaced by a backup (zonebook restore)";

/** `served`: the greatest event that was served, as the epoch file had it before. */
export function checkChain(connection: Connection, bytes: number, served?: number): CheckResult {
  const journal = new Journal(connection);
  const total = journal.head().seq;
  const missing = findMissingAtEnd(connection, served);
  if (missing !== undefined) return broken(missing);
  if (total <= wholeEvents && bytes <= wholeBytes) {
    const { events, findings } = verifyChain(journal);
    const [first] = findings;
    if (first !== undefined) return broken(first);
    return ok(check, `the chain of all ${events} events is intact`);
  }
  const untilMs = monotonicMs() + timeoutMs;
  let seen = 0;
  for (const run of runsOf(total)) {
    const { count, found } = lookAt(journal, run, untilMs);
    if (found !== undefined) return broken(found);
    seen += count;
  }
  const sample = `a sample of ${seen} of ${total} events is intact`;
  return ok(check, `${sample}; 'zonebook journal verify' reads all of them`);
}

function broken(finding: Finding): CheckResult {
  return fail(check, sentenceOf(finding), advice);
}

interface Run {
  readonly afterSeq: number;
  readonly count: number;
}

/** The last events, the first ones, and runs at even distances between them. */
function runsOf(total: number): Run[] {
  const between = total - 2 * endEvents;
  if (between <= runs * runEvents) return [{ afterSeq: 0, count: total }];
  return [
    { afterSeq: total - endEvents, count: endEvents },
    { afterSeq: 0, count: endEvents },
    ...Array.from({ length: runs }, (_, index) => {
      const afterSeq = endEvents + Math.floor((between * (index + 0.5)) / runs);
      return { afterSeq, count: runEvents };
    }),
  ];
}

/** Events that were looked at, and the first thing that is wrong with them. */
interface Looked {
  readonly count: number;
  readonly found: Finding | undefined;
}

/** What retention has dropped is passed over: only a whole reading knows whether it had to be. */
function lookAt(journal: Journal, { afterSeq, count }: Run, untilMs: number): Looked {
  const chain = new ChainCheck(journal, afterSeq);
  let looked = 0;
  for (const row of journal.events(afterSeq)) {
    if (looked === count || monotonicMs() > untilMs || chain.findings.length > 0) break;
    looked++;
    chain.add(row);
  }
  return { count: looked, found: chain.findings[0] };
}

/**
 * The job of a verification (verifier.ts). It reads in slices, so that no checkpoint waits for it: one table, one
 * second of events, or some blocks at a time.
 *
 * Pages of `event_delta` are not looked at by themselves: every row of it is read and compared with what was hashed.
 */
import { monotonicMs } from '../../base/clock.ts';
import { limits } from '../../base/limits.ts';
import type { Connection } from '../../journal/database.ts';
import { findMissingAtEnd } from '../../journal/end.ts';
import { type VerifyResult, verifyResult } from '../../journal/verify-result.ts';
import { Journal } from '../../journal/journal.ts';
import { blamesFile, checkPages } from '../../journal/pages.ts';
import { openReader } from '../../journal/reader-connection.ts';
import { ChainCheck } from '../../journal/verify.ts';
import { BlockCheck } from '../../projection/block-check.ts';

export interface VerifyReport {
  readonly events: number;
  /** The first of them. */
  readonly findings: readonly VerifyResult[];
  readonly total: number;
}

/** Findings that are reported. */
const maxKeptResults = 100;

function* pages(connection: Connection): Generator<VerifyResult[]> {
  const tables = connection
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'event_delta'")
    .pluck()
    .all() as string[];
  for (const table of tables) yield checkPages(connection, table);
}

/** Each slice is of one state: retention may take a payload and its parts in between. */
function chainOf(connection: Connection): { readonly events: number; findings: VerifyResult[] } {
  const journal = new Journal(connection);
  const chain = new ChainCheck(journal);
  const read = () => {
    const until = monotonicMs() + limits.verifySliceMs;
    for (const row of journal.events(chain.lastSeq)) {
      chain.add(row);
      if (monotonicMs() > until) return true;
    }
    return false;
  };
  while (connection.transaction(read)()) {
    // The next slice is of a newer state.
  }
  const { events, findings } = chain.finish();
  return { events, findings: [...findings] };
}

export class VerifyJob {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /** `served`: the greatest event that was served before it began. */
  verify(served: number | undefined): VerifyReport {
    const connection = openReader(this.#file);
    const findings: VerifyResult[] = [];
    let events = 0;
    try {
      for (const found of pages(connection)) findings.push(...found);
      const chain = chainOf(connection);
      events = chain.events;
      findings.push(...chain.findings);
      // Of one state: an event that is committed between two of its reads is not missing.
      const missing = connection.transaction(() => findMissingAtEnd(connection, served))();
      if (missing !== undefined) findings.push(missing);
      for (const found of new BlockCheck(connection).findings()) {
        if (found !== undefined) findings.push(found);
      }
    } catch (error) {
      if (!blamesFile(error)) throw error;
      findings.push(verifyResult('DATABASE_DAMAGED', `the rest can not be read: ${error.message}`));
    } finally {
      connection.close();
    }
    return { events, findings: findings.slice(0, maxKeptResults), total: findings.length };
  }
}

/** What can be said of a database: whether its chain is intact and its projections equal a rebuild. */
import type { Connection } from '../../../journal/database.ts';
import type { ChainFinding } from '../../../journal/verify.ts';
import { withNote } from '../../progress.ts';
import type { Surroundings } from '../../services.ts';

/** Findings that are shown; a broken chain has one for each event after the break. */
const findingsShown = 100;

export interface Verdict {
  readonly intact: boolean;
  readonly events: number;
  /** SHA-256 of the last event in hex: whoever keeps it can tell later that nothing before changed. */
  readonly head: string;
  readonly findings: readonly ChainFinding[];
  readonly findings_total: number;
  /** Projections that differ from a rebuild. */
  readonly differing: readonly string[];
  /** Why no rebuild was possible; null when it was. */
  readonly rebuild_error: string | null;
}

/** The connection is to a copy, which nobody else uses. */
export async function verdictOn(
  connection: Connection,
  surroundings: Surroundings,
): Promise<Verdict> {
  const { WatchedJournal } = await import('./shared.ts');
  const { verifyChain } = await import('../../../journal/verify.ts');
  const { verifyProjections } = await import('../../../projection/rebuild.ts');
  const chain = new WatchedJournal(connection, 'chain  ', surroundings);
  const { events, findings } = verifyChain(chain);
  let differing: readonly string[] = [];
  let rebuildError: string | null = null;
  try {
    await withNote('clearing what is left behind', surroundings, () => clearAway(connection));
    const journal = new WatchedJournal(connection, 'rebuild', surroundings);
    differing = await withNote('comparing with a rebuild', surroundings, () =>
      verifyProjections(connection, journal),
    );
  } catch (error) {
    // Events that are damaged may not fold at all; the findings above say which.
    rebuildError = error instanceof Error ? error.message : String(error);
  }
  return {
    intact: findings.length === 0 && differing.length === 0 && rebuildError === null,
    events,
    head: chain.head().hash.toString('hex'),
    findings: findings.slice(0, findingsShown),
    findings_total: findings.length,
    differing,
    rebuild_error: rebuildError,
  };
}

/**
 * What large changes have left behind, or what was prepared and not published, is no projection's: the
 * service clears it away by and by, and may not have come to it.
 */
async function clearAway(connection: Connection): Promise<void> {
  const { RecordQueries } = await import('../../../projection/record-queries.ts');
  const { StageStore } = await import('../../../projection/stage-store.ts');
  const stages = new StageStore(connection);
  const records = new RecordQueries(connection);
  const uses = { isPrepared: () => false, isThere: (id: number) => records.byId(id) !== undefined };
  connection.transaction(() => {
    while (stages.clear(uses));
  })();
}

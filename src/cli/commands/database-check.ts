/**
 * What can be said of a database: whether its pages are in order, its chain is intact and ends where it ought to,
 * and its projections equal a rebuild. Loaded by the commands that read all of it.
 */
import { isTransient } from '../../base/storage-problem.ts';
import { copyDatabase, openCopy, withFileNamed } from '../../journal/backup.ts';
import type { NameKey } from '../../dns/name.ts';
import type { Connection } from '../../journal/database.ts';
import { findMissingAtEnd } from '../../journal/end.ts';
import type { EventRow } from '../../journal/event-row.ts';
import {
  type Advice,
  adviceFor,
  type VerifyResult,
  verifyResult,
} from '../../journal/verify-result.ts';
import { Journal } from '../../journal/journal.ts';
import { blamesFile, checkPages } from '../../journal/pages.ts';
import { ChainCheck } from '../../journal/verify.ts';
import { BlockCheck } from '../../projection/block-check.ts';
import { BlockScan } from '../../query/block-scan.ts';
import { StoredOwners } from '../../query/stored-owners.ts';
import { verifyProjections } from '../../projection/rebuild.ts';
import { StageStore } from '../../projection/stage-store.ts';
import { withNote, withProgress } from '../terminal.ts';
import type { Environment } from '../environment.ts';
import type { HostDatabase } from './host-database.ts';

/** Findings that are named; a broken chain has one for each event after the break. */
const maxListed = 100;

export interface DatabaseCheck {
  readonly intact: boolean;
  readonly events: number;
  /** SHA-256 of the last event in hex: whoever keeps it can tell later that nothing before changed. */
  readonly head: string;
  readonly findings: readonly VerifyResult[];
  readonly findings_total: number;
  /** What puts it right; `rebuild` only where that loses nothing. */
  readonly advice: Advice;
  /** Projections that differ from a rebuild. */
  readonly differing: readonly string[];
  /** Why no rebuild was possible; null when it was. */
  readonly rebuild_error: string | null;
}

/**
 * The connection is to a copy, which nobody else uses. `served`: the greatest event that was served, as the epoch
 * file had it before the copy was made; undefined for a file from elsewhere.
 */
export async function checkDatabase(
  connection: Connection,
  environment: Environment,
  served?: number,
): Promise<DatabaseCheck> {
  const { events, findings } = await journalResults(connection, environment, served);
  const tables = await tableResults(connection, environment);
  const all = [...findings, ...tables.findings];
  const journal = new WatchedJournal(connection, 'head   ', environment);
  return {
    intact: all.length === 0,
    events,
    head: journal.head().hash.toString('hex'),
    findings: all.slice(0, maxListed),
    findings_total: all.length,
    advice: adviceFor(all),
    differing: tables.differing,
    rebuild_error: tables.rebuildError,
  };
}

/** Copies a database, whether its service runs or not, and checks the copy, which `use` has before it is closed. */
export async function checkCopy<Made>(
  { file, served }: HostDatabase,
  copy: string,
  environment: Environment,
  use: (check: DatabaseCheck, connection: Connection) => Made,
): Promise<Made> {
  let connection: Connection | undefined;
  try {
    await withNote('copying the database', environment, () => copyDatabase(file, copy));
    connection = openCopy(copy);
    return use(await checkDatabase(connection, environment, served), connection);
  } catch (error) {
    throw withFileNamed(copy, error);
  } finally {
    connection?.close();
  }
}

/** Pages, chain and end of the journal: what has to be whole before anything is made from it again. */
export async function journalResults(
  connection: Connection,
  environment: Environment,
  served: number | undefined,
): Promise<{ readonly events: number; readonly findings: readonly VerifyResult[] }> {
  const findings = await withNote('looking at every page', environment, () =>
    checkPages(connection),
  );
  const journal = new WatchedJournal(connection, 'chain  ', environment);
  const chain = new ChainCheck(journal);
  try {
    for (const row of journal.events()) chain.add(row);
    const missing = findMissingAtEnd(connection, served);
    if (missing !== undefined) findings.push(missing);
  } catch (error) {
    if (!blamesFile(error)) throw error;
    const problem = `and those after it can not be read: ${error.message}`;
    findings.push(verifyResult('DATABASE_DAMAGED', problem, { seq: chain.lastSeq + 1 }));
  }
  const report = chain.finish();
  return { events: report.events, findings: [...findings, ...report.findings] };
}

interface TableReport {
  readonly findings: readonly VerifyResult[];
  readonly differing: readonly string[];
  readonly rebuildError: string | null;
}

async function tableResults(
  connection: Connection,
  environment: Environment,
): Promise<TableReport> {
  const findings: VerifyResult[] = [];
  try {
    for (const found of new BlockCheck(connection).findings()) {
      if (found !== undefined) findings.push(found);
    }
    await withNote('deleting what is left behind', environment, () => deleteLeftovers(connection));
    const journal = new WatchedJournal(connection, 'rebuild', environment);
    const differing = await withNote('comparing with a rebuild', environment, () =>
      verifyProjections(connection, journal),
    );
    for (const table of differing) {
      findings.push(verifyResult('PROJECTION_DIFFERS', `table ${table} differs from a rebuild`));
    }
    return { findings, differing, rebuildError: null };
  } catch (error) {
    if (isTransient(error)) throw error;
    // Events that are damaged may not fold at all; other findings say which.
    const rebuildError = error instanceof Error ? error.message : String(error);
    const problem = `the tables can not be made from the journal again: ${rebuildError}`;
    findings.push(verifyResult('REBUILD_IMPOSSIBLE', problem));
    return { findings, differing: [], rebuildError };
  }
}

/**
 * What large changes have left behind, or what was prepared and not published, is no projection's: the
 * service deletes it gradually, and may not have come to it.
 */
function deleteLeftovers(connection: Connection): void {
  const stages = new StageStore(connection);
  const blocks = new BlockScan(connection);
  const idsAt = (zoneId: number, owner: NameKey) => {
    return new Set(new StoredOwners(blocks, zoneId).at(owner).map(({ id }) => id));
  };
  const uses = { isPrepared: () => false, idsAt };
  connection.transaction(() => {
    while (stages.clear(uses));
  })();
}

/** A journal that shows how far a scan of it has come. */
export class WatchedJournal extends Journal {
  readonly #environment: Environment;
  readonly #label: string;

  constructor(
    connection: ConstructorParameters<typeof Journal>[0],
    label: string,
    environment: Environment,
  ) {
    super(connection);
    this.#label = label;
    this.#environment = environment;
  }

  override *events(afterSeq = 0): Generator<EventRow> {
    const total = this.head().seq - afterSeq;
    yield* withProgress(super.events(afterSeq), total, this.#label, this.#environment);
  }
}

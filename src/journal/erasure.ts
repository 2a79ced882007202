/**
 * What is deleted for good leaves the files too: the database, where it is overwritten (writer-settings.ts), and the
 * WAL, which has it until it is emptied.
 *
 * Which deletions these are is said by table, so that no way of deleting can pass it by: triggers of the connection
 * that writes note each. The thread that checkpoints empties the WAL after the last of them (checkpoint-thread.ts).
 * Where somebody else checkpoints the WAL is theirs.
 */
import { monotonicMs } from '../base/clock.ts';
import { stageStates } from './history-drop.ts';
import type { Connection } from './sqlite.ts';

const { dropped, purged, forgetting } = stageStates;

/** After what has a trigger: a change of a table, and of which rows when not of all. */
interface Erasing {
  readonly table: string;
  readonly change: 'DELETE' | 'UPDATE OF payload';
  readonly when?: string;
}

const deletionsFrom = (table: string): Erasing => ({ table, change: 'DELETE' });

export const erasing: readonly Erasing[] = [
  // What events held, with net changes and parts of deltas in the same commit.
  { table: 'event', change: 'UPDATE OF payload', when: 'new.payload IS NULL' },
  // The last of what takes several commits: of a purge, a forgetting, a large event.
  { table: 'stage', change: 'DELETE', when: `old.state IN (${dropped}, ${purged}, ${forgetting})` },
  deletionsFrom('deleted_zone'),
  deletionsFrom('search_owner'),
  // A key is also replaced, while what it names is still in the journal.
  {
    table: 'search_key',
    change: 'DELETE',
    when: 'old.removed <> 0 AND NOT EXISTS (SELECT 1 FROM event_delta WHERE place = old.removed)',
  },
  // Secrets that were revoked, and keys.
  deletionsFrom('token_secret'),
  deletionsFrom('tsig_secret'),
  deletionsFrom('webhook_secret'),
  deletionsFrom('signing_key_secret'),
  deletionsFrom('session'),
];

/** Counts in the first place of `erasures`, which is shared, what a connection deletes for good. */
export function noteErasures(connection: Connection, erasures: Int32Array): void {
  connection.function('note_erasure', () => Atomics.add(erasures, 0, 1));
  for (const { table, change, when = 'true' } of erasing) {
    connection.exec(
      `CREATE TEMP TRIGGER erased_from_${table} AFTER ${change} ON main.${table} WHEN ${when}
       BEGIN SELECT note_erasure(); END`,
    );
  }
}

/** Milliseconds after which the WAL is emptied although more is being deleted. */
const maxDelayMs = 2000;
/** Attempts that readers hold back before one waits for them. */
const hastyAttempts = 10;
/** Milliseconds that it waits, for which nobody can commit. */
const readersTimeoutMs = 20;

/**
 * False when somebody reads what is in it, or writes. So what was counted within a transaction is committed, or
 * undone, when it is true. `busyTimeoutMs`: how long it waits for them, while nobody can commit.
 */
function emptyWal(connection: Connection, busyTimeoutMs: number): boolean {
  const usual = connection.pragma('busy_timeout', { simple: true }) as number;
  connection.pragma(`busy_timeout = ${busyTimeoutMs}`);
  try {
    const [{ busy }] = connection.pragma('wal_checkpoint(TRUNCATE)') as [{ busy: number }];
    return busy === 0;
  } finally {
    connection.pragma(`busy_timeout = ${usual}`);
  }
}

/** Empties the WAL that a process has left which was killed; false when it could not. */
export function emptyLeftWal(connection: Connection): boolean {
  try {
    return emptyWal(connection, 0);
  } catch {
    // Whatever it is: who writes will say so.
    return false;
  }
}

/** Empties the WAL after what `noteErasures` counts. */
export class WalEmptier {
  readonly #connection: Connection;
  readonly #erasures: Int32Array;
  /** What was counted when it was emptied last. */
  #emptied: number | undefined;
  #seen: number | undefined;
  #sinceMs = 0;
  #attempts = 0;

  /** `isEmptied`: nothing is left of an earlier process. */
  constructor(connection: Connection, erasures: Int32Array, isEmptied: boolean) {
    this.#connection = connection;
    this.#erasures = erasures;
    this.#emptied = isEmptied ? 0 : undefined;
    this.#seen = this.#emptied;
  }

  /** To be called now and again; empties the WAL when nothing was deleted since the last call, or for long. */
  look(): void {
    const counted = Atomics.load(this.#erasures, 0);
    if (counted === this.#emptied) return;
    if (this.#seen === this.#emptied) this.#sinceMs = monotonicMs();
    const isQuiet = counted === this.#seen;
    this.#seen = counted;
    if (!isQuiet && monotonicMs() - this.#sinceMs < maxDelayMs) return;
    // Nobody can commit while it is emptied: so most is copied before.
    this.#connection.pragma('wal_checkpoint(PASSIVE)');
    const isPatient = ++this.#attempts % hastyAttempts === 0;
    if (!emptyWal(this.#connection, isPatient ? readersTimeoutMs : 0)) return;
    this.#emptied = counted;
    this.#attempts = 0;
  }
}

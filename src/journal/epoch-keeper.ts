/**
 * Keeps the epoch file up with the journal: rewritten at most once a second, beside everything else, and
 * at the stop. It may be behind the database, never ahead: what it names is on disk by then.
 */
import { Periodic } from '../base/periodic.ts';
import { entryOf } from './epoch.ts';
import { replaceEpochFile, writeEpochFile } from './epoch-file.ts';
import { headQuery } from './head.ts';
import type { Connection } from './sqlite.ts';

/** Milliseconds between two looks at the journal. */
const everyMs = 1000;

export interface EpochKeeper {
  /** Writes the file as the database is now, and from now on keeps it up. */
  start(): void;
  /** Writes it for the last time, if it was started. */
  stop(): Promise<void>;
}

/** `failed` hears of a file that could not be written, once until one can. */
export function createEpochKeeper(
  dataDir: string,
  connection: Connection,
  failed: (error: unknown) => void,
): EpochKeeper {
  const last = connection.prepare(headQuery);
  let epoch: number | undefined;
  let isStarted = false;
  let isFailing = false;

  async function keepUp(): Promise<void> {
    // Looked at first, because most of the time there is nothing new.
    const head = last.get() as { seq: number } | undefined;
    if ((head?.seq ?? 0) === epoch) return;
    const next = entryOf(connection);
    await replaceEpochFile(dataDir, next);
    epoch = next.seq;
    isFailing = false;
  }

  function fail(error: unknown): void {
    if (!isFailing) failed(error);
    isFailing = true;
  }

  const keeping = new Periodic(keepUp, { everyMs, failed: fail });
  return {
    start() {
      isStarted = true;
      // A disk that is full keeps nobody from starting: the file may be behind.
      try {
        const first = entryOf(connection);
        writeEpochFile(dataDir, first);
        epoch = first.seq;
      } catch (error) {
        fail(error);
      }
      keeping.start();
    },
    async stop() {
      if (!isStarted) return;
      isStarted = false;
      await keeping.wake();
      await keeping.stop();
    },
  };
}

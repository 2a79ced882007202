/**
 * Looks at the WAL while the service runs. Warns of one that grows on and on, which fills the disk and makes
 * reads slow: with `external` because nobody checkpoints, else because a reader keeps a checkpoint from its
 * end. Warns too when Litestream has come to a database that the service checkpoints itself.
 */
import { monotonicMs } from '../base/clock.ts';
import { Periodic } from '../base/periodic.ts';
import type { Checkpoints } from '../journal/checkpoint-owners.ts';
import { litestreamTraceOf } from '../journal/checkpoints.ts';
import type { WritableDatabase } from '../journal/database.ts';
import type { Log } from '../telemetry/log.ts';

/** Milliseconds between two looks. */
const lookMs = 10_000;
/** Milliseconds from one warning to the next of its kind. */
const quietMs = 3_600_000;

export interface WalWatchOptions {
  readonly checkpoints: Checkpoints;
  readonly walWarnBytes: number;
}

type Watched = Pick<WritableDatabase, 'walLength' | 'connection' | 'file'>;

export function watchWal(database: Watched, log: Log, options: WalWatchOptions): Periodic {
  const watch = new Periodic(walLook(database, log, options), {
    everyMs: lookMs,
    firstMs: 0,
  });
  watch.start();
  return watch;
}

/** One look; `now` tells milliseconds. */
export function walLook(
  { walLength, connection, file }: Watched,
  log: Log,
  { checkpoints, walWarnBytes }: WalWatchOptions,
  now: () => number = monotonicMs,
): () => void {
  const warnOfLength = onceAnHour(now);
  const warnOfLitestream = onceAnHour(now);
  return () => {
    try {
      const { bytes, pendingBytes } = walLength();
      if (bytes >= walWarnBytes) {
        warnOfLength(() =>
          log.warn('database.wal-long', { bytes, pendingBytes, walWarnBytes, checkpoints }),
        );
      }
      const trace = checkpoints === 'own' ? litestreamTraceOf(file, connection) : undefined;
      if (trace !== undefined) {
        warnOfLitestream(() =>
          log.error('database.replica-unsafe', { key: 'database.checkpoints', checkpoints, trace }),
        );
      }
    } catch {
      // A database that does not answer: those who need it for more say so.
    }
  };
}

function onceAnHour(now: () => number): (warn: () => void) => void {
  let quietUntil = Number.NEGATIVE_INFINITY;
  return (warn) => {
    if (now() < quietUntil) return;
    quietUntil = now() + quietMs;
    warn();
  };
}

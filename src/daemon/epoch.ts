/**
 * The epoch at the start of the service (domain/epoch.ts, journal/epoch.ts): whether the database is the
 * one that was served last, and the beginning of a new epoch when an operator says so.
 */
import { join } from 'node:path';
import {
  greatestSerials,
  logIgnored,
  seenSerials,
  surveySecondaries,
} from '../background/serial-survey.ts';
import { limits } from '../base/limits.ts';
import { type EpochReason, noneSeen } from '../domain/epoch.ts';
import type { Author } from '../domain/why.ts';
import { byAuthor, bySystem } from '../writer/submission.ts';
import type { Writer } from '../writer/writer.ts';
import { type Connection, DatabaseError, databaseFile } from '../journal/database.ts';
import { entryOf, judgeEpoch, missedJumps, setEpoch } from '../journal/epoch.ts';
import { type EpochFile, readEpochFile, writeEpochFile } from '../journal/epoch-file.ts';
import { absenceOf } from '../journal/unusable.ts';
import type { Outbound } from '../outbound/policy.ts';
import { countedState, namesServed } from '../query/epoch-queries.ts';
import type { SecondaryQueries } from '../query/named-queries.ts';
import type { Log } from '../telemetry/log.ts';

/** What an operator may say at the start. */
export interface StartChoice {
  /** The database was taken back: begin a new epoch. */
  readonly recover?: boolean | undefined;
  /** Who says so, and why. */
  readonly author?: Author | undefined;
  /** There is no database and none is missed: make one, though other files say that there was one. */
  readonly isNew?: boolean | undefined;
  /** Take a key file that others can read. */
  readonly insecureKeyFile?: boolean | undefined;
}

/** A new epoch that is to begin. */
export interface PlannedEpoch {
  readonly reason: EpochReason;
  /** Of an epoch that somebody asked for. */
  readonly author?: Author | undefined;
  readonly epoch: number;
  readonly lostEvents: number;
  readonly missedJumps: number;
}

/**
 * Why a folder without a database may not get a new one: files beside it are of one that is missing, which
 * a volume that was not mounted looks like too. Undefined when it may.
 */
export function reasonAgainstNew(
  dataDir: string,
  keyFile: string,
  { isNew = false }: StartChoice,
): string | undefined {
  if (isNew) return undefined;
  const { problem, advice, isMissed } = absenceOf(join(dataDir, databaseFile), keyFile);
  return isMissed ? `${problem}: ${advice}` : undefined;
}

/**
 * Looks at a database that was opened: lets it go on, gives it its first epoch, or says which one is to
 * begin. DatabaseError when it was taken back and nobody said what to do.
 */
export function examineEpoch(
  dataDir: string,
  connection: Connection,
  { recover = false, author, isNew = false }: StartChoice,
): PlannedEpoch | undefined {
  const file = readEpochFile(dataDir);
  const now = entryOf(connection);
  const greatest = Math.max(now.epoch, file?.epoch ?? 0, file?.next?.epoch ?? 0);
  const plan = {
    epoch: greatest + 1,
    lostEvents: Math.max(0, (file?.seq ?? 0) - now.seq),
    missedJumps: missedJumps(now, file),
  };
  if (recover) return { ...plan, reason: 'recover', author };
  if (isNew && now.seq === 0 && file !== undefined && file.epoch > 0) {
    return { ...plan, reason: 'new' };
  }
  const state = judgeEpoch(connection, file);
  if (state.kind === 'taken-back') {
    throw new DatabaseError(
      `${join(dataDir, databaseFile)} was taken back: ${state.reason}. Secondaries may hold serials ` +
        'that it never saw, with other records. Put the right database back, or start once with ' +
        `'zonebook serve --recover': every zone then goes on ${limits.epochJump} serials beyond all ` +
        'that is known to have been served, and secondaries transfer whole zones',
    );
  }
  if (state.kind === 'first') beginFirst(dataDir, connection, file);
  return undefined;
}

/** The database gets its epoch between two writes of the file, which is right before and after. */
function beginFirst(dataDir: string, connection: Connection, file: EpochFile | undefined): void {
  const now = entryOf(connection);
  const first = { ...now, epoch: 1 };
  writeEpochFile(dataDir, { ...(file ?? now), next: first });
  setEpoch(connection, first.epoch);
}

export interface EpochServices {
  readonly dataDir: string;
  readonly connection: Connection;
  readonly writer: Pick<Writer, 'submit'>;
  readonly secondaries: Pick<SecondaryQueries, 'enabled'>;
  readonly outbound: Outbound;
  readonly catalogName: string;
  readonly log: Pick<Log, 'info' | 'warn'>;
}

/** Begins the planned epoch, once secondaries were asked what they serve. */
export async function beginEpoch(
  { epoch, reason, author, lostEvents, missedJumps: missed }: PlannedEpoch,
  { dataDir, connection, writer, secondaries, outbound, catalogName, log }: EpochServices,
): Promise<void> {
  const surveyed = await surveySecondaries(
    secondaries.enabled(),
    { zoneNames: namesServed(connection), catalogName, withinMs: limits.epochSurveyMs },
    outbound,
  );
  for (const { name, address, serials, error } of surveyed) {
    const zones = greatestSerials(serials).size;
    const fields = { secondary: name, address, zones, error: error ?? undefined };
    log[error === null ? 'info' : 'warn']('epoch.secondary-asked', fields);
  }
  const own = countedState(connection);
  const { ignored, ...elsewhere } = seenSerials(surveyed, own, catalogName);
  logIgnored(ignored, log);
  const now = entryOf(connection);
  const last = readEpochFile(dataDir) ?? { ...now, epoch: 0, seq: 0 };
  writeEpochFile(dataDir, { ...last, next: { ...now, epoch } });
  await writer.submit(
    {
      kind: 'begin-epoch',
      epoch,
      reason,
      seen: {
        ...noneSeen,
        lostEvents,
        missedJumps: missed,
        ...elsewhere,
      },
    },
    author === undefined ? bySystem : byAuthor(author),
  );
}

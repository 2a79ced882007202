/**
 * A staged change: what is large is prepared beside what readers see, in small commits, and published by one short
 * command. Its states:
 *
 * ```
 *   open --slices--> prepared --publish--> published --> what it replaced is deleted gradually
 *     |                 |         `- the zone moved: prepared again, while other changes of the zone wait
 *     +-----------------+--> ended: all of it is deleted gradually
 * ```
 * A dry run prepares no stage; it is judged in the same way.
 */
import type { Clock } from '../../base/clock.ts';
import { assert } from '../../base/problem.ts';
import type { StagedDelta } from '../../domain/event.ts';
import type { Writer } from '../../writer/writer.ts';
import type { StageSlice } from '../../projection/stage-store.ts';
import type { ZoneQueries } from '../../query/zone-queries.ts';
import type { StageReport } from './protocol.ts';

export interface StagingServices {
  readonly writer: Pick<Writer, 'submit' | 'operate' | 'endStage' | 'hold'>;
  readonly zones: Pick<ZoneQueries, 'byName'>;
  readonly clock: Clock;
}

/** Where the slices of a change go, and what was reserved for it; all 0 in a dry run. */
export interface Stage {
  readonly number: number;
  /** Of the zone, also of one that is to be made. */
  readonly zoneId: number;
  /** The first id of its new records. */
  readonly firstId: number;
  put(slice: StageSlice): Promise<void>;
}

export interface StageOrder {
  /** Undefined for a zone that is to be made. */
  readonly zoneId: number | undefined;
  /** New records, which get ids. */
  readonly records: number;
  readonly dryRun: boolean;
}

/** What a command publishes of a stage, by the report of the thread that prepared it. */
export function stagedDelta(
  { number }: Stage,
  { partCount, partsDigest, removed, added, hasApexDname, longOwners, deletions }: StageReport,
  greatestId: number,
): StagedDelta {
  const parts = { number, partCount, partsDigest: Buffer.from(partsDigest) };
  return { ...parts, removed, added, deletions, greatestId, hasApexDname, longOwners };
}

/** Opens a stage for some work. What that does not publish is deleted gradually. */
export async function inStage<Done>(
  writer: Pick<Writer, 'operate' | 'endStage'>,
  { zoneId, records, dryRun }: StageOrder,
  work: (stage: Stage) => Promise<Done>,
): Promise<Done> {
  if (dryRun) {
    return work({
      number: 0,
      zoneId: zoneId ?? 0,
      firstId: 0,
      put: () => Promise.reject(new Error('a dry run stages nothing')),
    });
  }
  const stage = await writer.operate({ kind: 'open-stage', zoneId: zoneId ?? null, records });
  try {
    return await work({
      ...stage,
      put: (slice) => writer.operate({ kind: 'put-slice', stage, slice }),
    });
  } finally {
    writer.endStage(stage.number);
  }
}

/** Times that a dry run is planned in a zone that moves meanwhile before others wait for it: each may take as long. */
const dryAttempts = 3;

interface Published {
  readonly zoneName: string;
  readonly dryRun: boolean;
}

/**
 * Prepares and publishes a change; once more, while other changes of the zone wait, when the zone has moved
 * in between and the first attempt comes to nothing. Others wait for a dry run only where the zone never stands still.
 */
export async function untilPublished<Done>(
  writer: Pick<Writer, 'operate' | 'hold'>,
  { zoneName, dryRun }: Published,
  attempt: (heldName: string | undefined) => Promise<Done | undefined>,
): Promise<Done> {
  for (let left = dryRun ? dryAttempts : 1; left > 0; left--) {
    const done = await attempt(undefined);
    if (done !== undefined) return done;
  }
  const release = await writer.hold(zoneName);
  try {
    // Changes that were submitted before are done then.
    await writer.operate({ kind: 'wait' });
    const last = await attempt(zoneName);
    assert(last !== undefined, 'a zone whose changes wait does not move');
    return last;
  } finally {
    release();
  }
}

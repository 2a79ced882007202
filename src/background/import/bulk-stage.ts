/** What bulk inserts are made with, and the stage that one is prepared under. */
import type { Clock } from '../../base/clock.ts';
import type { Engine } from '../../engine/engine.ts';
import type { StageStore } from '../../projection/stage-store.ts';
import type { ZoneQueries } from '../../projection/zone-queries.ts';

export interface BulkServices {
  readonly engine: Pick<Engine, 'submit' | 'write' | 'prepare' | 'hold'>;
  readonly zones: Pick<ZoneQueries, 'byName'>;
  readonly stages: StageStore;
  readonly clock: Clock;
}

export interface Stage {
  readonly number: number;
  readonly firstId: number;
}

/** Opens a stage for so many new records; its number is noted among those that are prepared. */
export function openStage(
  { engine, stages }: BulkServices,
  prepared: Set<number>,
  zoneId: number,
  count: number,
): Promise<Stage> {
  return engine.write(({ counters }) => {
    const ids = counters.reserve('record', count);
    const number = stages.open(zoneId, ids.first, ids.end);
    prepared.add(number);
    return { number, firstId: ids.first };
  });
}

/**
 * Lets the changes of a zone wait (Engine.hold), and those that were submitted before be done: only then
 * does the zone not move any more.
 */
export async function holdStill(
  engine: Pick<Engine, 'prepare' | 'hold'>,
  zoneName: string,
): Promise<() => void> {
  const release = await engine.hold(zoneName);
  try {
    await engine.prepare(() => {});
  } catch (error) {
    release();
    throw error;
  }
  return release;
}

/** What bulk inserts are made with, and how a zone is kept from moving. */
import type { Clock } from '../../base/clock.ts';
import type { Engine } from '../../engine/engine.ts';
import type { ZoneQueries } from '../../query/zone-queries.ts';

export interface BulkServices {
  readonly engine: Pick<Engine, 'submit' | 'operate' | 'endStage' | 'hold'>;
  readonly zones: Pick<ZoneQueries, 'byName'>;
  readonly clock: Clock;
}

/**
 * Lets the changes of a zone wait (Engine.hold), and those that were submitted before be done: only then
 * does the zone not move any more.
 */
export async function holdStill(
  engine: Pick<Engine, 'operate' | 'hold'>,
  zoneName: string,
): Promise<() => void> {
  const release = await engine.hold(zoneName);
  try {
    await engine.operate({ kind: 'wait' });
  } catch (error) {
    release();
    throw error;
  }
  return release;
}

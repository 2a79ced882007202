/**
 * The records of a zone at an earlier serial, those of users or the derived ones, in batches.
 */
import type { ZoneRecord } from '../domain/record.ts';
import type { Layer, RecordCursor } from './record-cursor.ts';
import { Merging, type VersionSink } from './version-merging.ts';
import type { ZoneNow } from './version-now.ts';
import type { Stretch } from './version-stretch.ts';

/** Records handed on at a time. */
const recordsPerBatch = 1000;

export function* recordsInStretch(
  zoneNow: ZoneNow,
  zoneId: number,
  stretch: Stretch,
  layer: Layer = 'user',
): Generator<readonly ZoneRecord[]> {
  const batch = new Batch();
  const merging = new Merging(stretch, layer, batch);
  for (const run of zoneNow.runs(zoneId, stretch.range)) {
    merging.take(run);
    while (batch.size >= recordsPerBatch) yield batch.handOn();
  }
  merging.putBackBefore(undefined);
  while (batch.size > 0) yield batch.handOn();
}

class Batch implements VersionSink {
  readonly #records: ZoneRecord[] = [];

  get size(): number {
    return this.#records.length;
  }

  handOn(): readonly ZoneRecord[] {
    return this.#records.splice(0, recordsPerBatch);
  }

  now(cursor: RecordCursor): void {
    this.#records.push(cursor.zoneRecord());
  }

  past(record: ZoneRecord): void {
    this.#records.push(record);
  }
}

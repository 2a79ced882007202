/**
 * The records of a zone at an earlier serial, those of users or the derived ones: those of now, with the
 * owners that steps have touched since put back. Records of other owners are passed on as they are read.
 */
import { emptyName, type NameKey } from '../dns/name.ts';
import type { ZoneRecord } from '../domain/record.ts';
import { type Layer, RecordCursor } from './record-cursor.ts';
import type { Run, ZoneNow } from './version-now.ts';
import type { Stretch } from './version-stretch.ts';

/** Records handed on at a time: fewer would cost more on their way to another thread. */
const recordsPerBatch = 1000;

export function* recordsInStretch(
  zoneNow: ZoneNow,
  zoneId: number,
  stretch: Stretch,
  layer: Layer = 'user',
): Generator<readonly ZoneRecord[]> {
  const merging = new Merging(stretch, layer);
  for (const run of zoneNow.runs(zoneId, stretch.range)) {
    merging.take(run);
    while (merging.size >= recordsPerBatch) yield merging.handOn();
  }
  merging.putBackBefore(undefined);
  while (merging.size > 0) yield merging.handOn();
}

class Merging {
  readonly #stretch: Stretch;
  readonly #cursor: RecordCursor;
  readonly #batch: ZoneRecord[] = [];
  /** Records of now of the next owner to be put back. */
  #node: ZoneRecord[] = [];
  #nextOwner = 0;

  constructor(stretch: Stretch, layer: Layer) {
    this.#stretch = stretch;
    this.#cursor = new RecordCursor(layer);
  }

  get size(): number {
    return this.#batch.length;
  }

  handOn(): readonly ZoneRecord[] {
    return this.#batch.splice(0, recordsPerBatch);
  }

  take(run: Run): void {
    const { owners, range } = this.#stretch;
    const cursor = this.#cursor.open(run);
    while (cursor.next()) {
      const { owner } = cursor;
      if (range.from !== emptyName && owner < range.from) continue;
      if (range.to !== undefined && owner >= range.to) return;
      const next = owners[this.#nextOwner]?.[0];
      if (next !== undefined && next < owner) this.putBackBefore(owner);
      if (owners[this.#nextOwner]?.[0] === owner) this.#node.push(cursor.record());
      else this.#batch.push(cursor.record());
    }
  }

  /** Puts back the owners before one, or all that are left. */
  putBackBefore(limit: NameKey | undefined): void {
    const { owners } = this.#stretch;
    while (this.#nextOwner < owners.length) {
      const [owner, { before }] = owners[this.#nextOwner]!;
      if (limit !== undefined && owner >= limit) return;
      for (const record of before.recordsThen(this.#node)) this.#batch.push(record);
      this.#node = [];
      this.#nextOwner++;
    }
  }
}

/**
 * Walks over what a zone holds now and puts back the owners that steps have touched since an earlier serial.
 * Records of other owners are told where they stand, without anything being made of them.
 */
import { emptyName, labelsToWire, type NameKey } from '../dns/name.ts';
import { OwnerOrder } from '../dns/packed.ts';
import type { ZoneRecord } from '../domain/record.ts';
import { type Layer, RecordCursor } from './record-cursor.ts';
import type { JoinedBlocks } from './block-row.ts';
import type { Stretch } from './version-stretch.ts';

/** Is told the records of then, in canonical order. */
export interface VersionSink {
  /** One that is still as it was. */
  now(cursor: RecordCursor): void;
  /** One of an owner that was touched since. */
  past(record: ZoneRecord): void;
}

export class Merging {
  readonly #stretch: Stretch;
  readonly #cursor: RecordCursor;
  readonly #sink: VersionSink;
  readonly #from: OwnerOrder | undefined;
  readonly #to: OwnerOrder | undefined;
  /** Records of now of the next owner to be put back. */
  #node: ZoneRecord[] = [];
  #nextOwner = 0;
  #nextOrder: OwnerOrder | undefined;

  constructor(stretch: Stretch, layer: Layer, sink: VersionSink) {
    const { from, to } = stretch.range;
    this.#stretch = stretch;
    this.#cursor = new RecordCursor(layer);
    this.#sink = sink;
    this.#from = from === emptyName ? undefined : orderOf(from);
    this.#to = to && orderOf(to);
    this.#begin(0);
  }

  #begin(owner: number): void {
    this.#nextOwner = owner;
    const next = this.#stretch.owners[owner];
    this.#nextOrder = next && orderOf(next[0]);
    this.#node = [];
  }

  take(run: JoinedBlocks): void {
    const cursor = this.#cursor.openBlock(run);
    while (cursor.next()) {
      if (this.#from !== undefined && cursor.compareOwner(this.#from) < 0) continue;
      if (this.#to !== undefined && cursor.compareOwner(this.#to) >= 0) return;
      const place = this.#nextOrder === undefined ? -1 : cursor.compareOwner(this.#nextOrder);
      if (place < 0) this.#sink.now(cursor);
      else this.#atTouched(cursor, place);
    }
  }

  /** A record that does not come before the next owner to be put back. */
  #atTouched(cursor: RecordCursor, place: number): void {
    if (place > 0) this.putBackBefore(cursor.owner);
    const isTouched =
      this.#nextOrder !== undefined && (place === 0 || cursor.compareOwner(this.#nextOrder) === 0);
    if (isTouched) this.#node.push(cursor.zoneRecord());
    else this.#sink.now(cursor);
  }

  /** Puts back the owners before one, or all that are left. */
  putBackBefore(limit: NameKey | undefined): void {
    const { owners } = this.#stretch;
    while (this.#nextOwner < owners.length) {
      const [owner, { before }] = owners[this.#nextOwner]!;
      if (limit !== undefined && owner >= limit) return;
      for (const record of before.recordsThen(this.#node)) this.#sink.past(record);
      this.#begin(this.#nextOwner + 1);
    }
  }
}

function orderOf(owner: NameKey): OwnerOrder {
  return new OwnerOrder(labelsToWire(owner));
}

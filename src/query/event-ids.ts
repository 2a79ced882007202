/**
 * The ids of events in streams: the number, with the epoch before it where a database was taken back, like `2-12`.
 * It goes on with numbers that other events had before; the epoch tells them apart.
 *
 * ```
 *   1 .. 6 | 7 .. 12       were served; then a backup that ends at 6 is restored
 *          | 2-7 .. 2-16   2-7 is the event that began epoch 2
 * ```
 * Who has 12 goes on behind 6, the last that both have.
 */
import { Problem } from '../base/problem.ts';
import type { Connection } from '../journal/database.ts';
import { type EpochStart, epochStarts } from './epoch-queries.ts';

export type StreamIds = Pick<EventIds, keyof EventIds>;

/** Before any database was taken back. */
const firstEpoch: EpochStart = { epoch: 1, seq: 0 };

export class EventIds {
  readonly #connection: Connection;
  /** Once they are read: epochs begin while nothing is served, and no index finds their events. */
  #starts: readonly EpochStart[] | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Gives the event of a number its id. */
  ofNumbers(): (seq: number) => string {
    const starts = this.#allStarts();
    return (seq) => {
      const { epoch } = starts.findLast((start) => start.seq <= seq)!;
      return epoch === firstEpoch.epoch ? String(seq) : `${epoch}-${seq}`;
    };
  }

  /** The number behind which a client goes on that has the event of this id. */
  behind(id: string): number {
    const [seq, epoch = firstEpoch.epoch] = id.split('-').reverse().map(Number) as [
      number,
      number?,
    ];
    const starts = this.#allStarts();
    const at = starts.findIndex((start) => start.epoch === epoch);
    if (at < 0) {
      throw takenBack(`event ${id} is of an epoch that this database never had`, starts);
    }
    const next = starts[at + 1];
    return next === undefined ? seq : Math.min(seq, next.seq - 1);
  }

  #allStarts(): readonly EpochStart[] {
    this.#starts ??= [firstEpoch, ...epochStarts(this.#connection)];
    return this.#starts;
  }
}

function takenBack(what: string, starts: readonly EpochStart[]): Problem {
  const { seq } = starts.at(-1)!;
  const how =
    seq === 0
      ? 'begin behind 0, or without a number'
      : `begin behind ${seq - 1}, to which it was taken back last`;
  return new Problem('EVENTS_TAKEN_BACK', `${what}, as a database was taken back: ${how}`);
}

/**
 * Lets go of what the earlier events of a stream hold: their payloads and the parts of their deltas. Their
 * headers stay, with the digests of what they held, so the chain goes on proving all the rest. Triggers
 * refuse it for events that no later checkpoint or purge of their stream stands in for.
 */
import type { Connection, Statement } from './database.ts';
import { placeOf, placesPerEvent } from './delta.ts';

/** States of a row of the table `stage`; what each means stands in projection/stage-store.ts. */
export const stageStates = {
  prepared: 0,
  published: 1,
  dropped: 2,
  purged: 3,
  absorbed: 4,
  forgetting: 5,
} as const;

/** Events let go of in one go: some milliseconds. */
const eventsPerGo = 50;
/** Parts deleted with their event; those of a larger one are cleared away by and by. */
const partsAtOnce = 8;

interface DropRow {
  readonly seq: number;
  readonly delta: number;
  readonly parts: number;
  /** 1 while something of its stage is still to be cleared away, which takes its parts to know. */
  readonly isStaged: number;
  readonly isGone?: number;
}

const columns = `seq, delta,
  (SELECT count(*) FROM event_delta
   WHERE place BETWEEN delta * ${placesPerEvent} AND (delta + 1) * ${placesPerEvent} - 1) AS parts,
  EXISTS (SELECT 1 FROM stage WHERE number = delta) AS isStaged`;

export class HistoryDrop {
  readonly #steps: Statement;
  readonly #others: Statement;
  readonly #dropPayload: Statement;
  readonly #deleteParts: Statement;
  readonly #leaveParts: Statement;

  constructor(connection: Connection) {
    // Oldest first: a version needs all steps since. So those that are gone are the first ones, and only
    // steps that re-sign may be missing between the others.
    this.#steps = connection.prepare(
      `SELECT ${columns}, payload IS NULL AS isGone FROM event
       WHERE stream = ($stream + 0) AND serial > coalesce((SELECT max(serial) FROM event
         WHERE stream = ($stream + 0) AND payload IS NULL AND kind <> 'zone.signed'), -1)
       ORDER BY serial LIMIT ${eventsPerGo}`,
    );
    // A later checkpoint makes an earlier one needless, however young it is.
    this.#others = connection.prepare(
      `SELECT ${columns} FROM event
       WHERE stream = ($stream + 0) AND serial IS NULL AND payload IS NOT NULL AND kind <> 'zone.purged'
        AND (seq <= $upToSeq OR (kind = 'zone.checkpointed' AND seq < (SELECT max(later.seq)
         FROM event AS later WHERE later.stream = ($stream + 0) AND later.serial IS NULL
          AND later.kind = 'zone.checkpointed'
          AND later.payload ->> '$.standIn.upToSeq' >= event.seq)))
       ORDER BY seq LIMIT ${eventsPerGo}`,
    );
    this.#dropPayload = connection.prepare('UPDATE event SET payload = NULL WHERE seq = ?');
    this.#deleteParts = connection.prepare('DELETE FROM event_delta WHERE place BETWEEN ? AND ?');
    this.#leaveParts = connection.prepare(
      `INSERT INTO stage (number, zone_id, first_id, end_id, state)
       VALUES (?, ?, 0, 0, ${stageStates.dropped})`,
    );
  }

  /**
   * Lets go of some events of a stream, up to one of them. `some`: there may be more. `waits`: the next
   * one has to stay until what its stage has left is cleared away.
   */
  drop(stream: number, upToSeq: number): 'some' | 'none' | 'waits' {
    const next = (this.#steps.all({ stream }) as DropRow[]).filter(({ seq }) => seq <= upToSeq);
    const steps = next.filter(({ isGone }) => isGone !== 1);
    const isLast = next.length < eventsPerGo;
    const others = isLast ? (this.#others.all({ stream, upToSeq }) as DropRow[]) : [];
    const rows = [...steps, ...others];
    let parts = 0;
    for (const row of rows) {
      if (row.isStaged === 1) return row === rows[0] ? 'waits' : 'some';
      this.#dropPayload.run(row.seq);
      parts += this.#dropParts(stream, row);
      if (parts >= partsAtOnce) return 'some';
    }
    return isLast && others.length < eventsPerGo ? 'none' : 'some';
  }

  #dropParts(stream: number, { delta, parts }: DropRow): number {
    if (parts > partsAtOnce) this.#leaveParts.run(delta, stream);
    else if (parts > 0) this.#deleteParts.run(placeOf(delta, 0), placeOf(delta + 1, -1));
    return Math.min(parts, partsAtOnce);
  }
}

/**
 * Deletes what the earlier events of a stream hold: their payloads and the parts of their deltas. Their
 * headers stay, with the digests of what they held, so the chain goes on proving all the rest. Triggers
 * refuse it for events that no later checkpoint or purge of their stream replaces.
 *
 * A step that re-signed a zone goes only when another step has replaced it: until then its signatures
 * are those that the zone serves, or served at the moment up to which things go.
 */
import type { Connection, Statement } from './database.ts';
import { rangeOfDelta, partsPerEvent } from './delta.ts';

/** States of a row of the table `stage`; what each means stands in projection/stage-store.ts. */
export const stageStates = {
  prepared: 0,
  published: 1,
  dropped: 2,
  purged: 3,
  merged: 4,
  forgetting: 5,
} as const;

/** Of which events: all steps, only those that re-signed the zone, or everything of a purged zone. */
export type Dropped = 'steps' | 'signer-steps' | 'everything';

/** Events whose content is deleted in one go: some milliseconds. */
const eventsPerGo = 50;
/** Parts deleted with their event; those of a larger one are gradually deleted. */
const partsAtOnce = 8;

interface DropRow {
  readonly seq: number;
  /** The event with which it may go: itself or, of a step that re-signed, the step after it. */
  readonly goesWith: number | null;
  readonly delta: number;
  readonly parts: number;
  /** 1 while something of its stage is still to be cleared away, which takes its parts to know. */
  readonly isStaged: number;
}

/** SQL of the event with which a step that re-signed may go: the step after it; null for the last one. */
export const replacedBy = `(SELECT next.seq FROM event AS next
  WHERE next.stream = event.stream AND next.serial > event.serial ORDER BY next.serial LIMIT 1)`;

const columns = `seq, delta, iif(kind = 'zone.signed', ${replacedBy}, seq) AS goesWith,
  (SELECT count(*) FROM event_delta
   WHERE place BETWEEN delta * ${partsPerEvent} AND (delta + 1) * ${partsPerEvent} - 1) AS parts,
  EXISTS (SELECT 1 FROM stage WHERE number = delta) AS isStaged`;

export class HistoryDrop {
  readonly #events: Statement;
  readonly #signerEvents: Statement;
  readonly #others: Statement;
  readonly #coveredUpTo: Statement;
  readonly #dropPayload: Statement;
  readonly #deleteParts: Statement;
  readonly #leaveParts: Statement;
  readonly #forgetNetChanges: readonly Statement[];

  constructor(connection: Connection) {
    // Oldest first: a version needs all steps since. So those that are deleted are the first ones, and only
    // steps that re-sign may be missing between the others.
    this.#events = connection.prepare(
      `SELECT ${columns} FROM event
       WHERE stream = ($stream + 0) AND payload IS NOT NULL
        AND serial > coalesce((SELECT max(serial) FROM event
         WHERE stream = ($stream + 0) AND payload IS NULL AND kind <> 'zone.signed'), -1)
       ORDER BY serial LIMIT ${eventsPerGo}`,
    );
    this.#signerEvents = connection.prepare(
      `SELECT ${columns} FROM event
       WHERE stream = ($stream + 0) AND payload IS NOT NULL AND kind = 'zone.signed'
        AND seq <= ($covered + 0)
       ORDER BY serial LIMIT ${eventsPerGo}`,
    );
    // A later checkpoint makes an earlier one needless, however young it is. No checkpoint has the names of serials,
    // or says what was deleted.
    this.#others = connection.prepare(
      `SELECT ${columns} FROM event
       WHERE stream = ($stream + 0) AND serial IS NULL AND payload IS NOT NULL AND kind <> 'zone.purged'
        AND (kind NOT IN ('zone.tagged', 'zone.history-forgotten') OR $isPurged)
        AND (seq <= $upToSeq OR (kind = 'zone.checkpointed' AND seq < (SELECT max(later.seq)
         FROM event AS later WHERE later.stream = ($stream + 0) AND later.serial IS NULL
          AND later.kind = 'zone.checkpointed'
          AND later.payload ->> '$.standIn.upToSeq' >= event.seq)))
       ORDER BY seq LIMIT ${eventsPerGo}`,
    );
    this.#coveredUpTo = connection
      .prepare(
        `SELECT max(payload ->> '$.standIn.upToSeq') FROM event WHERE stream = ($stream + 0)
          AND serial IS NULL AND kind = 'zone.checkpointed' AND payload IS NOT NULL`,
      )
      .pluck();
    this.#dropPayload = connection.prepare('UPDATE event SET payload = NULL WHERE seq = ?');
    this.#deleteParts = connection.prepare('DELETE FROM event_delta WHERE place BETWEEN ? AND ?');
    this.#leaveParts = connection.prepare(
      `INSERT INTO stage (number, zone_id, first_id, end_id, state)
       VALUES (?, ?, 0, 0, ${stageStates.dropped})`,
    );
    // What is made of these events says what they held.
    this.#forgetNetChanges = ['net_change', 'net_change_part'].map((table) =>
      connection.prepare(
        `DELETE FROM ${table} WHERE zone_id = $stream AND from_serial < coalesce((SELECT max(serial)
          FROM event WHERE stream = ($stream + 0) AND payload IS NULL AND kind <> 'zone.signed'), -1)`,
      ),
    );
  }

  /**
   * Deletes a few events of a stream, up to one of them, as far as a checkpoint covers them. `some`: there may be more.
   * `waits`: the next one has to stay until what its stage has left is cleared away.
   */
  drop(stream: number, given: number, dropped: Dropped): 'some' | 'none' | 'waits' {
    const covered = this.#covered(stream);
    const upToSeq = dropped === 'steps' ? Math.min(given, covered) : given;
    const statement = dropped === 'signer-steps' ? this.#signerEvents : this.#events;
    const next = statement.all({ stream, covered }) as DropRow[];
    const kept = next.filter(({ seq, goesWith }) => {
      const last = dropped === 'everything' ? seq : goesWith;
      return last !== null && last <= upToSeq;
    });
    const isLast = kept.length < eventsPerGo;
    // Notes of what was not a step go with those of users, checkpoints that are needless with any.
    const notesUpTo = dropped === 'signer-steps' ? 0 : upToSeq;
    const isPurged = dropped === 'everything' ? 1 : 0;
    const others = isLast
      ? (this.#others.all({ stream, upToSeq: notesUpTo, isPurged }) as DropRow[])
      : [];
    const rows = [...kept, ...others];
    const result = this.#dropRows(stream, rows);
    if (result !== undefined) return result;
    if (!isLast || others.length === eventsPerGo) return 'some';
    if (dropped !== 'signer-steps')
      for (const forget of this.#forgetNetChanges) forget.run({ stream });
    return 'none';
  }

  /** The event up to which a checkpoint covers those of a stream; 0 where there is none. */
  #covered(stream: number): number {
    return (this.#coveredUpTo.get({ stream }) as number | null) ?? 0;
  }

  /** Undefined when the content of all of them is deleted. */
  #dropRows(stream: number, rows: readonly DropRow[]): 'some' | 'waits' | undefined {
    let parts = 0;
    for (const row of rows) {
      if (row.isStaged === 1) return row === rows[0] ? 'waits' : 'some';
      this.#dropPayload.run(row.seq);
      parts += this.#dropParts(stream, row);
      if (parts >= partsAtOnce) return 'some';
    }
    return undefined;
  }

  #dropParts(stream: number, { delta, parts }: DropRow): number {
    if (parts > partsAtOnce) this.#leaveParts.run(delta, stream);
    else if (parts > 0) this.#deleteParts.run(...rangeOfDelta(delta));
    return Math.min(parts, partsAtOnce);
  }
}

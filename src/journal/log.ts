/** Reads of the journal for people: the newest events first, of all streams or of a zone's. */
import type { Connection, Statement } from './database.ts';
import { type EventRow, eventColumns } from './event-row.ts';

export interface LogFilter {
  /** Streams to read; every one when undefined. */
  readonly streams?: readonly number[] | undefined;
  /** Only events after this one. */
  readonly afterSeq: number;
  readonly limit: number;
}

export class JournalLog {
  readonly #all: Statement;
  readonly #first: Statement;
  readonly #streams: Statement;

  constructor(connection: Connection) {
    this.#all = connection.prepare(
      `SELECT ${eventColumns} FROM event WHERE seq > ? ORDER BY seq DESC LIMIT ?`,
    );
    this.#first = connection.prepare(
      `SELECT ${eventColumns} FROM event
       WHERE stream IN (SELECT value FROM json_each(?)) AND seq > ? ORDER BY seq DESC LIMIT ?`,
    );
    this.#streams = connection.prepare('SELECT DISTINCT stream FROM event WHERE zone_name = :name');
  }

  newest({ streams, afterSeq, limit }: LogFilter): EventRow[] {
    const rows =
      streams === undefined
        ? this.#all.all(afterSeq, limit)
        : this.#first.all(JSON.stringify(streams), afterSeq, limit);
    return rows as EventRow[];
  }

  /** The streams of every zone that has ever had a name, deleted and renamed ones included. */
  streamsNamed(name: string): number[] {
    return (this.#streams.all({ name }) as { stream: number }[]).map(({ stream }) => stream);
  }
}

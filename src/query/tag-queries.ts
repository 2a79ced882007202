/** Names for serials of a zone: the last event of each name says what it stands for. */
import type { Connection, Statement } from '../journal/database.ts';
import { tagName } from '../journal/schema.ts';
import { actorOf, type EventActor } from './zone-events.ts';

export interface ZoneTag {
  readonly name: string;
  readonly serial: number;
  /** When it got the name, in milliseconds since 1970, by whom and why. */
  readonly createdAt: number;
  readonly createdBy: EventActor | null;
  readonly reason: string | null;
}

interface TagRow extends Omit<ZoneTag, 'serial' | 'createdBy'> {
  readonly serial: number | null;
  readonly actorKind: string | null;
  readonly actorName: string | null;
  readonly actorUid: number | null;
}

const columns = `${tagName} AS name, payload ->> '$.tag.serial' AS serial, at AS createdAt, reason,
  actor_kind AS actorKind, actor_name AS actorName, actor_uid AS actorUid`;
const ofZone = `FROM event INDEXED BY event_tag WHERE stream = ? AND kind = 'zone.tagged'`;

export class TagQueries {
  readonly #all: Statement;
  readonly #one: Statement;

  constructor(connection: Connection) {
    this.#all = connection.prepare(
      `SELECT ${columns}, max(seq) ${ofZone} AND ${tagName} IS NOT NULL GROUP BY ${tagName}`,
    );
    this.#one = connection.prepare(
      `SELECT ${columns} ${ofZone} AND ${tagName} = ? ORDER BY seq DESC LIMIT 1`,
    );
  }

  /** In the order of their names. */
  of(zoneId: number): ZoneTag[] {
    return (this.#all.all(zoneId) as TagRow[]).flatMap((row) => tagOf(row) ?? []);
  }

  serialOf(zoneId: number, name: string): number | undefined {
    const row = this.#one.get(zoneId, name) as TagRow | undefined;
    return row?.serial ?? undefined;
  }
}

function tagOf({ name, serial, createdAt, reason, ...actor }: TagRow): ZoneTag | undefined {
  if (serial === null) return undefined;
  return { name, serial, createdAt, createdBy: actorOf(actor), reason };
}

/** Reads of deleted zones: those that can be brought back. */
import type { DeletedZone } from '../domain/zone.ts';
import type { Connection, Statement } from '../journal/database.ts';
import { Conditions, containing } from './condition.ts';
import type { Listed, Page } from './page.ts';
import { type ZoneRow, zoneColumns, zoneOf } from './zone-row.ts';

type DeletedZoneRow = ZoneRow & { readonly deletedAt: number };

const select = `SELECT ${zoneColumns}, zone.deleted_at AS deletedAt FROM deleted_zone AS zone`;
const newestFirst = 'ORDER BY zone.deleted_at DESC, zone.id DESC';

export class DeletedZoneQueries {
  readonly #connection: Connection;
  readonly #newest: Statement;
  readonly #byId: Statement;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#newest = connection.prepare(`${select} WHERE zone.name = ? ${newestFirst} LIMIT 1`);
    this.#byId = connection.prepare(`${select} WHERE zone.id = ?`);
  }

  /** The one deleted last comes first. `search`: part of the name. */
  list(page: Page, search?: string): Listed<DeletedZone> {
    const { where, values } = new Conditions().add(
      "zone.name LIKE ? ESCAPE '\\'",
      search === undefined ? undefined : containing(search),
    );
    const rows = this.#connection
      .prepare(`${select} ${where} ${newestFirst} LIMIT ? OFFSET ?`)
      .all(...values, page.limit, page.offset) as DeletedZoneRow[];
    const { count } = this.#connection
      .prepare(`SELECT count(*) AS count FROM deleted_zone AS zone ${where}`)
      .get(...values) as { count: number };
    return { items: rows.map(deletedZoneOf), total: count };
  }

  /** Of several deleted zones of one name, the one deleted last. The name is normalised. */
  newest(name: string): DeletedZone | undefined {
    const row = this.#newest.get(name) as DeletedZoneRow | undefined;
    return row && deletedZoneOf(row);
  }

  byId(id: number): DeletedZone | undefined {
    const row = this.#byId.get(id) as DeletedZoneRow | undefined;
    return row && deletedZoneOf(row);
  }
}

function deletedZoneOf(row: DeletedZoneRow): DeletedZone {
  const { deletedAt, ...zone } = row;
  return { ...zoneOf(zone), deletedAt };
}

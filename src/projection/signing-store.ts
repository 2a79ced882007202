/**
 * How zones are signed, as the open commit has it. What is read is kept in memory: most zones are not
 * signed, and every step asks.
 */
import {
  type StoredSigning,
  signingOf,
  storedSigning,
  type ZoneSigning,
} from '../domain/signing.ts';
import type { Connection, Statement } from '../journal/database.ts';

/** Zones kept in memory. */
const keptZones = 100_000;

const columns = 'zone_id AS zoneId, state';

interface SigningRow {
  readonly zoneId: number;
  readonly state: string;
}

function signingOfRow({ state }: SigningRow): ZoneSigning {
  return signingOf(JSON.parse(state) as StoredSigning);
}

export class SigningStore {
  readonly #get: Statement;
  readonly #put: Statement;
  readonly #delete: Statement;
  readonly #known = new Map<number, ZoneSigning | undefined>();

  constructor(connection: Connection) {
    this.#get = connection.prepare(`SELECT ${columns} FROM zone_signing WHERE zone_id = ?`);
    this.#put = connection.prepare(
      `INSERT INTO zone_signing (zone_id, policy_id, state) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET policy_id = excluded.policy_id, state = excluded.state`,
    );
    this.#delete = connection.prepare('DELETE FROM zone_signing WHERE zone_id = ?');
  }

  /** Undefined for a zone that was never signed and knows no parents. */
  of(zoneId: number): ZoneSigning | undefined {
    const known = this.#known.get(zoneId);
    if (known !== undefined || this.#known.has(zoneId)) return known;
    const row = this.#get.get(zoneId) as SigningRow | undefined;
    const signing = row && signingOfRow(row);
    if (this.#known.size >= keptZones) this.#known.clear();
    this.#known.set(zoneId, signing);
    return signing;
  }

  put(zoneId: number, signing: ZoneSigning): void {
    this.#put.run([zoneId, signing.policyId, JSON.stringify(storedSigning(signing))]);
    this.#known.set(zoneId, signing);
  }

  remove(zoneId: number): void {
    this.#delete.run([zoneId]);
    this.#known.delete(zoneId);
  }

  forget(): void {
    this.#known.clear();
  }
}

/** A stored zone that is signed. */
export interface SignedZone {
  readonly zoneId: number;
  readonly signing: ZoneSigning;
}

/** Reads of what is committed. */
export class SigningQueries {
  readonly #get: Statement;
  readonly #signed: Statement;
  readonly #underPolicy: Statement;
  readonly #deletedUnderPolicy: Statement;

  constructor(connection: Connection) {
    this.#get = connection.prepare(`SELECT ${columns} FROM zone_signing WHERE zone_id = ?`);
    this.#signed = connection.prepare(
      `SELECT ${columns} FROM zone_signing
       WHERE policy_id IS NOT NULL AND zone_id > ? AND zone_id IN (SELECT id FROM zone)
       ORDER BY zone_id LIMIT 500`,
    );
    const namesUnder = (table: 'zone' | 'deleted_zone') =>
      connection
        .prepare(
          `SELECT name FROM ${table} JOIN zone_signing ON zone_id = id WHERE policy_id = ?
           ORDER BY name`,
        )
        .pluck();
    this.#underPolicy = namesUnder('zone');
    this.#deletedUnderPolicy = namesUnder('deleted_zone');
  }

  of(zoneId: number): ZoneSigning | undefined {
    const row = this.#get.get(zoneId) as SigningRow | undefined;
    return row && signingOfRow(row);
  }

  /** All stored zones that are signed, by id. */
  *signedZones(): Generator<SignedZone> {
    let last = 0;
    while (true) {
      const rows = this.#signed.all(last) as SigningRow[];
      for (const row of rows) yield { zoneId: row.zoneId, signing: signingOfRow(row) };
      const end = rows.at(-1);
      if (end === undefined) return;
      last = end.zoneId;
    }
  }

  /** Names of the stored zones that are signed under a policy. */
  zonesUnder(policyId: number): readonly string[] {
    return this.#underPolicy.all(policyId) as string[];
  }

  /** Names of the deleted zones that would be signed under a policy if they were restored. */
  deletedZonesUnder(policyId: number): readonly string[] {
    return this.#deletedUnderPolicy.all(policyId) as string[];
  }
}
